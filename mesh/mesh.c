#include "mesh/mesh.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "data/core/progress.h"
#include "data/core/vec3.h"

enum { PARALLEL_FROM = 16384 }; /* elements; with fewer, threads cost more than they save */

const char *const mt_coordinate_name[MT_COORDINATES] = {[MT_TRANSVENTRICULAR] = "transventricular",
    [MT_TRANSMURAL] = "transmural",
    [MT_ROTATIONAL] = "rotational",
    [MT_APICOBASAL] = "apicobasal"};

const double mt_mesh_far_mm = 1e9;

const uint8_t mt_mesh_face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
const uint8_t mt_mesh_edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

mt_status mt_mesh_new(mt_arena *arena, size_t n_vertices, size_t n_elements, mt_mesh *mesh)
{
    if (n_vertices >= UINT32_MAX || n_elements >= UINT32_MAX)
        return mt_fail(MT_INPUT, "a mesh of %zu vertices and %zu elements; each must stay below %u",
            n_vertices, n_elements, UINT32_MAX);
    *mesh = (mt_mesh){.n_vertices = n_vertices, .n_elements = n_elements};
    MT_ALLOC(arena, mesh->xyz_mm, 3 * n_vertices);
    MT_ALLOC(arena, mesh->element_vertex, 4 * n_elements);
    MT_ALLOC(arena, mesh->region, n_elements);
    return MT_OK;
}

mt_status mt_notes_add(mt_arena *arena, const char **notes, const char *format, ...)
{
    char line[1024], *text;
    const char *before = *notes ? *notes : "";
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *at = line; *at; at++)
        if ((unsigned char)*at < ' ') *at = ' ';
    const size_t size = strlen(before) + strlen(line) + 2;
    MT_ALLOC(arena, text, size);
    (void)snprintf(text, size, "%s%s\n", before, line);
    *notes = text;
    return MT_OK;
}

void mt_print_notes(const char *path, const char *notes)
{
    for (const char *at = notes; at && *at; at++) {
        const size_t n = strcspn(at, "\n");
        mt_note(path, at, n);
        at += n;
    }
}

mt_status mt_mesh_note_curved(mt_arena *arena, mt_mesh *mesh, size_t n, size_t n_dropped)
{
    return mt_mesh_note(arena, mesh,
        "%zu quadratic elements and triangles: only their corners are used, and the %zu vertices on their "
        "edges are removed",
        n, n_dropped);
}

mt_status mt_mesh_new_fibres(mt_arena *arena, mt_mesh *mesh)
{
    MT_ALLOC(arena, mesh->fibre, 3 * mesh->n_elements);
    for (size_t c = 0; c < mesh->n_elements; c++) mesh->fibre[3 * c] = 1;
    return MT_OK;
}

mt_status mt_mesh_new_faces(mt_arena *arena, size_t n_faces, mt_mesh *mesh)
{
    if (n_faces >= UINT32_MAX)
        return mt_fail(MT_INPUT, "%zu tagged triangles; there must be fewer than %u", n_faces, UINT32_MAX);
    mesh->n_faces = 0;
    MT_ALLOC(arena, mesh->face_vertex, 3 * n_faces);
    MT_ALLOC(arena, mesh->face_tag, n_faces);
    mesh->n_faces = n_faces;
    return MT_OK;
}

mt_status mt_mesh_used(mt_arena *arena, const mt_mesh *mesh, uint8_t **used)
{
    MT_ALLOC(arena, *used, mesh->n_vertices);
    for (size_t k = 0; k < 4 * mesh->n_elements; k++) (*used)[mesh->element_vertex[k]] = 1;
    return MT_OK;
}

mt_status mt_mesh_keep_vertices(mt_arena *scratch, mt_mesh *mesh, const uint8_t *keep)
{
    uint32_t *number;
    size_t n = 0;
    MT_ALLOC(scratch, number, mesh->n_vertices);
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        if (!keep[v]) continue;
        memmove(mesh->xyz_mm + 3 * n, mesh->xyz_mm + 3 * v, 3 * sizeof *mesh->xyz_mm);
        for (size_t k = 0; k < MT_COORDINATES; k++)
            if (mesh->coordinate[k]) mesh->coordinate[k][n] = mesh->coordinate[k][v];
        number[v] = (uint32_t)n++;
    }
    for (size_t k = 0; k < 4 * mesh->n_elements; k++)
        mesh->element_vertex[k] = number[mesh->element_vertex[k]];
    for (size_t k = 0; k < 3 * mesh->n_faces; k++) mesh->face_vertex[k] = number[mesh->face_vertex[k]];
    mesh->n_vertices = n;
    return MT_OK;
}

/* Moves item k of `each` bytes to place n. `items` may be NULL. */
static void move_item(void *items, size_t each, size_t k, size_t n)
{
    if (items) memmove((char *)items + each * n, (char *)items + each * k, each);
}

size_t mt_mesh_remove_elements(mt_mesh *mesh, uint8_t *dead)
{
    size_t n = 0;
    for (size_t c = 0; c < mesh->n_elements; c++) {
        if (dead[c]) continue;
        if (n < c) {
            move_item(mesh->element_vertex, 4 * sizeof *mesh->element_vertex, c, n);
            move_item(mesh->region, sizeof *mesh->region, c, n);
            move_item(mesh->fibre, 3 * sizeof *mesh->fibre, c, n);
            move_item(mesh->sheet, 3 * sizeof *mesh->sheet, c, n);
            move_item(mesh->depth, sizeof *mesh->depth, c, n);
            move_item(mesh->layer, sizeof *mesh->layer, c, n);
            move_item(mesh->segment, sizeof *mesh->segment, c, n);
            move_item(mesh->groups, sizeof *mesh->groups, c, n);
        }
        n++;
    }
    const size_t dropped = mesh->n_elements - n;
    memset(dead, 0, mesh->n_elements);
    mesh->n_elements = n;
    return dropped;
}

/* Returns in *to item origin[c] of `items`, of `bytes` bytes each, for each of n elements; NULL if `items` is NULL. */
static mt_status inherit(
    mt_arena *arena, size_t n, const uint32_t *origin, size_t bytes, const void *items, void **to)
{
    char *out = NULL;
    if (items && !(out = mt_arena_alloc(arena, n, bytes))) return MT_MEMORY;
    for (size_t c = 0; items && c < n; c++)
        memcpy(out + bytes * c, (const char *)items + bytes * origin[c], bytes);
    *to = out;
    return MT_OK;
}

mt_status mt_mesh_inherit(mt_arena *arena, const mt_mesh *from, const uint32_t *origin, mt_mesh *mesh)
{
    const size_t n = mesh->n_elements;
    void *region, *fibre, *sheet, *depth, *layer, *segment, *groups;
    MT_TRY(inherit(arena, n, origin, sizeof *from->region, from->region, &region));
    MT_TRY(inherit(arena, n, origin, 3 * sizeof *from->fibre, from->fibre, &fibre));
    MT_TRY(inherit(arena, n, origin, 3 * sizeof *from->sheet, from->sheet, &sheet));
    MT_TRY(inherit(arena, n, origin, sizeof *from->depth, from->depth, &depth));
    MT_TRY(inherit(arena, n, origin, sizeof *from->layer, from->layer, &layer));
    MT_TRY(inherit(arena, n, origin, sizeof *from->segment, from->segment, &segment));
    MT_TRY(inherit(arena, n, origin, sizeof *from->groups, from->groups, &groups));
    mesh->region = region, mesh->fibre = fibre, mesh->sheet = sheet;
    mesh->depth = depth, mesh->layer = layer, mesh->segment = segment, mesh->groups = groups;
    return MT_OK;
}

mt_status mt_mesh_select(mt_arena *arena, const mt_mesh *whole, const uint8_t *keep, mt_mesh *part)
{
    size_t n = 0;
    for (size_t c = 0; c < whole->n_elements; c++) n += keep[c] != 0;
    *part = *whole;
    part->n_elements = n;
    MT_ALLOC(arena, part->number, n);
    MT_ALLOC(arena, part->element_vertex, 4 * n);
    n = 0;
    for (size_t c = 0; c < whole->n_elements; c++) {
        if (!keep[c]) continue;
        part->number[n] = (uint32_t)c;
        memcpy(part->element_vertex + 4 * n, whole->element_vertex + 4 * c, 4 * sizeof *part->element_vertex);
        n++;
    }
    return mt_mesh_inherit(arena, whole, part->number, part);
}

void mt_mesh_centroid(const mt_mesh *mesh, size_t element, double xyz_mm[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double sum = 0;
        for (int k = 0; k < 4; k++)
            sum += mesh->xyz_mm[3 * (size_t)mesh->element_vertex[4 * element + (size_t)k] + (size_t)axis];
        xyz_mm[axis] = sum / 4;
    }
}

double mt_mesh_volume_mm3(const mt_mesh *mesh, size_t element)
{
    const uint32_t *v = mesh->element_vertex + 4 * element;
    const double *p = mesh->xyz_mm + 3 * (size_t)v[0];
    double e[3][3], turn[3];
    for (int k = 0; k < 3; k++) mt_minus3(mesh->xyz_mm + 3 * (size_t)v[k + 1], p, e[k]);
    mt_cross3(e[1], e[2], turn);
    return mt_dot3(e[0], turn) / 6;
}

void mt_mesh_volumes_mm3(const mt_mesh *mesh, double *volume_mm3)
{
#pragma omp parallel for schedule(static) if (mesh->n_elements >= PARALLEL_FROM)
    for (size_t c = 0; c < mesh->n_elements; c++) volume_mm3[c] = mt_mesh_volume_mm3(mesh, c);
}

double mt_mesh_length_mm(const mt_mesh *mesh)
{
    double volume_mm3 = 0;
    for (size_t c = 0; c < mesh->n_elements; c++) volume_mm3 += mt_mesh_volume_mm3(mesh, c);
    return cbrt(volume_mm3 / (double)mesh->n_elements);
}

void mt_mesh_face_area(const mt_mesh *mesh, size_t element, size_t face, double area_mm2[3])
{
    const uint32_t *v = mesh->element_vertex + 4 * element;
    const double *p = mesh->xyz_mm + 3 * (size_t)v[mt_mesh_face[face][0]];
    const double *q = mesh->xyz_mm + 3 * (size_t)v[mt_mesh_face[face][1]];
    const double *r = mesh->xyz_mm + 3 * (size_t)v[mt_mesh_face[face][2]];
    double a[3], b[3];
    mt_minus3(q, p, a);
    mt_minus3(r, p, b);
    mt_cross3(a, b, area_mm2);
    for (int k = 0; k < 3; k++) area_mm2[k] /= 2;
}

void mt_mesh_box(const mt_mesh *mesh, double low_mm[3], double high_mm[3])
{
    for (int k = 0; k < 3; k++) low_mm[k] = high_mm[k] = mesh->n_vertices > 0 ? mesh->xyz_mm[k] : 0;
    for (size_t v = 0; v < mesh->n_vertices; v++)
        for (size_t k = 0; k < 3; k++) {
            const double x = mesh->xyz_mm[3 * v + k];
            if (x < low_mm[k]) low_mm[k] = x;
            if (x > high_mm[k]) high_mm[k] = x;
        }
}

size_t mt_mesh_orient(mt_mesh *mesh)
{
    size_t turned = 0;
    for (size_t c = 0; c < mesh->n_elements; c++) {
        uint32_t *v = mesh->element_vertex + 4 * c, last = v[3];
        if (!(mt_mesh_volume_mm3(mesh, c) < 0)) continue;
        v[3] = v[2], v[2] = last;
        turned++;
    }
    return turned;
}

static mt_status check_indices(
    const char *what, size_t n, size_t each, const uint32_t *vertex, size_t n_vertices)
{
    for (size_t k = 0; k < each * n; k++)
        if (vertex[k] >= n_vertices)
            return mt_fail(MT_INPUT, "%s %zu: vertex %u; the mesh has vertices 0 to %lld", what, k / each,
                vertex[k], (long long)n_vertices - 1);
    return MT_OK;
}

static mt_status check_coordinates(const mt_mesh *mesh)
{
    for (size_t k = 0; k < 3 * mesh->n_vertices; k++)
        if (!(fabs(mesh->xyz_mm[k]) <= mt_mesh_far_mm))
            return mt_fail(MT_INPUT, "vertex %zu: coordinate %c is %g mm; allowed: -%g to %g", k / 3,
                "xyz"[k % 3], mesh -> xyz_mm[k], mt_mesh_far_mm, mt_mesh_far_mm);
    return MT_OK;
}

/* Normalises v; false if its length is at most 1e-6 or NaN. */
static bool normalise(double v[3])
{
    const double length = mt_length3(v);
    for (int k = 0; k < 3; k++) v[k] /= length;
    return length > 1e-6;
}

bool mt_mesh_put_directions(mt_mesh *mesh, size_t element, const double fibre[3], const double *sheet)
{
    double f[3] = {fibre[0], fibre[1], fibre[2]}, s[3];
    if (!normalise(f)) return false;
    if (mesh->sheet) {
        for (int k = 0; k < 3; k++) s[k] = sheet[k];
        if (!normalise(s)) return false;
        const double along = mt_dot3(f, s);
        for (int k = 0; k < 3; k++) s[k] -= along * f[k];
        if (!normalise(s)) return false;
        memcpy(mesh->sheet + 3 * element, s, sizeof s);
    }
    memcpy(mesh->fibre + 3 * element, f, sizeof f);
    return true;
}

void mt_mesh_normal(const mt_mesh *mesh, size_t element, double normal[3])
{
    mt_cross3(mesh->fibre + 3 * element, mesh->sheet + 3 * element, normal);
}

static mt_status check_direction(size_t element, const char *what, const double direction[3])
{
    const double length = mt_length3(direction);
    if (fabs(length - 1) <= 1e-6) return MT_OK;
    return mt_fail(MT_INPUT, "element %zu: %s of length %g; it must be 1", element, what, length);
}

static mt_status check_directions(const mt_mesh *mesh)
{
    if (mesh->sheet && !mesh->fibre) return mt_fail(MT_INPUT, "the mesh has sheets but no fibres");
    if (!mesh->fibre) return MT_OK;
    for (size_t c = 0; c < mesh->n_elements; c++) {
        const double *fibre = mesh->fibre + 3 * c;
        MT_TRY(check_direction(c, "fibre", fibre));
        if (!mesh->sheet) continue;
        const double *sheet = mesh->sheet + 3 * c;
        MT_TRY(check_direction(c, "sheet", sheet));
        if (!(fabs(mt_dot3(fibre, sheet)) <= 1e-6))
            return mt_fail(MT_INPUT, "element %zu: fibre . sheet is %g; they must be perpendicular", c,
                mt_dot3(fibre, sheet));
    }
    return MT_OK;
}

static mt_status check_groups(const mt_mesh *mesh)
{
    for (size_t c = 0; mesh->groups && c < mesh->n_elements; c++)
        if (mesh->n_groups < MT_GROUPS_MAX && mesh->groups[c] >> mesh->n_groups)
            return mt_fail(MT_INPUT, "element %zu: groups %#x; the mesh has %zu groups", c, mesh->groups[c],
                mesh->n_groups);
    return MT_OK;
}

static mt_status check_segments(const mt_mesh *mesh)
{
    for (size_t c = 0; mesh->segment && c < mesh->n_elements; c++)
        if (mesh->segment[c] < 0 || mesh->segment[c] > MT_SEGMENT_LAST)
            return mt_fail(
                MT_INPUT, "element %zu: segment %d; allowed: 0 to %d", c, mesh->segment[c], MT_SEGMENT_LAST);
    return MT_OK;
}

static mt_status check_ventricular(const mt_mesh *mesh)
{
    for (size_t k = 0; k < MT_COORDINATES; k++)
        for (size_t v = 0; mesh->coordinate[k] && v < mesh->n_vertices; v++) {
            const double x = mesh->coordinate[k][v];
            const bool side = k == MT_TRANSVENTRICULAR;
            if (side ? x == 0 || x == 1 : x >= 0 && x <= 1) continue;
            return mt_fail(MT_INPUT, "vertex %zu: %s %g; allowed: %s", v, mt_coordinate_name[k], x,
                side ? "0 or 1" : "0 to 1");
        }
    return MT_OK;
}

static mt_status check_content(const mt_mesh *mesh)
{
    MT_TRY(check_coordinates(mesh));
    MT_TRY(check_indices("element", mesh->n_elements, 4, mesh->element_vertex, mesh->n_vertices));
    MT_TRY(check_indices("tagged triangle", mesh->n_faces, 3, mesh->face_vertex, mesh->n_vertices));
    MT_TRY(check_groups(mesh));
    MT_TRY(check_segments(mesh));
    MT_TRY(check_ventricular(mesh));
    return check_directions(mesh);
}

mt_status mt_mesh_check_content(const mt_mesh *mesh, const char *path)
{
    const mt_status status = check_content(mesh);
    return path ? mt_fail_in(path, status) : status;
}

/* Fails for the first element without volume. */
static mt_status check_volumes(const mt_mesh *mesh)
{
    size_t bad = mesh->n_elements;
    double x[3];
#pragma omp parallel for schedule(static) reduction(min : bad) if (mesh->n_elements >= PARALLEL_FROM)
    for (size_t c = 0; c < mesh->n_elements; c++)
        if (!(mt_mesh_volume_mm3(mesh, c) > 0) && c < bad) bad = c;
    if (bad == mesh->n_elements) return MT_OK;
    mt_mesh_centroid(mesh, bad, x);
    return mt_fail(MT_INPUT, "element %zu at [%.6g, %.6g, %.6g] mm: volume %g mm^3; it must be above 0", bad,
        x[0], x[1], x[2], mt_mesh_volume_mm3(mesh, bad));
}

mt_status mt_mesh_check(const mt_mesh *mesh)
{
    MT_TRY(check_content(mesh));
    MT_TRY(check_volumes(mesh));
    for (size_t f = 0; f < mesh->n_faces; f++) {
        const uint32_t *v = mesh->face_vertex + 3 * f;
        if (mt_mesh_triangle_repeats(v))
            return mt_fail(
                MT_INPUT, "tagged triangle %zu: vertices %u %u %u; they must differ", f, v[0], v[1], v[2]);
    }
    return MT_OK;
}

bool mt_mesh_triangle_repeats(const uint32_t v[3]) { return v[0] == v[1] || v[1] == v[2] || v[2] == v[0]; }

/* Adds the length and content of an array; NULL is added as an array of length 0. */
static void add_array(mt_hash *hash, const void *array, size_t count, size_t size)
{
    const uint64_t n = array ? count : 0;
    mt_hash_add(hash, &n, sizeof n);
    mt_hash_add(hash, array, (size_t)n * size);
}

/* Adds names and groups only if there are any, so that stored fingerprints of meshes without them remain valid. */
static void add_names(mt_hash *hash, const mt_mesh *mesh)
{
    if (mesh->n_names == 0 && mesh->n_groups == 0) return;
    add_array(hash, mesh->names, mesh->n_names, sizeof *mesh->names);
    add_array(hash, mesh->group_tag, mesh->n_groups, sizeof *mesh->group_tag);
    add_array(hash, mesh->groups, mesh->n_elements, sizeof *mesh->groups);
}

mt_status mt_mesh_hash(const mt_mesh *mesh, char text[MT_HASH_SIZE])
{
    const size_t n = mesh->n_elements;
    mt_hash hash;
    MT_TRY(mt_hash_begin(&hash));
    add_array(&hash, mesh->xyz_mm, 3 * mesh->n_vertices, sizeof *mesh->xyz_mm);
    add_array(&hash, mesh->element_vertex, 4 * n, sizeof *mesh->element_vertex);
    add_array(&hash, mesh->region, n, sizeof *mesh->region);
    add_array(&hash, mesh->fibre, 3 * n, sizeof *mesh->fibre);
    add_array(&hash, mesh->sheet, 3 * n, sizeof *mesh->sheet);
    add_array(&hash, mesh->depth, n, sizeof *mesh->depth);
    add_array(&hash, mesh->layer, n, sizeof *mesh->layer);
    add_array(&hash, mesh->face_vertex, 3 * mesh->n_faces, sizeof *mesh->face_vertex);
    add_array(&hash, mesh->face_tag, mesh->n_faces, sizeof *mesh->face_tag);
    add_names(&hash, mesh);
    if (mesh->segment) add_array(&hash, mesh->segment, n, sizeof *mesh->segment); /* likewise */
    mt_hash_end(&hash, text);
    return MT_OK;
}
