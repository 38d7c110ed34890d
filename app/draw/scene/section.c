#include "app/draw/scene/section.h"

#include <math.h>
#include <string.h>

/* Computes the intersection of an edge with the plane; bitwise equal for both orders of its vertices. */
static void cross_plane(const mt_plot *p, uint32_t v, uint32_t w, double at[3])
{
    const double *a = p->sample + 3 * (size_t)(v < w ? v : w), *b = p->sample + 3 * (size_t)(v < w ? w : v);
    const double part = ((double)p->cut - a[2]) / (b[2] - a[2]);
    for (int k = 0; k < 2; k++) at[k] = a[k] + part * (b[k] - a[k]);
    at[2] = (double)p->cut;
}

static bool is_in_front(const mt_plot *p, uint32_t vertex)
{
    return p->sample[3 * (size_t)vertex + 2] > (double)p->cut;
}

/* Computes the corners of an element's section, in cyclic order. Returns their number: 0, 3 or 4. */
static size_t cut_element(const mt_plot *p, const uint32_t *vertex, double corner[4][3])
{
    uint32_t side[2][4]; /* vertices beyond the plane, and in front of it */
    size_t n[2] = {0};
    for (size_t k = 0; k < 4; k++) {
        const size_t front = is_in_front(p, vertex[k]);
        side[front][n[front]++] = vertex[k];
    }
    if (n[0] == 0 || n[1] == 0) return 0;
    if (n[0] == 2) {
        static const size_t turn[4][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}};
        for (size_t k = 0; k < 4; k++) cross_plane(p, side[0][turn[k][0]], side[1][turn[k][1]], corner[k]);
        return 4;
    }
    const size_t lone = n[1] == 1;
    for (size_t k = 0; k < 3; k++) cross_plane(p, side[lone][0], side[1 - lone][k], corner[k]);
    return 3;
}

static void fill_element(mt_plot *p, const mt_view_surface *s, size_t element, double light)
{
    const double of = (double)s->element_value[element], value[3] = {of, of, of},
                 lights[3] = {light, light, light};
    double corner[4][3];
    const size_t n = cut_element(p, s->mesh->element_vertex + 4 * element, corner);
    for (size_t k = 2; k < n; k++)
        mt_plot_triangle(p, 0, (const double *const[]){corner[0], corner[k - 1], corner[k]}, value, lights);
}

/* Inks the intersection of the plane and a face of the surface. */
static void draw_outline(mt_plot *p, const uint32_t vertex[3])
{
    mt_plot_segment line;
    double *end[2] = {line.from, line.to};
    size_t n = 0;
    for (size_t k = 0; k < 3; k++) {
        const uint32_t v = vertex[k], w = vertex[(k + 1) % 3];
        if (is_in_front(p, v) != is_in_front(p, w) && n < 2) cross_plane(p, v, w, end[n++]);
    }
    if (n == 2) mt_plot_ink(p, &line, 0.6 * MT_VIEW_SUPER, 0.8);
}

void mt_section_draw(mt_plot *p, const mt_view_surface *s, const mt_view *v)
{
    const double light = mt_view_light(v, v->toward);
    for (size_t c = 0; c < s->mesh->n_elements; c++) fill_element(p, s, c, light);
    for (size_t face = 0; face < s->n_faces; face++) draw_outline(p, s->face_vertex + 3 * face);
}
