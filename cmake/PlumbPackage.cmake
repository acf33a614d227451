# "make package": a .deb of the tool, its plugins, manual pages, shell completion and the C++ library.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME plumb-calibration)
set(CPACK_PACKAGE_CONTACT "The Plumb maintainers <maintainers@plumb.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tells whether a model's probabilities can be trusted")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
  "Plumb evaluates the calibration of predicted probabilities and variances, also\n against the votes of several raters, calibrates them after training, and\n explains the result in an HTML report. It is a command-line tool and a C++20\n library.")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
# Not the files of the wheel, which are a component of their own.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL Unspecified)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)

set(docs ${PROJECT_BINARY_DIR}/debian)
file(WRITE ${docs}/copyright
  "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: plumb\n\nFiles: *\n")
file(STRINGS ${PROJECT_SOURCE_DIR}/LICENSE licence)
list(GET licence 2 holder)
file(APPEND ${docs}/copyright "Copyright: ${holder}\nLicense: Expat\n")
foreach(line ${licence})
  file(APPEND ${docs}/copyright " ${line}\n")
endforeach()
string(TIMESTAMP date "%a, %d %b %Y 00:00:00 +0000" UTC)  # SOURCE_DATE_EPOCH is respected
file(WRITE ${docs}/changelog
  "plumb-calibration (${PROJECT_VERSION}) unstable; urgency=medium\n\n  * See CHANGELOG.md of the sources.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
add_custom_command(OUTPUT ${docs}/changelog.gz COMMAND gzip -9nkf ${docs}/changelog VERBATIM)
add_custom_target(plumb_package_docs DEPENDS ${docs}/changelog.gz)
install(FILES ${docs}/copyright ${docs}/changelog.gz DESTINATION share/doc/plumb-calibration OPTIONAL)
# Debian has no Arrow, so its libraries come with the package as their project publishes them.
file(WRITE ${docs}/overrides
  "# Arrow C++ is not in Debian. Its published libraries, with what they contain, are loaded only for Parquet and Arrow files.\n"
  "plumb-calibration: embedded-library * [usr/lib/plumb/libarrow.so.*]\n"
  "plumb-calibration: unstripped-binary-or-object [usr/lib/plumb/libarrow.so.*]\n"
  "plumb-calibration: unstripped-binary-or-object [usr/lib/plumb/libparquet.so.*]\n")
install(FILES ${docs}/overrides DESTINATION share/lintian/overrides RENAME plumb-calibration)
include(CPack)
