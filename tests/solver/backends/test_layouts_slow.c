/* Voltages do not depend on the partition of a mesh or on the separator scheme, for meshes of realistic size. */
#include <criterion/criterion.h>

#include <string.h>

#include "tests/solver/slab_problem.h"
#include "tests/mesh/gmsh_ventricles.h"

static slab_problem s;

/* 250 steps are 5 ms, 3 ms after the end of the stimulus. */
static void every_layout_has_the_same_bits(void)
{
    double *first = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *first);
    double *v = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *v);
    const mt_layout one = layout_on(&s, 1472);
    run_backend(&s, "ipu", &one, 250, first, NULL);
    size_t n_active = 0;
    for (size_t c = 0; c < s.mesh.n_elements; c++) n_active += first[c] > 0;
    cr_assert_gt(n_active, 100);
    for (const mt_scheme *scheme = mt_schemes; scheme->name; scheme++)
        for (int method = 0; mt_partition_methods[method]; method++) {
            const mt_layout layout = layout_by(&s, (mt_partition_method)method, 4, 1472, scheme);
            run_backend(&s, "ipu", &layout, 250, v, NULL);
            cr_assert_eq(memcmp(v, first, s.mesh.n_elements * sizeof *v), 0, "%s, %s", scheme->name,
                mt_partition_methods[method]);
        }
    mt_arena_free(&s.arena);
}

Test(layouts, all_layouts_of_the_slab_at_0_2_mm_are_bit_identical)
{
    make_slab_problem(&s, (double[]){20, 7, 3}, 0.2);
    every_layout_has_the_same_bits();
}

/* Stimulated at the apex, at the lower end of z; about 100,000 elements, fibres along x. */
Test(layouts, all_layouts_of_a_heart_are_bit_identical)
{
    s = (slab_problem){0};
    gmsh_ventricles(&s.arena, 2, &s.mesh);
    cr_assert_eq(mt_mesh_new_fibres(&s.arena, &s.mesh), MT_OK);
    double low_mm[3], high_mm[3];
    mt_mesh_box(&s.mesh, low_mm, high_mm);
    make_problem(&s, (double[]){high_mm[0], high_mm[1], low_mm[2] + 10});
    every_layout_has_the_same_bits();
}
