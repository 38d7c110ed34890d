#include "solver/conduction/coefficients.h"

/* Computes the total conductance of all junctions at each coupled unknown, in `arena`. */
static mt_status find_totals(mt_arena *arena, const mt_junctions *j, double **total_mS)
{
    MT_ALLOC(arena, *total_mS, j->n_unknowns);
    for (size_t i = 0; i < j->start[j->n]; i++) (*total_mS)[j->slot[i]] += j->conductance_mS[i];
    return MT_OK;
}

/* Computes the coefficients of the junctions, and adds them to the diagonal. */
static mt_status couple(
    mt_arena *arena, const mt_junctions *j, double dt_ms, mt_conduction_coefficients *c, double *diagonal_mS)
{
    MT_SCRATCH(scratch);
    const size_t n = j->start[j->n];
    double *total_mS;
    MT_TRY(find_totals(scratch, j, &total_mS));
    MT_ALLOC(arena, c->coupling_mS, n);
    MT_ALLOC(arena, c->gain, n);
    MT_ALLOC(arena, c->mean_weight, n);
    for (size_t k = 0; k < j->n; k++) {
        double sum_mS = 0;
        for (size_t i = j->start[k]; i < j->start[k + 1]; i++) {
            const double per_uF = dt_ms / j->capacitance_uF[j->slot[i]];
            c->coupling_mS[i] = j->conductance_mS[i] / (1 + total_mS[j->slot[i]] * per_uF);
            c->gain[i] = c->coupling_mS[i] * per_uF;
            sum_mS += c->coupling_mS[i];
        }
        for (size_t i = j->start[k]; i < j->start[k + 1]; i++) c->mean_weight[i] = c->coupling_mS[i] / sum_mS;
        diagonal_mS[j->point[k]] += sum_mS;
    }
    return MT_OK;
}

mt_status mt_conduction_coefficients_make(
    mt_arena *arena, const mt_conduction *conduction, double dt_ms, mt_conduction_coefficients *c)
{
    MT_SCRATCH(scratch);
    const mt_cables *cables = &conduction->cables;
    double *diagonal_mS;
    MT_ALLOC(scratch, diagonal_mS, cables->n_points);
    for (size_t k = 0; k < cables->n_points; k++) diagonal_mS[k] = cables->capacitance_uF[k] / dt_ms;
    MT_TRY(couple(arena, &conduction->junctions, dt_ms, c, diagonal_mS));
    return mt_elimination_make(arena, cables, diagonal_mS, &c->elimination);
}
