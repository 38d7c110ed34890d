#include "solver/case/case_on_mesh.h"

#include <stdio.h>
#include <string.h>

#include "mesh/vertex_share.h"
#include "solver/tissue/kinds.h"

/* Returns in `arena` the layer of each element, from 0. */
static mt_status layers_of(mt_arena *arena, const mt_mesh *mesh, uint16_t **layers)
{
    MT_ALLOC(arena, *layers, mesh->n_elements);
    for (size_t c = 0; c < mesh->n_elements; c++) {
        const int32_t layer = mesh->layer[c];
        if (layer < MT_LAYER_ENDO || layer > MT_LAYER_EPI)
            return mt_fail(MT_INPUT,
                "cell.type: layers; element %zu is in layer %d; allowed: %d (endo) to %d (epi)",
                mt_mesh_number(mesh, c), layer, MT_LAYER_ENDO, MT_LAYER_EPI);
        (*layers)[c] = (uint16_t)(layer - MT_LAYER_ENDO);
    }
    return MT_OK;
}

/* Sets the variants by the case's cell type. */
static mt_status cells_of_type(
    mt_arena *arena, const mt_case *from, const mt_unknowns *unknowns, mt_monodomain *problem)
{
    const mt_mesh *mesh = unknowns->mesh;
    uint16_t *variant_of;
    size_t of_layer[MT_CASE_LAYERS];
    if ((size_t)from->cell.type < problem->model->n_variants) {
        problem->variant = (size_t)from->cell.type;
        return MT_OK;
    }
    if (!mesh->layer)
        return mt_fail(MT_INPUT, "cell.type: layers; the mesh has no transmural layers: `myotile mesh "
                                 "fibres` writes them; allowed without layers: epi, mid or endo");
    MT_TRY(mt_case_layers(problem->model, of_layer));
    MT_TRY(layers_of(arena, mesh, &variant_of));
    if (unknowns->at_vertices)
        MT_TRY(mt_vertex_share_largest(arena, mesh, MT_CASE_LAYERS, variant_of, &variant_of));
    for (size_t k = 0; k < mt_unknowns_count(unknowns); k++)
        variant_of[k] = (uint16_t)of_layer[variant_of[k]];
    problem->variant_of = variant_of;
    return MT_OK;
}

/* Reduces ascending elements of the complete mesh to the elements in `mesh`, in its numbering; returns their number. */
static size_t keep_conducting(const mt_mesh *mesh, size_t n, uint32_t *elements)
{
    size_t kept = 0;
    if (!mesh->number) return n;
    for (size_t k = 0, e = 0; k < n && e < mesh->n_elements;) {
        const uint32_t here = mesh->number[e], asked = elements[k];
        if (here == asked) elements[kept++] = (uint32_t)e;
        if (here < asked)
            e++;
        else
            k++;
    }
    return kept;
}

/* Returns the unknowns of a region, ascending; elements that do not conduct are left out, which can leave none. */
static mt_status unknowns_of(mt_arena *arena, const mt_region *region, const mt_mesh *whole,
    const mt_unknowns *unknowns, size_t *n, uint32_t **list)
{
    if (unknowns->at_vertices) return mt_region_vertices(arena, region, whole, unknowns->mesh, n, list);
    MT_TRY(mt_region_elements(arena, region, whole, n, list));
    *n = keep_conducting(unknowns->mesh, *n, *list);
    return MT_OK;
}

static mt_status change_region(mt_arena *scratch, const mt_case *from, const mt_mesh *whole,
    const mt_unknowns *unknowns, size_t r, mt_kinds *kinds)
{
    const mt_case_region *region = &from->regions[r];
    size_t n, base = MT_KINDS_SAME_BASE;
    uint32_t *list;
    char by[32];
    (void)snprintf(by, sizeof by, "region %zu", r);
    if (region->type[0]) MT_TRY(mt_cell_variant_find(kinds->model, region->type, &base));
    MT_TRY(mt_case_in_entry("regions", r, unknowns_of(scratch, &region->region, whole, unknowns, &n, &list)));
    return mt_kinds_change(scratch, kinds, by, n, list, base, &region->asked);
}

/* Applies the changes of the case to all cells. */
static mt_status change_all(mt_arena *scratch, const mt_case *from, size_t n, mt_kinds *kinds)
{
    uint32_t *all;
    if (from->cell.asked.n_scales + from->cell.asked.n_sets == 0) return MT_OK;
    MT_ALLOC(scratch, all, n);
    for (size_t k = 0; k < n; k++) all[k] = (uint32_t)k;
    return mt_kinds_change(scratch, kinds, "changed", n, all, MT_KINDS_SAME_BASE, &from->cell.asked);
}

/* Applies the changes of the case and its regions in sequence. */
mt_status mt_case_cells(mt_arena *arena, const mt_case *from, const mt_mesh *whole,
    const mt_unknowns *unknowns, mt_monodomain *problem)
{
    bool changes = from->cell.asked.n_scales + from->cell.asked.n_sets + from->n_gradients > 0;
    problem->model = mt_case_model(from);
    problem->variants = NULL;
    problem->n_variants = 0;
    problem->variant = 0;
    problem->variant_of = NULL;
    for (size_t r = 0; r < from->n_regions; r++) changes |= mt_case_region_has_cells(&from->regions[r]);
    MT_TRY(cells_of_type(arena, from, unknowns, problem));
    if (!changes) return MT_OK;
    MT_SCRATCH(scratch);
    const size_t n = mt_unknowns_count(unknowns);
    mt_kinds kinds;
    MT_TRY(mt_kinds_begin(scratch, problem, n, &kinds));
    MT_TRY(change_all(scratch, from, n, &kinds));
    for (size_t g = 0; g < from->n_gradients; g++)
        MT_TRY(mt_case_in_entry(
            "gradients", g, mt_gradient_apply(scratch, &from->gradients[g], whole, unknowns, &kinds)));
    for (size_t r = 0; r < from->n_regions; r++)
        if (mt_case_region_has_cells(&from->regions[r]))
            MT_TRY(change_region(scratch, from, whole, unknowns, r, &kinds));
    return mt_kinds_end(arena, &kinds, problem);
}

static mt_status change_medium(mt_arena *arena, mt_arena *scratch, const mt_case *from, const mt_mesh *whole,
    const mt_mesh *mesh, size_t r, mt_media *media)
{
    const mt_case_region *region = &from->regions[r];
    size_t n;
    uint32_t *elements;
    MT_TRY(
        mt_case_in_entry("regions", r, mt_region_elements(scratch, &region->region, whole, &n, &elements)));
    n = keep_conducting(mesh, n, elements);
    return mt_case_in_entry(
        "regions", r, mt_media_change(arena, media, &from->tissue, n, elements, &region->tissue, r));
}

/* Checks that the mesh has sheets if the case states conductivities normal to them. */
static mt_status check_sheets(const mt_case *from, const mt_mesh *mesh)
{
    static const char said[] = "%s is set, but the mesh has no sheets; allowed: only with sheets, which "
                               "`myotile mesh fibres` writes";
    const char *key = mt_medium_normal_key(&from->tissue);
    if (mesh->sheet) return MT_OK;
    if (key) return mt_fail_in("tissue", mt_fail(MT_INPUT, said, key));
    for (size_t r = 0; r < from->n_regions; r++)
        if ((key = mt_medium_normal_key(&from->regions[r].tissue.named)))
            return mt_case_in_entry("regions", r, mt_fail(MT_INPUT, said, key));
    return MT_OK;
}

mt_status mt_case_media(
    mt_arena *arena, const mt_case *from, const mt_mesh *whole, const mt_mesh *mesh, mt_media *media)
{
    MT_SCRATCH(scratch);
    MT_TRY(check_sheets(from, mesh));
    MT_TRY(mt_media_begin(arena, &from->tissue, mesh->n_elements, media));
    for (size_t r = 0; r < from->n_regions; r++)
        if (mt_medium_change_names(&from->regions[r].tissue))
            MT_TRY(change_medium(arena, scratch, from, whole, mesh, r, media));
    return mt_media_end(arena, mesh->n_elements, media);
}

mt_status mt_case_conducting(mt_arena *arena, const mt_case *from, const mt_mesh *mesh, uint8_t **conducting)
{
    size_t n_conducting = mesh->n_elements;
    *conducting = NULL;
    if (from->n_regions == 0) return MT_OK;
    MT_ALLOC(arena, *conducting, mesh->n_elements);
    memset(*conducting, 1, mesh->n_elements);
    for (size_t r = 0; r < from->n_regions; r++) {
        size_t n;
        uint32_t *elements;
        if (from->regions[r].non_conducting < 0) continue;
        MT_TRY(mt_case_in_entry(
            "regions", r, mt_region_elements(arena, &from->regions[r].region, mesh, &n, &elements)));
        for (size_t k = 0; k < n; k++) {
            const uint8_t now = from->regions[r].non_conducting == 0;
            n_conducting += now;
            n_conducting -= (*conducting)[elements[k]];
            (*conducting)[elements[k]] = now;
        }
    }
    if (n_conducting == mesh->n_elements) *conducting = NULL;
    return n_conducting > 0 ? MT_OK
                            : mt_fail(MT_INPUT, "regions: all elements are non-conducting; allowed: not all");
}

/* Removes from a site the unknowns that other sites own, and marks the rest as taken. */
static void take_free(mt_stimulus *site, uint32_t *list, unsigned char *taken)
{
    size_t n = 0;
    for (size_t k = 0; k < site->n_elements; k++) {
        const uint32_t unknown = list[k];
        if (!taken[unknown]) list[n++] = unknown;
        taken[unknown] = 1;
    }
    site->n_elements = n;
}

/* Assigns each unknown of several sites to the site that is stimulated first. `lists`: the unknowns of the stimuli, below n. */
static mt_status part_sites(
    mt_arena *scratch, const mt_case *c, size_t n_unknowns, mt_stimulus *stimuli, uint32_t *const *lists)
{
    unsigned char *taken;
    size_t *order, n = 0;
    MT_ALLOC(scratch, taken, n_unknowns);
    MT_ALLOC(scratch, order, c->n_stimuli);
    for (size_t s = 0; s < c->n_stimuli; s++) {
        size_t at = n;
        if (!c->stimuli[s].site) continue;
        for (; at > 0 && c->stimuli[order[at - 1]].start_ms > c->stimuli[s].start_ms; at--)
            order[at] = order[at - 1];
        order[at] = s;
        n++;
    }
    for (size_t k = 0; k < n; k++) take_free(&stimuli[order[k]], lists[order[k]], taken);
    return MT_OK;
}

/* Removes the elements that do not conduct from the stimuli, and renumbers the others. */
static mt_status leave_out_nonconducting(
    const mt_mesh *mesh, size_t n_stimuli, mt_stimulus *stimuli, uint32_t *const *lists)
{
    for (size_t s = 0; s < n_stimuli; s++) {
        const size_t n = stimuli[s].n_elements;
        stimuli[s].n_elements = keep_conducting(mesh, n, lists[s]);
        if (n > 0 &&
            stimuli[s].n_elements == 0) /* n is 0 for a site whose elements belong to other stimuli */
            return mt_fail(MT_INPUT,
                "stimuli.%zu: all %zu elements are non-conducting; allowed: at least one conducting element",
                s, n);
    }
    return MT_OK;
}

mt_status mt_case_stimuli(mt_arena *arena, const mt_case *from, const mt_mesh *whole,
    const mt_unknowns *unknowns, mt_stimulus **stimuli)
{
    /* sites share elements of the complete mesh */
    const mt_unknowns shared = unknowns->at_vertices ? *unknowns : (mt_unknowns){whole, false};
    char name[MT_CASE_STIMULUS_NAME];
    uint32_t **lists;
    MT_SCRATCH(scratch);
    MT_ALLOC(arena, *stimuli, from->n_stimuli);
    MT_ALLOC(arena, lists, from->n_stimuli);
    for (size_t s = 0; s < from->n_stimuli; s++) {
        const mt_case_stimulus *asked = &from->stimuli[s];
        size_t n;
        MT_TRY(mt_fail_in(mt_case_stimulus_name(from, s, "", name),
            unknowns_of(arena, &asked->region, whole, &shared, &n, &lists[s])));
        (*stimuli)[s] = (mt_stimulus){
            .start_ms = asked->start_ms,
            .duration_ms = asked->duration_ms,
            .rise_mV_ms = asked->strength_uA_mm3 / (from->tissue.chi_per_mm * from->tissue.cm_uF_mm2),
            .n_elements = n,
            .element = lists[s],
            .period_ms = asked->count > 1 ? asked->period_ms : 0,
            .repeats = asked->count - 1,
        };
    }
    MT_TRY(part_sites(scratch, from, mt_unknowns_count(&shared), *stimuli, lists));
    if (unknowns->at_vertices) return MT_OK;
    return leave_out_nonconducting(unknowns->mesh, from->n_stimuli, *stimuli, lists);
}
