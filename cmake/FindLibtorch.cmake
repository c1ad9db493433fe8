# Finds libtorch and offers it as the imported target Libtorch::Libtorch; sets Libtorch_VERSION.
#
# Debian's package (1.13) and the upstream archives (2.x) both ship TorchConfig.cmake, but it drags in every dependency
# that libtorch was built with. What this library needs is the headers, three shared libraries and the C++ ABI flag.
# Where to look: -DLIBTORCH_DIR=/path or the environment's LIBTORCH_DIR (the folder that holds include/ and lib/), else
# the system, else the torch package of the Python that is first on the PATH. The installed package carries this file
# along.
set(LIBTORCH_DIR "$ENV{LIBTORCH_DIR}" CACHE PATH
    "Folder with libtorch's include/ and lib/; empty: the system's, else Python's torch")

set(torch_roots)
if(LIBTORCH_DIR)
  # What an earlier run found elsewhere does not count.
  cmake_path(IS_PREFIX LIBTORCH_DIR "${LIBTORCH_INCLUDE}" NORMALIZE found_before)
  if(NOT found_before)
    unset(LIBTORCH_INCLUDE CACHE)
    unset(LIBTORCH_c10 CACHE)
    unset(LIBTORCH_torch_cpu CACHE)
    unset(LIBTORCH_torch CACHE)
    unset(LIBTORCH_CONFIG CACHE)
  endif()
  # A folder given by name is meant: falling back to another libtorch would hide a typing mistake.
  set(torch_roots HINTS ${LIBTORCH_DIR} NO_DEFAULT_PATH)
endif()
find_path(LIBTORCH_INCLUDE torch/library.h ${torch_roots} PATH_SUFFIXES include)
if(NOT LIBTORCH_INCLUDE AND NOT LIBTORCH_DIR)
  find_program(LIBTORCH_PYTHON NAMES python3)
  mark_as_advanced(LIBTORCH_PYTHON)
  if(LIBTORCH_PYTHON)
    execute_process(COMMAND ${LIBTORCH_PYTHON} -c "import torch, os; print(os.path.dirname(torch.__file__))"
                    OUTPUT_VARIABLE python_torch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(python_torch)
      set(torch_roots HINTS ${python_torch} NO_DEFAULT_PATH)
      find_path(LIBTORCH_INCLUDE torch/library.h ${torch_roots} PATH_SUFFIXES include)
    endif()
  endif()
endif()
set(torch_parts LIBTORCH_INCLUDE)
if(LIBTORCH_INCLUDE)
  # Re-running with a filled cache must look beside the headers again, not wherever the system's lie.
  get_filename_component(torch_root ${LIBTORCH_INCLUDE} DIRECTORY)
  foreach(name c10 torch_cpu torch)
    find_library(LIBTORCH_${name} ${name} HINTS ${torch_root} PATH_SUFFIXES lib lib64)
    list(APPEND torch_parts LIBTORCH_${name})
  endforeach()
  set(torch_api ${LIBTORCH_INCLUDE}/torch/csrc/api/include)
  # 1.13 keeps its version in the API header, 2.x since 2.8 in headeronly/; both define the same three macros.
  set(torch_version_files ${torch_api}/torch/version.h ${LIBTORCH_INCLUDE}/torch/headeronly/version.h)
  set(Libtorch_VERSION)
  foreach(file ${torch_version_files})
    if(EXISTS ${file} AND NOT Libtorch_VERSION)
      file(STRINGS ${file} lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) +[0-9]")
      list(TRANSFORM lines REPLACE "[^0-9]" "")
      list(JOIN lines "." Libtorch_VERSION)
    endif()
  endforeach()
endif()
mark_as_advanced(LIBTORCH_INCLUDE LIBTORCH_c10 LIBTORCH_torch_cpu LIBTORCH_torch)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libtorch REQUIRED_VARS ${torch_parts} VERSION_VAR Libtorch_VERSION
  REASON_FAILURE_MESSAGE
  "Run tools/setup.sh, or install Debian's libtorch-dev, or give -DLIBTORCH_DIR=/path/to/libtorch.")

if(Libtorch_FOUND AND NOT TARGET Libtorch::Libtorch)
  add_library(Libtorch::Libtorch INTERFACE IMPORTED)
  target_include_directories(Libtorch::Libtorch SYSTEM INTERFACE ${LIBTORCH_INCLUDE} ${torch_api})
  # --no-as-needed: libtorch.so only carries its CUDA part along when it is really linked.
  target_link_options(Libtorch::Libtorch INTERFACE -Wl,--no-as-needed)
  target_link_libraries(Libtorch::Libtorch INTERFACE ${LIBTORCH_torch} ${LIBTORCH_torch_cpu} ${LIBTORCH_c10})
  # Archives before 2.6 were built with the old std::string; their package file says so.
  find_file(LIBTORCH_CONFIG TorchConfig.cmake HINTS ${torch_root} PATH_SUFFIXES share/cmake/Torch lib/cmake/Torch
            NO_DEFAULT_PATH)
  mark_as_advanced(LIBTORCH_CONFIG)
  if(LIBTORCH_CONFIG)
    file(STRINGS ${LIBTORCH_CONFIG} old_abi REGEX "_GLIBCXX_USE_CXX11_ABI=0")
    if(old_abi)
      target_compile_definitions(Libtorch::Libtorch INTERFACE _GLIBCXX_USE_CXX11_ABI=0)
    endif()
  endif()
endif()
