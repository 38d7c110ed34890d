#include "solver/outputs/ecg.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "data/core/vec3.h"
#include "mesh/triangles.h"
#include "solver/diffusion/diffusion.h"

enum {
    PARALLEL_FROM = 8192, /* smallest number of elements for threads */
    PARTS = 32,           /* partial sums over elements, each computed by one thread */
    BLOCK = 1024,         /* elements with voltages in the cache for all electrodes */
    LANES = 8             /* interleaved sums in a block, for vectorisation with the same bits everywhere */
};

/* The inputs of the weights; borrowed. */
typedef struct source {
    const mt_mesh *mesh;
    const mt_adjacency *adjacency;
    const mt_media *media;
    const double *column; /* [n_elements][4][3] of mt_diffusion_gradients, or of hat functions */
    double bath_mS_mm;
} source;

/* ---- checks ---- */

/* Checks the directions that the media require. */
static mt_status check_directions(const mt_mesh *mesh, const mt_media *media)
{
    for (size_t k = 0; k < media->n; k++) {
        double sigma[3];
        mt_medium_intracellular(&media->medium[k], sigma);
        if ((!mesh->fibre && sigma[0] != sigma[1]) || (!mesh->sheet && sigma[2] != sigma[1]))
            return mt_fail(MT_INPUT,
                "the mesh has no %s, but its intracellular conductivities are %g mS/mm longitudinal, %g "
                "transverse and %g normal to the sheets; `myotile mesh fibres` writes them; equal "
                "conductivities need none",
                mesh->fibre ? "sheets" : "fibres", sigma[0], sigma[1], sigma[2]);
    }
    return MT_OK;
}

static mt_status check_electrode(const mt_electrode *electrode, size_t k)
{
    const mt_electrode *e = electrode + k;
    if (!e->name || !*e->name) return mt_fail(MT_INPUT, "electrode %zu has no name", k + 1);
    for (size_t i = 0; i < k; i++)
        if (strcmp(electrode[i].name, e->name) == 0)
            return mt_fail(MT_INPUT, "two electrodes have the name '%s'", e->name);
    if (!isfinite(e->at_mm[0]) || !isfinite(e->at_mm[1]) || !isfinite(e->at_mm[2]))
        return mt_fail(MT_INPUT, "electrode '%s' is at [%g, %g, %g] mm; these must be finite", e->name,
            e->at_mm[0], e->at_mm[1], e->at_mm[2]);
    return MT_OK;
}

/* ---- distances of electrodes ---- */

/* The element that is too close to an electrode. */
typedef struct closeness {
    size_t element;
    double distance_mm; /* 0 if inside; INFINITY: no element is too close */
} closeness;

static double distance_to(const mt_mesh *mesh, size_t c, const double at[3])
{
    double least = INFINITY;
    bool in = true;
    for (size_t f = 0; f < 4; f++) {
        double corner[3][3], area[3], to[3];
        for (size_t k = 0; k < 3; k++)
            memcpy(corner[k], mesh->xyz_mm + 3 * (size_t)mesh->element_vertex[4 * c + mt_mesh_face[f][k]],
                sizeof corner[k]);
        mt_mesh_face_area(mesh, c, f, area);
        mt_minus3(at, corner[0], to);
        in = in && mt_dot3(to, area) <= 0;
        least = fmin(least, mt_triangle_distance_squared(corner, at));
    }
    return in ? 0 : sqrt(least);
}

static double reach_of(const mt_mesh *mesh, size_t c, const double centre[3])
{
    double farthest = 0;
    for (size_t k = 0; k < 4; k++)
        farthest =
            fmax(farthest, mt_square3(centre, mesh->xyz_mm + 3 * (size_t)mesh->element_vertex[4 * c + k]));
    return sqrt(farthest);
}

/* Stores the closest element, the first of equals. */
static void keep_closest(closeness *closest, size_t element, double distance_mm)
{
    if (distance_mm > closest->distance_mm) return;
    if (distance_mm == closest->distance_mm && element > closest->element) return;
    *closest = (closeness){element, distance_mm};
}

static void find_closest(const mt_mesh *mesh, size_t n, const mt_electrode *electrode, closeness *closest)
{
    for (size_t e = 0; e < n; e++) closest[e] = (closeness){SIZE_MAX, INFINITY};
#pragma omp parallel for schedule(static) if (mesh->n_elements >= PARALLEL_FROM)
    for (size_t c = 0; c < mesh->n_elements; c++) {
        double centre[3];
        mt_mesh_centroid(mesh, c, centre);
        const double size = cbrt(mt_mesh_volume_mm3(mesh, c)), reach = reach_of(mesh, c, centre) + size;
        for (size_t e = 0; e < n; e++) {
            if (mt_square3(electrode[e].at_mm, centre) >= reach * reach) continue;
            const double distance = distance_to(mesh, c, electrode[e].at_mm);
            if (distance >= size) continue;
#pragma omp critical(mt_ecg_closest)
            keep_closest(&closest[e], c, distance);
        }
    }
}

static mt_status check_distances(const mt_mesh *mesh, size_t n, const mt_electrode *electrode)
{
    closeness closest[MT_ELECTRODES_MAX];
    find_closest(mesh, n, electrode, closest);
    for (size_t e = 0; e < n; e++) {
        const mt_electrode *of = electrode + e;
        const double *x = of->at_mm;
        if (isinf(closest[e].distance_mm)) continue;
        const size_t number = mt_mesh_number(mesh, closest[e].element);
        if (closest[e].distance_mm == 0)
            return mt_fail(MT_INPUT,
                "electrode '%s' at [%g, %g, %g] mm is in the tissue, in element %zu; it must be outside",
                of->name, x[0], x[1], x[2], number);
        return mt_fail(MT_INPUT,
            "electrode '%s' at [%g, %g, %g] mm is %.3g mm from element %zu of the tissue; it must be at "
            "least %.3g mm away, the size of that element",
            of->name, x[0], x[1], x[2], closest[e].distance_mm, number,
            cbrt(mt_mesh_volume_mm3(mesh, closest[e].element)));
    }
    return MT_OK;
}

static mt_status check(
    const mt_mesh *mesh, const mt_media *media, double bath_mS_mm, size_t n, const mt_electrode *electrode)
{
    if (n < 1 || n > MT_ELECTRODES_MAX)
        return mt_fail(MT_INPUT, "an ECG of %zu electrodes; 1 to %d are allowed", n, MT_ELECTRODES_MAX);
    if (mesh->n_elements == 0) return mt_fail(MT_INPUT, "an ECG of a mesh without elements");
    for (size_t k = 0; k < n; k++) MT_TRY(check_electrode(electrode, k));
    if (!(bath_mS_mm > 0 && isfinite(bath_mS_mm)))
        return mt_fail(MT_INPUT, "the conductivity of the bath is %g mS/mm; it must be above 0", bath_mS_mm);
    MT_TRY(check_directions(mesh, media));
    return check_distances(mesh, n, electrode);
}

/* ---- weights ---- */

/* Computes the integral of grad(1 / |x - at|) over an element [mm], with the four points on the lines from its centroid to its vertices (P.
 * C. Hammer and A. H. Stroud, Math. Tables Aids Comput. 10:137, 1956: exact for polynomials of degree 2). */
static void pull_of(const mt_mesh *mesh, size_t c, const double at[3], double pull[3])
{
    const double part = 1 / sqrt(5), weight = mt_mesh_volume_mm3(mesh, c) / 4;
    double centre[3];
    mt_mesh_centroid(mesh, c, centre);
    for (int i = 0; i < 3; i++) pull[i] = 0;
    for (size_t k = 0; k < 4; k++) {
        const double *vertex = mesh->xyz_mm + 3 * (size_t)mesh->element_vertex[4 * c + k];
        double to[3];
        for (int i = 0; i < 3; i++) to[i] = at[i] - (centre[i] + part * (vertex[i] - centre[i]));
        const double square = mt_dot3(to, to), by = weight / (square * sqrt(square));
        for (int i = 0; i < 3; i++) pull[i] += by * to[i];
    }
}

/* Computes the contribution of the voltage difference to each neighbour of an element, or of the voltage at each of its vertices, by the
 * element's own gradient. */
static void shares_of(const source *s, size_t c, const double at[3], double share[4])
{
    double sigma[3][3], pull[3], current[3];
    mt_media_intracellular_tensor(s->media, s->mesh, c, sigma);
    pull_of(s->mesh, c, at, pull);
    for (int i = 0; i < 3; i++) current[i] = -mt_dot3(sigma[i], pull) / (4 * M_PI * s->bath_mS_mm);
    for (size_t f = 0; f < 4; f++) share[f] = mt_dot3(current, s->column + 12 * c + 3 * f);
}

/* Returns an element's weight: the contributions of its voltage to its neighbours' gradients, minus those to its own. */
static double weight_of(const mt_adjacency *adjacency, const double *share, size_t c)
{
    double weight = 0;
    for (size_t f = 0; f < 4; f++) {
        const uint32_t n = adjacency->neighbour[4 * c + f];
        if (n == MT_NO_ELEMENT) continue;
        weight -= share[4 * c + f];
        for (size_t g = 0; g < 4; g++)
            if (adjacency->neighbour[4 * (size_t)n + g] == c) weight += share[4 * (size_t)n + g];
    }
    return weight;
}

/* Computes the gradients of the hat functions of the vertices in the elements: column [n_elements][4][3] per mm. */
static mt_status hat_gradients(mt_arena *scratch, const mt_mesh *mesh, double **column)
{
    MT_ALLOC(scratch, *column, 12 * mesh->n_elements);
#pragma omp parallel for schedule(static) if (mesh->n_elements >= PARALLEL_FROM)
    for (size_t c = 0; c < mesh->n_elements; c++) {
        const double volume_mm3 = mt_mesh_volume_mm3(mesh, c);
        for (size_t k = 0; k < 4; k++) {
            double area[3];
            mt_mesh_face_area(mesh, c, k, area);
            for (size_t i = 0; i < 3; i++) (*column)[12 * c + 3 * k + i] = -area[i] / (3 * volume_mm3);
        }
    }
    return MT_OK;
}

/* Adds the shares of the elements' vertices to the weights of the vertices, in the order of the elements. */
static void sum_at_vertices(const mt_mesh *mesh, const double *share, double *sum, float *weight)
{
    memset(sum, 0, mesh->n_vertices * sizeof *sum);
    for (size_t k = 0; k < 4 * mesh->n_elements; k++) sum[mesh->element_vertex[k]] += share[k];
    for (size_t v = 0; v < mesh->n_vertices; v++) weight[v] = (float)sum[v];
}

static mt_status fill_weights(
    mt_arena *scratch, source *s, bool at_vertices, const mt_electrode *electrode, mt_ecg *ecg)
{
    const size_t n = s->mesh->n_elements;
    double *column, *share, *sum;
    mt_tissues tissues;
    MT_TRY(mt_media_tissues(scratch, s->media, &tissues));
    MT_TRY(at_vertices ? hat_gradients(scratch, s->mesh, &column)
                       : mt_diffusion_gradients(scratch, s->mesh, s->adjacency, &tissues, &column));
    MT_ALLOC(scratch, share, 4 * n);
    MT_ALLOC(scratch, sum, ecg->n_unknowns);
    s->column = column;
    for (size_t e = 0; e < ecg->n; e++) {
        float *weight = ecg->weight + e * ecg->n_unknowns;
#pragma omp parallel for schedule(static) if (n >= PARALLEL_FROM)
        for (size_t c = 0; c < n; c++) shares_of(s, c, electrode[e].at_mm, share + 4 * c);
        if (at_vertices) {
            sum_at_vertices(s->mesh, share, sum, weight);
            continue;
        }
#pragma omp parallel for schedule(static) if (n >= PARALLEL_FROM)
        for (size_t c = 0; c < n; c++) weight[c] = (float)weight_of(s->adjacency, share, c);
    }
    return MT_OK;
}

mt_status mt_ecg_make(mt_arena *arena, const mt_unknowns *unknowns, const mt_adjacency *adjacency,
    const mt_media *media, double bath_mS_mm, size_t n, const mt_electrode *electrode, mt_ecg *ecg)
{
    const mt_mesh *mesh = unknowns->mesh;
    MT_TRY(check(mesh, media, bath_mS_mm, n, electrode));
    *ecg = (mt_ecg){.n_unknowns = mt_unknowns_count(unknowns), .n = n};
    MT_ALLOC(arena, ecg->weight, n * ecg->n_unknowns);
    source s = {.mesh = mesh, .adjacency = adjacency, .media = media, .bath_mS_mm = bath_mS_mm};
    MT_SCRATCH(scratch);
    return fill_weights(scratch, &s, unknowns->at_vertices, electrode, ecg);
}

/* ---- potentials ---- */

static double sum_of_block(size_t n, const float *weight, const double *v, double reference)
{
    double lane[LANES] = {0};
    size_t c = 0;
    for (; c + LANES <= n; c += LANES)
        for (size_t k = 0; k < LANES; k++) lane[k] += (double)weight[c + k] * (v[c + k] - reference);
    for (size_t k = 0; c + k < n; k++) lane[k] += (double)weight[c + k] * (v[c + k] - reference);
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

/* Adds the contributions of unknowns `first` to `end`. */
static void sum_part(const mt_ecg *ecg, size_t first, size_t end, const double *v_mV, double *sum)
{
    for (size_t c = first; c < end; c += BLOCK) {
        const size_t n = c + BLOCK < end ? BLOCK : end - c;
        for (size_t e = 0; e < ecg->n; e++)
            sum[e] += sum_of_block(n, ecg->weight + e * ecg->n_unknowns + c, v_mV + c, v_mV[0]);
    }
}

void mt_ecg_potentials(const mt_ecg *ecg, const double *v_mV, double *phi_mV)
{
    double sum[PARTS][MT_ELECTRODES_MAX];
#pragma omp parallel for schedule(static) if (ecg->n_unknowns >= PARALLEL_FROM)
    for (size_t p = 0; p < PARTS; p++) {
        for (size_t e = 0; e < ecg->n; e++) sum[p][e] = 0;
        sum_part(ecg, ecg->n_unknowns * p / PARTS, ecg->n_unknowns * (p + 1) / PARTS, v_mV, sum[p]);
    }
    for (size_t e = 0; e < ecg->n; e++) {
        phi_mV[e] = 0;
        for (size_t p = 0; p < PARTS; p++) phi_mV[e] += sum[p][e];
    }
}
