#include "app/commands/commands.h"

#include "app/study/reproduce.h"

const mt_command *const mt_commands[] = {&mt_command_run, &mt_command_eikonal, &mt_command_fit,
    &mt_command_heart, &mt_command_report, &mt_command_mesh_slab, &mt_command_mesh_info,
    &mt_command_mesh_convert, &mt_command_mesh_ventricles, &mt_command_mesh_fill, &mt_command_mesh_surfaces,
    &mt_command_mesh_fibres, &mt_command_mesh_coordinates, &mt_command_mesh_transfer,
    &mt_command_mesh_purkinje, &mt_command_mesh_refine, &mt_command_partition, &mt_command_reproduce_table1,
    &mt_command_reproduce_table2, &mt_command_reproduce_table3, &mt_command_reproduce_figure1,
    &mt_command_reproduce_figure3, &mt_command_reproduce_figure4, &mt_command_reproduce_figure5,
    &mt_command_reproduce_figure6, &mt_command_reproduce_waves, &mt_command_reproduce_math,
    &mt_command_reproduce_machine, &mt_command_reproduce_implicit, &mt_command_reproduce_precision,
    &mt_command_reproduce_nodes, &mt_command_reproduce_machines, &mt_command_cell, &mt_command_restitution,
    &mt_command_tune, &mt_command_model_import, &mt_command_machine_list, &mt_command_machine_show,
    &mt_command_machine_allreduce, &mt_command_devices, NULL};
