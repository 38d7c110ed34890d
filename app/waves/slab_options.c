#include "app/waves/slab_options.h"

#include "data/core/progress.h"

#include <string.h>

#include "data/files/data_folder.h"
#include "mesh/files/formats.h"
#include "mesh/make/slab.h"
#include "solver/case/case.h"

static const char usual_case[] = "cases/niederer-0.5.yaml";

static mt_status find_case(mt_arena *arena, const mt_arguments *arguments, const char **path)
{
    *path = mt_option_value(arguments, "--case", NULL);
    return *path ? MT_OK : mt_data_path(arena, usual_case, path);
}

mt_status mt_slab_options_any_case(mt_arena *arena, const mt_arguments *arguments, size_t n_sets,
    const mt_yaml_override *sets, mt_case *input)
{
    const char *path;
    MT_TRY(find_case(arena, arguments, &path));
    return mt_case_load(arena, path, sets, n_sets, input);
}

mt_status mt_slab_options_case(mt_arena *arena, const mt_arguments *arguments, size_t n_sets,
    const mt_yaml_override *sets, mt_case *input)
{
    const char *path;
    MT_TRY(find_case(arena, arguments, &path));
    MT_TRY(mt_slab_options_any_case(arena, arguments, n_sets, sets, input));
    return mt_case_need_elements(path, input);
}

/* Takes size and family from the mesh of the case. */
static mt_status take_mesh(const mt_case *input, mt_slab_kind *kind)
{
    MT_SCRATCH(arena);
    mt_mesh mesh;
    if (!input->mesh.file[0]) {
        kind->edge_mm = input->mesh.slab.edge_mm;
        kind->family = input->mesh.slab.cut == MT_SLAB_KUHN ? MT_FAMILY_KUHN : MT_FAMILY_MIRRORED;
        return MT_OK;
    }
    mt_progress_stage("reading the mesh");
    const mt_status status = mt_mesh_read(arena, input->mesh.file, &mesh);
    if (status == MT_OK) kind->length_mm = mt_mesh_length_mm(&mesh);
    kind->family = MT_FAMILY_GMSH;
    return status;
}

mt_status mt_slab_options_kind(const mt_arguments *arguments, const mt_case *input, mt_slab_kind *kind)
{
    const char *edge = mt_option_value(arguments, "--edge-mm", NULL),
               *length = mt_option_value(arguments, "--length-mm", NULL);
    *kind = (mt_slab_kind){.family = MT_FAMILY_MIRRORED};
    if (edge && length)
        return mt_fail(MT_INPUT, "--edge-mm and --length-mm are both given; allowed: one of them");
    if (!edge && !length && !mt_option_given(arguments, "--case"))
        return mt_fail(MT_INPUT, "no element size; needed: --edge-mm, --length-mm or --case");
    MT_TRY(mt_integer("--seed", mt_option_value(arguments, "--seed", "1"), 1, 1000000000, &kind->seed));
    if (edge) MT_TRY(mt_numbers("--edge-mm", edge, 1, 0, &kind->edge_mm));
    if (length) MT_TRY(mt_numbers("--length-mm", length, 1, 0, &kind->length_mm));
    if (!edge && !length) MT_TRY(take_mesh(input, kind));
    size_t family;
    MT_TRY(mt_option_word(
        arguments, "--family", mt_slab_family_name[kind->family], mt_slab_family_name, MT_FAMILIES, &family));
    kind->family = (mt_slab_family)family;
    return MT_OK;
}

/* Regions that only are scar are not warned about: the velocity in the remaining tissue is the same. */
void mt_slab_options_warn(const char *command, const mt_case *c)
{
    bool regions = false;
    for (size_t k = 0; k < c->n_regions; k++)
        regions = regions || mt_case_region_has_cells(&c->regions[k]) ||
                  mt_medium_change_names(&c->regions[k].tissue);
    if (regions || c->n_gradients > 0)
        mt_warn("%s: found %s%s%s in the case; used: the case without them. CV differs where they apply",
            command, regions ? "regions" : "", regions && c->n_gradients > 0 ? " and " : "",
            c->n_gradients > 0 ? "gradients" : "");
}
