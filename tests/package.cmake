# The packages: made from this build tree, installed into an empty root or unpacked, and trained from there (label
# `package`). One entry per step of package_steps.cmake. What a machine has no tools for says so and counts as skipped.
#
# Sanitized and instrumented builds leave this out: nobody ships those.
if(FACTORGCN_SANITIZE OR FACTORGCN_COVERAGE)
  return()
endif()
foreach(step make deb archive lintian)
  add_test(NAME package/${step}
    COMMAND ${CMAKE_COMMAND} -DSTEP=${step} -DBUILD_DIR=${PROJECT_BINARY_DIR} -DVERSION=${PROJECT_VERSION}
            -DLIBTORCH_DIR=${LIBTORCH_DIR} -DEXAMPLE=${PROJECT_SOURCE_DIR}/examples/cmake_project
            -DGENERATOR=${CMAKE_GENERATOR} -P ${CMAKE_CURRENT_SOURCE_DIR}/package_steps.cmake)
  set_tests_properties(package/${step} PROPERTIES LABELS package TIMEOUT ${test_timeout} FIXTURES_REQUIRED packages
                                                  SKIP_REGULAR_EXPRESSION "(^|\n)skipped: ")
endforeach()
set_tests_properties(package/make PROPERTIES FIXTURES_REQUIRED "" FIXTURES_SETUP packages)
