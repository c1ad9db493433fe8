# One STEP of the packages' test: make them from BUILD_DIR, install the .deb, unpack the .tar.gz, ask lintian.
cmake_minimum_required(VERSION 3.25)
set(packages ${BUILD_DIR}/package_test)
file(GLOB deb ${packages}/*.deb)
file(GLOB archive ${packages}/*.tar.gz)

# Fails with `message` unless the condition that follows it holds.
function(expect message)
  if(NOT (${ARGN}))
    message(FATAL_ERROR "${message}")
  endif()
endfunction()

# Runs a command and gives what it printed; fails where it does.
function(output_of result)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE text OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# The program says the packages' version and trains; no file searches the build folder. `prefix` holds bin/ and lib/.
function(check_program prefix)
  output_of(version ${CMAKE_COMMAND} -E env ${ARGN} ${prefix}/bin/factorgcn --version)
  expect("--version says ${version}, not ${VERSION}" version MATCHES "^factorgcn ${VERSION}\n")
  output_of(report ${CMAKE_COMMAND} -E env ${ARGN} ${prefix}/bin/factorgcn train --epochs 1 --train-size 200
            --out ${prefix}/../run --force)
  expect("no metrics.json after training from ${prefix}" EXISTS ${prefix}/../run/metrics.json)
  file(GLOB binaries ${prefix}/bin/* ${prefix}/lib/*.so.${VERSION})
  list(LENGTH binaries count)
  expect("one program and two libraries were expected: ${binaries}" count EQUAL 3)
  foreach(file ${binaries})
    file(READ_ELF ${file} RUNPATH path)
    string(FIND "${path}" ${BUILD_DIR} found)
    expect("${file} searches the build folder: ${path}" found EQUAL -1)
  endforeach()
endfunction()

if(STEP STREQUAL "make")
  file(REMOVE_RECURSE ${packages})
  # gzip: a package for users is compressed longer.
  output_of(ignored ${CMAKE_CPACK_COMMAND} --config ${BUILD_DIR}/CPackConfig.cmake -B ${packages}
            -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip)
  file(REMOVE_RECURSE ${packages}/_CPack_Packages)
  return()
endif()

if(STEP STREQUAL "archive")
  set(folder ${packages}/unpacked)
  file(REMOVE_RECURSE ${folder})
  file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${folder})
  file(GLOB prefix ${folder}/factorgcn-${VERSION}-*)
  expect("no folder factorgcn-${VERSION}-* in ${archive}" prefix)
  check_program(${prefix})
  expect("the licence is not in ${archive}" EXISTS ${prefix}/share/doc/factorgcn/LICENSE)
  return()
endif()

if(NOT deb)
  message("skipped: no .deb was made (dpkg-dev is not installed, or libtorch belongs to no Debian package)")
  return()
endif()

if(STEP STREQUAL "lintian")
  find_program(LINTIAN lintian)
  if(LINTIAN)
    execute_process(COMMAND ${LINTIAN} --allow-root --fail-on error ${deb} COMMAND_ERROR_IS_FATAL ANY)
  else()
    message("skipped: lintian is not installed (tools/setup.sh --package)")
  endif()
  return()
endif()

# deb: into a root that holds nothing but dpkg's own (empty) records, with the libraries of this machine beside it.
set(root ${packages}/root)
file(REMOVE_RECURSE ${root})
file(MAKE_DIRECTORY ${root}/var/lib/dpkg/info ${root}/var/lib/dpkg/updates ${root}/var/lib/dpkg/triggers)
file(TOUCH ${root}/var/lib/dpkg/status)
output_of(ignored dpkg --root=${root} --log=${packages}/dpkg.log --force-depends,not-root,bad-path --install ${deb})
output_of(version dpkg-query --admindir=${root}/var/lib/dpkg --show --showformat "\${Status} \${Version}" factorgcn)
expect("dpkg says '${version}'" version STREQUAL "install ok installed ${VERSION}")
output_of(depends dpkg-deb --field ${deb} Depends)
expect("libtorch is not among the dependencies: ${depends}" depends MATCHES "libtorch[0-9.]* ")
expect("the package depends on itself: ${depends}" NOT depends MATCHES "factorgcn")
check_program(${root}/usr LD_LIBRARY_PATH=${root}/usr/lib)

set(share ${root}/usr/share)
file(READ ${share}/doc/factorgcn/copyright copyright)
expect("no licence in ${share}/doc/factorgcn/copyright" copyright MATCHES "\nLicense: Expat\n Permission is hereby")
# The manual tells all commands that the program knows.
output_of(manual gzip --decompress --stdout ${share}/man/man1/factorgcn.1.gz)
output_of(help ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${root}/usr/lib ${root}/usr/bin/factorgcn --help)
string(REGEX MATCH "Commands:\n(  [^\n]*\n)+" commands "${help}")
string(REGEX MATCHALL "\n  [a-z]+" commands "${commands}")
expect("no commands in the program's help" commands)
foreach(command ${commands})
  string(STRIP "${command}" command)
  expect("the manual does not name the command ${command}" manual MATCHES "\n\\.B ${command}\n")
endforeach()
# A project of a user's finds the package; examples/cmake_project is compiled against an installed copy elsewhere.
output_of(ignored ${CMAKE_COMMAND} -S ${EXAMPLE} -B ${packages}/example -G ${GENERATOR} --fresh
          -DCMAKE_PREFIX_PATH=${root}/usr -DLIBTORCH_DIR=${LIBTORCH_DIR})
file(STRINGS ${packages}/example/CMakeCache.txt found REGEX "^factorgcn_DIR:")
expect("the example found another package: ${found}" found STREQUAL
       "factorgcn_DIR:PATH=${root}/usr/lib/cmake/factorgcn")
