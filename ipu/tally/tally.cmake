# Counts codelets' instructions on their source: the solver's, each cell model's, and those of programs that `reproduce machine` times. Writes
# the NAME_tally.inc beside each, or with a last argument `check` fails where one is out of date. Needs clang (its intermediate form
# is what is counted).
if(NOT EXISTS "${CLANG}")
  message(FATAL_ERROR "clang is needed to count instructions; install the package clang")
endif()
math(EXPR last "${CMAKE_ARGC} - 1")

function(count source committed)
  execute_process(
    COMMAND ${CLANG} -I${SOURCE} -std=c17 --target=riscv32-unknown-elf -march=rv32imf -mabi=ilp32f -ffreestanding -O2
            -mllvm -inline-threshold=100000 -fno-vectorize -fno-slp-vectorize -ffp-contract=off -DMT_LANES_ONE -DMT_TALLY
            -S -emit-llvm -o codelets.ll ${SOURCE}/${source}
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${TALLY} codelets.ll ${ARGN} OUTPUT_VARIABLE counted COMMAND_ERROR_IS_FATAL ANY)
  if(NOT "${CMAKE_ARGV${last}}" STREQUAL "check")
    file(WRITE ${SOURCE}/${committed} "${counted}")
    return()
  endif()
  set(written "")
  if(EXISTS ${SOURCE}/${committed})
    file(READ ${SOURCE}/${committed} written)
  endif()
  if(NOT "${written}" STREQUAL "${counted}")
    execute_process(COMMAND ${CLANG} --version OUTPUT_VARIABLE version)
    message(FATAL_ERROR "${committed} is out of date: build the target tally_update. (It was counted with clang 14; "
      "another clang may make other instructions. This is ${version}) Counted now:\n${counted}")
  endif()
endfunction()

count(solver/plan/codelets_tally.c solver/plan/codelets_tally.inc pde pde_double_word activation stimulus stimulus_delayed spread
      activation_spread record record_spread turn multirate increments start first_product half_way
      second_product end_iteration gain next_iteration find_alpha find_omega nodal_block nodal_entry nodal_row
      nodal_spread_row nodal_share_row nodal_increment nodal_word_row nodal_increments_row nodal_start_row
      nodal_first_row nodal_second_row network_state network_junction network_forward network_hub_end
      network_hub_entry network_copy network_hub network_backward network_charge network_unknown network_record network_beat)
count(app/study/machine/machine_tally.c app/study/machine/machine_tally.inc dot total)
file(GLOB models RELATIVE ${SOURCE} ${SOURCE}/solver/cells/*/*_kernel.c)
list(FILTER models EXCLUDE REGEX "/(graph|compiled)/") # of imported models, whose instructions are counted when they are opened
foreach(model ${models})
  string(REPLACE _kernel.c _tally.inc committed ${model})
  count(${model} ${committed} ode ode_mixed ode_multirate ode_mixed_multirate)
endforeach()
