#include "mesh/repair/repair.h"

#include <stdlib.h>
#include <string.h>

#include "mesh/adjacency.h"
#include "mesh/repair/form.h"
#include "mesh/repair/pieces.h"
#include "mesh/repair/runs.h"

static void turn(mt_mesh *mesh, mt_repair *repair)
{
    for (size_t c = 0; c < mesh->n_elements; c++) repair->turned += mt_form_of(mesh, c) == MT_FORM_INVERTED;
    (void)mt_mesh_orient(mesh);
}

/* State shared by the steps. */
typedef struct repairing {
    mt_arena *arena;
    mt_mesh *mesh;
    uint8_t *dead; /* [initial n_elements] nonzero for elements to remove */
    mt_repair *repair;
    mt_pieces pieces;
} repairing;

static void kill_duplicates(void *context, mt_face *run, size_t n)
{
    repairing *m = context;
    if (n < 2) return;
    n = mt_run_order(m->mesh, run, n);
    for (size_t k = 1; k < n; k++)
        if (mt_run_opposite(m->mesh, &run[k]) == mt_run_opposite(m->mesh, &run[k - 1]))
            m->dead[run[k].element] = 1;
}

typedef struct member {
    int side;
    double volume_mm3;
    uint32_t element;
} member;

static int compare_members(const void *left, const void *right)
{
    const member *a = left, *b = right;
    if (a->side != b->side) return a->side - b->side;
    if (a->volume_mm3 != b->volume_mm3) return a->volume_mm3 > b->volume_mm3 ? -1 : 1;
    return (a->element > b->element) - (a->element < b->element);
}

typedef struct crowd {
    repairing *repairing;
    member *members; /* buffer for the longest run */
} crowd;

/* Marks all but the largest of the elements on each side of a face. */
static void thin_out(void *context, mt_face *run, size_t n)
{
    const crowd *c = context;
    repairing *m = c->repairing;
    size_t alive = 0;
    if (n < 3) return;
    for (size_t k = 0; k < n; k++)
        if (!m->dead[run[k].element])
            c->members[alive++] = (member){
                mt_run_side(m->mesh, &run[k]), mt_mesh_volume_mm3(m->mesh, run[k].element), run[k].element};
    if (alive < 3) return;
    qsort(c->members, alive, sizeof *c->members, compare_members);
    for (size_t k = 1; k < alive; k++)
        if (c->members[k].side == c->members[k - 1].side) m->dead[c->members[k].element] = 1;
}

static void join_run(void *context, mt_face *run, size_t n)
{
    repairing *m = context;
    mt_pieces_join(&m->pieces, run, n);
}

static mt_status drop_duplicates(mt_arena *scratch, repairing *m)
{
    mt_faces faces;
    for (size_t c = 0; c < m->mesh->n_elements; c++) m->dead[c] = mt_form_repeats(m->mesh, c);
    m->repair->repeated = mt_mesh_remove_elements(m->mesh, m->dead);
    MT_TRY(mt_repeats_merge(m->arena, m->mesh, NULL, &m->repair->repeats));
    MT_TRY(mt_repeats_note(m->arena, m->mesh, &m->repair->repeats));
    MT_TRY(mt_faces_make(scratch, m->mesh, &faces));
    mt_runs_each(&faces, kill_duplicates, m);
    m->repair->duplicates = mt_mesh_remove_elements(m->mesh, m->dead);
    return MT_OK;
}

static mt_status drop_flat(mt_arena *scratch, repairing *m)
{
    (void)scratch;
    MT_TRY(mt_flat_remove(m->mesh, m->dead, &m->repair->flat));
    (void)mt_mesh_remove_elements(m->mesh, m->dead);
    return MT_OK;
}

static mt_status drop_overlapping(mt_arena *scratch, repairing *m)
{
    mt_faces faces;
    crowd c = {.repairing = m};
    size_t longest = 0;
    MT_TRY(mt_faces_make(scratch, m->mesh, &faces));
    for (size_t v = 0; v < faces.n_vertices; v++)
        if (faces.start[v + 1] - faces.start[v] > longest) longest = faces.start[v + 1] - faces.start[v];
    MT_ALLOC(scratch, c.members, longest);
    mt_runs_each(&faces, thin_out, &c);
    m->repair->overlapping = mt_mesh_remove_elements(m->mesh, m->dead);
    return MT_OK;
}

static mt_status drop_pieces(mt_arena *scratch, repairing *m)
{
    mt_faces faces;
    MT_TRY(mt_faces_make(scratch, m->mesh, &faces));
    MT_TRY(mt_pieces_begin(scratch, m->mesh->n_elements, &m->pieces));
    mt_runs_each(&faces, join_run, m);
    MT_TRY(mt_pieces_end(scratch, m->mesh, &m->pieces));
    if (m->pieces.n < 2) return MT_OK;
    m->repair->pieces = m->pieces.n - 1;
    for (size_t c = 0; c < m->mesh->n_elements; c++) m->dead[c] = m->pieces.first[c] != m->pieces.largest;
    m->repair->piece_elements = mt_mesh_remove_elements(m->mesh, m->dead);
    return MT_OK;
}

/* Removes triangles with a repeated or missing vertex. */
static void drop_triangles(mt_mesh *mesh, const uint8_t *used, mt_repair *repair)
{
    size_t n = 0;
    for (size_t f = 0; f < mesh->n_faces; f++) {
        const uint32_t *v = mesh->face_vertex + 3 * f;
        if (mt_mesh_triangle_repeats(v) || !used[v[0]] || !used[v[1]] || !used[v[2]]) continue;
        memmove(mesh->face_vertex + 3 * n, v, 3 * sizeof *v);
        mesh->face_tag[n++] = mesh->face_tag[f];
    }
    repair->triangles = mesh->n_faces - n;
    mesh->n_faces = n;
}

static mt_status drop_vertices(mt_arena *scratch, repairing *m)
{
    mt_mesh *mesh = m->mesh;
    const size_t n_vertices = mesh->n_vertices;
    uint8_t *used;
    MT_TRY(mt_mesh_used(scratch, mesh, &used));
    drop_triangles(mesh, used, m->repair);
    MT_TRY(mt_mesh_keep_vertices(scratch, mesh, used));
    m->repair->vertices = n_vertices - mesh->n_vertices;
    return MT_OK;
}

static mt_status check_repaired(mt_arena *scratch, repairing *m)
{
    mt_adjacency adjacency;
    if (m->mesh->n_elements == 0) return mt_fail(MT_INPUT, "no element is left after the repair");
    MT_TRY(mt_mesh_check(m->mesh));
    return mt_adjacency_make(scratch, m->mesh, &adjacency);
}

mt_status mt_repair_mesh(mt_arena *arena, mt_mesh *mesh, mt_repair *repair)
{
    static mt_status (*const steps[])(mt_arena * scratch, repairing * m) = {
        drop_duplicates, drop_flat, drop_overlapping, drop_pieces, drop_vertices, check_repaired};
    MT_SCRATCH(lasting);
    repairing m = {.arena = arena, .mesh = mesh, .repair = repair};
    *repair = (mt_repair){0};
    MT_ALLOC(lasting, m.dead, mesh->n_elements);
    turn(mesh, repair);
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        MT_SCRATCH(scratch);
        MT_TRY(steps[k](scratch, &m));
    }
    return MT_OK;
}
