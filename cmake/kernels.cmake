# The kernels: one source each, compiled for each arithmetic and instruction set; solver/kernels/kernels.c chooses at run time.
# The versions differ only in speed: none of them contracts or reassociates. Their long chains of dependent operations run faster
# side by side, which gcc arranges only when asked to, and best for a processor that does not do so itself.
set(side_by_side "$<$<C_COMPILER_ID:GNU>:-fschedule-insns;-fsched-pressure>")
set(in_order "$<$<C_COMPILER_ID:GNU>:-mtune=goldmont>")
file(GLOB_RECURSE kernels CONFIGURE_DEPENDS solver/*_kernel.c)
function(mt_kernel target sources arithmetic isa)
  set(object ${target}_${arithmetic}_${isa})
  add_library(${object} OBJECT ${sources})
  target_include_directories(${object} PRIVATE ${CMAKE_SOURCE_DIR})
  # Pedantry knows no vectors of 64 bytes passed by value between inlined functions.
  target_compile_options(${object} PRIVATE -O3 -fno-math-errno -fno-trapping-math -Wno-psabi
    ${side_by_side} ${ARGN})
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
      mt_kernel(${target} "${sources}" ${arithmetic} avx2 -mavx2 -mfma)
      mt_kernel(${target} "${sources}" ${arithmetic} avx512 -mavx512f -mavx512dq -mfma -mprefer-vector-width=512 ${in_order})
    endif()
  endforeach()
endfunction()
mt_kernels(mt_solver "${kernels}")
