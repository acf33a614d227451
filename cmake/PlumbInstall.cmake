include(CMakePackageConfigHelpers)
install(DIRECTORY include/plumb DESTINATION include FILES_MATCHING PATTERN "*.hpp")
install(TARGETS plumb_cli RUNTIME DESTINATION bin)
install(EXPORT plumbTargets NAMESPACE plumb:: DESTINATION lib/cmake/plumb)
configure_package_config_file(cmake/plumbConfig.cmake.in ${PROJECT_BINARY_DIR}/plumbConfig.cmake
  INSTALL_DESTINATION lib/cmake/plumb)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/plumbConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/plumbConfig.cmake ${PROJECT_BINARY_DIR}/plumbConfigVersion.cmake
  DESTINATION lib/cmake/plumb)
