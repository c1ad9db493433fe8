# The GPU part: sets gpu_cuda, graph_cuda, optim_cuda and ops_cuda (folders of src/), cuda_kernels and cuda_libraries.
#
# The .cu files under src/*/cuda know nothing of libtorch, so that they compile wherever nvcc is: without a libtorch
# that has CUDA they are still compiled, each on its own, by the target cuda_kernels_compile, so that a mistake in them
# shows everywhere; so is bench/gpu_chain, which runs them without libtorch.
# Architectures: -DCMAKE_CUDA_ARCHITECTURES=90 (Hopper) unless told otherwise.
file(GLOB kernel_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/cuda/*.cu)
set(gpu_cuda gpu/no_cuda)
set(graph_cuda graph/no_cuda)
set(optim_cuda optim/no_cuda)
set(ops_cuda)
set(cuda_kernels)
set(cuda_libraries)

find_program(FACTORGCN_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin)
mark_as_advanced(FACTORGCN_NVCC)
get_filename_component(torch_libraries ${LIBTORCH_torch} DIRECTORY)
set(torch_has_cuda OFF)
if(EXISTS ${torch_libraries}/libtorch_cuda.so AND EXISTS ${LIBTORCH_INCLUDE}/c10/cuda/CUDAStream.h)
  set(torch_has_cuda ON)
endif()

set(use_cuda OFF)
if(FACTORGCN_WITH_CUDA STREQUAL "AUTO")
  if(FACTORGCN_NVCC AND torch_has_cuda)
    set(use_cuda ON)
  endif()
elseif(FACTORGCN_WITH_CUDA)
  if(NOT FACTORGCN_NVCC)
    message(FATAL_ERROR "FACTORGCN_WITH_CUDA=ON: nvcc was not found; put it on the PATH or set FACTORGCN_NVCC")
  endif()
  if(NOT torch_has_cuda)
    message(FATAL_ERROR "FACTORGCN_WITH_CUDA=ON: the libtorch in ${torch_libraries} has no CUDA part "
                        "(libtorch_cuda.so); give another one with -DLIBTORCH_DIR")
  endif()
  set(use_cuda ON)
endif()

if(use_cuda)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90)
  endif()
  if(NOT CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER ${FACTORGCN_NVCC})
  endif()
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)  # libtorch's own copy serves both
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(gpu_cuda gpu/cuda)
  set(graph_cuda graph/cuda)
  set(optim_cuda optim/cuda)
  set(ops_cuda ops/cuda)
  # Once for every library that they are part of.
  add_library(cuda_kernel_files OBJECT ${kernel_sources})
  target_include_directories(cuda_kernel_files PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(cuda_kernel_files PRIVATE factorgcn_options CUDA::cudart)
  set(cuda_kernels $<TARGET_OBJECTS:cuda_kernel_files>)
  find_library(LIBTORCH_c10_cuda c10_cuda HINTS ${torch_libraries} NO_DEFAULT_PATH)
  find_library(LIBTORCH_torch_cuda torch_cuda HINTS ${torch_libraries} NO_DEFAULT_PATH)
  mark_as_advanced(LIBTORCH_c10_cuda LIBTORCH_torch_cuda)
  set(cuda_libraries ${LIBTORCH_torch_cuda} ${LIBTORCH_c10_cuda} CUDA::cudart)
  message(STATUS "GPU kernels for compute capability ${CMAKE_CUDA_ARCHITECTURES}")
elseif(FACTORGCN_NVCC AND FACTORGCN_BUILD_TESTS AND NOT FACTORGCN_SANITIZE AND NOT FACTORGCN_COVERAGE)
  file(GLOB kernel_headers CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/src/*/cuda/*.h ${PROJECT_SOURCE_DIR}/src/*/cuda/*.cuh ${PROJECT_SOURCE_DIR}/src/ops/*.h
    ${PROJECT_SOURCE_DIR}/src/graph/padding.h ${PROJECT_SOURCE_DIR}/bench/gpu_chain/*.h
    ${PROJECT_SOURCE_DIR}/bench/node_spread.h)
  set(compiled)
  foreach(source ${kernel_sources} ${PROJECT_SOURCE_DIR}/bench/gpu_chain/gpu_chain.cpp)
    get_filename_component(name ${source} NAME)
    set(object ${PROJECT_BINARY_DIR}/cuda_kernels/${name}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/cuda_kernels
      COMMAND ${FACTORGCN_NVCC} -std=c++20 -O1 -arch=sm_90 -I${PROJECT_SOURCE_DIR}/src -c ${source} -o ${object}
      DEPENDS ${source} ${kernel_headers} COMMENT "Compiling ${name} alone" VERBATIM)
    list(APPEND compiled ${object})
  endforeach()
  add_custom_target(cuda_kernels_compile ALL DEPENDS ${compiled})
  message(STATUS "No libtorch with CUDA: the GPU kernels are compiled, but not linked")
else()
  message(STATUS "No GPU part (FACTORGCN_WITH_CUDA=${FACTORGCN_WITH_CUDA})")
endif()
