include(CMakePackageConfigHelpers)
install(DIRECTORY include/plumb DESTINATION include FILES_MATCHING PATTERN "*.hpp")
install(TARGETS plumb_cli RUNTIME DESTINATION bin)
# "plumb reproduce" finds them beside bin/.
install(DIRECTORY experiments DESTINATION share/plumb FILES_MATCHING PATTERN "*.py" PATTERN "*.json"
  PATTERN "__pycache__" EXCLUDE PATTERN "results" EXCLUDE PATTERN "cape" EXCLUDE)
install(EXPORT plumbTargets NAMESPACE plumb:: DESTINATION lib/cmake/plumb)
configure_package_config_file(cmake/plumbConfig.cmake.in ${PROJECT_BINARY_DIR}/plumbConfig.cmake
  INSTALL_DESTINATION lib/cmake/plumb)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/plumbConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/plumbConfig.cmake ${PROJECT_BINARY_DIR}/plumbConfigVersion.cmake
  DESTINATION lib/cmake/plumb)

# pkg-config: the rooms are static libraries that refer to each other, so they are linked as one group.
list(TRANSFORM PLUMB_ROOMS REPLACE "/" "_" OUTPUT_VARIABLE PLUMB_PC_LIBS)
list(TRANSFORM PLUMB_PC_LIBS PREPEND "-lplumb_")
list(JOIN PLUMB_PC_LIBS " " PLUMB_PC_LIBS)
set(PLUMB_PC_PARALLEL "")
if(PLUMB_PARALLEL STREQUAL "tbb")
  set(PLUMB_PC_PARALLEL tbb)
endif()
# The prefix is known when it is installed, not before: "cmake --install build --prefix DIR".
configure_file(cmake/plumb.pc.in ${PROJECT_BINARY_DIR}/plumb.pc.in @ONLY)
install(CODE "set(pc \"${PROJECT_BINARY_DIR}\")
  file(READ \"\${pc}/plumb.pc.in\" text)
  string(REPLACE \"prefix=${CMAKE_INSTALL_PREFIX}\" \"prefix=\${CMAKE_INSTALL_PREFIX}\" text \"\${text}\")
  file(WRITE \"\${pc}/plumb.pc\" \"\${text}\")")
install(FILES ${PROJECT_BINARY_DIR}/plumb.pc DESTINATION lib/pkgconfig)

# Manual pages and shell completion come from the flags of the tool itself.
set(pages ${PROJECT_BINARY_DIR}/pages)
add_custom_command(OUTPUT ${pages}/man/plumb.1.gz
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages}
  COMMAND plumb_cli manual --out ${pages}/man
  COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}/completion
  COMMAND plumb_cli completion bash > ${pages}/completion/plumb
  COMMAND plumb_cli completion zsh > ${pages}/completion/_plumb
  COMMAND plumb_cli completion fish > ${pages}/completion/plumb.fish
  COMMAND sh -c "gzip -9n '${pages}'/man/*.1"
  DEPENDS plumb_cli VERBATIM COMMENT "Manual pages and shell completion")
add_custom_target(plumb_pages DEPENDS ${pages}/man/plumb.1.gz)
install(DIRECTORY ${pages}/man/ DESTINATION share/man/man1 OPTIONAL)
install(FILES ${pages}/completion/plumb DESTINATION share/bash-completion/completions OPTIONAL)
install(FILES ${pages}/completion/_plumb DESTINATION share/zsh/site-functions OPTIONAL)
install(FILES ${pages}/completion/plumb.fish DESTINATION share/fish/vendor_completions.d OPTIONAL)
