# The page's viewer (viewer/): sets `viewer_room` to report/viewer or report/no_viewer, and `viewer_sources` to what is
# generated.
#
# FACTORGCN_WITH_VIEWER: AUTO builds it where Node.js and npm are there and the locked packages can be had; ON insists;
# OFF writes plain pages. Packages are fetched once, while configuring, into the build folder; the source tree stays
# clean.
set(viewer_dir ${PROJECT_BINARY_DIR}/viewer)
set(viewer_room report/no_viewer)
set(viewer_sources)
set(viewer_missing)

if(NOT FACTORGCN_WITH_VIEWER STREQUAL "OFF")
  find_program(NODE_PROGRAM NAMES node nodejs)
  find_program(NPM_PROGRAM npm)
  mark_as_advanced(NODE_PROGRAM NPM_PROGRAM)
  if(NOT NODE_PROGRAM OR NOT NPM_PROGRAM)
    set(viewer_missing "Node.js and npm were not found")
  else()
    execute_process(COMMAND ${NODE_PROGRAM} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(node_version VERSION_LESS "v18")
      set(viewer_missing "Node.js is ${node_version}; 18 or later is needed")
    endif()
  endif()
  if(NOT viewer_missing)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/viewer/package-lock.json)
    file(SHA256 ${PROJECT_SOURCE_DIR}/viewer/package-lock.json lock_now)
    set(lock_then)
    if(EXISTS ${viewer_dir}/node_modules/.factorgcn-lock)
      file(READ ${viewer_dir}/node_modules/.factorgcn-lock lock_then)
    endif()
    if(NOT lock_now STREQUAL lock_then)
      message(STATUS "Viewer: fetching its packages")
      file(COPY ${PROJECT_SOURCE_DIR}/viewer/package.json ${PROJECT_SOURCE_DIR}/viewer/package-lock.json
                ${PROJECT_SOURCE_DIR}/viewer/.npmrc DESTINATION ${viewer_dir})
      execute_process(COMMAND ${NPM_PROGRAM} ci --prefer-offline --ignore-scripts --no-audit --no-fund --loglevel=error
                              --fetch-retries=1 --fetch-timeout=60000
                      WORKING_DIRECTORY ${viewer_dir} RESULT_VARIABLE npm_result OUTPUT_QUIET ERROR_VARIABLE npm_error)
      if(npm_result EQUAL 0)
        file(WRITE ${viewer_dir}/node_modules/.factorgcn-lock ${lock_now})
      else()
        string(STRIP "${npm_error}" npm_error)
        set(viewer_missing "npm ci failed: ${npm_error}")
      endif()
    endif()
  endif()
  if(viewer_missing AND FACTORGCN_WITH_VIEWER STREQUAL "ON")
    message(FATAL_ERROR "Viewer: ${viewer_missing}")
  endif()
endif()

if(FACTORGCN_WITH_VIEWER STREQUAL "OFF" OR viewer_missing)
  if(NOT viewer_missing)
    set(viewer_missing "FACTORGCN_WITH_VIEWER is OFF")
  endif()
  message(STATUS "Viewer: pages will hold tables alone (${viewer_missing})")
else()
  set(viewer_room report/viewer)
  file(GLOB_RECURSE viewer_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/viewer/src/*.ts
       ${PROJECT_SOURCE_DIR}/viewer/style/*.css)
  list(APPEND viewer_files ${PROJECT_SOURCE_DIR}/viewer/template.html ${PROJECT_SOURCE_DIR}/viewer/build.mjs)
  set(viewer_sources ${viewer_dir}/out/page_template.cpp)
  # The sources are copied beside the packages: bundler, type checker and tests then find both without being told.
  add_custom_command(
    OUTPUT ${viewer_sources}
    COMMAND ${CMAKE_COMMAND} -DFROM=${PROJECT_SOURCE_DIR}/viewer -DTO=${viewer_dir}
            -P ${PROJECT_SOURCE_DIR}/cmake/CopyViewer.cmake
    COMMAND ${NODE_PROGRAM} ${viewer_dir}/build.mjs ${viewer_dir}/out
    DEPENDS ${viewer_files} ${PROJECT_SOURCE_DIR}/viewer/package-lock.json
            ${PROJECT_SOURCE_DIR}/cmake/CopyViewer.cmake
    COMMENT "Bundling the page's viewer"
    VERBATIM)
  set_source_files_properties(${viewer_sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_LINTING ON)
endif()
