# A room is a folder of src/ and an object library room_NAME; the libraries and the program are put together from rooms.
#
# Sources are found by folder: a new data set, model or metric is one new file. A room's files are compiled together, a
# few translation units for all of it, since most of a small file's time goes into libtorch's headers. Names in
# anonymous namespaces are therefore unique within a room. -DFACTORGCN_UNITY=OFF compiles each file alone: slower at
# first, quicker for who edits one file again and again.
option(FACTORGCN_UNITY "Compile each room's files together" ON)

function(factorgcn_sources result)
  set(found)
  foreach(folder ${ARGN})
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp)
    list(APPEND found ${files})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# factorgcn_unity(target UNITS n): the target's files in n translation units.
function(factorgcn_unity target)
  cmake_parse_arguments(PARSE_ARGV 1 unity "" "UNITS" "")
  if(NOT FACTORGCN_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  math(EXPR batch "(${count} + ${unity_UNITS} - 1) / ${unity_UNITS}")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
endfunction()

# factorgcn_room(NAME UNITS n [MODULES] [OPTIMIZE -O1] FOLDERS folder... [SOURCES file...] [LIBRARIES library...])
#
# UNITS: translation units, so many that two compilers are busy about equally long. MODULES: it defines or uses torch
# modules, whose precompiled header it then gets. OPTIMIZE: less than a release usually is, where nothing takes time.
function(factorgcn_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "MODULES" "UNITS;OPTIMIZE" "FOLDERS;SOURCES;LIBRARIES")
  factorgcn_sources(sources ${room_FOLDERS})
  set(target room_${name})
  add_library(${target} OBJECT ${sources} ${room_SOURCES})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${target} PRIVATE Libtorch::Libtorch factorgcn_options ${room_LIBRARIES})
  if(room_OPTIMIZE)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${room_OPTIMIZE}>)
  endif()
  factorgcn_unity(${target} UNITS ${room_UNITS})
  if(room_MODULES)
    factorgcn_use_torch_pch(${target})
  endif()
endfunction()
