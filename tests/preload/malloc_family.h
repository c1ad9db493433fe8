// What stands between a program and libc's memory where malloc_family.cpp is part of it.
#pragma once

/// Asked at each request, by every thread; true: it is answered with nothing. Must not ask for memory itself.
bool refuses_memory();
