# The Python package: its tests, an entry per file (label `python`), its types, and pip install into a fresh virtual
# environment. Python packages that are missing are named, and the entry counts as skipped: tools/setup.sh --python.
#
# Sanitized and instrumented builds leave this out: Python itself is neither.
if(NOT TARGET factorgcn_python OR FACTORGCN_SANITIZE OR FACTORGCN_COVERAGE)
  return()
endif()
# Debian's packages belong to Debian's Python, which need not be the first on the PATH.
if(EXISTS /usr/bin/python3 AND NOT LIBTORCH_DIR)
  set(usual_python /usr/bin/python3)
else()
  set(usual_python python3)
endif()
set(FACTORGCN_PYTHON ${usual_python} CACHE STRING "The Python whose torch the package is tested with")
set(python_environment FACTORGCN_PYTHON_LIBRARY=$<TARGET_FILE:factorgcn_python>
                       FACTORGCN_PROGRAM=$<TARGET_FILE:factorgcn_cli> PYTHONPATH=${PROJECT_SOURCE_DIR}/python
                       PYTHONDONTWRITEBYTECODE=1 FACTORGCN_BUILD_DIR=${PROJECT_BINARY_DIR})
set(python_run ${CMAKE_CURRENT_SOURCE_DIR}/python/run.sh ${FACTORGCN_PYTHON})

file(GLOB python_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/tests/test_*.py)
set(python_entries)
foreach(file ${python_tests})
  get_filename_component(name ${file} NAME_WE)
  string(REPLACE "test_" "" name ${name})
  add_test(NAME python/${name} COMMAND ${python_run} -m pytest -q -p no:cacheprovider ${file})
  list(APPEND python_entries python/${name})
endforeach()
add_test(NAME python/types COMMAND ${python_run} -m mypy --config-file ${PROJECT_SOURCE_DIR}/python/mypy.ini
                                   --cache-dir ${PROJECT_BINARY_DIR}/mypy)
add_test(NAME python/install COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/python/install.sh ${FACTORGCN_PYTHON}
                                     ${PROJECT_SOURCE_DIR}/python ${PROJECT_BINARY_DIR}/python-install)
list(APPEND python_entries python/types python/install)
set_tests_properties(${python_entries} PROPERTIES LABELS python TIMEOUT 900 SKIP_RETURN_CODE 77
                                                  ENVIRONMENT "${python_environment}")
