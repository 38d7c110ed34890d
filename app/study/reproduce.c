#include "app/study/reproduce.h"

#include <math.h>
#include <string.h>

#include "app/heart/gmsh.h"
#include "app/draw/page.h"
#include "data/files/data_folder.h"
#include "data/core/progress.h"
#include "app/study/published.h"
#include "app/heart/mesh_file.h"
#include "data/files/file.h"
#include "data/yaml/yaml.h"
#include "ipu/machine/machines.h"
#include "mesh/files/formats.h"
#include "solver/diffusion/diffusion.h"

/* ---- options ---- */

/* Mapping of hearts in the study: Burchard et al. 2023 (doi 10.3389/fphy.2023.979699), on GC200s of 1,472 tiles, with flat k-way
 * METIS partitions of 3 % imbalance, one part per tile; its times use mixed-clean. */
static const struct {
    const char *machine, *scheme;
    uint32_t tiles;
    mt_partition_method method;
    double imbalance;
} study = {"gc200", "mixed-clean", 1472, MT_PARTITION_FLAT, 1.03};

/* Compares all values of the machine, not only its name, since any machine file can use the name GC200. */
static mt_status is_machine_of_study(mt_arena *arena, const ipu_target *one, bool *is)
{
    const char *path, *values, *of_study;
    ipu_target target;
    MT_TRY(ipu_machine_path(arena, mt_machines_folder(), study.machine, &path));
    MT_TRY(ipu_target_load(arena, path, NULL, 0, &target));
    MT_TRY(mt_yaml_write(arena, &ipu_target_table, &target, &of_study));
    MT_TRY(mt_yaml_write(arena, &ipu_target_table, one, &values));
    *is = strcmp(values, of_study) == 0;
    return MT_OK;
}

mt_status mt_reproduce_parse(mt_arena *arena, const mt_arguments *arguments, mt_reproduce *r)
{
    *r = (mt_reproduce){.picture = mt_option_value(arguments, "--picture", NULL)};
    MT_TRY(mt_tiling_options_parse(arena, arguments, &r->tiling));
    MT_TRY(is_machine_of_study(arena, &r->tiling.one, &r->machine_of_study));
    MT_TRY(mt_tiling_options_counts(
        &r->tiling, mt_option_value(arguments, "--ipus", "1,2,4,8,16"), &r->n_ipus, r->ipus));
    return r->picture ? mt_page_check_name(r->picture, mt_option_replace(arguments)) : MT_OK;
}

mt_status mt_reproduce_schemes(const char *option, const char *names, uint32_t ranges, mt_reproduce *r)
{
    bool limited = false;
    for (const char *at = names; at; at = *at ? at + 1 : NULL) {
        char name[64] = "";
        const size_t length = strcspn(at, ",");
        if (length >= sizeof name || r->n_schemes == MT_REPRODUCE_SCHEMES)
            return mt_fail(MT_INPUT, "%s %s; allowed: at most %d names, separated by commas", option, names,
                MT_REPRODUCE_SCHEMES);
        memcpy(name, at, length);
        MT_TRY(mt_scheme_find(name, 0, &r->scheme[r->n_schemes++]));
        at += length;
    }
    for (; !names && mt_schemes[r->n_schemes].name; r->n_schemes++)
        r->scheme[r->n_schemes] = mt_schemes[r->n_schemes];
    for (size_t k = 0; k < r->n_schemes && ranges > 0; k++) {
        if (r->scheme[k].ranges == 0) continue;
        r->scheme[k].ranges = ranges;
        limited = true;
    }
    if (ranges > 0 && !limited)
        return mt_fail(MT_INPUT, "--ranges %u; allowed: with a scheme that has this limit", ranges);
    return MT_OK;
}

mt_status mt_reproduce_backends(const char *names, size_t most, size_t *n, const mt_backend **backend)
{
    *n = 0;
    for (const char *at = names; at; at = *at ? at + 1 : NULL) {
        char name[16] = "";
        const size_t length = strcspn(at, ",");
        (void)snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), at);
        const mt_backend *found = mt_backend_find(name);
        if (!found) return mt_fail_in("--backends", MT_INPUT);
        bool again = *n == most;
        for (size_t k = 0; k < *n; k++) again = again || found == backend[k];
        if (again) return mt_fail(MT_INPUT, "--backends %s; allowed: each of cpu and ipu once", names);
        backend[(*n)++] = found;
        at += length;
    }
    return MT_OK;
}

bool mt_reproduce_as_studied(const mt_reproduce *r, const mt_scheme *scheme)
{
    const mt_tiling *t = &r->tiling;
    return r->machine_of_study && t->tiles == study.tiles && t->method == study.method &&
           t->imbalance == study.imbalance && !t->balance_halo && strcmp(scheme->name, study.scheme) == 0;
}

/* ---- the mesh ---- */

/* Generates a heart with gmsh, without keeping its file. */
static mt_status make_heart(mt_arena *arena, mt_mesh *mesh)
{
    char out[MT_FILE_PATH_MAX];
    unsigned long elements;
    MT_TRY(mt_published_elements("heart04", &elements));
    MT_TRY(mt_gmsh_scratch_name(out));
    return mt_gmsh_ventricles(arena, elements, out, mesh);
}

static mt_status find_like(mt_reproduce *r)
{
    static const char *const hearts[] = {"heart04", "heart05"};
    r->like = NULL;
    for (size_t k = 0; k < sizeof hearts / sizeof *hearts; k++) {
        unsigned long elements;
        MT_TRY(mt_published_elements(hearts[k], &elements));
        if (fabs((double)r->mesh.n_elements - (double)elements) <= 0.1 * (double)elements)
            r->like = hearts[k];
    }
    return MT_OK;
}

mt_status mt_reproduce_mesh(const char *path, mt_reproduce *r)
{
    mt_progress_stage("preparing the mesh");
    if (path)
        MT_TRY(mt_read_mesh(&r->mesh_arena, path, &r->mesh));
    else
        MT_TRY(make_heart(&r->mesh_arena, &r->mesh));
    MT_TRY(find_like(r));
    MT_TRY(mt_adjacency_make(&r->mesh_arena, &r->mesh, &r->adjacency));
    return mt_tiling_pattern(&r->mesh_arena, &r->adjacency, &r->pattern);
}

void mt_reproduce_free_mesh(mt_reproduce *r) { mt_arena_free(&r->mesh_arena); }

/* ---- its halos ---- */

void mt_reproduce_ipus(uint32_t ipus, mt_reproduce_name name)
{
    (void)snprintf(name, sizeof(mt_reproduce_name), "%u IPU%s", ipus, ipus > 1 ? "s" : "");
}

void mt_reproduce_warn(const mt_scheme *scheme, uint32_t ipus, const mt_costs *costs)
{
    mt_reproduce_name name;
    mt_reproduce_ipus(ipus, name);
    mt_warn("%s on %s %s: %s", scheme->name, name, mt_costs_verdict(costs), costs->why);
}

/* Visits the halo of scheme k with its own balanced partition. */
static mt_status visit_scheme(const mt_reproduce *r, size_t i, size_t k, const mt_partition *common,
    mt_arena *arena, mt_reproduce_visit *visit, void *context)
{
    mt_halo halo;
    mt_balance balance = {0};
    mt_partition parts = *common;
    const mt_cut_graph graph = mt_cut_graph_of(&r->adjacency);
    MT_COPY(arena, parts.part, common->part, common->n_elements);
    MT_TRY(mt_tiling_balance_sent(&r->tiling, &r->scheme[k], &graph, &r->pattern, &parts, &balance));
    MT_TRY(mt_halo_make(arena, &r->pattern, &parts, &r->scheme[k], &halo));
    return visit(context, i, k, &halo);
}

static mt_status cut_for(const mt_reproduce *r, size_t i, mt_reproduce_visit *visit, void *context)
{
    MT_SCRATCH(scratch);
    mt_partition parts;
    mt_balance balance;
    mt_reproduce_name name;
    mt_cut_graph graph = mt_cut_graph_of(&r->adjacency);
    char stage[64];
    mt_reproduce_ipus(r->ipus[i], name);
    (void)snprintf(stage, sizeof stage, "partitioning for %s", name);
    mt_progress_stage(stage);
    MT_TRY(mt_tiling_place(scratch, &r->tiling, &(mt_unknowns){&r->mesh, false}, &graph));
    MT_TRY(mt_tiling_partition(scratch, &r->tiling, &graph, &r->pattern, r->ipus[i], &parts, &balance));
    for (size_t k = 0; k < r->n_schemes; k++) {
        MT_SCRATCH(arena);
        MT_TRY(visit_scheme(r, i, k, &parts, arena, visit, context));
    }
    return MT_OK;
}

mt_status mt_reproduce_each(const mt_reproduce *r, mt_reproduce_visit *visit, void *context)
{
    for (size_t i = 0; i < r->n_ipus; i++) MT_TRY(cut_for(r, i, visit, context));
    mt_progress_stage(NULL);
    return MT_OK;
}
