# `cmake --install`: headers, libraries, program, and a package for find_package(factorgcn [COMPONENTS train]).
#
# The package holds no path of this machine: libtorch is looked up again where it is used (FindLibtorch.cmake comes
# along).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/factorgcn)

install(DIRECTORY include/factorgcn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS factorgcn EXPORT factorgcnTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT factorgcnTargets NAMESPACE factorgcn:: DESTINATION ${package_dir})

if(FACTORGCN_BUILD_CLI)
  install(TARGETS factorgcn_train EXPORT factorgcnTrainTargets)
  install(EXPORT factorgcnTrainTargets NAMESPACE factorgcn:: DESTINATION ${package_dir})
  install(TARGETS factorgcn_cli)
endif()

string(REGEX MATCH "^[0-9]+\\.[0-9]+" libtorch_series "${Libtorch_VERSION}")
configure_package_config_file(cmake/factorgcnConfig.cmake.in ${PROJECT_BINARY_DIR}/factorgcnConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/factorgcnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/factorgcnConfig.cmake ${PROJECT_BINARY_DIR}/factorgcnConfigVersion.cmake
              cmake/FindLibtorch.cmake
        DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
