/* The program `myotile`: the table of its commands, and what goes round them. */
#ifndef MT_APP_COMMANDS_COMMANDS_H
#define MT_APP_COMMANDS_COMMANDS_H

#include "app/cli/command.h"

extern const mt_command mt_command_run, mt_command_cell, mt_command_partition, mt_command_mesh_slab,
    mt_command_mesh_info, mt_command_mesh_convert, mt_command_mesh_ventricles, mt_command_mesh_fill,
    mt_command_mesh_fibres, mt_command_mesh_surfaces, mt_command_mesh_refine, mt_command_machine_list,
    mt_command_machine_show;

/* Runs the program with main's arguments; prints help, tables and messages; gives the exit code: the status (data/status.h), or
 * 128 and the number of the signal that stopped it. */
int mt_command_main(int argc, char *const *argv, FILE *out, FILE *messages);

#endif
