#include "app/heart/refining.h"

#include "mesh/make/refine.h"

mt_status mt_refining_times(mt_refining *refining, unsigned long times, mt_mesh *mesh)
{
    MT_TRY(mt_refine_check(mesh, times));
    for (unsigned long k = 0; k < times; k++) {
        mt_mesh fine;
        MT_TRY(mt_refine(refining->arenas[1 - refining->at], mesh, &fine));
        mt_arena_free(refining->arenas[refining->at]);
        refining->at = 1 - refining->at;
        *mesh = fine;
    }
    return mt_mesh_check(mesh);
}
