# Installs into a folder of the build tree, then builds and runs examples/cmake_project against that installation alone.
#
# Two entries bound by a fixture, so that a failure says which step failed. Sanitized builds leave this out: a consumer
# built without the sanitizer cannot load a sanitized library.
if(FACTORGCN_SANITIZE)
  return()
endif()
set(prefix ${PROJECT_BINARY_DIR}/example/prefix)
set(consumer ${PROJECT_BINARY_DIR}/example/build)
set(launcher)
if(CCACHE_PROGRAM)
  set(launcher -DCMAKE_CXX_COMPILER_LAUNCHER=${CCACHE_PROGRAM})
endif()

add_test(NAME examples/install
  COMMAND ${CMAKE_COMMAND} -DBUILD_DIR=${PROJECT_BINARY_DIR} -DPREFIX=${prefix} -DCONSUMER=${consumer}
          -P ${CMAKE_CURRENT_SOURCE_DIR}/install_afresh.cmake)
add_test(NAME examples/cmake_project
  COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${PROJECT_SOURCE_DIR}/examples/cmake_project ${consumer}
          --build-generator ${CMAKE_GENERATOR}
          --build-options -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=Release -DLIBTORCH_DIR=${LIBTORCH_DIR}
                          -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} ${launcher}
          --test-command ${consumer}/factorgcn_example)
set_tests_properties(examples/install PROPERTIES FIXTURES_SETUP example_install)
set_tests_properties(examples/cmake_project PROPERTIES FIXTURES_REQUIRED example_install)
set_tests_properties(examples/install examples/cmake_project PROPERTIES LABELS examples TIMEOUT ${test_timeout})

# A trained model in a program of one's own; it needs the training library.
if(FACTORGCN_BUILD_CLI)
  set(consumer ${PROJECT_BINARY_DIR}/example/apply_model)
  add_test(NAME examples/apply_model
    COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${PROJECT_SOURCE_DIR}/examples/apply_model ${consumer}
            --build-generator ${CMAKE_GENERATOR}
            --build-options -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=Release -DLIBTORCH_DIR=${LIBTORCH_DIR}
                            -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} ${launcher}
            --test-command ${CMAKE_CURRENT_SOURCE_DIR}/apply_model.sh $<TARGET_FILE:factorgcn_cli>
                           ${consumer}/apply_model)
  set_tests_properties(examples/apply_model PROPERTIES FIXTURES_REQUIRED example_install LABELS examples
                                                       TIMEOUT ${test_timeout})
endif()
