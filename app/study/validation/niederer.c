#include "app/study/validation/niederer.h"

#include <math.h>
#include <string.h>

#include "data/files/data_folder.h"
#include "app/study/reproduce.h"
#include "app/heart/gmsh.h"
#include "app/run/problem.h"
#include "app/run/run.h"
#include "solver/case/findings.h"
#include "data/files/file.h"
#include "mesh/make/slab.h"

static const char case_file[] = "cases/niederer-0.5.yaml";

/* ---- options ---- */

/* Refuses changes of keys that the program sets or that have an option. */
static mt_status check_sets(const mt_case *plain, const mt_case *set, bool dt_given)
{
    static const char message[] = "--set %s; allowed here: %s";
    if (set->mesh.slab.edge_mm != plain->mesh.slab.edge_mm)
        return mt_fail(MT_INPUT, message, "mesh.slab.edge_mm", "--edges-mm");
    if (set->machine.backend != plain->machine.backend)
        return mt_fail(MT_INPUT, message, "machine.backend", "--backends");
    if (set->machine.precision != plain->machine.precision)
        return mt_fail(MT_INPUT, message, "machine.precision", "--backends");
    if (dt_given && set->time.dt_ms != plain->time.dt_ms)
        return mt_fail(MT_INPUT, "--dt-ms and --set time.dt_ms are both given; allowed: one of them");
    return MT_OK;
}

static mt_status read_case(mt_arena *arena, const mt_arguments *arguments, mt_niederer *n)
{
    const char *dt = mt_option_value(arguments, "--dt-ms", NULL);
    char *text;
    mt_yaml_override *given, *sets;
    mt_case plain;
    size_t n_sets;
    double dt_ms;
    MT_TRY(mt_data_path(arena, case_file, &n->path));
    MT_TRY(mt_option_overrides(arena, arguments, "--set", &n_sets, &given));
    MT_TRY(mt_case_load(arena, n->path, NULL, 0, &plain));
    MT_TRY(mt_case_load(arena, n->path, given, n_sets, &n->input));
    MT_TRY(check_sets(&plain, &n->input, dt != NULL));
    if (!dt) return MT_OK;
    enum { TEXT = 64 };
    MT_TRY(mt_numbers("--dt-ms", dt, 1, 0, &dt_ms));
    MT_ALLOC(arena, sets, n_sets + 1);
    MT_ALLOC(arena, text, TEXT);
    for (size_t k = 0; k < n_sets; k++) sets[k] = given[k];
    (void)snprintf(text, TEXT, "time.dt_ms=%.17g", dt_ms);
    sets[n_sets] = (mt_yaml_override){"--dt-ms", text};
    return mt_case_load(arena, n->path, sets, n_sets + 1, &n->input);
}

/* Refuses regions that cannot be mirrored: all except boxes and spheres. */
static mt_status check_stimuli(const mt_niederer *n)
{
    for (size_t s = 0; s < n->input.n_stimuli && n->n_corners > 1; s++) {
        const mt_region *r = &n->input.stimuli[s].region;
        if (r->at[0] || r->surface[0] || r->vtx[0] || r->elements[0] || r->layer >= 0 || r->tag[0] ||
            r->group[0] || r->segment[0])
            return mt_fail(MT_INPUT,
                "stimuli.%zu: at, surface, vtx, elements, layer or tag; allowed with --corners above 1: "
                "boxes and spheres",
                s);
    }
    return MT_OK;
}

/* Chooses the machine for the backend with tiles, if there is one. */
static mt_status choose_machine(mt_arena *arena, mt_niederer *n)
{
    const mt_backend *chosen = n->backend[0];
    for (size_t b = 1; b < n->n_backends; b++)
        if (n->backend[b]->profile) chosen = n->backend[b];
    mt_case_set_backend(&n->input, chosen);
    return mt_mapping_choose(arena, n->path, &n->input, NULL, &n->choice);
}

/* Lists one mesh per edge, or two with --gmsh. */
static mt_status list_meshes(mt_arena *arena, const mt_arguments *arguments, mt_niederer *n)
{
    const char *edges = mt_option_value(arguments, "--edges-mm", "0.5,0.2");
    const size_t kinds = mt_option_given(arguments, "--gmsh") ? 2 : 1;
    double edge_mm[MT_NIEDERER_EDGES_MAX];
    size_t n_edges = 1;
    for (const char *comma = edges; (comma = strchr(comma, ',')); comma++) n_edges++;
    if (n_edges > MT_NIEDERER_EDGES_MAX)
        return mt_fail(MT_INPUT, "--edges-mm %s; allowed: at most %d", edges, MT_NIEDERER_EDGES_MAX);
    MT_TRY(mt_numbers("--edges-mm", edges, n_edges, 0, edge_mm));
    n->n_meshes = n_edges * kinds;
    MT_ALLOC(arena, n->mesh, n->n_meshes);
    for (size_t m = 0; m < n->n_meshes; m++) {
        const bool by_gmsh = m % kinds == 1;
        n->mesh[m] = (mt_niederer_mesh){.edge_mm = edge_mm[m / kinds],
            .by_gmsh = by_gmsh,
            .kind = by_gmsh ? "gmsh" : mt_slab_cut_name[n->input.mesh.slab.cut]};
        MT_TRY(mt_fail_in("--edges-mm", mt_slab_check(n->input.mesh.slab.size_mm, n->mesh[m].edge_mm)));
    }
    return MT_OK;
}

mt_status mt_niederer_parse(mt_arena *arena, const mt_arguments *arguments, mt_niederer *n)
{
    unsigned long corners;
    *n = (mt_niederer){.cached = !mt_option_given(arguments, "--no-cache")};
    MT_TRY(read_case(arena, arguments, n));
    MT_TRY(mt_integer(
        "--corners", mt_option_value(arguments, "--corners", "1"), 1, MT_NIEDERER_CORNERS_MAX, &corners));
    n->n_corners = corners;
    MT_TRY(check_stimuli(n));
    MT_TRY(mt_reproduce_backends(mt_option_value(arguments, "--backends", "cpu,ipu"),
        MT_NIEDERER_BACKENDS_MAX, &n->n_backends, n->backend));
    MT_TRY(list_meshes(arena, arguments, n));
    return choose_machine(arena, n);
}

/* ---- corners ---- */

double mt_niederer_mirrored_mm(const mt_niederer *n, size_t corner, size_t axis, double at_mm)
{
    return axis < 2 && corner >> axis & 1 ? n->input.mesh.slab.size_mm[axis] - at_mm : at_mm;
}

/* Mirrors a region; missing coordinates are NaN and remain so. */
static void mirror_region(const mt_niederer *n, size_t corner, mt_region *r)
{
    for (size_t axis = 0; axis < 3; axis++) {
        const double a = mt_niederer_mirrored_mm(n, corner, axis, r->min_mm[axis]),
                     b = mt_niederer_mirrored_mm(n, corner, axis, r->max_mm[axis]);
        r->min_mm[axis] = fmin(a, b), r->max_mm[axis] = fmax(a, b);
        r->centre_mm[axis] = mt_niederer_mirrored_mm(n, corner, axis, r->centre_mm[axis]);
    }
}

/* Mirrors the case to a corner. */
static mt_status mirror(mt_arena *arena, const mt_niederer *n, size_t corner, mt_case *c)
{
    *c = n->input;
    MT_ALLOC(arena, c->stimuli, c->n_stimuli);
    MT_ALLOC(arena, c->points, c->n_points);
    for (size_t s = 0; s < c->n_stimuli; s++) {
        c->stimuli[s] = n->input.stimuli[s];
        mirror_region(n, corner, &c->stimuli[s].region);
    }
    for (size_t p = 0; p < c->n_points; p++) {
        c->points[p] = n->input.points[p];
        for (size_t axis = 0; axis < 3; axis++)
            c->points[p].at_mm[axis] =
                mt_niederer_mirrored_mm(n, corner, axis, n->input.points[p].at_mm[axis]);
    }
    for (size_t axis = 0; axis < 3; axis++) {
        c->line.from_mm[axis] = mt_niederer_mirrored_mm(n, corner, axis, n->input.line.from_mm[axis]);
        c->line.to_mm[axis] = mt_niederer_mirrored_mm(n, corner, axis, n->input.line.to_mm[axis]);
    }
    return MT_OK;
}

/* ---- the runs ---- */

static size_t n_places(const mt_niederer *n) { return n->input.n_points + n->input.line.points; }

static double *times(const mt_niederer *n, size_t mesh, size_t backend, size_t corner)
{
    return n->mesh[mesh].at_ms + (backend * n->n_corners + corner) * n_places(n);
}

/* Executes a run and stores its times; its other data is in `arena`. */
static mt_status run_one(mt_arena *arena, const mt_niederer *n, const mt_problem *problem,
    const mt_layout *layout, size_t m, size_t b, size_t corner)
{
    const mt_niederer_mesh *mesh = &n->mesh[m];
    char what[96];
    (void)snprintf(what, sizeof what, "%g mm %s, %s, corner %zu of %zu", mesh->edge_mm, mesh->kind,
        n->backend[b]->name, corner + 1, n->n_corners);
    mt_run run = {.path = n->path,
        .input = &n->input,
        .backend = n->backend[b],
        .problem = problem,
        .layout = layout,
        .what = what};
    MT_TRY(mt_run_make(arena, &run));
    double *at_ms = times(n, m, b, corner);
    for (size_t p = 0; p < n_places(n); p++)
        at_ms[p] = mt_probe_activation_ms(&problem->probes, p, &problem->mesh, &problem->diffusion,
            run.results.beats[0].activation_ms, n->input.time.end_ms);
    return MT_OK;
}

/* Executes the runs of one corner with all backends. */
static mt_status run_corner(mt_arena *arena, const mt_niederer *n, mt_problem *problem,
    const mt_layout *layout, size_t m, size_t corner)
{
    mt_case input;
    MT_TRY(mirror(arena, n, corner, &input));
    MT_TRY(mt_fail_in(n->path, mt_problem_set_stimuli_and_probes(arena, &input, problem)));
    for (size_t b = 0; b < n->n_backends; b++) {
        MT_SCRATCH(of_run);
        MT_TRY(run_one(of_run, n, problem, layout, m, b, corner));
    }
    return MT_OK;
}

enum { SEED = 1 }; /* of gmsh's random numbers */

/* Builds the problem on a mesh. Returns the case with its default values. */
static mt_status make_problem(
    mt_arena *arena, const mt_niederer *n, size_t m, mt_case *input, mt_problem *problem)
{
    mt_mesh mesh;
    *input = n->input;
    input->mesh.slab.edge_mm = n->mesh[m].edge_mm;
    if (!n->mesh[m].by_gmsh) return mt_fail_in(n->path, mt_problem_make(arena, input, n->cached, problem));
    MT_TRY(mt_gmsh_slab(arena, input->mesh.slab.size_mm, input->mesh.slab.edge_mm, SEED, &mesh));
    return mt_fail_in(n->path, mt_problem_make_on(arena, &mesh, input, n->cached, problem));
}

static mt_status run_mesh(mt_arena *arena, const mt_niederer *n, size_t m)
{
    mt_case input;
    mt_problem problem;
    mt_mapping mapping;
    MT_TRY(make_problem(arena, n, m, &input, &problem));
    MT_TRY(mt_fail_in(n->path, mt_problem_prepace(arena, &input, n->cached, &problem)));
    MT_TRY(mt_fail_in(n->path, mt_mapping_make(arena, &input, &n->choice, &problem, &mapping)));
    n->mesh[m].n_elements = problem.mesh.n_elements;
    MT_TRY(mt_element_size_find(&problem.mesh, &n->mesh[m].size));
    n->mesh[m].substeps = problem.monodomain.pde_steps;
    for (size_t corner = 0; corner < n->n_corners; corner++)
        MT_TRY(run_corner(arena, n, &problem, &mapping.layout, m, corner));
    return MT_OK;
}

mt_status mt_niederer_run(mt_arena *arena, mt_niederer *n)
{
    mt_findings_of_case(n->path, &n->input);
    for (size_t m = 0; m < n->n_meshes; m++) {
        MT_SCRATCH(of_mesh);
        MT_ALLOC(arena, n->mesh[m].at_ms, n->n_backends * n->n_corners * n_places(n));
        MT_TRY(run_mesh(of_mesh, n, m));
    }
    return MT_OK;
}

/* ---- results ---- */

const double *mt_niederer_times(const mt_niederer *n, size_t mesh, size_t backend, size_t corner)
{
    return times(n, mesh, backend, corner);
}

double mt_niederer_point_ms(
    const mt_niederer *n, const char *name, size_t mesh, size_t backend, size_t corner)
{
    for (size_t p = 0; p < n->input.n_points; p++)
        if (strcmp(n->input.points[p].name, name) == 0) return times(n, mesh, backend, corner)[p];
    return NAN;
}

double mt_niederer_spread_ms(const mt_niederer *n, const char *name, size_t mesh, size_t backend)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t corner = 0; corner < n->n_corners; corner++) {
        const double at_ms = mt_niederer_point_ms(n, name, mesh, backend, corner);
        if (isnan(at_ms)) return NAN;
        least = fmin(least, at_ms), most = fmax(most, at_ms);
    }
    return n->n_corners > 1 ? most - least : NAN;
}

double mt_niederer_difference_ms(const mt_niederer *n, size_t mesh, size_t backend)
{
    size_t cpu = 0;
    double largest = NAN; /* fmax ignores NaN */
    while (cpu < n->n_backends && n->backend[cpu] != &mt_backend_cpu) cpu++;
    if (cpu == n->n_backends || cpu == backend) return NAN;
    for (size_t corner = 0; corner < n->n_corners; corner++) {
        const double *a = times(n, mesh, cpu, corner), *b = times(n, mesh, backend, corner);
        for (size_t p = n->input.n_points; p < n_places(n); p++) largest = fmax(largest, fabs(a[p] - b[p]));
    }
    return largest;
}
