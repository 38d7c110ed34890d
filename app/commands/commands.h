/* The commands of the program `myotile`, one per source file in the subfolders. */
#pragma once

#include "app/cli/command.h"

/* All commands, including app/study, in the order of the help; terminated by NULL. */
extern const mt_command *const mt_commands[];

extern const mt_command mt_command_run, mt_command_eikonal, mt_command_fit, mt_command_heart,
    mt_command_report, mt_command_cell, mt_command_restitution, mt_command_tune, mt_command_model_import,
    mt_command_partition, mt_command_mesh_slab, mt_command_mesh_info, mt_command_mesh_convert,
    mt_command_mesh_ventricles, mt_command_mesh_fill, mt_command_mesh_fibres, mt_command_mesh_coordinates,
    mt_command_mesh_transfer, mt_command_mesh_purkinje, mt_command_mesh_surfaces, mt_command_mesh_refine,
    mt_command_machine_list, mt_command_machine_show, mt_command_machine_allreduce, mt_command_devices;
