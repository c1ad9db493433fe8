# The page's viewer: types, logic (node's own test runner) and the page in a real browser (label `browser`). Where
# Node.js, npm or Chromium is missing the tests say so and count as skipped.
if(NOT viewer_room STREQUAL "report/viewer")
  foreach(name types unit browser)
    add_test(NAME viewer/${name}
             COMMAND ${CMAKE_COMMAND} -E echo "skipped: the viewer is not built (${viewer_missing})")
    set_tests_properties(viewer/${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: " LABELS "viewer")
  endforeach()
  return()
endif()

# Tests run on a copy beside the packages, in the build folder; template and library come from the same sources.
add_test(NAME viewer/copy COMMAND ${CMAKE_COMMAND} -DFROM=${PROJECT_SOURCE_DIR}/viewer -DTO=${viewer_dir}
                                  -P ${PROJECT_SOURCE_DIR}/cmake/CopyViewer.cmake)
set_tests_properties(viewer/copy PROPERTIES FIXTURES_SETUP viewer LABELS viewer)
add_test(NAME viewer/types
         COMMAND ${NODE_PROGRAM} ${viewer_dir}/node_modules/typescript/bin/tsc --noEmit -p ${viewer_dir})
add_test(NAME viewer/unit COMMAND ${NODE_PROGRAM} ${viewer_dir}/test.mjs unit)
add_test(NAME viewer/browser
         COMMAND ${NODE_PROGRAM} ${viewer_dir}/test.mjs browser ${viewer_dir}/out/page_template.html)
set_tests_properties(viewer/types viewer/unit PROPERTIES FIXTURES_REQUIRED viewer LABELS viewer TIMEOUT 300)
set_tests_properties(viewer/browser PROPERTIES FIXTURES_REQUIRED viewer LABELS "viewer;browser" TIMEOUT 900 COST 20
                     SKIP_RETURN_CODE 77 ENVIRONMENT "FACTORGCN_PROGRAM=$<TARGET_FILE:factorgcn_cli>")
