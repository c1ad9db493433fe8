# Packages by CPack (`make package`): factorgcn_VERSION_ARCH.deb, and a .tar.gz that runs wherever it is unpacked.
#
# One .deb holds everything: one file to hand to apt, for those who train and for those who build on the library. Debian
# itself would cut it in three (program, library, headers); package/lintian-overrides names what it says about that.
# What the .deb has beyond the .tar.gz is done by package/debian_tree.cmake.
set(package_parts ${PROJECT_SOURCE_DIR}/cmake/package)
set(FACTORGCN_PACKAGE_MAINTAINER "The factorgcn authors <noreply@factorgcn.invalid>" CACHE STRING
    "Who answers for the packages: NAME <ADDRESS>")

# Debian's form of LICENSE, with the notices of what is compiled in.
file(READ LICENSE licence)
string(REGEX MATCH "Copyright \\(c\\) ([^\n]+)\n+(.*[^\n])" licence "${licence}")
set(copyright_holders "${CMAKE_MATCH_1}")
string(REPLACE "\n" "\n " expat_text " ${CMAKE_MATCH_2}")
string(REPLACE "\n \n" "\n .\n" expat_text "${expat_text}")
configure_file(${package_parts}/copyright.in ${PROJECT_BINARY_DIR}/copyright @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/copyright CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(FACTORGCN_BUILD_CLI)
  configure_file(${package_parts}/factorgcn.1.in ${PROJECT_BINARY_DIR}/factorgcn.1 @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/factorgcn.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

# A .deb names the packages its libraries come from. A libtorch from an archive or from Python is in none: no .deb then.
set(CPACK_GENERATOR TGZ)
find_program(DPKG_SHLIBDEPS_PROGRAM dpkg-shlibdeps)
mark_as_advanced(DPKG_SHLIBDEPS_PROGRAM)
set(deb_missing)
if(NOT DPKG_SHLIBDEPS_PROGRAM)
  set(deb_missing "dpkg-shlibdeps was not found (Debian: dpkg-dev)")
else()
  file(REAL_PATH ${LIBTORCH_torch} torch_library)
  execute_process(COMMAND dpkg-query --search ${torch_library} RESULT_VARIABLE no_package OUTPUT_QUIET ERROR_QUIET)
  if(no_package)
    set(deb_missing "${torch_library} belongs to no Debian package")
  endif()
endif()
if(deb_missing)
  message(STATUS "Packages: a .tar.gz, no .deb (${deb_missing})")
else()
  list(APPEND CPACK_GENERATOR DEB)
endif()

set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
set(CPACK_PACKAGE_NAME factorgcn)
string(TOLOWER ${CMAKE_SYSTEM_NAME} system)
set(CPACK_PACKAGE_FILE_NAME factorgcn-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_VENDOR "The factorgcn authors")
set(CPACK_PACKAGE_CONTACT "${FACTORGCN_PACKAGE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
"factorgcn takes a graph whose single edges hide several relations and takes
it apart. It trains a graph neural network on a task that can be scored and,
on the way, splits each graph into factor graphs, one per hidden relation.
Nobody has to label the edges.

It implements Factorizable Graph Convolutional Networks (NeurIPS 2020) with
the systems and data sets of that paper. This package holds the command line,
its libraries, their C++ headers and CMake package files.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${package_parts}/debian_tree.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# Without OpenBLAS training is many times slower; the headers need libtorch's, those of training nlohmann-json's too.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libopenblas0, libtorch-dev, nlohmann-json3-dev")
# Before 1.0 a minor version may change the interface: what links to these libraries needs this very version.
set(shlibs "libfactorgcn ${PROJECT_VERSION_MAJOR} factorgcn (= ${PROJECT_VERSION})\n")
if(FACTORGCN_BUILD_CLI)
  string(APPEND shlibs "libfactorgcn_train ${PROJECT_VERSION_MAJOR} factorgcn (= ${PROJECT_VERSION})\n")
endif()
file(WRITE ${PROJECT_BINARY_DIR}/shlibs ${shlibs})
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${package_parts}/triggers ${PROJECT_BINARY_DIR}/shlibs)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
