/* The conduction system of a case on its mesh. */
#pragma once

#include "solver/case/case.h"
#include "solver/conduction/conduction.h"

/* Reads the network of a case and couples it to the tissue; all is in `arena`. Sets `conduction` to NULL if the case has none. Prints the
 * notes of the file's reader. Warns of free ends far from the tissue, and of junctions without an unknown in their radius. MT_INPUT: the
 * file is not a network, a node does not exist, a part has no segment, or a node of a stimulus or its surrounding is blocked; the message
 * names the key. MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_case_conduction(mt_arena *arena, const mt_case *from,
    const mt_junctions_tissue *tissue, const mt_conduction **conduction);

/* Same, for a given network instead of that of the file, which is borrowed; messages name the file of the case. */
MT_NODISCARD mt_status mt_case_conduction_of(mt_arena *arena, const mt_case *from, const mt_network *network,
    const mt_junctions_tissue *tissue, mt_conduction *conduction);

/* Checks the network of a case, and all of its keys, as mt_case_conduction does, but couples nothing and prints no notes and warnings. */
MT_NODISCARD mt_status mt_case_conduction_check(const mt_case *from);
