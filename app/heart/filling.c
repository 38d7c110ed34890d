#include "app/heart/filling.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/core/progress.h"
#include "app/heart/gmsh.h"
#include "mesh/anatomy/nearest.h"
#include "mesh/info.h"

static const double count_tolerance = 0.05; /* relative to the requested number */
/* relative to the surface: beyond, it is the mesh of another body */
static const double volume_tolerance = 0.05;
static const double good_enough = 0.2; /* minimum radius ratio that ends the search */
/* volume of an element over h^3 of gmsh's edge h, mean of two hearts */
static const double element_of_h = 0.21;

/* Feature angles for remeshing the surface. Each succeeds for some hearts only. 180 keeps no feature edge, as rough surfaces
 * require. */
static const double angles_deg[] = {40, 75, 180};
static const double beside[] = {1, 1.008, 0.992}; /* factor on the size after the k-th attempt */
enum {
    N_ANGLES = sizeof angles_deg / sizeof *angles_deg,
    TRIES_AN_ANGLE = sizeof beside / sizeof *beside,
    FAILURES_AN_ANGLE = 2
};
_Static_assert(N_ANGLES *TRIES_AN_ANGLE + 1 == MT_FILLING_TRIES, "room for all attempts");

mt_status mt_filling_begin(const char *name, const mt_mesh *surface, mt_filling *filling)
{
    *filling = (mt_filling){.surface = *surface, .n_given = surface->n_faces};
    const mt_status status = mt_closed_make(&filling->surface, &filling->closed);
    return status == MT_OK ? MT_OK : mt_fail(status, "%s: %s", name, mt_message());
}

/* Checks that the mesh is connected and has the volume of the surface: gmsh sometimes fills only half of a body. */
static mt_status examine(mt_arena *scratch, const mt_filling *f, const mt_mesh *mesh, mt_filling_attempt *a)
{
    mt_adjacency adjacency;
    mt_info info;
    MT_TRY(mt_adjacency_make(scratch, mesh, &adjacency));
    MT_TRY(mt_info_make(mesh, &adjacency, &info));
    if (info.n_components != 1 || fabs(info.volume_mm3 / f->closed.volume_mm3 - 1) > volume_tolerance)
        return mt_fail(MT_INPUT, "gmsh generated %zu pieces of %g mm^3", info.n_components, info.volume_mm3);
    a->n_elements = mesh->n_elements;
    a->quality = info.quality_min;
    return MT_OK;
}

/* Generates a mesh in `arena`. If gmsh fails, the attempt has no elements. */
static mt_status try_once(mt_arena *arena, mt_filling *f, double angle_deg, double edge_mm, mt_mesh *mesh)
{
    mt_filling_attempt *a = &f->attempts[f->n_attempts++];
    const double start_s = mt_now_s();
    mt_arena scratch = {0};
    *a = (mt_filling_attempt){.angle_deg = angle_deg, .edge_mm = edge_mm};
    mt_progress_stage(
        angle_deg > 0 ? "meshing surface and volume with gmsh" : "meshing the volume with gmsh");
    mt_status status = mt_gmsh_mesh(arena, "fill.geo", mt_file_temporary(&f->triangles), 2,
        (const mt_gmsh_number[]){{"h", edge_mm}, {"angle", angle_deg}}, f->out, mesh);
    if (status == MT_OK) status = examine(&scratch, f, mesh, a);
    mt_arena_free(&scratch);
    a->seconds = mt_now_s() - start_s;
    return status;
}

/* Stores a mesh if it is better than the best one. */
static void keep_better(
    mt_filling *f, mt_arena *arena, const mt_mesh *mesh, mt_arena *best_arena, mt_mesh *best)
{
    const mt_filling_attempt *a = &f->attempts[f->n_attempts - 1];
    if (f->chosen && f->chosen->quality >= a->quality) {
        mt_arena_free(arena);
        return;
    }
    mt_arena_free(best_arena);
    *best_arena = *arena;
    *best = *mesh;
    f->chosen = a;
}

/* Generates meshes with one angle and several sizes. The size is corrected until the number of elements is right, then varied by a
 * percent, which can change the quality greatly. Fails only with errors that no other attempt can avoid. */
static mt_status try_angle(
    mt_arena *best_arena, mt_filling *f, double angle_deg, double *edge_mm, mt_mesh *best)
{
    int failed = 0;
    for (int k = 0; k < TRIES_AN_ANGLE && failed < FAILURES_AN_ANGLE; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        const mt_status status = try_once(&arena, f, angle_deg, *edge_mm, &mesh);
        if (status == MT_STOPPED || status == MT_FILE || status == MT_MEMORY) {
            mt_arena_free(&arena);
            return status;
        }
        const double n = (double)f->attempts[f->n_attempts - 1].n_elements;
        if (status == MT_OK && fabs(n / f->elements - 1) <= count_tolerance)
            keep_better(f, &arena, &mesh, best_arena, best);
        else
            mt_arena_free(&arena);
        if (f->chosen && f->chosen->quality >= good_enough) return MT_OK;
        failed += status != MT_OK;
        *edge_mm *= status == MT_OK ? cbrt(n / f->elements) * beside[k] : 0.97;
    }
    return MT_OK;
}

/* Generates the mesh in `arena`, which must be empty. */
static mt_status make_body(mt_arena *arena, mt_filling *f, mt_mesh *mesh)
{
    double edge_mm = cbrt(f->closed.volume_mm3 / f->elements / element_of_h);
    for (int k = 0; k < N_ANGLES && !(f->chosen && f->chosen->quality >= good_enough); k++)
        MT_TRY(try_angle(arena, f, angles_deg[k], &edge_mm, mesh));
    if (f->chosen) return MT_OK;
    edge_mm = cbrt(f->closed.volume_mm3 / f->elements / element_of_h);
    MT_TRY(try_once(arena, f, 0, edge_mm, mesh));
    f->chosen = &f->attempts[f->n_attempts - 1];
    return MT_OK;
}

mt_status mt_filling_make(mt_arena *arena, mt_filling *f, double elements, const char *out, mt_mesh *mesh)
{
    f->elements = elements;
    f->out = out;
    MT_TRY(mt_file_begin(out, &f->triangles));
    mt_gmsh_put_surface(f->triangles.stream, &f->surface);
    const bool written = fflush(f->triangles.stream) == 0 && !ferror(f->triangles.stream);
    const mt_status status =
        written ? make_body(arena, f, mesh)
                : mt_fail(MT_FILE, "%s: cannot write the surface for gmsh: %s", out, strerror(errno));
    mt_file_discard(&f->triangles);
    return status;
}

mt_status mt_filling_carry_tags(const mt_mesh *surface, mt_mesh *mesh)
{
    MT_SCRATCH(scratch);
    mt_nearest nearest;
    MT_TRY(mt_nearest_make(scratch, surface, 0, &nearest));
#pragma omp parallel for schedule(static)
    for (size_t t = 0; t < mesh->n_faces; t++) {
        double corner[3][3], middle[3], normal[3], distance;
        mt_triangle_corners(mesh, t, corner);
        mt_triangle_area(mesh, t, normal);
        for (int k = 0; k < 3; k++) middle[k] = (corner[0][k] + corner[1][k] + corner[2][k]) / 3;
        const uint32_t from = mt_nearest_find(&nearest, middle, normal, &distance);
        mesh->face_tag[t] = from == MT_NO_TRIANGLE ? 0 : surface->face_tag[from];
    }
    return MT_OK;
}
