/* Surfaces and meshes of bodies, and the words of a heart's decisions. */
#pragma once

#include "mesh/anatomy/surfaces.h"
#include "mesh/make/slab.h"
#include "mesh/vtk/vtkhdf.h"
#include "solver/case/case.h"
#include "tests/answers.h"
#include "tests/mesh/bowl.h"

/* Writes the triangles with this tag (0: all) as OBJ, scaled by `scale`. */
static inline void write_obj(const char *path, const mt_mesh *mesh, int32_t tag, double scale)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        const double *x = mesh->xyz_mm + 3 * v;
        (void)fprintf(file, "v %.9g %.9g %.9g\n", scale * x[0], scale * x[1], scale * x[2]);
    }
    for (size_t t = 0; t < mesh->n_faces; t++) {
        const uint32_t *v = mesh->face_vertex + 3 * t;
        if (tag == 0 || mesh->face_tag[t] == tag)
            (void)fprintf(file, "f %u %u %u\n", v[0] + 1, v[1] + 1, v[2] + 1);
    }
    cr_assert_eq(fclose(file), 0);
}

/* Writes a left ventricle: complete, and its epicardium, endocardium and base separately. */
static inline void write_bowl(double scale)
{
    mt_arena arena = {0};
    mt_mesh bowl;
    bowl_make(&arena, 40, 28, 90, &bowl);
    write_obj("bowl.obj", &bowl, 0, scale);
    write_obj("epi.obj", &bowl, MT_SURFACE_EPI, scale);
    write_obj("lv.obj", &bowl, MT_SURFACE_LV, scale);
    write_obj("base.obj", &bowl, MT_SURFACE_BASE, scale);
    mt_arena_free(&arena);
}

static inline void write_slab(const char *path, double x_mm, double edge_mm, bool fibres)
{
    mt_arena arena = {0};
    mt_mesh slab;
    ok(mt_slab_make(&arena, (const double[]){x_mm, 4, 4}, edge_mm, &slab));
    if (!fibres) slab.fibre = slab.sheet = NULL;
    ok(mt_vtkhdf_write(path, &slab, 0, NULL));
    mt_arena_free(&arena);
}

/* Returns the line of the text that contains `what`; the test fails if it is missing. */
static inline const char *says(const char *text, const char *what)
{
    const char *line = strstr(text, what);
    cr_assert(line, "no '%s' in: %s", what, text);
    return line;
}

static inline void read_case(mt_arena *arena, const char *path, mt_case *input)
{
    ok(mt_case_load(arena, path, NULL, 0, input));
}
