# One precompiled <torch/nn/module.h> (about 15 s and 700 MB when parsed) for what defines or uses torch modules.
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

function(factorgcn_use_torch_pch target)
  target_compile_options(${target} PRIVATE ${pch_flags})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${target} REUSE_FROM factorgcn_pch)
endfunction()
