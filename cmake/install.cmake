# Installed: the program, the data that it finds beside itself wherever the whole is moved (data/files/data_folder.h), and what it
# prints about itself.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(manual ${CMAKE_BINARY_DIR}/manual)
set(maintainer "The Myotile authors <myotile@example.org>")
install(CODE "execute_process(COMMAND ${CMAKE_SOURCE_DIR}/app/package.sh $<TARGET_FILE:myotile> ${manual} ${CMAKE_SOURCE_DIR}
  ${PROJECT_VERSION} \"${maintainer}\" COMMAND_ERROR_IS_FATAL ANY)")
install(TARGETS myotile)
include(ipu/package/package.cmake) # the library of the machine for programs of others, and the machines
include(app/library/package.cmake) # the library of the complete program
add_dependencies(site myotile ipu_shared ipu_static myotile_shared)
install(DIRECTORY data/cases data/geometry data/models data/reference DESTINATION share/myotile)
install(DIRECTORY data/report DESTINATION share/myotile)
install(DIRECTORY app/python/myotile DESTINATION lib/python3/dist-packages PATTERN __pycache__ EXCLUDE) # for Python, beside myotile_ipu
install(DIRECTORY app/python/notebooks DESTINATION share/doc/myotile/python PATTERN __pycache__ EXCLUDE)
install(FILES app/python/README.md DESTINATION share/doc/myotile/python)
install(FILES ${manual}/myotile.1.gz DESTINATION share/man/man1)
install(FILES ${manual}/myotile DESTINATION share/bash-completion/completions)
install(FILES ${manual}/changelog.gz ${manual}/copyright README.md CHANGELOG.md CITATION.cff
  DESTINATION share/doc/myotile)

# `cpack --config build/release/CPackConfig.cmake`: a package for Debian 12.
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_CONTACT "${maintainer}")
set(CPACK_PACKAGE_DESCRIPTION "Myotile simulates the electrical wave of the heart (monodomain model,
finite volumes on tetrahedra) on an emulated system of Graphcore IPUs, and
reports the cycles, bytes and memory that the machine would have needed.")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "heart simulations on an emulated tiled processor")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS fonts-dejavu-core)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS gmsh)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "ocl-icd-libopencl1, pocl-opencl-icd, \
pkg-config, libyaml-dev, libxxhash-dev, python3-cffi, python3-numpy, python3-h5py, \
python3-pandas, python3-matplotlib, python3-meshio, jupyter-nbconvert")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
include(CPack)
