#include "app/cli/tiling_options.h"

#include <stdio.h>
#include <string.h>

#include "data/files/data_folder.h"
#include "ipu/machine/machines.h"

mt_status mt_tiling_options_parse_for(
    mt_arena *arena, const mt_arguments *arguments, const char *machine, mt_tiling *tiling)
{
    const char *path;
    mt_yaml_override *sets;
    size_t n_sets, method;
    *tiling = (mt_tiling){.balance_halo = mt_option_given(arguments, "--balance-halo")};
    const char *imbalance = mt_option_value(arguments, "--imbalance", "1.03");
    MT_TRY(mt_numbers("--imbalance", imbalance, 1, 0, &tiling->imbalance));
    if (!(tiling->imbalance >= MT_IMBALANCE_LEAST && tiling->imbalance <= MT_IMBALANCE_MOST))
        return mt_fail(
            MT_INPUT, "--imbalance %s; allowed: %g to %g", imbalance, MT_IMBALANCE_LEAST, MT_IMBALANCE_MOST);
    MT_TRY(mt_option_word(arguments, "--partition", mt_partition_methods[MT_PARTITION_AUTO],
        mt_partition_methods, MT_PARTITION_METHODS, &method));
    MT_TRY(ipu_machine_path(arena, mt_machines_folder(), machine, &path));
    MT_TRY(mt_option_overrides(arena, arguments, "--machine-set", &n_sets, &sets));
    MT_TRY(ipu_machine_load(arena, path, sets, n_sets, &tiling->one));
    tiling->tiles = (uint32_t)tiling->one.tiles;
    mt_tiling_choose(tiling, (mt_partition_method)method);
    return MT_OK;
}

mt_status mt_tiling_options_parse(mt_arena *arena, const mt_arguments *arguments, mt_tiling *tiling)
{
    return mt_tiling_options_parse_for(
        arena, arguments, mt_option_value(arguments, "--target", "gc200"), tiling);
}

mt_status mt_tiling_options_stream(const mt_arguments *arguments, mt_streamed *streamed)
{
    size_t which;
    MT_TRY(mt_option_word(arguments, "--stream", mt_streamed_words[MT_STREAMED_NONE], mt_streamed_words,
        MT_STREAMED_ALL + 1, &which));
    *streamed = (mt_streamed)which;
    return MT_OK;
}

mt_status mt_tiling_options_ranges(const mt_arguments *arguments, uint32_t *ranges)
{
    unsigned long number = 0;
    const char *text = mt_option_value(arguments, "--ranges", NULL);
    if (text) MT_TRY(mt_integer("--ranges", text, 1, 1000000, &number));
    *ranges = (uint32_t)number;
    return MT_OK;
}

mt_status mt_tiling_options_counts(
    const mt_tiling *tiling, const char *text, size_t *n, uint32_t ipus[MT_TILING_COUNTS])
{
    unsigned long counts[MT_TILING_COUNTS];
    MT_TRY(mt_integers("--ipus", text, 1, 4096, MT_TILING_COUNTS, n, counts));
    for (size_t k = 0; k < *n; k++) {
        MT_TRY(mt_tiling_check_ipus(tiling, counts[k]));
        ipus[k] = (uint32_t)counts[k];
        MT_TRY(mt_tiling_check_memory(tiling, ipus[k]));
    }
    return MT_OK;
}
