# Tests: tests/<module>/.../test_NAME.c with the Criterion suite NAME. Those of a folder are one program, linked to its module and the ones
# below it; each suite is a test of CTest. A slow test is a program of its own, as are those that need special linking or replace functions
# of a library (tests/faults.h, tests/bad_metis.h).
if(MT_TESTS)
  enable_testing()
  add_test(NAME tally COMMAND ${TALLY_COMMAND} check)
  add_test(NAME keys COMMAND ${KEYS_COMMAND} check)
  add_test(NAME ci_run COMMAND ${CMAKE_SOURCE_DIR}/tests/ci_run.sh WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  add_test(NAME app/limits COMMAND ${CMAKE_SOURCE_DIR}/tests/app/limits.sh $<TARGET_FILE:myotile>
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  add_test(NAME installed COMMAND ${CMAKE_SOURCE_DIR}/tests/installed.sh ${CMAKE_COMMAND} ${CMAKE_BINARY_DIR})
  # The program with sketches of maps (tests/app/sketch.h), for everyday tests that run it many times and inspect no picture.
  add_library(test_sketch OBJECT tests/app/sketch.c)
  target_link_libraries(test_sketch PRIVATE mt_app)
  add_executable(myotile_sketching app/myotile_main.c)
  target_link_libraries(myotile_sketching PRIVATE mt_app test_sketch)
  target_link_options(myotile_sketching PRIVATE -Wl,--wrap=mt_picture_map)
  set(cache ${CMAKE_BINARY_DIR}/test_cache)
  set(python ${CMAKE_SOURCE_DIR}/tests/app/python/python.sh)
  add_test(NAME app/python COMMAND ${python} $<TARGET_FILE:myotile_sketching> ${CMAKE_SOURCE_DIR})
  set_tests_properties(app/python PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED: " ENVIRONMENT MT_TEST_CACHE=${cache}
    FIXTURES_REQUIRED cache)
  add_test(NAME app/python_slow COMMAND ${python} $<TARGET_FILE:myotile> ${CMAKE_SOURCE_DIR} slow)
  set_tests_properties(app/python_slow PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED: " LABELS slow)
  # The site: links of all that is written; the tutorials' commands. Its pages in a browser, below, take what these commands made.
  set(site ${CMAKE_SOURCE_DIR}/tests/app/site)
  add_test(NAME app/site_links COMMAND /usr/bin/python3 -B ${site}/links.py ${CMAKE_SOURCE_DIR})
  add_test(NAME app/site_commands_slow COMMAND /usr/bin/python3 -B ${site}/commands.py $<TARGET_FILE:myotile> ${CMAKE_SOURCE_DIR}
    ${CMAKE_BINARY_DIR}/site/runs)
  set_tests_properties(app/site_commands_slow PROPERTIES LABELS slow SKIP_REGULAR_EXPRESSION "SKIPPED: ")
  if(NOT MT_SANITIZE) # sanitizers add symbols, and programs that are linked to the library would need them, too
    foreach(name vector_add heat matrix_vector all_reduce)
      add_executable(example_${name} ipu/examples/${name}.c)
      target_compile_options(example_${name} PRIVATE -Wno-unused-parameter)
      target_link_libraries(example_${name} PRIVATE ipu_shared)
    endforeach()
    add_test(NAME ipu/examples
      COMMAND ${CMAKE_SOURCE_DIR}/tests/ipu/package/examples.sh ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
    if(CMAKE_C_COMPILER_ID STREQUAL GNU) # as the README's `cc`: a static library needs the OpenMP of its compiler
      add_test(NAME ipu/installed
        COMMAND ${CMAKE_SOURCE_DIR}/tests/ipu/package/installed.sh ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/ipu/README.md)
    endif()
    add_test(NAME ipu/python COMMAND ${CMAKE_SOURCE_DIR}/tests/ipu/package/python.sh ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
    set_tests_properties(ipu/python PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED: ")
    add_test(NAME ipu/symbols
      COMMAND ${CMAKE_SOURCE_DIR}/tests/ipu/package/symbols.sh ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR} ${ipu_headers})
  endif()
  if(MT_MPI)
    set(ranks ${CMAKE_SOURCE_DIR}/tests/app/ranks.sh)
    add_test(NAME app/ranks COMMAND ${ranks} $<TARGET_FILE:myotile_sketching> ${MPIEXEC_EXECUTABLE})
    set_tests_properties(app/ranks PROPERTIES ENVIRONMENT MT_TEST_CACHE=${cache} FIXTURES_REQUIRED cache)
    add_test(NAME app/ranks_slow COMMAND ${ranks} $<TARGET_FILE:myotile> ${MPIEXEC_EXECUTABLE} 50)
    set_tests_properties(app/ranks_slow PROPERTIES LABELS slow)
    add_executable(library_on_ranks tests/app/library/library_on_ranks.c)
    target_link_libraries(library_on_ranks PRIVATE mt_app MPI::MPI_C)
    add_test(NAME app/library_on_ranks
      COMMAND ${MPIEXEC_EXECUTABLE} -n 3 $<TARGET_FILE:library_on_ranks> ${CMAKE_SOURCE_DIR}/data/cases/niederer-0.5.yaml)
    set_tests_properties(app/library_on_ranks PROPERTIES PASS_REGULAR_EXPRESSION "^3 ranks\n$" FIXTURES_REQUIRED cache ENVIRONMENT
      "XDG_CACHE_HOME=${cache};ASAN_OPTIONS=detect_leaks=0;OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;\
OMPI_MCA_rmaps_base_oversubscribe=1;OMPI_MCA_hwloc_base_binding_policy=none;OMPI_MCA_btl_vader_single_copy_mechanism=none;\
OMPI_MCA_mpi_yield_when_idle=1")
    # The same with MPICH, beside Open MPI: one source differs. What is found in it first the library does not give again.
    pkg_check_modules(MPICH IMPORTED_TARGET mpich)
    find_program(MPICH_MPIEXEC mpiexec.mpich)
    if(MPICH_FOUND AND MPICH_MPIEXEC AND NOT MPI_C_LIBRARIES MATCHES mpich)
      add_executable(myotile_mpich app/myotile_main.c app/cli/ranks.c)
      target_compile_definitions(myotile_mpich PRIVATE MT_MPI)
      target_link_options(myotile_mpich PRIVATE -Wl,--as-needed)
      target_link_libraries(myotile_mpich PRIVATE PkgConfig::MPICH mt_app)
      add_test(NAME app/ranks_mpich_slow COMMAND ${CMAKE_SOURCE_DIR}/tests/app/ranks.sh $<TARGET_FILE:myotile_mpich>
        ${MPICH_MPIEXEC} 10 ${MPIEXEC_EXECUTABLE})
      set_tests_properties(app/ranks_mpich_slow PROPERTIES LABELS slow)
    else()
      message(STATUS "Not here: MPICH beside Open MPI (libmpich-dev, mpich). The test app/ranks_mpich_slow is left out.")
    endif()
  endif()
  add_test(NAME bits_slow COMMAND ${CMAKE_SOURCE_DIR}/tests/solver/kernels/bits.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  set_tests_properties(bits_slow PROPERTIES LABELS slow)
  # The page of reports: kept as one file, of which a browser shows what it does.
  add_test(NAME app/report_template COMMAND ${CMAKE_SOURCE_DIR}/tests/app/report/template.sh ${CMAKE_SOURCE_DIR})
  find_program(CHROMIUM chromium)
  find_program(CHROMEDRIVER chromedriver)
  if(CHROMIUM AND CHROMEDRIVER)
    add_test(NAME app/report_page_slow
      COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/app/report/page.py ${CMAKE_SOURCE_DIR} ${CHROMIUM} ${CHROMEDRIVER}
        $<TARGET_FILE:myotile>)
    set_tests_properties(app/report_page_slow PROPERTIES LABELS slow SKIP_REGULAR_EXPRESSION "SKIPPED: ")
    add_test(NAME app/site_pages_slow COMMAND /usr/bin/python3 -B ${site}/pages.py $<TARGET_FILE:myotile> ${CMAKE_SOURCE_DIR}
      ${CMAKE_BINARY_DIR}/site ${CHROMIUM} ${CHROMEDRIVER})
    set_tests_properties(app/site_pages_slow PROPERTIES LABELS slow SKIP_REGULAR_EXPRESSION "SKIPPED: " DEPENDS app/site_commands_slow)
  else()
    message(STATUS "Not here: Chromium and its driver (chromium, chromium-driver). The tests app/report_page_slow and app/site_pages_slow are left out.")
  endif()
  find_program(FIREFOX firefox-esr)
  find_program(XVFB_RUN xvfb-run)
  if(FIREFOX AND XVFB_RUN)
    add_test(NAME app/report_firefox_slow
      COMMAND ${XVFB_RUN} -a /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/app/report/firefox.py ${CMAKE_SOURCE_DIR} ${FIREFOX})
    set_tests_properties(app/report_firefox_slow PROPERTIES LABELS slow SKIP_REGULAR_EXPRESSION "SKIPPED: ")
  else()
    message(STATUS "Not here: Firefox and a display for it (firefox-esr, xvfb). The test app/report_firefox_slow is left out.")
  endif()
  if(MT_BENCHMARKS)
    add_test(NAME benchmarks_slow COMMAND ${CMAKE_SOURCE_DIR}/tests/benchmarks.sh $<TARGET_FILE:benchmarks> ${CMAKE_SOURCE_DIR})
    set_tests_properties(benchmarks_slow PROPERTIES LABELS slow)
  endif()
  pkg_check_modules(CRITERION REQUIRED IMPORTED_TARGET criterion)
  pkg_check_modules(ARPACK REQUIRED IMPORTED_TARGET arpack) # an independent eigenvalue solver to test ours against
  pkg_check_modules(MPFR REQUIRED IMPORTED_TARGET mpfr) # functions to any precision
  find_program(LLD ld.lld) # links the many programs in a third of the time
  find_library(OPENCL_LIBRARY libOpenCL.so.1 REQUIRED) # which the program loads at run time; with pocl, an OpenCL driver for processors
  # The tests load stand-ins for libraries of libraries. RPATH finds them, which libraries of the program search, too; RUNPATH would not.
  set(unused ${CMAKE_BINARY_DIR}/unused)
  execute_process(COMMAND ${CMAKE_SOURCE_DIR}/tests/unused.sh ${CMAKE_C_COMPILER} ${unused} ${CRITERION_LINK_LIBRARIES}
    ${HDF5_LINK_LIBRARIES} ${CAIRO_LINK_LIBRARIES} COMMAND_ERROR_IS_FATAL ANY)
  add_library(test_shared_cache OBJECT tests/app/shared_cache.c)
  target_link_libraries(test_shared_cache PRIVATE PkgConfig::CRITERION)
  # Tests of app share a cache (tests/room.h), which is deleted before the first of them. MT_TEST_CACHE_OF in the environment is that of
  # another build of the same source, to begin with.
  add_test(NAME begin_cache COMMAND sh -c "rm -rf '${cache}' && if [ -d \"$MT_TEST_CACHE_OF\" ]; then cp -r \"$MT_TEST_CACHE_OF\" '${cache}'; fi")
  set_tests_properties(begin_cache PROPERTIES FIXTURES_SETUP cache)
  foreach(module data mesh ipu solver app)
    file(GLOB_RECURSE tests CONFIGURE_DEPENDS tests/${module}/test_*.c)
    foreach(source ${tests})
      get_filename_component(test ${source} NAME_WE)
      set(program ${test})
      set(of_suite)
      file(STRINGS ${source} replaces REGEX "tests/(faults|bad_metis)\\.h")
      if(NOT replaces AND NOT test MATCHES "_slow$|^test_out_of_memory$|^test_tally$")
        cmake_path(GET source PARENT_PATH program)
        cmake_path(RELATIVE_PATH program BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
        string(REPLACE / _ program ${program})
        string(REGEX REPLACE "^test_" "" suite ${test})
        set(of_suite --filter ${suite}/*)
      endif()
      if(TARGET ${program})
        target_sources(${program} PRIVATE ${source})
      else()
        add_executable(${program} ${source})
        if(MT_SANITIZE AND test MATCHES "_slow$") # no preset runs them there
          set_target_properties(${program} PROPERTIES EXCLUDE_FROM_ALL ON)
        endif()
        target_compile_options(${program} PRIVATE -Wno-pedantic)
        target_link_options(${program} PRIVATE -Wl,--as-needed -Wl,--disable-new-dtags) # each test is a process, which loads all libraries
        target_link_options(${program} PRIVATE $<$<BOOL:${LLD}>:-fuse-ld=lld>)
        set_target_properties(${program} PROPERTIES BUILD_RPATH ${unused})
        target_link_libraries(${program} PRIVATE PkgConfig::CRITERION PkgConfig::ARPACK PkgConfig::HDF5 mt_${module})
        if(program MATCHES "^tests_app_(cli|commands_cell|commands_mesh|commands_run|fit|library|report|results|run)$") # tests/app/sketch.h
          target_link_libraries(${program} PRIVATE test_sketch)
          target_link_options(${program} PRIVATE -Wl,--wrap=mt_picture_map)
        endif()
        if(module STREQUAL "app") # tests/room.h
          target_link_libraries(${program} PRIVATE test_shared_cache)
        endif()
        if(program STREQUAL tests_app_commands_mesh) # test_formats.c
          target_link_options(${program} PRIVATE -Wl,--wrap=mt_print_table -Wl,--wrap=mt_print_tables)
        endif()
      endif()
      # Tests are compiled without optimisation, which takes three times as long, except those that compute much themselves. Slow tests
      # are optimised where nothing slows them down.
      set(optimisation -O0)
      if(test MATCHES "^test_(diffusion|functions|charge|waves|diffusion_order|nodal|nodal_step|record|junctions|elimination|placement)$" OR
         test MATCHES "^test_(splitting|headlines|purkinje|ecg|chart|ecg_picture|partition)$")
        set(optimisation -O1)
      elseif(test MATCHES "_slow$" AND NOT MT_SANITIZE)
        set(optimisation -O2)
      endif()
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS ${optimisation})
      add_test(NAME ${module}/${test} COMMAND ${program} --jobs 1 ${of_suite} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
      # Everyday tests of the solver take thousands of steps on small meshes, where threads would only wait for each other;
      # tests of what threads do say how many.
      set(threads 2) # which wait without spinning, since another test runs at the same time
      if(module STREQUAL "solver" AND NOT test MATCHES "_slow$")
        set(threads 1)
      endif()
      # What one run of a test gave back the next one takes: from the system it comes page by page, cleared.
      set(keep_memory "MALLOC_MMAP_THRESHOLD_=33554432;MALLOC_TRIM_THRESHOLD_=2000000000")
      # clang 14 misreads the records that glibc keeps of thread-local variables, and LeakSanitizer then ends with signal 11; without this
      # interception it does not read them. It finds the same leaks.
      set(asan "ASAN_OPTIONS=detect_stack_use_after_return=0:intercept_tls_get_addr=0")
      set(pocl "POCL_CACHE_DIR=${CMAKE_SOURCE_DIR}/build/pocl") # compiled kernels, of all presets
      set_tests_properties(${module}/${test} PROPERTIES
        ENVIRONMENT "OMP_NUM_THREADS=${threads};GOMP_SPINCOUNT=0;KMP_BLOCKTIME=0;${keep_memory};${asan};${pocl};MT_TEST_CACHE=${cache}"
        FAIL_REGULAR_EXPRESSION "Sanitizer;runtime error;Assertion Failed;crashed during;Tested: 0 ")
      if(module STREQUAL "app")
        set_tests_properties(${module}/${test} PROPERTIES FIXTURES_REQUIRED cache)
      endif()
      # Under the sanitizers these are slow, too: their claims are numbers, and other tests run the same code for fewer of them.
      string(CONCAT numbers "solver/test_(calibration|chain|nodal_step|opencl|restitution|spreading|tissue_waves)|"
        "app/test_(fronts|machine_programs|premature|tissue_restitution)")
      if(test MATCHES "_slow$" OR (MT_SANITIZE AND "${module}/${test}" MATCHES "^(${numbers})$"))
        set_tests_properties(${module}/${test} PROPERTIES LABELS slow SKIP_REGULAR_EXPRESSION "SKIPPED: ")
      endif()
    endforeach()
  endforeach()
  # OpenCL libraries for tests: a driver with chosen devices, and a loader with faults (tests/opencl_library.h).
  foreach(library fake_driver faulty_loader)
    add_library(opencl_${library} MODULE tests/data/opencl/${library}.c)
    target_include_directories(opencl_${library} SYSTEM PRIVATE ${OPENCL_HEADERS})
    foreach(program tests_data_opencl tests_solver_device tests_solver_backends tests_app_commands_machine tests_app_commands_run)
      string(TOUPPER MT_OPENCL_${library} definition)
      target_compile_definitions(${program} PRIVATE ${definition}="$<TARGET_FILE:opencl_${library}>")
      add_dependencies(${program} opencl_${library})
    endforeach()
  endforeach()
  target_link_options(tests_data_opencl PRIVATE -Wl,--wrap=dlopen) # test_devices.c
  target_link_options(opencl_faulty_loader PRIVATE -Wl,--no-as-needed) # functions without faults are found in it, too
  target_link_libraries(opencl_faulty_loader PRIVATE ${OPENCL_LIBRARY})
  target_link_libraries(test_tally PRIVATE mt_tally)
  target_link_libraries(test_functions_slow PRIVATE PkgConfig::MPFR)
  # Where memory is taken this test may say no.
  foreach(function mt_arena_alloc realloc open_memstream realpath opendir closedir fsync mt_program_main
    H5Fopen H5Lexists H5Dopen2 H5Dread H5Aopen_by_name H5Aread H5Dcreate2)
    target_link_options(test_out_of_memory PRIVATE -Wl,--wrap=${function})
  endforeach()
  add_test(NAME app/test_out_of_memory_slow COMMAND test_out_of_memory --jobs 1 WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  get_test_property(app/test_out_of_memory ENVIRONMENT environment)
  get_test_property(app/test_out_of_memory FAIL_REGULAR_EXPRESSION failures)
  set_tests_properties(app/test_out_of_memory_slow PROPERTIES LABELS slow ENVIRONMENT "${environment};MT_EVERY_ALLOCATION=1"
    FAIL_REGULAR_EXPRESSION "${failures}")
  # Everyday tests of devices that have some of their cases; all are slow.
  get_test_property(solver/test_opencl_faults ENVIRONMENT environment)
  add_test(NAME solver/test_opencl_faults_slow COMMAND tests_solver_backends --jobs 1 --filter opencl_faults/every_failing*
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  add_test(NAME solver/test_self_test_slow COMMAND tests_solver_device --jobs 1 --filter self_test/faults*
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(solver/test_opencl_faults_slow solver/test_self_test_slow PROPERTIES LABELS slow
    ENVIRONMENT "${environment};MT_EVERY_ALLOCATION=1;MT_EVERY_FAULT=1" FAIL_REGULAR_EXPRESSION "${failures}")
  # What one of these compiles for pocl the others take from its cache, instead of compiling it at the same time.
  set_tests_properties(solver/test_opencl solver/test_leader solver/test_backends solver/test_checkpoint solver/test_opencl_faults
    solver/test_self_test app/test_device_runs PROPERTIES RESOURCE_LOCK pocl)
  # A test that hangs is ended: after several times the longest time, that under the sanitizers. There it is run again, up to three times
  # (CMakePresets.json): METIS runs in a forked child, which can inherit a lock of AddressSanitizer's allocator that another thread held.
  get_property(all DIRECTORY PROPERTY TESTS)
  set_tests_properties(${all} PROPERTIES TIMEOUT 400)
  # The longest, which take minutes under the sanitizers on a slow computer.
  set_tests_properties(app/test_out_of_memory app/test_tune PROPERTIES TIMEOUT 500)
  # The longest start first, so that none of them runs alone at the end. (ctest remembers the times of earlier runs.)
  set_tests_properties(app/test_out_of_memory app/test_tune app/test_nodes app/test_heart app/test_formats
    app/test_command app/test_fill app/test_sweep app/test_stimuli app/test_picture app/test_picture_parts
    app/test_report_command app/test_waves_command app/test_run app/test_figure3 app/test_hearts app/ranks app/python app/test_fronts
    app/test_tissue_restitution app/test_device_runs app/test_network_resume solver/test_calibration solver/test_self_test
    solver/test_opencl solver/test_nodal_ipu solver/test_backends solver/test_leader solver/test_diffusion
    solver/test_spreading solver/test_tissue_waves solver/test_compiled mesh/test_partition PROPERTIES COST 100)
  # Everyday tests share the meshes of gmsh, those of all presets in one folder; the slow tests run it each time.
  cmake_path(GET CMAKE_BINARY_DIR PARENT_PATH gmsh_runs)
  if(NOT gmsh_runs STREQUAL ${CMAKE_SOURCE_DIR}/build)
    set(gmsh_runs ${CMAKE_BINARY_DIR})
  endif()
  set(everyday ${all})
  list(FILTER everyday EXCLUDE REGEX "_slow$")
  # Their temporary files are in memory, if it has room for several tests: the program waits until its files are on the disk.
  set(temporary)
  execute_process(COMMAND df --output=avail -B 1M /dev/shm OUTPUT_VARIABLE free_mb ERROR_QUIET)
  if(free_mb MATCHES "([0-9]+)" AND CMAKE_MATCH_1 GREATER 2000)
    set(temporary ";TMPDIR=set:/dev/shm")
  endif()
  set_tests_properties(${everyday} PROPERTIES ENVIRONMENT_MODIFICATION
    "PATH=path_list_prepend:${CMAKE_SOURCE_DIR}/tests/gmsh;MT_GMSH_RUNS=set:${gmsh_runs}/gmsh${temporary}")
  list(FILTER all INCLUDE REGEX "_slow$")
  set_tests_properties(${all} PROPERTIES TIMEOUT 7200)
endif()
