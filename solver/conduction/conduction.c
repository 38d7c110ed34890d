#include "solver/conduction/conduction.h"

#include <string.h>

mt_status mt_conduction_fingerprint(const mt_conduction *conduction, char text[MT_HASH_SIZE])
{
    const mt_cables *c = &conduction->cables;
    const mt_junctions *j = &conduction->junctions;
    const mt_cell_model *model = conduction->model;
    mt_hash hash;
    MT_TRY(mt_hash_begin(&hash));
    mt_hash_add(&hash, c->xyz_mm, 3 * c->n_points * sizeof *c->xyz_mm);
    mt_hash_add(&hash, c->capacitance_uF, c->n_points * sizeof *c->capacitance_uF);
    mt_hash_add(&hash, c->conductance_mS, c->n_pieces * sizeof *c->conductance_mS);
    mt_hash_add(&hash, j->point, j->n * sizeof *j->point);
    mt_hash_add(&hash, j->slot, j->start[j->n] * sizeof *j->slot);
    mt_hash_add(&hash, j->conductance_mS, j->start[j->n] * sizeof *j->conductance_mS);
    mt_hash_add(&hash, j->unknown, j->n_unknowns * sizeof *j->unknown);
    mt_hash_add(&hash, model->identity, strlen(model->identity));
    mt_hash_add(&hash, conduction->variant.parameters, model->n_parameters * sizeof(double));
    const uint64_t numbers[] = {conduction->steps, (uint64_t)conduction->stepping};
    mt_hash_add(&hash, numbers, sizeof numbers);
    mt_hash_end(&hash, text);
    return MT_OK;
}
