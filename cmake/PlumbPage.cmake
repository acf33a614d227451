# The report page and the plot specs, embedded in the library as text. The page is bundled by esbuild when node and
# web/node_modules exist ("tools/setup web" installs them); otherwise the library reports at run time that it has no page.
find_program(PLUMB_NODE NAMES node nodejs)
set(PLUMB_PAGE_DIR ${PROJECT_BINARY_DIR}/page)
file(MAKE_DIRECTORY ${PLUMB_PAGE_DIR})
# Configured again when an entry of web/ appears, such as node_modules.
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web)

set(PLUMB_PAGE_FILES ${PLUMB_PAGE_DIR}/page.js ${PLUMB_PAGE_DIR}/page.css ${PLUMB_PAGE_DIR}/page.hash)
if(PLUMB_NODE AND EXISTS ${PROJECT_SOURCE_DIR}/web/node_modules/vega-embed)
  set(PLUMB_PAGE_SOURCES build.mjs package-lock.json src/charts.ts src/dom.ts src/main.ts src/metrics.ts src/page.css src/page.ts
    src/sizes.ts
    src/provenance.ts src/single_page.ts src/tables.ts src/types.ts)
  list(TRANSFORM PLUMB_PAGE_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/web/)
  add_custom_command(OUTPUT ${PLUMB_PAGE_FILES}
    COMMAND ${PLUMB_NODE} ${PROJECT_SOURCE_DIR}/web/build.mjs ${PLUMB_PAGE_DIR}
    DEPENDS ${PLUMB_PAGE_SOURCES} COMMENT "Bundling the report page")
elseif(EXISTS ${PROJECT_SOURCE_DIR}/web/bundle/page.js)
  # A source distribution brings the bundled page (python/pack).
  add_custom_command(OUTPUT ${PLUMB_PAGE_FILES}
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_SOURCE_DIR}/web/bundle ${PLUMB_PAGE_DIR}
    DEPENDS ${PROJECT_SOURCE_DIR}/web/bundle/page.js COMMENT "Taking the bundled report page")
else()
  message(STATUS "The report page is left out: node or web/node_modules is missing (tools/setup web installs both)")
  add_custom_command(OUTPUT ${PLUMB_PAGE_FILES} COMMAND ${CMAKE_COMMAND} -E rm -f ${PLUMB_PAGE_FILES}
    COMMAND ${CMAKE_COMMAND} -E touch ${PLUMB_PAGE_FILES})
endif()

set(PLUMB_SPECS calibration_dispersion case_strip class_errors confidence confusion corp decision_curve deferral disagreement forest intervals learning
  loss_parts loss_scatter odds_ratio odds_score precision rater_pairs raters region_reliability rejection reliability shift slice_boxes slices
  stability truth_histograms truth_scatter uncertainty_reliability within_cases)
set(PLUMB_SPEC_FILES ${PLUMB_SPECS})
list(TRANSFORM PLUMB_SPEC_FILES PREPEND ${PROJECT_SOURCE_DIR}/web/specs/)
list(TRANSFORM PLUMB_SPEC_FILES APPEND .vl.json)

add_custom_command(OUTPUT ${PLUMB_PAGE_DIR}/page_text.cpp
  COMMAND ${CMAKE_COMMAND} -DDIR=${PLUMB_PAGE_DIR} "-DSPECS=${PLUMB_SPEC_FILES}" -P ${PROJECT_SOURCE_DIR}/cmake/EmbedPage.cmake
  DEPENDS ${PLUMB_PAGE_FILES} ${PLUMB_SPEC_FILES} ${PROJECT_SOURCE_DIR}/cmake/EmbedPage.cmake VERBATIM)
set(PLUMB_PAGE_TEXT ${PLUMB_PAGE_DIR}/page_text.cpp)
