#include "solver/case/nodes.h"

#include <stdio.h>

/* Fails with the message about a key, unless it is allowed. */
static mt_status unless(bool allowed, const char *key, const char *value, const char *instead)
{
    if (allowed) return MT_OK;
    return mt_fail(MT_INPUT, "%s: %s; allowed with diffusion.discretisation nodes: %s", key, value, instead);
}

static mt_status unless_number(double found, double allowed, const char *key, const char *instead)
{
    char value[32], usual[32];
    (void)snprintf(value, sizeof value, "%.9g", found);
    (void)snprintf(usual, sizeof usual, "%.9g", allowed);
    return unless(found == allowed, key, value, instead ? instead : usual);
}

static mt_status check_scheme(const mt_case *c)
{
    const mt_diffusion_scheme *usual = &mt_diffusion_scheme_default;
    char value[64];
    MT_TRY(unless_number(c->diffusion.spreading, usual->spreading, "diffusion.spreading",
        "the default; diffusion.nodal_spreading sets the spreading"));
    (void)snprintf(value, sizeof value, "%zu numbers", c->diffusion.n_spreading_of_cells);
    MT_TRY(unless(c->diffusion.n_spreading_of_cells == 0, "diffusion.spreading_of_cells", value,
        "none; diffusion.nodal_spreading sets the spreading"));
    MT_TRY(unless_number(c->diffusion.damping, usual->damping, "diffusion.damping", NULL));
    return unless(c->diffusion.correction == usual->correction, "diffusion.correction",
        mt_correction_name[c->diffusion.correction], mt_correction_name[usual->correction]);
}

mt_status mt_case_check_nodes(const mt_case *c)
{
    if (!mt_case_at_vertices(c))
        return c->diffusion.nodal_spreading == 1
                   ? MT_OK
                   : mt_fail(MT_INPUT,
                         "diffusion.nodal_spreading: %g, with diffusion.discretisation elements; allowed: 1; "
                         "diffusion.spreading sets the spreading",
                         c->diffusion.nodal_spreading);
    MT_TRY(check_scheme(c));
    MT_TRY(unless(c->diffusion.method == MT_CASE_EXPLICIT, "diffusion.method", "implicit", "explicit"));
    MT_TRY(unless(c->diffusion.accumulation == MT_ACCUMULATION_SINGLE, "diffusion.accumulation",
        mt_accumulation_name[c->diffusion.accumulation], mt_accumulation_name[MT_ACCUMULATION_SINGLE]));
    return unless(c->machine.backend == MT_CASE_CPU, "machine.backend", "ipu", "cpu");
}

mt_status mt_case_need_elements(const char *path, const mt_case *input)
{
    if (!mt_case_at_vertices(input)) return MT_OK;
    return mt_fail(MT_INPUT, "%s: diffusion.discretisation: nodes; allowed here: elements", path);
}

mt_nodal_law mt_case_nodal_law(const mt_case *input)
{
    mt_nodal_law law = mt_nodal_law_default;
    law.strength *= input->diffusion.nodal_spreading;
    return law;
}
