#include "mesh/mend/defects.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/vec3.h"
#include "mesh/mend/flat.h"

static const double FLAT = 1e-6; /* |6 V| beside the cube of the longest edge */

const mt_defect_kind mt_defect_kinds[MT_DEFECT_KINDS] = {
    [MT_DEFECT_INVERTED] = {"inverted cells", "cell", true},
    [MT_DEFECT_FLAT] = {"flat cells", "cell", true},
    [MT_DEFECT_DUPLICATE] = {"duplicate cells", "cell", true},
    [MT_DEFECT_CROWDED] = {"faces of more than two cells", "cell", true},
    [MT_DEFECT_TRIANGLE] = {"tagged triangles with a repeated vertex", "triangle", true},
    [MT_DEFECT_FOLD] = {"faces with both cells on one side", "cell", false},
    [MT_DEFECT_DANGLING] = {"vertices of no cell", "vertex", false},
    [MT_DEFECT_PIECE] = {"pieces apart from the largest", "cell", false},
    [MT_DEFECT_STRAY] = {"tagged triangles that are no face", "triangle", false},
};

/* ---- one cell ---- */

static bool repeats(const mt_mesh *mesh, size_t cell)
{
    const uint32_t *v = mesh->cell_vertex + 4 * cell;
    return v[0] == v[1] || v[0] == v[2] || v[0] == v[3] || v[1] == v[2] || v[1] == v[3] || v[2] == v[3];
}

static double longest_edge(const mt_mesh *mesh, size_t cell)
{
    double most = 0;
    for (size_t i = 0; i < 4; i++)
        for (size_t j = i + 1; j < 4; j++) {
            const double *a = mesh->xyz_mm + 3 * (size_t)mesh->cell_vertex[4 * cell + i];
            const double *b = mesh->xyz_mm + 3 * (size_t)mesh->cell_vertex[4 * cell + j];
            most = fmax(most, mt_square3(a, b));
        }
    return sqrt(most);
}

/* Where the volume is not finite, or its size too small for a double, the cell counts as flat. */
mt_cell_form mt_cell_form_of(const mt_mesh *mesh, size_t cell)
{
    if (repeats(mesh, cell)) return MT_CELL_REPEATED;
    const double volume = mt_mesh_volume_mm3(mesh, cell), edge = longest_edge(mesh, cell);
    if (!(fabs(6 * volume) > FLAT * (edge * edge * edge)) || !isfinite(volume)) return MT_CELL_FLAT;
    return volume < 0 ? MT_CELL_INVERTED : MT_CELL_SOUND;
}

/* ---- faces and their cells ---- */

static uint32_t opposite(const mt_mesh *mesh, const mt_face *face)
{
    return mesh->cell_vertex[4 * (size_t)face->cell + face->side];
}

static int by_opposite(const void *left, const void *right, void *context)
{
    const mt_face *a = left, *b = right;
    const uint32_t p = opposite(context, a), q = opposite(context, b);
    if (p != q) return p < q ? -1 : 1;
    return (a->cell > b->cell) - (a->cell < b->cell);
}

/* On which side of its face, its corners taken ascending, a cell lies: 1 or -1. Its volume is not 0. */
static int side_of(const mt_mesh *mesh, const mt_face *face)
{
    const uint32_t *v = mesh->cell_vertex + 4 * (size_t)face->cell;
    const uint8_t *corner = mt_mesh_face[face->side];
    const uint32_t a = v[corner[0]], b = v[corner[1]], c = v[corner[2]];
    const int outward = (a < b) + (b < c) + (c < a) == 2 ? 1 : -1;
    return mt_mesh_volume_mm3(mesh, face->cell) > 0 ? outward : -outward;
}

/* The faces of the same three vertices, one run after the other; not those that have a vertex twice. */
typedef void on_run(void *context, uint32_t low, mt_face *run, size_t n);

static void each_run(const mt_faces *faces, on_run *act, void *context)
{
    for (size_t v = 0; v < faces->n_vertices; v++)
        for (size_t k = faces->start[v], next; k < faces->start[v + 1]; k = next) {
            const mt_face *first = faces->face + k;
            next = mt_faces_run(faces, k, faces->start[v + 1]);
            if (first->middle == v || first->middle == first->high) continue;
            act(context, (uint32_t)v, faces->face + k, next - k);
        }
}

/* Puts in front the faces of a run whose cells have no vertex twice, those of cells with the same four vertices behind
 * each other, the first of them first. Returns how many. */
static size_t order_run(const mt_mesh *mesh, mt_face *run, size_t n)
{
    size_t m = 0;
    for (size_t k = 0; k < n; k++)
        if (!repeats(mesh, run[k].cell)) run[m++] = run[k];
    if (m > 1) qsort_r(run, m, sizeof *run, by_opposite, (void *)mesh);
    return m;
}

/* ---- pieces ---- */

static uint32_t root_of(uint32_t *parent, uint32_t cell)
{
    while (parent[cell] != cell) cell = parent[cell] = parent[parent[cell]];
    return cell;
}

static void unite(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = root_of(parent, a), b = root_of(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

/* The pieces of a mesh: parent[c] becomes the first cell of the piece of c. */
typedef struct pieces {
    size_t n;
    uint32_t *parent; /* [n_cells] */
    uint32_t largest; /* first cell of the largest, by volume */
} pieces;

static mt_status pieces_begin(mt_arena *scratch, size_t n_cells, pieces *p)
{
    *p = (pieces){0};
    MT_TAKE(scratch, p->parent, n_cells);
    for (size_t c = 0; c < n_cells; c++) p->parent[c] = (uint32_t)c;
    return MT_OK;
}

static mt_status pieces_end(mt_arena *scratch, const mt_mesh *mesh, pieces *p)
{
    double *volume;
    MT_TAKE(scratch, volume, mesh->n_cells);
    for (size_t c = 0; c < mesh->n_cells; c++) {
        p->parent[c] = root_of(p->parent, (uint32_t)c);
        p->n += p->parent[c] == c;
        volume[p->parent[c]] += fabs(mt_mesh_volume_mm3(mesh, c));
    }
    for (size_t c = 0; c < mesh->n_cells; c++)
        if (p->parent[c] == c && volume[c] > volume[p->largest]) p->largest = (uint32_t)c;
    return MT_OK;
}

/* ---- finding ---- */

typedef struct search {
    const mt_mesh *mesh;
    mt_defects *defects;
    mt_faces faces;
    pieces pieces;
} search;

/* Counts one, and keeps the lowest numbers. */
static void note(mt_defects *defects, mt_defect kind, size_t number)
{
    mt_defect_list *list = &defects->of[kind];
    size_t k = list->count < MT_DEFECT_PLACES ? list->count : MT_DEFECT_PLACES;
    list->count++;
    defects->fatal = defects->fatal || mt_defect_kinds[kind].fatal;
    if (k == MT_DEFECT_PLACES && number >= list->number[k - 1]) return;
    if (k == MT_DEFECT_PLACES) k--;
    for (; k > 0 && list->number[k - 1] > number; k--) list->number[k] = list->number[k - 1];
    list->number[k] = number;
}

static bool has_volume(const mt_mesh *mesh, size_t cell)
{
    const mt_cell_form form = mt_cell_form_of(mesh, cell);
    return form == MT_CELL_SOUND || form == MT_CELL_INVERTED;
}

static void search_run(void *context, uint32_t low, mt_face *run, size_t n)
{
    search *s = context;
    const mt_mesh *mesh = s->mesh;
    const mt_face *first[2] = {NULL, NULL};
    size_t different = 0;
    uint32_t lowest = UINT32_MAX;
    (void)low;
    for (size_t k = 1; k < n; k++) unite(s->pieces.parent, run[0].cell, run[k].cell);
    if (n < 2) return;
    n = order_run(mesh, run, n);
    for (size_t k = 0; k < n; k++) {
        const uint32_t top = opposite(mesh, &run[k]);
        const bool again = k > 0 && opposite(mesh, &run[k - 1]) == top;
        lowest = run[k].cell < lowest ? run[k].cell : lowest;
        /* a cell has one face whose opposite vertex is its highest: there it is counted */
        if (again && top > run[k].high) note(s->defects, MT_DEFECT_DUPLICATE, run[k].cell);
        if (again) continue;
        if (different < 2) first[different] = &run[k];
        different++;
    }
    if (different > 2) note(s->defects, MT_DEFECT_CROWDED, lowest);
    if (different == 2 && has_volume(mesh, first[0]->cell) && has_volume(mesh, first[1]->cell) &&
        side_of(mesh, first[0]) == side_of(mesh, first[1]))
        note(s->defects, MT_DEFECT_FOLD, lowest);
}

static int compare_corners(const void *left, const void *right)
{
    const mt_face *a = left, *b = right;
    if (a->middle != b->middle) return a->middle < b->middle ? -1 : 1;
    return (a->high > b->high) - (a->high < b->high);
}

static bool is_face(const mt_faces *faces, const uint32_t v[3])
{
    uint32_t corner[3] = {v[0], v[1], v[2]};
    mt_face_sort(corner);
    const mt_face key = {.middle = corner[1], .high = corner[2]};
    const size_t *start = faces->start + corner[0];
    return bsearch(&key, faces->face + start[0], start[1] - start[0], sizeof key, compare_corners) != NULL;
}

static bool repeats_corner(const uint32_t v[3]) { return v[0] == v[1] || v[1] == v[2] || v[2] == v[0]; }

static void search_triangles(search *s)
{
    for (size_t f = 0; f < s->mesh->n_faces; f++) {
        const uint32_t *v = s->mesh->face_vertex + 3 * f;
        if (repeats_corner(v))
            note(s->defects, MT_DEFECT_TRIANGLE, f);
        else if (!is_face(&s->faces, v))
            note(s->defects, MT_DEFECT_STRAY, f);
    }
}

static void search_cells(search *s)
{
    for (size_t c = 0; c < s->mesh->n_cells; c++) {
        const mt_cell_form form = mt_cell_form_of(s->mesh, c);
        if (form == MT_CELL_INVERTED) note(s->defects, MT_DEFECT_INVERTED, c);
        if (form == MT_CELL_FLAT || form == MT_CELL_REPEATED) note(s->defects, MT_DEFECT_FLAT, c);
    }
}

static mt_status mark_used(mt_arena *scratch, const mt_mesh *mesh, uint8_t **used)
{
    MT_TAKE(scratch, *used, mesh->n_vertices);
    for (size_t k = 0; k < 4 * mesh->n_cells; k++) (*used)[mesh->cell_vertex[k]] = 1;
    return MT_OK;
}

static void find_places(const mt_mesh *mesh, mt_defects *defects)
{
    for (int kind = 0; kind < MT_DEFECT_KINDS; kind++) {
        mt_defect_list *list = &defects->of[kind];
        for (size_t k = 0; k < list->count && k < MT_DEFECT_PLACES; k++) {
            const size_t number = list->number[k];
            double *at = list->at_mm[k];
            if (strcmp(mt_defect_kinds[kind].of, "cell") == 0)
                mt_mesh_centroid(mesh, number, at);
            else if (strcmp(mt_defect_kinds[kind].of, "vertex") == 0)
                memcpy(at, mesh->xyz_mm + 3 * number, 3 * sizeof *at);
            else
                for (size_t i = 0; i < 9; i++)
                    at[i % 3] += mesh->xyz_mm[3 * (size_t)mesh->face_vertex[3 * number + i / 3] + i % 3] / 3;
        }
    }
}

static mt_status search_all(mt_arena *scratch, search *s)
{
    const mt_mesh *mesh = s->mesh;
    uint8_t *used;
    MT_TRY(mark_used(scratch, mesh, &used));
    for (size_t v = 0; v < mesh->n_vertices; v++)
        if (!used[v]) note(s->defects, MT_DEFECT_DANGLING, v);
    search_cells(s);
    MT_TRY(mt_faces_make(scratch, mesh, &s->faces));
    MT_TRY(pieces_begin(scratch, mesh->n_cells, &s->pieces));
    each_run(&s->faces, search_run, s);
    search_triangles(s);
    MT_TRY(pieces_end(scratch, mesh, &s->pieces));
    for (size_t c = 0; c < mesh->n_cells; c++)
        if (s->pieces.parent[c] == c && c != s->pieces.largest) note(s->defects, MT_DEFECT_PIECE, c);
    return MT_OK;
}

mt_status mt_defects_find(const mt_mesh *mesh, mt_defects *defects)
{
    mt_arena scratch = {0};
    search s = {.mesh = mesh, .defects = defects};
    *defects = (mt_defects){0};
    const mt_status status = search_all(&scratch, &s);
    mt_arena_free(&scratch);
    if (status == MT_OK) find_places(mesh, defects);
    return status;
}

/* ---- saying ---- */

void mt_defect_text(const mt_defects *defects, mt_defect kind, char *out, size_t size)
{
    const mt_defect_list *list = &defects->of[kind];
    size_t used;
    (void)snprintf(out, size, "%s: %zu", mt_defect_kinds[kind].name, list->count);
    for (size_t k = 0; k < list->count && k < MT_DEFECT_PLACES; k++) {
        used = strlen(out);
        (void)snprintf(out + used, size - used, "%s%s %zu at %.6g %.6g %.6g mm", k == 0 ? " (" : ",",
            k == 0 ? mt_defect_kinds[kind].of : "", list->number[k], list->at_mm[k][0], list->at_mm[k][1],
            list->at_mm[k][2]);
    }
    used = strlen(out);
    if (list->count > 0)
        (void)snprintf(out + used, size - used, "%s)", list->count > MT_DEFECT_PLACES ? ", ..." : "");
}

mt_status mt_defects_refuse(const mt_defects *defects, const char *path)
{
    static const char *const cures[MT_DEFECT_KINDS] = {[MT_DEFECT_INVERTED] = "turns inverted cells",
        [MT_DEFECT_FLAT] = "closes or removes flat ones",
        [MT_DEFECT_DUPLICATE] = "removes duplicates",
        [MT_DEFECT_CROWDED] = "removes the smaller cells of crowded faces",
        [MT_DEFECT_TRIANGLE] = "drops such triangles"};
    char what[800] = "", cure[200] = "";
    if (!defects->fatal) return MT_OK;
    for (int kind = 0; kind < MT_DEFECT_KINDS; kind++) {
        const size_t used = strlen(what), told = strlen(cure);
        if (!mt_defect_kinds[kind].fatal || defects->of[kind].count == 0) continue;
        (void)snprintf(what + used, sizeof what - used, "%s", used ? "; " : "");
        mt_defect_text(defects, (mt_defect)kind, what + strlen(what), sizeof what - strlen(what));
        (void)snprintf(cure + told, sizeof cure - told, "%s%s", told ? ", " : "", cures[kind]);
    }
    return mt_fail(MT_INPUT, "%.200s: %s; --repair %s", path, what, cure);
}

/* ---- mending ---- */

/* Moves item k of `each` bytes to place n, of an array that may not be there. */
static void move_item(void *items, size_t each, size_t k, size_t n)
{
    if (items) memmove((char *)items + each * n, (char *)items + each * k, each);
}

static size_t drop_cells(mt_mesh *mesh, uint8_t *dead)
{
    size_t n = 0;
    for (size_t c = 0; c < mesh->n_cells; c++) {
        if (dead[c]) continue;
        if (n < c) {
            move_item(mesh->cell_vertex, 4 * sizeof *mesh->cell_vertex, c, n);
            move_item(mesh->region, sizeof *mesh->region, c, n);
            move_item(mesh->fibre, 3 * sizeof *mesh->fibre, c, n);
            move_item(mesh->sheet, 3 * sizeof *mesh->sheet, c, n);
            move_item(mesh->depth, sizeof *mesh->depth, c, n);
            move_item(mesh->layer, sizeof *mesh->layer, c, n);
        }
        n++;
    }
    const size_t dropped = mesh->n_cells - n;
    memset(dead, 0, mesh->n_cells);
    mesh->n_cells = n;
    return dropped;
}

static void turn(mt_mesh *mesh, mt_repair *repair)
{
    for (size_t c = 0; c < mesh->n_cells; c++) repair->turned += mt_cell_form_of(mesh, c) == MT_CELL_INVERTED;
    (void)mt_mesh_orient(mesh);
}

/* What the steps share. */
typedef struct mending {
    mt_mesh *mesh;
    uint8_t *dead; /* [n_cells as there were at first] */
    mt_repair *repair;
    pieces pieces;
} mending;

static void kill_duplicates(void *context, uint32_t low, mt_face *run, size_t n)
{
    mending *m = context;
    (void)low;
    if (n < 2) return;
    n = order_run(m->mesh, run, n);
    for (size_t k = 1; k < n; k++)
        if (opposite(m->mesh, &run[k]) == opposite(m->mesh, &run[k - 1])) m->dead[run[k].cell] = 1;
}

typedef struct member {
    int side;
    double volume_mm3;
    uint32_t cell;
} member;

static int compare_members(const void *left, const void *right)
{
    const member *a = left, *b = right;
    if (a->side != b->side) return a->side - b->side;
    if (a->volume_mm3 != b->volume_mm3) return a->volume_mm3 > b->volume_mm3 ? -1 : 1;
    return (a->cell > b->cell) - (a->cell < b->cell);
}

typedef struct crowd {
    mending *mending;
    member *members; /* room for the longest run */
} crowd;

/* Of the cells on one side of a face the largest stays. */
static void thin_out(void *context, uint32_t low, mt_face *run, size_t n)
{
    const crowd *c = context;
    mending *m = c->mending;
    size_t alive = 0;
    (void)low;
    if (n < 3) return;
    for (size_t k = 0; k < n; k++)
        if (!m->dead[run[k].cell])
            c->members[alive++] =
                (member){side_of(m->mesh, &run[k]), mt_mesh_volume_mm3(m->mesh, run[k].cell), run[k].cell};
    if (alive < 3) return;
    qsort(c->members, alive, sizeof *c->members, compare_members);
    for (size_t k = 1; k < alive; k++)
        if (c->members[k].side == c->members[k - 1].side) m->dead[c->members[k].cell] = 1;
}

static void join_run(void *context, uint32_t low, mt_face *run, size_t n)
{
    mending *m = context;
    (void)low;
    for (size_t k = 1; k < n; k++) unite(m->pieces.parent, run[0].cell, run[k].cell);
}

static mt_status drop_duplicates(mt_arena *scratch, mending *m)
{
    mt_faces faces;
    for (size_t c = 0; c < m->mesh->n_cells; c++) m->dead[c] = repeats(m->mesh, c);
    m->repair->repeated = drop_cells(m->mesh, m->dead);
    MT_TRY(mt_faces_make(scratch, m->mesh, &faces));
    each_run(&faces, kill_duplicates, m);
    m->repair->duplicates = drop_cells(m->mesh, m->dead);
    return MT_OK;
}

static mt_status drop_flat(mt_arena *scratch, mending *m)
{
    (void)scratch;
    MT_TRY(mt_flat_remove(m->mesh, m->dead, m->repair));
    (void)drop_cells(m->mesh, m->dead);
    return MT_OK;
}

static mt_status drop_overlapping(mt_arena *scratch, mending *m)
{
    mt_faces faces;
    crowd c = {.mending = m};
    size_t longest = 0;
    MT_TRY(mt_faces_make(scratch, m->mesh, &faces));
    for (size_t v = 0; v < faces.n_vertices; v++)
        if (faces.start[v + 1] - faces.start[v] > longest) longest = faces.start[v + 1] - faces.start[v];
    MT_TAKE(scratch, c.members, longest);
    each_run(&faces, thin_out, &c);
    m->repair->overlapping = drop_cells(m->mesh, m->dead);
    return MT_OK;
}

static mt_status drop_pieces(mt_arena *scratch, mending *m)
{
    mt_faces faces;
    MT_TRY(mt_faces_make(scratch, m->mesh, &faces));
    MT_TRY(pieces_begin(scratch, m->mesh->n_cells, &m->pieces));
    each_run(&faces, join_run, m);
    MT_TRY(pieces_end(scratch, m->mesh, &m->pieces));
    if (m->pieces.n < 2) return MT_OK;
    m->repair->pieces = m->pieces.n - 1;
    for (size_t c = 0; c < m->mesh->n_cells; c++) m->dead[c] = m->pieces.parent[c] != m->pieces.largest;
    m->repair->piece_cells = drop_cells(m->mesh, m->dead);
    return MT_OK;
}

/* Triangles whose vertices are there and differ stay. */
static void drop_triangles(mt_mesh *mesh, const uint8_t *used, mt_repair *repair)
{
    size_t n = 0;
    for (size_t f = 0; f < mesh->n_faces; f++) {
        const uint32_t *v = mesh->face_vertex + 3 * f;
        if (repeats_corner(v) || !used[v[0]] || !used[v[1]] || !used[v[2]]) continue;
        move_item(mesh->face_vertex, 3 * sizeof *mesh->face_vertex, f, n);
        move_item(mesh->face_tag, sizeof *mesh->face_tag, f, n);
        n++;
    }
    repair->triangles = mesh->n_faces - n;
    mesh->n_faces = n;
}

static mt_status drop_vertices(mt_arena *scratch, mending *m)
{
    mt_mesh *mesh = m->mesh;
    uint8_t *used;
    uint32_t *number;
    size_t n = 0;
    MT_TRY(mark_used(scratch, mesh, &used));
    MT_TAKE(scratch, number, mesh->n_vertices);
    drop_triangles(mesh, used, m->repair);
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        if (!used[v]) continue;
        move_item(mesh->xyz_mm, 3 * sizeof *mesh->xyz_mm, v, n);
        number[v] = (uint32_t)n++;
    }
    for (size_t k = 0; k < 4 * mesh->n_cells; k++) mesh->cell_vertex[k] = number[mesh->cell_vertex[k]];
    for (size_t k = 0; k < 3 * mesh->n_faces; k++) mesh->face_vertex[k] = number[mesh->face_vertex[k]];
    m->repair->vertices = mesh->n_vertices - n;
    mesh->n_vertices = n;
    return MT_OK;
}

static mt_status check_mended(mt_arena *scratch, mending *m)
{
    mt_adjacency adjacency;
    if (m->mesh->n_cells == 0) return mt_fail(MT_INPUT, "the repair leaves no cell");
    MT_TRY(mt_mesh_check(m->mesh));
    return mt_adjacency_make(scratch, m->mesh, &adjacency);
}

mt_status mt_defects_repair(mt_mesh *mesh, mt_repair *repair)
{
    static mt_status (*const steps[])(mt_arena * scratch, mending * m) = {
        drop_duplicates, drop_flat, drop_overlapping, drop_pieces, drop_vertices, check_mended};
    mt_arena lasting = {0};
    mending m = {.mesh = mesh, .repair = repair};
    mt_status status = MT_OK;
    *repair = (mt_repair){0};
    MT_TAKE(&lasting, m.dead, mesh->n_cells);
    turn(mesh, repair);
    for (size_t k = 0; k < sizeof steps / sizeof *steps && status == MT_OK; k++) {
        mt_arena scratch = {0};
        status = steps[k](&scratch, &m);
        mt_arena_free(&scratch);
    }
    mt_arena_free(&lasting);
    return status;
}
