# Two translation units per instruction set, one for each precision; src/ops/cpu/dispatch.cpp, built without
# architecture flags, picks at run time.
#
# Contraction to fused multiply-add is asked for by name: ISO mode switches it off, and the kernels count on it.
set(kernel_flags -ffp-contract=fast -fno-math-errno -fno-trapping-math)
if(NOT FACTORGCN_SANITIZE)  # under which a file would take a quarter of an hour and 3 GB to compile
  list(PREPEND kernel_flags -O3)
endif()
set(cpu_dir ${CMAKE_CURRENT_SOURCE_DIR}/src/ops/cpu)
set_source_files_properties(${cpu_dir}/kernels_baseline.cpp ${cpu_dir}/kernels_baseline_double.cpp
  PROPERTIES COMPILE_OPTIONS "${kernel_flags}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${cpu_dir}/kernels_avx2.cpp ${cpu_dir}/kernels_avx2_double.cpp
    PROPERTIES COMPILE_OPTIONS "${kernel_flags};-mavx2;-mfma")
  set_source_files_properties(${cpu_dir}/kernels_avx512.cpp ${cpu_dir}/kernels_avx512_double.cpp
    PROPERTIES COMPILE_OPTIONS
    "${kernel_flags};-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mfma;-mprefer-vector-width=512")
endif()
