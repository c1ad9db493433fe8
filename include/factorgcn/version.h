// The one place that states the version; CMake reads it from here.
#pragma once

#define FACTORGCN_VERSION_MAJOR 0
#define FACTORGCN_VERSION_MINOR 1
#define FACTORGCN_VERSION_PATCH 0
#define FACTORGCN_VERSION "0.1.0"
