# One precompiled <torch/nn/module.h> (about 15 s and 700 MB when parsed) for the sources that define or use torch
# modules.
#
# It is compiled once, in the object library factorgcn_pch, and shared by all who ask. A compiler accepts a precompiled
# header only under the flags it was made with; hence the fixed -fPIC for programs too, and no per-target define.
# Sources still include what they use: without precompiled headers (CMAKE_DISABLE_PRECOMPILE_HEADERS) all compiles
# alike.
set(pch_source ${PROJECT_BINARY_DIR}/torch_pch.cpp)
if(NOT EXISTS ${pch_source})
  file(WRITE ${pch_source} "// Gives the precompiled header a target to belong to.\n")
endif()
add_library(factorgcn_pch OBJECT EXCLUDE_FROM_ALL ${pch_source})
target_link_libraries(factorgcn_pch PRIVATE Libtorch::Libtorch factorgcn_options)
target_precompile_headers(factorgcn_pch PRIVATE <torch/nn/module.h> <torch/nn/pimpl.h>)
set(pch_flags)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(pch_flags -fpch-preprocess)  # ccache needs it
  target_compile_options(factorgcn_pch PRIVATE ${pch_flags})
endif()

# Gives `target` the precompiled header, for those of its sources that name a header with modules in it; the others
# (kernels with their own architecture flags among them) do without. Call it after the last target_sources().
function(factorgcn_use_torch_pch target)
  get_target_property(sources ${target} SOURCES)
  set(users)
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source)
    if(NOT EXISTS ${source})
      continue()  # generated while building; such sources opt out themselves
    endif()
    file(STRINGS ${source} includes REGEX "^#include (<torch/|\"(factorgcn/)?(nn|train)/)")
    if(includes)
      list(APPEND users ${source})
    else()
      set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
  if(NOT users)
    return()
  endif()
  set_property(SOURCE ${users} APPEND PROPERTY COMPILE_OPTIONS ${pch_flags})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  else()
    set_target_properties(${target} PROPERTIES DEFINE_SYMBOL "")
  endif()
  target_precompile_headers(${target} REUSE_FROM factorgcn_pch)
endfunction()
