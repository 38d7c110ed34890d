#include "app/heart/gmsh.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/files/data_folder.h"
#include "data/core/child.h"
#include "data/core/progress.h"
#include "data/files/file.h"
#include "mesh/files/gmsh.h"

/* Runs gmsh with fixed addresses: version 4.8.4 sorts by addresses, so meshes would not be reproducible. */
static mt_status run(const char *const words[], const mt_gmsh_number *first)
{
    mt_child gmsh = {.words = words, .fixed_addresses = true};
    MT_TRY(mt_children_run(1, &gmsh));
    if (gmsh.code == MT_CHILD_NOT_STARTED)
        return mt_fail(MT_FILE,
            "gmsh: not found or cannot be started; this command requires gmsh (Debian package gmsh)");
    if (gmsh.code != 0) return mt_fail(MT_NUMERICS, "gmsh failed with %s %g", first->name, first->value);
    return MT_OK;
}

mt_status mt_gmsh_mesh(mt_arena *arena, const char *script, const char *surface, size_t n_numbers,
    const mt_gmsh_number *numbers, const char *out, mt_mesh *mesh)
{
    static const char *const fixed[] = {"-3", "-algo", "hxt", "-format", "msh41", "-bin", "-o"};
    enum { FIXED = sizeof fixed / sizeof *fixed, OTHERS = 5 }; /* gmsh, surface, script, output, NULL */
    char path[MT_FILE_PATH_MAX], value[MT_GMSH_NUMBERS_MAX][32];
    const char *words[OTHERS + FIXED + 3 * MT_GMSH_NUMBERS_MAX];
    mt_file body;
    int n = 0;
    assert(n_numbers > 0 && n_numbers <= MT_GMSH_NUMBERS_MAX);
    if (snprintf(path, sizeof path, "%s/geometry/%s", mt_data_folder(), script) >= (int)sizeof path)
        return mt_fail(MT_INPUT, "%s: the path is too long", script);
    words[n++] = "gmsh";
    if (surface) words[n++] = surface;
    words[n++] = path;
    for (size_t k = 0; k < FIXED; k++) words[n++] = fixed[k];
    MT_TRY(mt_file_reserve(out, &body));
    words[n++] = mt_file_temporary(&body);
    for (size_t k = 0; k < n_numbers; k++) {
        (void)snprintf(value[k], sizeof value[k], "%.9g", numbers[k].value);
        words[n++] = "-setnumber";
        words[n++] = numbers[k].name;
        words[n++] = value[k];
    }
    words[n] = NULL;
    mt_status status = run(words, &numbers[0]);
    if (status == MT_OK) status = mt_gmsh_read(arena, mt_file_temporary(&body), 1, mesh);
    mt_file_discard(&body);
    return status;
}

mt_status mt_gmsh_scratch_name(char path[MT_FILE_PATH_MAX])
{
    const char *folder = getenv("TMPDIR");
    if (snprintf(path, MT_FILE_PATH_MAX, "%s/myotile-%d.msh", folder ? folder : "/tmp", (int)getpid()) >=
        MT_FILE_PATH_MAX)
        return mt_fail(MT_FILE, "TMPDIR: the path is too long");
    return MT_OK;
}

mt_status mt_gmsh_slab(
    mt_arena *arena, const double size_mm[3], double edge_mm, unsigned long seed, mt_mesh *mesh)
{
    const double delaunay = 1; /* gmsh's number of the algorithm */
    const mt_gmsh_number numbers[] = {{"h", edge_mm}, {"x", size_mm[0]}, {"y", size_mm[1]}, {"z", size_mm[2]},
        {"Mesh.RandomSeed", (double)seed}, {"Mesh.Algorithm3D", delaunay}, {"General.NumThreads", 1}};
    char out[MT_FILE_PATH_MAX];
    MT_TRY(mt_gmsh_scratch_name(out));
    MT_TRY(mt_gmsh_mesh(arena, "slab.geo", NULL, sizeof numbers / sizeof *numbers, numbers, out, mesh));
    return mt_mesh_new_fibres(arena, mesh);
}

void mt_gmsh_put_surface(FILE *stream, const mt_mesh *surface)
{
    (void)fprintf(stream, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%zu\n", surface->n_vertices);
    for (size_t v = 0; v < surface->n_vertices; v++) {
        const double *x = surface->xyz_mm + 3 * v;
        (void)fprintf(stream, "%zu %.17g %.17g %.17g\n", v + 1, x[0], x[1], x[2]);
    }
    (void)fprintf(stream, "$EndNodes\n$Elements\n%zu\n", surface->n_faces);
    for (size_t t = 0; t < surface->n_faces; t++) {
        const uint32_t *v = surface->face_vertex + 3 * t;
        (void)fprintf(stream, "%zu 2 2 1 1 %u %u %u\n", t + 1, v[0] + 1, v[1] + 1, v[2] + 1);
    }
    (void)fputs("$EndElements\n", stream);
}

/* Returns the edge for ventricles.geo, from element counts of gmsh 4.8.4. Between two entries the count is a power of the edge. */
static double edge_for(double elements)
{
    static const struct {
        double edge_mm, elements;
    } made[] = {{0.6327, 3.03e6}, {2.035, 1e5}, {3, 33258}, {4.25, 13325}, {4.87, 9770}, {5.5, 7594},
        {6, 5840}, {6.17, 5200}, {6.8, 4074}};
    enum { N = sizeof made / sizeof *made };
    if (elements >= made[0].elements) return made[0].edge_mm * cbrt(made[0].elements / elements);
    size_t k = 1;
    while (k < N - 1 && elements < made[k].elements) k++;
    const double power =
        log(made[k].edge_mm / made[k - 1].edge_mm) / log(made[k].elements / made[k - 1].elements);
    return made[k].edge_mm * pow(elements / made[k].elements, power);
}

/* The count is roughly proportional to edge^-3, so a few corrections suffice. */
mt_status mt_gmsh_ventricles(mt_arena *arena, unsigned long elements, const char *out, mt_mesh *mesh)
{
    double edge_mm = edge_for((double)elements);
    for (int attempt = 0; attempt < 8; attempt++) {
        mt_progress_stage("meshing with gmsh");
        MT_TRY(mt_gmsh_mesh(arena, "ventricles.geo", NULL, 1, &(mt_gmsh_number){"h", edge_mm}, out, mesh));
        const double ratio = (double)mesh->n_elements / (double)elements;
        if (fabs(ratio - 1) <= 0.01) return MT_OK;
        edge_mm *= cbrt(ratio);
        mt_arena_free(arena);
    }
    return mt_fail(MT_NUMERICS,
        "gmsh: found no mesh of the ventricles within 1 %% of %lu elements in 8 attempts", elements);
}
