// Marks what the shared library shows to the outside; everything else stays hidden.
#pragma once

#if defined(__GNUC__) || defined(__clang__)
#define FACTORGCN_API __attribute__((visibility("default")))
#else
#define FACTORGCN_API
#endif
