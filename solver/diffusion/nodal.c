#include "solver/diffusion/nodal.h"

#include <math.h>
#include <string.h>

#include "data/core/offsets.h"
#include "data/core/vec3.h"
#include "solver/diffusion/spectrum.h"
#include "solver/diffusion/spreading.h"

enum { EDGES = 6, PARALLEL_FROM = 4096, MAX_LANCZOS = 400 };
static const double SAFETY = 0.9;
/* Of the spreading (solver/diffusion/nodal.h); fitted together. */
static const double MESH = 0.98, ACROSS = 0.75, TURN = 0.6;
/* Allowed lowest eigenvalue of the spreading; below -1 a restoring reaction could make a pattern grow. */
static const double LOWEST = -0.95;

const mt_nodal_law mt_nodal_law_default = {
    .strength = 0.99, .fine = 0.69, .front_ms = 5.8, .reaction_ms = MT_SPREADING_REACTION_MS};

/* Symmetric tensors as xx, yy, zz, xy, xz, yz. */
typedef double sym3[6];

typedef struct making {
    const mt_mesh *mesh;
    const mt_nodal_spreading *spreading;
    const mt_watch *watch;
    mt_tissue_field field;
    size_t *first; /* elements of each vertex: element[first[i]] to element[first[i + 1]] */
    uint32_t *element;
    float
        *share; /* [n_elements][6] spread charge of each edge over the difference of its increments [mm^3] */
    mt_nodal *nodal;
    mt_diffusion *diffusion;
} making;

/* ---- an element ---- */

/* Computes the couplings k [mm^3/ms] of the edges of an element, for its own capacity; returns its volume. */
static double element_couplings(const making *m, size_t element, double k[EDGES])
{
    const mt_mesh *mesh = m->mesh;
    const mt_tissue_axes *axes = mt_tissue_field_at(&m->field, element);
    const double volume = mt_mesh_volume_mm3(mesh, element);
    double tensor[3][3], area[4][3];
    mt_tissue_field_tensor(&m->field, element, axes->d, tensor);
    for (size_t f = 0; f < 4; f++) mt_mesh_face_area(mesh, element, f, area[f]);
    for (int e = 0; e < EDGES; e++) {
        const double *a = area[mt_mesh_edge[e][0]], *b = area[mt_mesh_edge[e][1]];
        double flux[3];
        for (int i = 0; i < 3; i++) flux[i] = mt_dot3(tensor[i], b);
        k[e] = -mt_dot3(a, flux) / (9 * volume);
    }
    return volume;
}

/* Computes the edge vectors d of an element. */
static void element_edges(const mt_mesh *mesh, size_t element, double d[EDGES][3])
{
    const uint32_t *vertex = mesh->element_vertex + 4 * element;
    for (int e = 0; e < EDGES; e++)
        mt_minus3(mesh->xyz_mm + 3 * (size_t)vertex[mt_mesh_edge[e][1]],
            mesh->xyz_mm + 3 * (size_t)vertex[mt_mesh_edge[e][0]], d[e]);
}

/* ---- spreading ---- */

static void inverse(const sym3 a, sym3 out)
{
    const double xx = a[1] * a[2] - a[5] * a[5], xy = a[4] * a[5] - a[3] * a[2],
                 xz = a[3] * a[5] - a[4] * a[1], det = a[0] * xx + a[3] * xy + a[4] * xz;
    const double cofactor[6] = {
        xx, a[0] * a[2] - a[4] * a[4], a[0] * a[1] - a[3] * a[3], xy, xz, a[3] * a[4] - a[0] * a[5]};
    for (int k = 0; k < 6; k++) out[k] = cofactor[k] / det;
}

static void unpack(const sym3 a, double full[3][3])
{
    static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) full[i][j] = a[place[i][j]];
}

/* Adds to M of a vertex what an element contributes: the sum over its edges of |k| d d' / 4. */
static double add_mesh_tensor(const making *m, size_t element, sym3 sum)
{
    double k[EDGES], d[EDGES][3];
    const double volume = element_couplings(m, element, k);
    element_edges(m->mesh, element, d);
    for (int e = 0; e < EDGES; e++) {
        const double w = fabs(k[e]) / 4, *x = d[e];
        sum[0] += w * x[0] * x[0], sum[1] += w * x[1] * x[1], sum[2] += w * x[2] * x[2];
        sum[3] += w * x[0] * x[1], sum[4] += w * x[0] * x[2], sum[5] += w * x[1] * x[2];
    }
    return volume / 4;
}

/* Returns the solid angle of an element at one of its vertices (A. van Oosterom, J. Strackee, IEEE Trans. Biomed. Engng 30 (1983) 125). */
static double solid_angle(const mt_mesh *mesh, size_t element, size_t i)
{
    const uint32_t *vertex = mesh->element_vertex + 4 * element;
    double to[3][3], length[3], across = 6 * mt_mesh_volume_mm3(mesh, element);
    for (int k = 0, v = 0; v < 4; v++) {
        if (vertex[v] == i) continue;
        mt_minus3(mesh->xyz_mm + 3 * (size_t)vertex[v], mesh->xyz_mm + 3 * i, to[k]);
        length[k] = mt_length3(to[k]);
        k++;
    }
    const double along = length[0] * length[1] * length[2] + mt_dot3(to[0], to[1]) * length[2] +
                         mt_dot3(to[1], to[2]) * length[0] + mt_dot3(to[2], to[0]) * length[1];
    return 2 * atan2(across, along);
}

/* Computes M at the vertices, and the volumes of the vertices as if they were inside the tissue: those on its surface have only a part. */
static void make_vertex_tensors(const making *m, sym3 *tensor, double *volume)
{
    const size_t n = m->mesh->n_vertices;
#pragma omp parallel for schedule(static) if (n >= PARALLEL_FROM)
    for (size_t i = 0; i < n; i++) {
        double angle = 0;
        volume[i] = 0;
        for (size_t k = m->first[i]; k < m->first[i + 1]; k++) {
            volume[i] += add_mesh_tensor(m, m->element[k], tensor[i]);
            angle += solid_angle(m->mesh, m->element[k], i);
        }
        for (int k = 0; k < 6; k++) tensor[i][k] /= volume[i];
        volume[i] *= 4 * M_PI / angle;
    }
}

static void multiply(double a[3][3], double b[3][3], double out[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
}

static double trace(double a[3][3]) { return a[0][0] + a[1][1] + a[2][2]; }

/* Computes T of an element from the means of M and b^2 over its vertices. Y (Y + fine q) (Y + q)^-1 is Y - (1 - fine) q (1 + q Y^-1)^-1. */
static void spreading_tensor(
    const making *m, size_t element, const sym3 mean, double square_mm2, double t[3][3])
{
    const mt_nodal_spreading *by = m->spreading;
    const mt_nodal_law *law = &by->law[by->of ? by->of[element] : 0];
    const mt_tissue_axes *axes = mt_tissue_field_at(&m->field, element);
    const double *d = axes->d, q = law->front_ms;
    double root[3][3], tensor[3][3], f[3][3], inv[3][3], turned[3][3];
    sym3 packed, part;
    for (int i = 0; i < 6; i++) packed[i] = (i < 3 ? 1 : 0) + q * mean[i] / square_mm2;
    inverse(packed, part);
    inverse(mean, packed);
    unpack(packed, inv);
    for (int i = 0; i < 6; i++) packed[i] = square_mm2 * packed[i] - (1 - law->fine) * q * part[i];
    unpack(packed, f);
    mt_tissue_field_tensor(&m->field, element, d, tensor);
    mt_tissue_field_tensor(&m->field, element, (double[]){sqrt(d[0]), sqrt(d[1]), sqrt(d[2])}, root);
    multiply(tensor, inv, turned);
    const double factor = MESH * (1 + ACROSS * (3 / trace(turned) - 1)) * law->strength / 6;
    multiply(f, root, turned);
    multiply(root, turned, t);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) t[i][j] *= factor;
}

/* Sharpens T for exchange along edges in all directions, whose mean has the tensor 0.4 T + 0.2 tr T. */
static void sharpen(double t[3][3])
{
    const double all = trace(t);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) t[i][j] = (1 + 1.5 * TURN) * t[i][j] - (i == j ? 0.5 * TURN * all : 0);
}

/* Computes the shares of the edges of an element. */
static void share_element(const making *m, size_t element, const sym3 *tensor, const double *volume)
{
    const uint32_t *vertex = m->mesh->element_vertex + 4 * element;
    const double capacity = mt_tissue_field_at(&m->field, element)->capacity;
    sym3 mean = {0};
    double per_mm3 = 0, t[3][3], d[EDGES][3], squares = 0;
    for (int v = 0; v < 4; v++) {
        for (int k = 0; k < 6; k++) mean[k] += tensor[vertex[v]][k] / 4;
        per_mm3 += 1 / volume[vertex[v]] / 4;
    }
    spreading_tensor(m, element, (const double *)mean, 1 / (cbrt(per_mm3) * cbrt(per_mm3)), t);
    sharpen(t);
    element_edges(m->mesh, element, d);
    for (int e = 0; e < EDGES; e++) squares += mt_dot3(d[e], d[e]);
    const double whole = 3 * capacity * mt_mesh_volume_mm3(m->mesh, element) / squares;
    for (int e = 0; e < EDGES; e++) {
        double td[3];
        for (int i = 0; i < 3; i++) td[i] = mt_dot3(t[i], d[e]);
        m->share[EDGES * element + (size_t)e] =
            (float)fmax(whole * mt_dot3(d[e], td) / mt_dot3(d[e], d[e]), 0);
    }
}

static mt_status make_shares(mt_arena *scratch, making *m)
{
    const size_t n = m->mesh->n_elements;
    sym3 *tensor;
    double *volume;
    MT_ALLOC(scratch, m->share, EDGES * n);
    MT_SCRATCH(means);
    MT_ALLOC(means, tensor, m->mesh->n_vertices);
    MT_ALLOC(means, volume, m->mesh->n_vertices);
    make_vertex_tensors(m, tensor, volume);
#pragma omp parallel for schedule(static) if (n >= PARALLEL_FROM)
    for (size_t element = 0; element < n; element++) share_element(m, element, (const sym3 *)tensor, volume);
    return MT_OK;
}

/* ---- rows ---- */

/* Lists the neighbours of a vertex, ascending, and returns their number; of NULL only the number. */
static size_t list_neighbours(const making *m, size_t i, uint32_t *column)
{
    const uint32_t *all = m->mesh->element_vertex;
    size_t n = 0;
    uint32_t last = 0; /* each pass finds the next larger number */
    for (;;) {
        uint32_t next = UINT32_MAX;
        for (size_t k = m->first[i]; k < m->first[i + 1]; k++)
            for (size_t v = 0; v < 4; v++) {
                const uint32_t j = all[4 * (size_t)m->element[k] + v];
                if (j != i && j < next && (n == 0 || j > last)) next = j;
            }
        if (next == UINT32_MAX) return n;
        if (column) column[n] = next;
        last = next;
        n++;
    }
}

/* Returns the entry of a row for a column, which exists. */
static size_t entry_of(const mt_nodal *nodal, size_t row, uint32_t column)
{
    size_t k = nodal->start[row];
    while (nodal->column[k] != column) k++;
    return k;
}

/* Adds the couplings of an element's edges at vertex i to its row. */
static void add_element(const making *m, size_t i, size_t element)
{
    const uint32_t *vertex = m->mesh->element_vertex + 4 * element;
    const mt_nodal *nodal = m->nodal;
    double k[EDGES];
    (void)element_couplings(m, element, k);
    for (size_t e = 0; e < EDGES; e++) {
        const uint32_t a = vertex[mt_mesh_edge[e][0]], b = vertex[mt_mesh_edge[e][1]];
        if (a != i && b != i) continue;
        const size_t at = entry_of(nodal, i, a == i ? b : a);
        nodal->rate[at] += k[e];
        if (nodal->spread) nodal->spread[at] += (double)m->share[EDGES * element + e];
    }
}

static void fill_row(const making *m, size_t i)
{
    const mt_nodal *nodal = m->nodal;
    double volume = 0;
    for (size_t k = m->first[i]; k < m->first[i + 1]; k++) {
        const size_t element = m->element[k];
        add_element(m, i, element);
        volume += mt_tissue_field_at(&m->field, element)->capacity * mt_mesh_volume_mm3(m->mesh, element) / 4;
    }
    m->diffusion->volume_mm3[i] = volume;
    for (size_t k = nodal->start[i]; k < nodal->start[i + 1]; k++) {
        nodal->rate[k] /= volume;
        if (nodal->spread) nodal->spread[k] /= volume;
    }
}

static mt_status find_rows(mt_arena *arena, making *m)
{
    const size_t n = m->mesh->n_vertices;
    mt_nodal *nodal = m->nodal;
    MT_ALLOC(arena, nodal->start, n + 1);
#pragma omp parallel for schedule(static) if (n >= PARALLEL_FROM)
    for (size_t i = 0; i < n; i++) nodal->start[i + 1] = list_neighbours(m, i, NULL);
    for (size_t i = 0; i < n; i++)
        if (nodal->start[i + 1] > nodal->longest_row) nodal->longest_row = nodal->start[i + 1];
    mt_offsets_sum(nodal->start, n + 1);
    MT_ALLOC(arena, nodal->column, nodal->start[n]);
#pragma omp parallel for schedule(static) if (n >= PARALLEL_FROM)
    for (size_t i = 0; i < n; i++) (void)list_neighbours(m, i, nodal->column + nodal->start[i]);
    return MT_OK;
}

/* ---- drift ---- */

/* Returns the sum of the areas of the element faces opposite to a vertex: 0 inside the tissue, along the surface's normal on it. */
static double surface_at(const making *m, size_t i, double normal[3])
{
    double sum = 0;
    memset(normal, 0, 3 * sizeof *normal);
    for (size_t k = m->first[i]; k < m->first[i + 1]; k++) {
        const size_t element = m->element[k];
        double area[3];
        size_t f = 0;
        while (m->mesh->element_vertex[4 * element + f] != i) f++;
        mt_mesh_face_area(m->mesh, element, f, area);
        for (int a = 0; a < 3; a++) normal[a] += area[a];
        sum += mt_length3(area);
    }
    return mt_length3(normal) / sum;
}

/* The drift of the vertices. */
typedef struct drifts {
    double (*r)[3];   /* [n] sum_j s_ij (x_j - x_i), without its part along the surface's normal */
    bool *on_surface; /* [n] */
} drifts;

static void find_drift(const making *m, size_t i, const drifts *drift)
{
    const mt_nodal *nodal = m->nodal;
    const double *xyz_mm = m->mesh->xyz_mm;
    double normal[3], *r = drift->r[i];
    drift->on_surface[i] = surface_at(m, i, normal) > 1e-6;
    for (size_t k = nodal->start[i]; k < nodal->start[i + 1]; k++)
        for (size_t a = 0; a < 3; a++)
            r[a] += nodal->spread[k] * (xyz_mm[3 * (size_t)nodal->column[k] + a] - xyz_mm[3 * i + a]);
    if (!drift->on_surface[i]) return;
    const double through = mt_dot3(r, normal) / mt_dot3(normal, normal);
    for (int a = 0; a < 3; a++) r[a] -= through * normal[a];
}

/* Computes the mean of r over a vertex and its neighbours of the same kind, inside or on the surface, by their volumes. */
static void mean_drift(const making *m, const drifts *drift, size_t i, double mean[3])
{
    const mt_nodal *nodal = m->nodal;
    const double *volume_mm3 = m->diffusion->volume_mm3;
    double whole = volume_mm3[i];
    for (int a = 0; a < 3; a++) mean[a] = whole * drift->r[i][a];
    for (size_t k = nodal->start[i]; k < nodal->start[i + 1]; k++) {
        const size_t j = nodal->column[k];
        if (drift->on_surface[j] != drift->on_surface[i]) continue;
        whole += volume_mm3[j];
        for (int a = 0; a < 3; a++) mean[a] += volume_mm3[j] * drift->r[j][a];
    }
    for (int a = 0; a < 3; a++) mean[a] /= whole;
}

/* Returns f_i of a vertex. */
static double drift_factor(const making *m, const drifts *drift, size_t i)
{
    const mt_nodal *nodal = m->nodal;
    const double *xyz_mm = m->mesh->xyz_mm;
    double mean[3], both = 0;
    mean_drift(m, drift, i, mean);
    for (size_t k = nodal->start[i]; k < nodal->start[i + 1]; k++) {
        double d[3];
        mt_minus3(xyz_mm + 3 * (size_t)nodal->column[k], xyz_mm + 3 * i, d);
        both += nodal->spread[k] * fabs(mt_dot3(d, mean));
    }
    return both > 0 ? 1 / (1 + mt_dot3(mean, mean) / both) : 1;
}

/* Multiplies the spreading of each edge by the smaller factor of its ends. */
static void reduce_edges(const making *m, const double *factor)
{
    const mt_nodal *nodal = m->nodal;
    const size_t n = m->mesh->n_vertices;
#pragma omp parallel for schedule(static) if (n >= PARALLEL_FROM)
    for (size_t i = 0; i < n; i++)
        for (size_t k = nodal->start[i]; k < nodal->start[i + 1]; k++)
            nodal->spread[k] *= fmin(factor[i], factor[nodal->column[k]]);
}

static mt_status reduce_drift(making *m)
{
    const size_t n = m->mesh->n_vertices;
    drifts drift;
    double *factor;
    MT_SCRATCH(scratch);
    MT_ALLOC(scratch, factor, n);
    MT_ALLOC(scratch, drift.r, n);
    MT_ALLOC(scratch, drift.on_surface, n);
#pragma omp parallel for schedule(static) if (n >= PARALLEL_FROM)
    for (size_t i = 0; i < n; i++) find_drift(m, i, &drift);
#pragma omp parallel for schedule(static) if (n >= PARALLEL_FROM)
    for (size_t i = 0; i < n; i++) factor[i] = drift_factor(m, &drift, i);
    reduce_edges(m, factor);
    return MT_OK;
}

static mt_status make_rows(mt_arena *arena, making *m)
{
    const size_t n = m->mesh->n_vertices;
    mt_nodal *nodal = m->nodal;
    MT_TRY(find_rows(arena, m));
    MT_ALLOC(arena, nodal->rate, nodal->start[n]);
    if (m->spreading) MT_ALLOC(arena, nodal->spread, nodal->start[n]);
    MT_ALLOC(arena, m->diffusion->volume_mm3, n);
#pragma omp parallel for schedule(static) if (n >= PARALLEL_FROM)
    for (size_t i = 0; i < n; i++) fill_row(m, i);
    if (nodal->spread) MT_TRY(reduce_drift(m));
    for (size_t k = 0; k < nodal->start[n]; k++) nodal->n_negative += nodal->rate[k] < 0;
    return MT_OK;
}

/* ---- the order of the rows ---- */

static size_t length_of(const mt_nodal *nodal, size_t row)
{
    return nodal->start[row + 1] - nodal->start[row];
}

/* Sorts the vertices of a window stably by insertion: the numbers of entries are few and small. */
static void sort_window(const mt_nodal *nodal, size_t n, uint32_t *vertex)
{
    for (size_t k = 1; k < n; k++) {
        const uint32_t moved = vertex[k];
        size_t to = k;
        for (; to > 0 && length_of(nodal, vertex[to - 1]) < length_of(nodal, moved); to--)
            vertex[to] = vertex[to - 1];
        vertex[to] = moved;
    }
}

static mt_status order_rows(mt_arena *arena, const mt_mesh *mesh, mt_nodal *nodal)
{
    mt_element_order *order = &nodal->order;
    MT_TRY(mt_vertex_order_make(arena, mesh, order));
#pragma omp parallel for schedule(static) if (order->n >= PARALLEL_FROM)
    for (size_t first = 0; first < order->n; first += MT_NODAL_WINDOW) {
        const size_t left = order->n - first;
        sort_window(nodal, left < MT_NODAL_WINDOW ? left : MT_NODAL_WINDOW, order->element + first);
    }
    for (size_t k = 0; k < order->n; k++) order->place[order->element[k]] = (uint32_t)k;
    return MT_OK;
}

/* ---- spectra ---- */

/* The symmetric matrix V^1/2 A V^-1/2 of rows A = P + sym(V^-1 K R), where P has the values p_ij, and R is diagonal. */
typedef struct symmetric {
    const mt_diffusion *diffusion;
    const double *p;    /* p_ij */
    const double *r;    /* [n]; NULL: 0 */
    const double *root; /* [n] V^1/2 */
    const mt_watch *watch;
} symmetric;

static bool apply_symmetric(const void *context, const double *x, double *y)
{
    const symmetric *s = context;
    const mt_nodal *nodal = s->diffusion->nodal;
    const size_t n = s->diffusion->n_unknowns;
#pragma omp parallel for schedule(static) if (n >= PARALLEL_FROM)
    for (size_t i = 0; i < n; i++) {
        const double own = x[i] / s->root[i];
        double sum = 0;
        for (size_t k = nodal->start[i]; k < nodal->start[i + 1]; k++) {
            const size_t j = nodal->column[k];
            const double other = x[j] / s->root[j];
            sum += s->p[k] * (other - own);
            if (s->r) sum += nodal->rate[k] * ((s->r[i] + s->r[j]) / 2 * other - s->r[i] * own);
        }
        y[i] = s->root[i] * sum;
    }
    return mt_watch_continues(s->watch, "longest step", 0);
}

/* Finds the lowest eigenvalue of P, if r is NULL, or of A. */
static mt_status find_lowest(const making *m, const double *p, const double *r, double *lowest)
{
    const mt_diffusion *diffusion = m->diffusion;
    const size_t n = diffusion->n_unknowns;
    MT_SCRATCH(scratch);
    double *root, *null_root, sum = 0;
    mt_spectrum ends;
    MT_ALLOC(scratch, root, n);
    MT_ALLOC(scratch, null_root, n);
    for (size_t i = 0; i < n; i++) root[i] = sqrt(diffusion->volume_mm3[i]), sum += diffusion->volume_mm3[i];
    for (size_t i = 0; i < n; i++) null_root[i] = root[i] / sqrt(sum);
    const symmetric s = {diffusion, p, r, root, m->watch};
    const mt_spectrum_map map = {
        .n = n, .apply = apply_symmetric, .context = &s, .null_vector = r ? NULL : null_root};
    const mt_spectrum_goal goal = {
        .max_steps = MAX_LANCZOS, .lowest_only = true, .lowest_tolerance = r ? 3e-4 : 1e-3};
    MT_TRY(mt_spectrum_run(scratch, &map, &goal, &ends));
    *lowest = ends.lowest;
    return MT_OK;
}

static mt_status find_limit(const making *m)
{
    double lowest;
    MT_TRY(find_lowest(m, m->nodal->rate, NULL, &lowest));
    m->diffusion->limit_dt_ms = lowest < 0 ? SAFETY * 2 / -lowest : INFINITY;
    return MT_OK;
}

/* Returns in `arena` minus the shortest reaction_ms of each vertex' elements. */
static mt_status find_reactions(mt_arena *arena, const making *m, double **r)
{
    const mt_nodal_spreading *by = m->spreading;
    MT_ALLOC(arena, *r, m->mesh->n_vertices);
    for (size_t i = 0; i < m->mesh->n_vertices; i++) {
        double shortest_ms = INFINITY;
        for (size_t k = m->first[i]; k < m->first[i + 1]; k++)
            shortest_ms = fmin(shortest_ms, by->law[by->of ? by->of[m->element[k]] : 0].reaction_ms);
        (*r)[i] = -shortest_ms;
    }
    return MT_OK;
}

/* Computes the sum of s_ij of a row, and that of its rates within the reaction's time. The diagonal of the matrix that bounds the spreading
 * is the second less the first. */
static void sum_row(const mt_nodal *nodal, const double *r, size_t i, double *spread, double *damping)
{
    *spread = *damping = 0;
    for (size_t k = nodal->start[i]; k < nodal->start[i + 1]; k++) {
        *spread += nodal->spread[k];
        *damping -= r[i] * nodal->rate[k];
    }
}

/* Multiplies the edges of each vertex by the largest factor, at most 1, with which its diagonal is at least `least`; an edge by the smaller
 * factor of its ends. */
static void reduce_where(const making *m, const double *r, double least, double *factor)
{
    const mt_nodal *nodal = m->nodal;
    const size_t n = m->mesh->n_vertices;
#pragma omp parallel for schedule(static) if (n >= PARALLEL_FROM)
    for (size_t i = 0; i < n; i++) {
        double spread, damping;
        sum_row(nodal, r, i, &spread, &damping);
        factor[i] = spread > 0 ? fmin(fmax(damping - least, 0) / spread, 1) : 1;
    }
    reduce_edges(m, factor);
}

/* Returns the lowest diagonal. */
static double lowest_diagonal(const making *m, const double *r)
{
    double lowest = 0;
    for (size_t i = 0; i < m->mesh->n_vertices; i++) {
        double spread, damping;
        sum_row(m->nodal, r, i, &spread, &damping);
        lowest = fmin(lowest, damping - spread);
    }
    return lowest;
}

/* Returns the sum of V_i s_ij over all entries. */
static double spread_charge(const making *m)
{
    const mt_nodal *nodal = m->nodal;
    double sum = 0;
    for (size_t i = 0; i < m->mesh->n_vertices; i++)
        for (size_t k = nodal->start[i]; k < nodal->start[i + 1]; k++)
            sum += m->diffusion->volume_mm3[i] * nodal->spread[k];
    return sum;
}

/* Reduces the spreading of all edges to what is allowed. The part of K has no negative eigenvalues where reaction_ms is uniform, so that
 * the lowest one decreases at least as much as the spreading. */
static void reduce_all(const making *m)
{
    mt_nodal *nodal = m->nodal;
    const double factor = LOWEST / nodal->lowest_spread;
    nodal->lowest_spread = LOWEST;
    for (size_t k = 0; k < nodal->start[m->mesh->n_vertices]; k++) nodal->spread[k] *= factor;
}

/* Reduces the spreading if its lowest eigenvalue is not allowed, first where the diagonal is lowest: without less spreading elsewhere. Each
 * round lowers the limit of the diagonal by the excess. Less spreading of any edge never lowers an eigenvalue. */
static mt_status bound_spreading(const making *m)
{
    enum { ROUNDS_MOST = 8 };
    const double allowed = 1.002 * LOWEST;
    const size_t n = m->mesh->n_vertices;
    mt_nodal *nodal = m->nodal;
    double *r, *factor;
    MT_SCRATCH(scratch);
    nodal->kept = 1;
    if (!nodal->spread) return MT_OK;
    MT_TRY(find_reactions(scratch, m, &r));
    MT_TRY(find_lowest(m, nodal->spread, r, &nodal->lowest_spread));
    if (nodal->lowest_spread >= LOWEST) return MT_OK;
    const double whole = spread_charge(m);
    double least = lowest_diagonal(m, r);
    MT_ALLOC(scratch, factor, n);
    for (int k = 0; k < ROUNDS_MOST && nodal->lowest_spread < allowed; k++) {
        least *= LOWEST / nodal->lowest_spread;
        reduce_where(m, r, least, factor);
        MT_TRY(find_lowest(m, nodal->spread, r, &nodal->lowest_spread));
    }
    if (nodal->lowest_spread < allowed) reduce_all(m);
    nodal->kept = spread_charge(m) / whole;
    return MT_OK;
}

/* ---- the operator ---- */

static mt_status check_elements(const making *m)
{
    const mt_mesh *mesh = m->mesh;
    for (size_t element = 0; element < mesh->n_elements; element++) {
        if (mt_mesh_volume_mm3(mesh, element) > 0) continue;
        double x[3];
        mt_mesh_centroid(mesh, element, x);
        return mt_fail(MT_INPUT, "element %zu at (%g, %g, %g) mm has no volume",
            mt_mesh_number(mesh, element), x[0], x[1], x[2]);
    }
    for (size_t i = 0; i < mesh->n_vertices; i++)
        if (m->first[i] == m->first[i + 1])
            return mt_fail(MT_INPUT,
                "vertex %zu at (%g, %g, %g) mm belongs to no element, which voltages at the vertices do not "
                "allow",
                i, mesh->xyz_mm[3 * i], mesh->xyz_mm[3 * i + 1], mesh->xyz_mm[3 * i + 2]);
    return MT_OK;
}

mt_status mt_nodal_pattern_make(mt_arena *arena, const mt_mesh *mesh, mt_nodal *nodal)
{
    MT_SCRATCH(scratch);
    making m = {.mesh = mesh, .nodal = nodal};
    *nodal = (mt_nodal){0};
    MT_TRY(mt_offsets_make(
        scratch, mesh->n_elements, 4, mesh->element_vertex, mesh->n_vertices, &m.first, &m.element));
    return find_rows(arena, &m);
}

mt_status mt_nodal_diffusion_make(mt_arena *arena, const mt_mesh *mesh, const mt_tissues *tissues,
    const mt_nodal_spreading *spreading, const mt_watch *watch, mt_diffusion *diffusion)
{
    MT_SCRATCH(scratch);
    making m = {.mesh = mesh, .spreading = spreading, .watch = watch, .diffusion = diffusion};
    MT_TRY(mt_tissues_check(tissues, mesh->n_elements));
    MT_TRY(mt_tissue_field_make(scratch, mesh, tissues, &m.field));
    MT_TRY(mt_offsets_make(
        scratch, mesh->n_elements, 4, mesh->element_vertex, mesh->n_vertices, &m.first, &m.element));
    MT_TRY(check_elements(&m));
    MT_ALLOC(arena, m.nodal, 1);
    *diffusion = (mt_diffusion){.n_unknowns = mesh->n_vertices, .nodal = m.nodal};
    MT_TRY(mt_watch_report(watch, "spreading", 0));
    if (spreading) MT_TRY(make_shares(scratch, &m));
    MT_TRY(mt_watch_report(watch, "rows", 0));
    MT_TRY(make_rows(arena, &m));
    MT_TRY(order_rows(arena, mesh, m.nodal));
    MT_TRY(mt_watch_report(watch, "longest step", 0));
    MT_TRY(bound_spreading(&m));
    return find_limit(&m);
}
