#include "app/heart/heart_network.h"

#include "data/core/progress.h"

mt_status mt_heart_network_make(
    mt_arena *arena, const char *path, const mt_heart_mesh *heart, mt_network *network)
{
    MT_SCRATCH(scratch);
    mt_adjacency adjacency;
    mt_coordinates coordinates;
    mt_purkinje_info info;
    double length_mm = 0;
    if (!heart->has_anatomy)
        return mt_fail(MT_INPUT,
            "%s: the anatomy is unknown; needed for a conduction system: base, epicardium and endocardia",
            path);
    MT_TRY(mt_adjacency_make(scratch, &heart->mesh, &adjacency));
    MT_TRY(mt_anatomy_coordinates(scratch, path, &adjacency, &heart->mesh, NULL, &coordinates));
    mt_progress_stage("generating the conduction network");
    MT_TRY(mt_fail_in(path, mt_purkinje_make(arena, &heart->mesh, &adjacency, &coordinates,
                                &mt_purkinje_default, network, &info)));
    mt_progress_stage(NULL);
    for (int k = 0; k < MT_PURKINJE_KINDS; k++) length_mm += info.length_mm[k];
    mt_decision("network",
        "His bundle, bundle branches and Purkinje fibres, %.3g m, with %zu ends in the left and %zu in the "
        "right "
        "ventricle",
        length_mm / 1000, info.n_terminals[0], info.n_terminals[1]);
    return MT_OK;
}
