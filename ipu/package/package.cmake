# The library for programs of others: libmyotile-ipu, shared and static, of the objects that Myotile itself is linked of. Its symbols
# are those that the public headers declare; a test looks at them (tests/ipu/package/symbols.sh).

# What ipu needs of data. The shared library does not link where one is missing.
set(of_data arena communicator csv file folder hash input journal json lock number offsets progress scan select status temporary utf8
  yaml yaml_fill yaml_node yaml_set yaml_words yaml_write)
list(JOIN of_data "|" of_data)
set(ipu_objects $<TARGET_OBJECTS:mt_ipu> "$<FILTER:$<TARGET_OBJECTS:mt_data>,INCLUDE,/data/(core|files|yaml)/(${of_data})\\.c>")

# Public headers: what ipu has beside the insides of its wings, and what these include.
file(GLOB ipu_headers RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/ipu/*/*.h)
list(FILTER ipu_headers EXCLUDE REGEX
  "tally/|machine/integer|library/vertices|compile/(assembly|controls|exchange|supersteps)\\.h")
list(APPEND ipu_headers data/core/arena.h data/core/communicator.h data/files/file.h data/files/json.h data/core/status.h data/yaml/yaml_schema.h)

set(package ${CMAKE_CURRENT_LIST_DIR})
set(made ${CMAKE_BINARY_DIR}/myotile-ipu)
file(MAKE_DIRECTORY ${made})
set(ipu_declarations ${made}/declarations.h)
set(ipu_exports ${made}/exports.map)
list(TRANSFORM ipu_headers PREPEND ${CMAKE_SOURCE_DIR}/ OUTPUT_VARIABLE header_files)
add_custom_command(OUTPUT ${ipu_declarations} ${ipu_exports}
  COMMAND ${package}/declarations.sh ${CMAKE_C_COMPILER} ${CMAKE_SOURCE_DIR} ${ipu_declarations} ${ipu_exports} ${ipu_headers}
  DEPENDS ${package}/declarations.sh ${header_files} VERBATIM)
add_custom_target(ipu_exports DEPENDS ${ipu_exports})

add_library(ipu_shared SHARED ${ipu_objects})
set_target_properties(ipu_shared PROPERTIES OUTPUT_NAME myotile-ipu EXPORT_NAME ipu LINKER_LANGUAGE C
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${ipu_exports})
add_dependencies(ipu_shared ipu_exports)
target_link_libraries(ipu_shared PRIVATE PkgConfig::YAML PkgConfig::XXHASH OpenMP::OpenMP_C m)
target_link_options(ipu_shared PRIVATE -Wl,--version-script=${ipu_exports} -Wl,--as-needed)
# Kept in memory after dlclose: OpenMP's threads wait in code of libgomp, which only this library may have loaded. Python closes
# the library when it ends.
target_link_options(ipu_shared PRIVATE -Wl,-z,nodelete)
if(NOT MT_SANITIZE) # the sanitizers' own symbols come from the program
  target_link_options(ipu_shared PRIVATE -Wl,--no-undefined)
endif()
add_library(ipu_static STATIC ${ipu_objects})
set_target_properties(ipu_static PROPERTIES OUTPUT_NAME myotile-ipu LINKER_LANGUAGE C)

# Installed: `cmake --install build/release --component ipu` for those who want nothing else. All of it can be moved.
target_include_directories(ipu_shared INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}> $<INSTALL_INTERFACE:include/myotile>)
target_include_directories(ipu_static INTERFACE $<INSTALL_INTERFACE:include/myotile>)
target_link_libraries(ipu_static INTERFACE $<INSTALL_INTERFACE:yaml> $<INSTALL_INTERFACE:xxhash>
  $<INSTALL_INTERFACE:${OpenMP_C_FLAGS}> m)
install(TARGETS ipu_shared ipu_static EXPORT myotile-ipu LIBRARY DESTINATION lib COMPONENT ipu ARCHIVE DESTINATION lib COMPONENT ipu)
foreach(header ${ipu_headers})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${header} DESTINATION include/myotile/${folder} COMPONENT ipu)
endforeach()

include(CMakePackageConfigHelpers)
set(machines share/myotile/machines)
configure_package_config_file(${package}/config.cmake.in ${made}/myotile-ipu-config.cmake
  INSTALL_DESTINATION lib/cmake/myotile-ipu PATH_VARS machines NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${made}/myotile-ipu-config-version.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT myotile-ipu FILE myotile-ipu-targets.cmake NAMESPACE myotile:: DESTINATION lib/cmake/myotile-ipu COMPONENT ipu)
install(FILES ${made}/myotile-ipu-config.cmake ${made}/myotile-ipu-config-version.cmake
  DESTINATION lib/cmake/myotile-ipu COMPONENT ipu)
configure_file(${package}/myotile-ipu.pc.in ${made}/myotile-ipu.pc @ONLY)
install(FILES ${made}/myotile-ipu.pc DESTINATION lib/pkgconfig COMPONENT ipu)
# Python takes the declarations as they are, so they are always those of the library beside it.
install(FILES ipu/python/__init__.py ${ipu_declarations} DESTINATION lib/python3/dist-packages/myotile_ipu COMPONENT ipu)
install(DIRECTORY data/machines DESTINATION share/myotile COMPONENT ipu)
install(DIRECTORY ipu/examples DESTINATION share/doc/myotile-ipu COMPONENT ipu)
install(FILES ipu/README.md LICENSE DESTINATION share/doc/myotile-ipu COMPONENT ipu)
