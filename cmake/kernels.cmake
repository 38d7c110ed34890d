# The kernels: one source each, compiled for each arithmetic and instruction set; solver/kernels/kernels.c chooses at run time.
# The versions differ only in speed: none of them contracts or reassociates. Their long chains of dependent operations run faster
# side by side, which gcc arranges only when asked to, and best for a processor that does not do so itself. Not with the 16 registers
# of AVX2: twice as many operands are then in memory, and cells take 1.2 times as long.
set(side_by_side "$<$<C_COMPILER_ID:GNU>:-fschedule-insns;-fsched-pressure>")
set(as_written "$<$<C_COMPILER_ID:GNU>:-fno-schedule-insns>")
set(in_order "$<$<C_COMPILER_ID:GNU>:-mtune=goldmont>")
set(flags_avx2 -mavx2 -mfma)
set(flags_avx512 -mavx512f -mavx512dq -mfma -mprefer-vector-width=512)
set(exact -ffp-contract=off -fno-math-errno -fno-trapping-math)
# A build for its warnings alone can use the objects of another one: kernels are optimised for debugging, too, since tests take thousands of
# steps, and they have no assertions.
set(MT_KERNELS_OF "" CACHE PATH "Folder of a build with compiled kernels; empty: compile them")
# Tests of waves in tissue take up to 1.7 times as long with this check. AddressSanitizer checks each access, however its address is made.
set(unchecked "$<$<BOOL:${MT_SANITIZE}>:-fno-sanitize=pointer-overflow>")
# Checks make functions larger, and clang would inline few of them; then each number passes through memory, and is checked there again.
set(inlined "$<$<AND:$<BOOL:${MT_SANITIZE}>,$<C_COMPILER_ID:Clang>>:SHELL:-mllvm -inline-threshold=1000>")
# Under the sanitizers only the kernels that this processor takes are optimised: tests of all kernels compute little with the others,
# which take a fifth of the time to compile.
set(taken "base;avx2;avx512")
if(MT_SANITIZE AND EXISTS /proc/cpuinfo)
  set(taken base)
  file(STRINGS /proc/cpuinfo features REGEX "^flags" LIMIT_COUNT 1)
  if(features MATCHES " avx512f .*avx512dq ")
    set(taken avx512)
  elseif(features MATCHES " fma .* avx2 ")
    set(taken avx2)
  endif()
endif()
# Line numbers are enough for a debugger: finding the places of variables takes half of the time to compile long chains of operations.
set(lines_only $<$<CONFIG:RelWithDebInfo>:-g1>)
file(GLOB_RECURSE kernels CONFIGURE_DEPENDS solver/*_kernel.c)
function(mt_kernel target sources arithmetic isa)
  set(object ${target}_${arithmetic}_${isa})
  if(MT_KERNELS_OF)
    foreach(source IN LISTS sources)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
      target_sources(${target} PRIVATE ${MT_KERNELS_OF}/CMakeFiles/${object}.dir/${source}${CMAKE_C_OUTPUT_EXTENSION})
    endforeach()
    return()
  endif()
  add_library(${object} OBJECT ${sources})
  target_include_directories(${object} PRIVATE ${CMAKE_SOURCE_DIR})
  set(optimisation -O3)
  if(NOT isa IN_LIST taken)
    set(optimisation -O0)
  endif()
  # Pedantry knows no vectors of 64 bytes passed by value between inlined functions.
  target_compile_options(${object} PRIVATE ${optimisation} ${exact} -Wno-psabi ${unchecked} ${inlined} ${lines_only} ${side_by_side} ${ARGN})
  target_compile_definitions(${object} PRIVATE MT_REAL_NAME=${arithmetic} MT_ISA=${isa})
  if(arithmetic STREQUAL double)
    target_compile_definitions(${object} PRIVATE MT_DOUBLE)
  endif()
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
endfunction()
function(mt_kernels target sources)
  foreach(arithmetic float double)
    mt_kernel(${target} "${sources}" ${arithmetic} base)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      mt_kernel(${target} "${sources}" ${arithmetic} avx2 ${flags_avx2} ${as_written})
      mt_kernel(${target} "${sources}" ${arithmetic} avx512 ${flags_avx512} ${in_order})
    endif()
  endforeach()
endfunction()
mt_kernels(mt_solver "${kernels}")

# Imported models are compiled at run time from the headers of the kernels as text (solver/cells/compiled/compiled.h), by any C compiler. Their
# source lists the operations in an order that is faster without the scheduling above.
set(text ${CMAKE_BINARY_DIR}/generated/solver/cells/compiled/kernel_text.inc)
set(head solver/kernels/lanes.h solver/kernels/functions.h solver/kernels/rare_functions.h solver/cells/pace.h)
set(tail solver/kernels/multirate.h solver/kernels/block.h solver/kernels/multirate_equations.h solver/kernels/tables.h
    solver/kernels/tables_equations.h solver/cells/kernel.h)
set(flags_base -std=c17 -O2 ${exact})
add_custom_command(OUTPUT ${text} VERBATIM
  COMMAND ${CMAKE_COMMAND} -D SOURCE=${CMAKE_SOURCE_DIR} -D OUT=${text} -D "HEAD=${head}" -D "TAIL=${tail}" -D "BASE=${flags_base}"
    -D "AVX2=${flags_base};${flags_avx2}" -D "AVX512=${flags_base};${flags_avx512}" -P ${CMAKE_SOURCE_DIR}/cmake/kernel_text.cmake
  DEPENDS ${head} ${tail} cmake/kernel_text.cmake)
target_sources(mt_solver PRIVATE ${text})
target_include_directories(mt_solver PRIVATE ${CMAKE_BINARY_DIR}/generated)

# Programs of devices are compiled at run time from the same equations as text (solver/device/program.h).
set(text ${CMAKE_BINARY_DIR}/generated/solver/device/device_text.inc)
set(head solver/device/lanes_opencl.h solver/kernels/functions.h solver/kernels/rare_functions.h solver/cells/pace.h)
set(models)
foreach(kernel IN LISTS kernels)
  file(STRINGS ${kernel} equations REGEX "#include \"solver/cells/kernel.h\"")
  if(equations AND NOT kernel MATCHES "/compiled/")
    cmake_path(RELATIVE_PATH kernel BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
    list(APPEND models ${kernel})
  endif()
endforeach()
file(GLOB headers CONFIGURE_DEPENDS solver/kernels/*.h solver/cells/*.h solver/cells/*/*.h solver/device/*.h)
add_custom_command(OUTPUT ${text} VERBATIM
  COMMAND ${CMAKE_COMMAND} -D SOURCE=${CMAKE_SOURCE_DIR} -D OUT=${text} -D "HEAD=${head}" -D "MODELS=${models}" -D TAIL=solver/device/steps.cl
    -D TEST=solver/device/self_test.cl -P ${CMAKE_SOURCE_DIR}/cmake/device_text.cmake
  DEPENDS ${head} ${models} ${headers} solver/device/steps.cl solver/device/self_test.cl solver/device/self_test_equations.h
    cmake/device_text.cmake)
target_sources(mt_solver PRIVATE ${text})
