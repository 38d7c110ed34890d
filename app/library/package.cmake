# The library libmyotile (app/library/myotile.h) of the objects of the program. It exports what this header declares.
set(library ${CMAKE_CURRENT_LIST_DIR})
set(library_made ${CMAKE_BINARY_DIR}/library)
file(MAKE_DIRECTORY ${library_made})
file(WRITE ${library_made}/exports.map "MYOTILE_0 {\nglobal: myotile_*;\nlocal: *;\n};\n")

add_library(myotile_shared SHARED $<FILTER:$<TARGET_OBJECTS:mt_app>,INCLUDE,/app/library/>)
set_target_properties(myotile_shared PROPERTIES OUTPUT_NAME myotile EXPORT_NAME myotile LINKER_LANGUAGE C
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_libraries(myotile_shared PRIVATE mt_app)
# -z nodelete: as for libmyotile-ipu (ipu/package/package.cmake)
target_link_options(myotile_shared PRIVATE -Wl,--version-script=${library_made}/exports.map -Wl,--as-needed -Wl,-z,nodelete)
if(NOT MT_SANITIZE)
  target_link_options(myotile_shared PRIVATE -Wl,--no-undefined)
endif()
target_include_directories(myotile_shared INTERFACE $<BUILD_INTERFACE:${library}> $<INSTALL_INTERFACE:include>)

install(TARGETS myotile_shared EXPORT myotile LIBRARY DESTINATION lib)
install(FILES ${library}/myotile.h DESTINATION include)
install(EXPORT myotile FILE myotile-targets.cmake NAMESPACE myotile:: DESTINATION lib/cmake/myotile)
set(data share/myotile)
configure_package_config_file(${library}/config.cmake.in ${library_made}/myotile-config.cmake
  INSTALL_DESTINATION lib/cmake/myotile PATH_VARS data NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${library_made}/myotile-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${library_made}/myotile-config.cmake ${library_made}/myotile-config-version.cmake DESTINATION lib/cmake/myotile)
configure_file(${library}/myotile.pc.in ${library_made}/myotile.pc @ONLY)
install(FILES ${library_made}/myotile.pc DESTINATION lib/pkgconfig)
install(DIRECTORY ${library}/examples/ DESTINATION share/doc/myotile/examples)
