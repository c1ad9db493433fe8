# CPack runs this on each tree before it is packed. In the .deb's it makes what Debian's policy asks for: programs
# without a library search path, compressed manual and changelog, and the one file `copyright` for all licences.

# Whatever the umask of the one who packs.
set(for_all OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
set(folders_for_all ${for_all} OWNER_EXECUTE GROUP_EXECUTE WORLD_EXECUTE)
file(CHMOD_RECURSE ${CPACK_TEMPORARY_DIRECTORY} DIRECTORY_PERMISSIONS ${folders_for_all})
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
set(usr ${CPACK_TEMPORARY_DIRECTORY}/usr)
set(doc ${usr}/share/doc/${CPACK_PACKAGE_NAME})

# The loader searches /usr/lib by itself; the relative path is for trees that are moved.
file(GLOB binaries ${usr}/bin/* ${usr}/lib/*.so.*.*.* ${usr}/lib/*/*.so.*.*.*)
foreach(file ${binaries})
  file(RPATH_REMOVE FILE ${file})
endforeach()

# The packages that the libraries are from. CPack's own way (CPACK_DEBIAN_PACKAGE_SHLIBDEPS) would go on where a library
# is in none, start a program for every header, and add scripts that call ldconfig, which is left to dpkg's trigger.
file(WRITE ${CPACK_TEMPORARY_DIRECTORY}/debian/control "")
file(MAKE_DIRECTORY ${CPACK_TEMPORARY_DIRECTORY}/DEBIAN)  # says that libraries found below belong to this package
execute_process(COMMAND dpkg-shlibdeps -O ${binaries} WORKING_DIRECTORY ${CPACK_TEMPORARY_DIRECTORY}
                OUTPUT_VARIABLE depends OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "shlibs:Depends=" "" CPACK_DEBIAN_PACKAGE_DEPENDS "${depends}")
file(REMOVE_RECURSE ${CPACK_TEMPORARY_DIRECTORY}/debian ${CPACK_TEMPORARY_DIRECTORY}/DEBIAN)

file(REMOVE ${doc}/LICENSE)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${doc}/changelog
"${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Packaged by CPack from the project's own tree. CHANGELOG.md, beside this
    file, lists what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(GLOB texts ${doc}/changelog ${usr}/share/man/man1/*.1)
execute_process(COMMAND gzip -9n ${texts} COMMAND_ERROR_IS_FATAL ANY)

file(MAKE_DIRECTORY ${usr}/share/lintian/overrides)
file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/lintian-overrides ${usr}/share/lintian/overrides/${CPACK_PACKAGE_NAME})
file(CHMOD_RECURSE ${usr}/share FILE_PERMISSIONS ${for_all} DIRECTORY_PERMISSIONS ${folders_for_all})
