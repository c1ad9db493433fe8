# Empties PREFIX and CONSUMER, then installs the build tree BUILD_DIR into PREFIX; fails where a file names the build
# tree.
file(REMOVE_RECURSE ${PREFIX} ${CONSUMER})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${PREFIX} COMMAND_ERROR_IS_FATAL ANY)

# A package that still points into its build tree works here and nowhere else.
file(GLOB_RECURSE package_files ${PREFIX}/*.cmake)
if(NOT package_files)
  message(FATAL_ERROR "no CMake package was installed under ${PREFIX}")
endif()
foreach(file ${package_files})
  file(READ ${file} text)
  string(FIND "${text}" "${BUILD_DIR}" found)
  if(NOT found EQUAL -1)
    message(FATAL_ERROR "${file} names the build folder ${BUILD_DIR}: the package cannot be moved")
  endif()
endforeach()
