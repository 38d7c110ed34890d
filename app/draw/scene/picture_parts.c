#include <math.h>
#include <stdio.h>

#include "app/draw/scene/figure.h"
#include "app/draw/scene/part_colours.h"
#include "app/draw/scene/picture.h"

/* All data of a picture. */
typedef struct parts {
    mt_figure figure;
    const mt_partition *partition;
    mt_part_colours colours;
    mt_plot *plot;       /* current plot for drawing borders */
    const mt_view *view; /* its view */
} parts;

/* ---- colours and borders ---- */

/* Computes the value of each element: group and shade in one number. */
static void fill_values(const parts *p, float *value)
{
    for (size_t c = 0; c < p->partition->n_elements; c++) {
        const size_t group = mt_partition_group_of(p->partition, c);
        value[c] = (float)(group * MT_PART_SHADES_MAX + p->colours.shade[p->partition->part[c]]);
    }
}

static void colour_of_value(const void *context, float value, double linear[3])
{
    const parts *p = context;
    const size_t k = (size_t)value;
    for (int i = 0; i < 3; i++)
        linear[i] = p->colours.linear[k / MT_PART_SHADES_MAX][k % MT_PART_SHADES_MAX][i];
}

/* Inks an edge if it separates two groups and is visible. */
static void draw_border(void *context, const mt_face_pair *meeting)
{
    const parts *p = context;
    const mt_view_surface *surface = &p->figure.surface;
    if (mt_partition_group_of(p->partition, surface->face_element[meeting->face]) ==
        mt_partition_group_of(p->partition, surface->face_element[meeting->other]))
        return;
    if (!mt_view_sees(p->view, surface, meeting->face) && !mt_view_sees(p->view, surface, meeting->other))
        return;
    const mt_plot_segment line = mt_plot_edge(p->plot, meeting);
    mt_plot_ink(p->plot, &line, 0.6 * MT_VIEW_SUPER, 0.8);
}

/* ---- legend ---- */

enum { SHADE_H = 4 }; /* of one shade of a group, pixels */

/* Draws column k of n in the legend: the shades, one below another. */
static void draw_column(mt_page *page, size_t k, size_t n, size_t n_shades, double linear[][3])
{
    const double w = (double)MT_LEGEND_W / (double)n, gap = n > 32 ? 2 : 4;
    const double left = floor(MT_LEGEND_X + w * (double)k + 0.5),
                 right = floor(MT_LEGEND_X + w * (double)(k + 1) + 0.5);
    const double h = n_shades > 1 ? SHADE_H : MT_LEGEND_H;
    for (size_t s = 0; s < n_shades; s++)
        mt_page_fill(page, left, MT_LEGEND_Y + h * (double)s, right - left - gap, h, linear[s]);
}

/* Writes a number below column k of n. */
static void write_number(mt_page *page, size_t k, size_t n)
{
    const double w = (double)MT_LEGEND_W / (double)n;
    char number[32];
    mt_page_number((double)k, number);
    mt_page_grey(page, mt_page_ink);
    mt_page_write(page, MT_LEGEND_X + w * ((double)k + 0.5) - 2, MT_LEGEND_Y + MT_LEGEND_H + 23, MT_MIDDLE,
        16, 100, number);
}

static void write_counts(const parts *p, mt_page *page)
{
    char groups[32], each[32], elements[32], text[128];
    mt_page_number((double)p->colours.n_groups, groups);
    mt_page_number((double)p->partition->parts_per_group, each);
    mt_page_number((double)p->partition->n_elements, elements);
    if (p->colours.n_groups > 1)
        (void)snprintf(text, sizeof text, "%s IPUs of %s tiles, %s elements", groups, each, elements);
    else
        (void)snprintf(text, sizeof text, "%s tiles, %s elements", each, elements);
    mt_page_grey(page, mt_page_secondary);
    mt_page_write(page, MT_LEGEND_X + MT_LEGEND_W, MT_LEGEND_Y - 12, MT_END, 15, 380, text);
}

static void draw_legend(parts *p, mt_page *page)
{
    const size_t n = p->colours.n_groups, every = n <= 16 ? 1 : n <= 32 ? 2 : 4;
    mt_page_grey(page, mt_page_ink);
    mt_page_write(page, MT_LEGEND_X, MT_LEGEND_Y - 12, MT_START, 17, 320,
        n > 1 ? "Colour: IPU; shade: tile" : "Tiles; adjacent tiles differ in colour");
    write_counts(p, page);
    for (size_t s = 0; n == 1 && s < p->colours.n_shades; s++)
        draw_column(page, s, p->colours.n_shades, 1, &p->colours.linear[0][s]);
    for (size_t g = 0; n > 1 && g < n; g++) {
        draw_column(page, g, n, p->colours.n_shades, p->colours.linear[g]);
        if (g % every == 0) write_number(page, g, n);
    }
}

/* ---- the picture ---- */

static mt_status draw(parts *p, mt_arena *scratch, mt_page *page, const char *title)
{
    MT_TRY(mt_figure_draw(&p->figure, scratch, page, colour_of_value, p));
    draw_legend(p, page);
    mt_page_title(page, title);
    return MT_OK;
}

static mt_status make_picture(mt_arena *scratch, const char *path, const mt_mesh *mesh,
    const mt_adjacency *adjacency, parts *p, const char *title)
{
    float *value;
    mt_page page;
    mt_figure *f = &p->figure;
    MT_ALLOC(scratch, value, mesh->n_elements);
    MT_TRY(mt_view_surface_make_flat(scratch, mesh, adjacency, value, &f->surface));
    MT_TRY(mt_part_colours_make(scratch, &f->surface, p->partition, &p->colours));
    fill_values(p, value);
    MT_TRY(mt_figure_make(scratch, f));
    for (size_t k = 0; k < f->n_panels; k++) {
        p->plot = &f->panel[k].plot, p->view = &f->panel[k].view;
        mt_view_surface_meetings(&f->surface, draw_border, p);
    }
    MT_TRY(mt_page_begin(&page));
    return mt_page_end(&page, draw(p, scratch, &page, title), path);
}

mt_status mt_picture_parts(const char *path, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const mt_partition *partition, const char *title)
{
    if (mesh->n_elements == 0 || adjacency->n_elements != mesh->n_elements ||
        partition->n_elements != mesh->n_elements)
        return mt_fail(MT_INPUT,
            "picture: a mesh of %zu elements, an adjacency of %zu and a partition of %zu; all must be "
            "equal and above 0",
            mesh->n_elements, adjacency->n_elements, partition->n_elements);
    MT_TRY(mt_partition_check(partition));
    MT_SCRATCH(scratch);
    parts p = {.partition = partition};
    return make_picture(scratch, path, mesh, adjacency, &p, title);
}
