#include "app/study/paper/heart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/files/data_folder.h"
#include "data/core/progress.h"
#include "solver/case/findings.h"
#include "app/study/published.h"
#include "app/heart/anatomy.h"
#include "app/heart/gmsh.h"
#include "app/heart/mesh_file.h"
#include "data/files/file.h"
#include "mesh/anatomy/fibres.h"
#include "mesh/files/formats.h"
#include "solver/case/case.h"

static const char case_file[] = "cases/ventricles.yaml", generated[] = "ventricles by gmsh";

/* ---- options ---- */

/* Refuses changes of keys with an option of their own. */
static mt_status check_sets(const mt_case *plain, const mt_case *set, bool end_given)
{
    if (strcmp(set->mesh.file, plain->mesh.file) != 0)
        return mt_fail(MT_INPUT, "--set mesh.file; allowed here: --mesh");
    if (end_given && set->time.end_ms != plain->time.end_ms)
        return mt_fail(MT_INPUT, "--set time.end_ms; allowed here: --times, the last of which is the end");
    if (set->output.beats != MT_CASE_BEATS_FIRST)
        return mt_fail(MT_INPUT, "--set output.beats; allowed here: first");
    return MT_OK;
}

static mt_status read_case(mt_arena *arena, const mt_arguments *arguments, double end_ms, mt_heart *h)
{
    enum { TEXT = 64 };
    mt_yaml_override *given, *sets;
    mt_case plain;
    char *text;
    size_t n;
    MT_TRY(mt_data_path(arena, case_file, &h->path));
    MT_TRY(mt_option_overrides(arena, arguments, "--set", &n, &given));
    MT_TRY(mt_case_load(arena, h->path, NULL, 0, &plain));
    MT_TRY(mt_case_load(arena, h->path, given, n, &h->input));
    MT_TRY(mt_case_need_elements(h->path, &h->input));
    MT_TRY(check_sets(&plain, &h->input, !isnan(end_ms)));
    if (isnan(end_ms)) return MT_OK;
    MT_ALLOC(arena, sets, n + 1);
    MT_ALLOC(arena, text, TEXT);
    for (size_t k = 0; k < n; k++) sets[k] = given[k];
    (void)snprintf(text, TEXT, "time.end_ms=%.17g", end_ms);
    sets[n] = (mt_yaml_override){"--times", text};
    MT_TRY(mt_case_load(arena, h->path, sets, n + 1, &h->input));
    return mt_case_need_elements(h->path, &h->input);
}

static mt_status read_elements(const mt_arguments *arguments, mt_heart *h)
{
    const char *count = mt_option_value(arguments, "--elements", NULL);
    if (count && h->file)
        return mt_fail(MT_INPUT, "--mesh and --elements are both given; allowed: one of them");
    if (!count) return mt_published_elements("heart04", &h->elements);
    return mt_integer("--elements", count, 5000, 50000000, &h->elements);
}

mt_status mt_heart_parse_mesh(const mt_arguments *arguments, mt_heart *h)
{
    *h = (mt_heart){.file = mt_option_value(arguments, "--mesh", NULL),
        .cached = !mt_option_given(arguments, "--no-cache")};
    return read_elements(arguments, h);
}

mt_status mt_heart_parse(mt_arena *arena, const mt_arguments *arguments, double end_ms, mt_heart *h)
{
    MT_TRY(mt_heart_parse_mesh(arguments, h));
    MT_TRY(read_case(arena, arguments, end_ms, h));
    h->input.mesh.file = h->file ? h->file : generated;
    return mt_mapping_choose(arena, h->path, &h->input, NULL, &h->choice);
}

/* ---- the heart ---- */

/* Reads or generates the mesh. gmsh's attempts free their arena. */
static mt_status get_mesh(mt_heart *h, mt_mesh *mesh)
{
    char out[MT_FILE_PATH_MAX];
    mt_progress_stage("preparing the mesh");
    if (h->file) return mt_read_mesh(&h->mesh_arena, h->file, mesh);
    MT_TRY(mt_gmsh_scratch_name(out));
    return mt_gmsh_ventricles(&h->mesh_arena, h->elements, out, mesh);
}

/* Identifies the surfaces by tags or shape, and generates fibres by rule if there are none. */
static mt_status give_anatomy(mt_arena *arena, mt_heart *h, const mt_adjacency *adjacency, mt_mesh *mesh)
{
    mt_surfaces surfaces;
    mt_anatomy anatomy;
    mt_fibres f;
    const char *name = h->file ? h->file : generated;
    MT_TRY(mt_anatomy_choose(arena, NULL, NULL, name, adjacency, mesh, &surfaces, &anatomy));
    h->ruled = !mesh->fibre;
    if (!h->ruled) return MT_OK;
    mt_progress_stage("computing the wall coordinates");
    MT_TRY(mt_fail_in(name, mt_fibres_make(arena, mesh, adjacency, &mt_fibres_rule_default, &f)));
    mesh->fibre = f.fibre, mesh->sheet = f.sheet, mesh->depth = f.depth, mesh->layer = f.layer;
    return MT_OK;
}

static void name_it(mt_heart *h, size_t elements)
{
    (void)snprintf(
        h->name, sizeof h->name, "%.60s, %zu elements", h->file ? basename(h->file) : "ventricles", elements);
}

mt_status mt_heart_mesh(mt_arena *arena, mt_heart *h, mt_mesh *mesh, mt_adjacency *adjacency)
{
    MT_TRY(get_mesh(h, mesh));
    MT_TRY(mt_fail_in(h->file ? h->file : generated, mt_adjacency_make(arena, mesh, adjacency)));
    name_it(h, mesh->n_elements);
    return mesh->fibre ? MT_OK : give_anatomy(arena, h, adjacency, mesh);
}

mt_status mt_heart_make(mt_arena *arena, mt_heart *h)
{
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_findings_of_case(h->path, &h->input);
    MT_TRY(get_mesh(h, &mesh));
    MT_TRY(mt_fail_in(h->input.mesh.file, mt_adjacency_make(arena, &mesh, &adjacency)));
    MT_TRY(give_anatomy(arena, h, &adjacency, &mesh));
    MT_TRY(mt_fail_in(h->path, mt_problem_make_on(arena, &mesh, &h->input, h->cached, &h->problem)));
    MT_TRY(mt_fail_in(h->path, mt_problem_prepace(arena, &h->input, h->cached, &h->problem)));
    name_it(h, h->problem.mesh.n_elements);
    return mt_fail_in(h->path, mt_mapping_make(arena, &h->input, &h->choice, &h->problem, &h->mapping));
}

void mt_heart_free(mt_heart *h) { mt_arena_free(&h->mesh_arena); }

mt_run mt_heart_run(const mt_heart *h, const mt_backend *backend)
{
    return (mt_run){.path = h->path,
        .input = &h->input,
        .backend = backend,
        .problem = &h->problem,
        .layout = &h->mapping.layout,
        .what = backend->name};
}

/* ---- differences from the study ---- */

static void add_row(mt_table *table, const char *key, const char *what, const char *study, const char *here)
{
    mt_table_item(table, key, what, 0);
    mt_table_text(table, study);
    mt_table_text(table, here);
}

/* Formats the cells: "tp06, epi", "tp06, layers". */
static void name_cells(const mt_case *c, char *text, size_t size)
{
    const mt_cell_model *model = mt_case_model(c);
    const bool layers = c->cell.type == (int)model->n_variants;
    (void)snprintf(text, size, "%s, %s", model->name, layers ? "layers" : model->variants[c->cell.type].name);
}

/* Formats the stimulus: "apex, 6 mm around it, 50 uA/mm^3 for 2 ms". */
static void say_stimulus(const mt_case *c, char *text, size_t size)
{
    const mt_case_stimulus *s = c->stimuli;
    char where[64] = "as set";
    if (c->n_stimuli == 1 && s->region.at[0])
        (void)snprintf(where, sizeof where, "%s, %g mm around it", s->region.at, s->region.radius_mm);
    (void)snprintf(text, size, "%s, %g uA/mm^3 for %g ms", where, s->strength_uA_mm3, s->duration_ms);
}

mt_status mt_heart_differences(mt_arena *arena, const mt_heart *h, mt_table *table)
{
    const mt_case *c = &h->input;
    const mt_tissue tissue = mt_case_tissue(c);
    unsigned long elements;
    double substeps, unused;
    char study[128], here[160], cells[64];
    MT_TRY(mt_published_elements("heart04", &elements));
    MT_TRY(mt_published("heart04_pde_steps", &substeps, &unused));
    *table = mt_table_begin(arena, "differences", "Set-up of the study, as far as published, and here");
    mt_table_strings(table, "item", "item");
    mt_table_strings(table, "study", "study");
    mt_table_strings(table, "here", "here");
    (void)snprintf(study, sizeof study, "human, heart04: %lu elements", elements);
    add_row(table, "heart", "heart", study, h->name);
    add_row(table, "fibres", "fibres", "Laplace-Dirichlet rule, angles not published",
        h->ruled ? "the same rule, 60 to -60 degrees" : "from the mesh");
    say_stimulus(c, here, sizeof here);
    add_row(
        table, "stimulus", "stimulus", "apex of the left ventricle, extent and strength not published", here);
    (void)snprintf(here, sizeof here, "D %.4g longitudinal, %.4g mm^2/ms transverse",
        mt_tissue_diffusivity_l(&tissue), mt_tissue_diffusivity_t(&tissue));
    add_row(table, "tissue", "tissue", "transversely isotropic, values not published", here);
    name_cells(c, cells, sizeof cells);
    add_row(table, "cells", "ionic model", "tp06, type not published", cells);
    (void)snprintf(study, sizeof study, "0.02 ms, %g diffusion substeps", substeps);
    (void)snprintf(
        here, sizeof here, "%g ms, %zu diffusion substeps", c->time.dt_ms, h->problem.monodomain.pde_steps);
    add_row(table, "time_step", "time step", study, here);
    return MT_OK;
}
