# Warnings, sanitizers and coverage for our own sources: the interface target factorgcn_options.
add_library(factorgcn_options INTERFACE)
# nvcc knows other options: these are for C++ alone.
target_compile_options(factorgcn_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wno-psabi;-Wno-ignored-attributes>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 and 13 see overlaps and overflows inside inlined std::string and std::vector that are not there.
  target_compile_options(factorgcn_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict;-Wno-stringop-overflow>")
endif()

if(FACTORGCN_SANITIZE)
  set(known address undefined address,undefined thread)
  if(NOT FACTORGCN_SANITIZE IN_LIST known)
    message(FATAL_ERROR "FACTORGCN_SANITIZE=${FACTORGCN_SANITIZE}: "
                        "choose one of address, undefined, address,undefined, thread")
  endif()
  if(FACTORGCN_COVERAGE)
    message(FATAL_ERROR "FACTORGCN_SANITIZE and FACTORGCN_COVERAGE exclude each other: choose one")
  endif()
  target_compile_options(factorgcn_options INTERFACE -fsanitize=${FACTORGCN_SANITIZE} -fno-omit-frame-pointer -g1)
  target_link_options(factorgcn_options INTERFACE -fsanitize=${FACTORGCN_SANITIZE})
  if(FACTORGCN_SANITIZE MATCHES "undefined")
    # vptr wants type information of libtorch's classes, which its library does not show.
    target_compile_options(factorgcn_options INTERFACE -fno-sanitize-recover=all -fno-sanitize=vptr)
  endif()
endif()
if(FACTORGCN_BUILD_FUZZERS)
  # libtorch's headers need the same help under clang as for clang-tidy: the prelude says why.
  target_compile_options(factorgcn_options INTERFACE
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-sanitize=vptr
    -fno-omit-frame-pointer -O1 -g1 "SHELL:-include ${PROJECT_SOURCE_DIR}/tools/tidy_prelude.h")
  target_link_options(factorgcn_options INTERFACE -fsanitize=address,undefined)
endif()
if(FACTORGCN_COVERAGE)
  target_compile_options(factorgcn_options INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(factorgcn_options INTERFACE --coverage)
endif()
