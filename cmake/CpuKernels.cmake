# src/ops/cpu/kernels/kernel_build.cpp once per instruction set and precision; src/ops/cpu/dispatch.cpp, built without
# architecture flags, picks at run time. Sets kernel_objects and kernel_list for the library.
#
# FACTORGCN_CPU_KERNELS: `all` for what travels or is tested; `native` for this machine alone, in a third of the time:
# its widest instruction set in single precision, and double precision, which serves checking, without any. A library
# built like that refuses to run on a lesser processor.
set(FACTORGCN_CPU_KERNELS all CACHE STRING "CPU kernels: all instruction sets, or native: those of this machine alone")
set_property(CACHE FACTORGCN_CPU_KERNELS PROPERTY STRINGS all native)

# Contraction to fused multiply-add is asked for by name: ISO mode switches it off, and the kernels count on it.
set(kernel_flags -ffp-contract=fast -fno-math-errno -fno-trapping-math)
if(NOT FACTORGCN_SANITIZE)  # under which a file would take a quarter of an hour and 3 GB to compile
  list(PREPEND kernel_flags -O3)
endif()
set(baseline_flags)
set(baseline_bytes 16)
set(avx2_flags -mavx2 -mfma)
set(avx2_bytes 32)
set(avx512_flags -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512)
set(avx512_bytes 64)

# Slowest first.
set(instruction_sets baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND instruction_sets avx2 avx512)
endif()
if(FACTORGCN_CPU_KERNELS STREQUAL "native")
  # Asked of the processor in the same words as dispatch.cpp does.
  try_run(native_index native_compiled ${PROJECT_BINARY_DIR}/native ${PROJECT_SOURCE_DIR}/cmake/native_set.cpp)
  if(NOT native_compiled OR native_index MATCHES "FAILED")
    message(FATAL_ERROR "FACTORGCN_CPU_KERNELS=native: this machine could not be asked for its instruction set; "
                        "use all")
  endif()
  list(GET instruction_sets ${native_index} native_set)
  set(kernel_choices "${native_set} baseline")
elseif(FACTORGCN_CPU_KERNELS STREQUAL "all")
  set(kernel_choices)
  foreach(name ${instruction_sets})
    list(APPEND kernel_choices "${name} ${name}")
  endforeach()
else()
  message(FATAL_ERROR "FACTORGCN_CPU_KERNELS=${FACTORGCN_CPU_KERNELS}: choose all or native")
endif()

set(kernel_objects)
# The object library with the kernels of one instruction set in one precision, made where it is first asked for.
function(factorgcn_kernels name real)
  set(target kernels_${name}_${real})
  if(NOT TARGET ${target})
    add_library(${target} OBJECT ${PROJECT_SOURCE_DIR}/src/ops/cpu/kernels/kernel_build.cpp)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    if(NOT FACTORGCN_BUILD_FUZZERS)  # they read no files, and take long to compile instrumented
      target_link_libraries(${target} PRIVATE factorgcn_options)
    endif()
    target_compile_definitions(${target} PRIVATE FACTORGCN_ISA=${name} FACTORGCN_VECTOR_BYTES=${${name}_bytes}
                                                 FACTORGCN_REAL=${real} FACTORGCN_KERNELS=${name}_${real}_kernels)
    target_compile_options(${target} PRIVATE ${kernel_flags} ${${name}_flags})
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
    set(kernel_objects ${kernel_objects} $<TARGET_OBJECTS:${target}> PARENT_SCOPE)
  endif()
endfunction()

set(kernel_builds)
foreach(choice ${kernel_choices})
  separate_arguments(choice)
  list(GET choice 0 single)
  list(GET choice 1 double)
  factorgcn_kernels(${single} float)
  factorgcn_kernels(${double} double)
  string(APPEND kernel_builds "      KernelBuild{\"${single}\", has_${single}, ${single}_float_kernels, "
                              "${double}_double_kernels},\n")
endforeach()
set(kernel_list ${PROJECT_BINARY_DIR}/kernel_builds.cpp)
configure_file(${PROJECT_SOURCE_DIR}/cmake/kernel_builds.cpp.in ${kernel_list} @ONLY)
