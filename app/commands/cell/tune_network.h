/* myotile tune --network and --junction: properties of a conduction network. */
#pragma once

#include "app/cli/command.h"

/* True if one of the two options is given. */
bool mt_tune_network_asked(const mt_arguments *arguments);

/* Tunes the network of the case, and prints the tables and the keys of the case. Returns the errors of app/waves/network_tuning.h. */
MT_NODISCARD mt_status mt_tune_network_run(mt_arena *arena, const mt_arguments *arguments);
