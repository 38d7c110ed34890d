# Counts the codelets' instructions on their source: writes solver/plan/codelets_tally.inc, or with a last argument `check`
# fails where what stands there is out of date. Needs clang (its intermediate form is what is counted).
if(NOT EXISTS "${CLANG}")
  message(FATAL_ERROR "clang is needed to count instructions; install the package clang")
endif()
set(codelets pde ode ode_mixed activation stimulus)
set(committed ${SOURCE}/solver/plan/codelets_tally.inc)
execute_process(
  COMMAND ${CLANG} -I${SOURCE} -std=c17 --target=riscv32-unknown-elf -march=rv32imf -mabi=ilp32f -ffreestanding -O2
          -mllvm -inline-threshold=100000 -fno-vectorize -fno-slp-vectorize -ffp-contract=off -S -emit-llvm -o codelets.ll ${SOURCE}/solver/plan/codelets_kernel.c
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${TALLY} codelets.ll ${codelets} OUTPUT_VARIABLE counted COMMAND_ERROR_IS_FATAL ANY)
math(EXPR last "${CMAKE_ARGC} - 1")
if(NOT "${CMAKE_ARGV${last}}" STREQUAL "check")
  file(WRITE ${committed} "${counted}")
  return()
endif()
file(READ ${committed} written)
if(NOT "${written}" STREQUAL "${counted}")
  execute_process(COMMAND ${CLANG} --version OUTPUT_VARIABLE version)
  message(FATAL_ERROR "solver/plan/codelets_tally.inc is out of date: build the target tally_update. (It was counted with clang 14; "
    "another clang may make other instructions. This is ${version}) Counted now:\n${counted}")
endif()
