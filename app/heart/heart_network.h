/* The conduction network of an automatic heart (mesh/network/purkinje.h), with the default parameters. */
#pragma once

#include "app/heart/heart_mesh.h"
#include "mesh/network/purkinje.h"

/* Generates the network of a heart in `arena` and reports its size (mt_decision). `path`: of the input, for messages. MT_INPUT: the heart
 * has no anatomy; and the errors of mt_anatomy_coordinates and mt_purkinje_make. */
MT_NODISCARD mt_status mt_heart_network_make(
    mt_arena *arena, const char *path, const mt_heart_mesh *heart, mt_network *network);
