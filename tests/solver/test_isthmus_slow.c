/* A bridge of 1.5 mm between two halves of a slab: the wavefront narrows, and must then excite more tissue than it came from. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "mesh/make/refine.h"
#include "tests/solver/slab_problem.h"

static const double edge_mm = 0.75, size_mm[3] = {12, 6, 1.5};

/* True except for boxes at the middle of x that are not at the middle of y. */
static bool is_kept(const mt_mesh *mesh, size_t c)
{
    double x[3];
    mt_mesh_centroid(mesh, c, x);
    return fabs(x[0] - 6) > 0.75 || fabs(x[1] - 3) < 0.75;
}

static void drop_boxes(mt_mesh *mesh)
{
    size_t n = 0;
    for (size_t c = 0; c < mesh->n_elements; c++) {
        const bool keep = is_kept(mesh, c);
        memmove(mesh->element_vertex + 4 * n, mesh->element_vertex + 4 * c, 4 * sizeof *mesh->element_vertex);
        n += keep;
    }
    mesh->n_elements = n;
}

/* Builds the slab with its bridge, of boxes of 0.75 mm, refined `refined` times. */
static void make(slab_problem *s, int refined, const mt_diffusion_scheme *scheme)
{
    *s = (slab_problem){.scheme = scheme};
    cr_assert_eq(mt_slab_make(&s->arena, size_mm, edge_mm, &s->mesh), MT_OK, "%s", mt_message());
    drop_boxes(&s->mesh);
    for (int k = 0; k < refined; k++) {
        mt_mesh fine;
        cr_assert_eq(mt_refine(&s->arena, &s->mesh, &fine), MT_OK, "%s", mt_message());
        s->mesh = fine;
    }
    cr_assert_eq(mt_mesh_check(&s->mesh), MT_OK, "%s", mt_message());
    make_problem(s, (double[]){1.5, INFINITY, INFINITY});
}

/* Returns the mean activation time between two planes normal to x. */
static double mean_time(const slab_problem *s, const double *activation_ms, double from_mm, double to_mm)
{
    double sum = 0, volume = 0;
    for (size_t c = 0; c < s->mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&s->mesh, c, x);
        if (x[0] < from_mm || x[0] > to_mm) continue;
        sum += mt_mesh_volume_mm3(&s->mesh, c) * activation_ms[c];
        volume += mt_mesh_volume_mm3(&s->mesh, c);
    }
    return sum / volume;
}

typedef struct crossing {
    double exit_ms;   /* the activation time of the far end */
    double bridge_ms; /* from the 1.5 mm that end 0.75 mm before the bridge to the 1.5 mm that start 0.75 mm
                    * after it */
} crossing;

static crossing cross(int refined, const mt_diffusion_scheme *scheme)
{
    enum { STEPS = 2000 };
    slab_problem s;
    make(&s, refined, scheme);
    double *v = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *v),
           *activation_ms = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *activation_ms);
    run_backend(&s, "cpu", NULL, STEPS, v, activation_ms);
    const double before = mean_time(&s, activation_ms, 3, 4.5), behind = mean_time(&s, activation_ms, 7.5, 9);
    const crossing found = {mean_time(&s, activation_ms, 10.5, 12), behind - before};
    cr_log_info("%zu elements: exit at %.3f ms, bridge passed in %.3f ms", s.mesh.n_elements, found.exit_ms,
        found.bridge_ms);
    mt_arena_free(&s.arena);
    return found;
}

static void expect_late(const char *mesh, double late_ms, double right_ms, double percent)
{
    const double found = 100 * (late_ms / right_ms - 1);
    cr_expect_float_eq(
        found, percent, 0.6, "%s: %g ms, %g ms on the finest mesh: %.2f %%", mesh, late_ms, right_ms, found);
}

/* solver/README.md, "Conduction velocity on coarse meshes", in whole per cent relative to a mesh with elements of 0.1 mm. If propagation fails at the
 * bridge, the time is infinite and the test fails. */
Test(isthmus, the_delay_across_an_isthmus_on_coarse_meshes_equals_the_readme)
{
    const crossing finest = cross(2, &mt_diffusion_scheme_default),
                   fine = cross(1, &mt_diffusion_scheme_default),
                   coarse = cross(0, &mt_diffusion_scheme_default),
                   plain = cross(0, &mt_diffusion_scheme_plain);
    expect_late("exit, 0.2 mm", fine.exit_ms, finest.exit_ms, 1);
    expect_late("exit, 0.4 mm", coarse.exit_ms, finest.exit_ms, 7);
    expect_late("exit, 0.4 mm without spreading", plain.exit_ms, finest.exit_ms, 36);
    expect_late("bridge, 0.2 mm", fine.bridge_ms, finest.bridge_ms, 3);
    expect_late("bridge, 0.4 mm", coarse.bridge_ms, finest.bridge_ms, 16);
    expect_late("bridge, 0.4 mm without spreading", plain.bridge_ms, finest.bridge_ms, 49);
}
