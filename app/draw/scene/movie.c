#include "app/draw/scene/movie.h"

#include <math.h>
#include <stdio.h>

#include "app/draw/png.h"
#include "app/draw/scene/bar.h"
#include "app/draw/scene/figure.h"

enum { LAST_LONGER_MS = 1000 };

/* What is the same in all frames, and what the next one needs. */
typedef struct film {
    const mt_movie *movie;
    mt_figure figure;
    mt_view_rim rim;
    mt_png png;
    size_t frame;
    float *values; /* [n_elements] */
    mt_bar bar;
} film;

/* ---- legend ---- */

static void draw_legend(mt_page *page, const film *f)
{
    char time[64];
    (void)snprintf(time, sizeof time, "%.6g ms", f->movie->time_ms[f->frame]);
    mt_bar_draw(page, &f->bar, f->movie->label, f->movie->unit);
    mt_page_write(page, MT_LEGEND_X + MT_LEGEND_W, MT_LEGEND_Y - 12, MT_END, 26, 300, time);
}

/* ---- frames ---- */

static mt_status add_picture(void *context, const unsigned char *argb, size_t stride)
{
    film *f = context;
    const unsigned show_ms =
        f->movie->show_ms + (f->frame + 1 == f->movie->n_frames ? (unsigned)LAST_LONGER_MS : 0);
    return mt_png_add(&f->png, argb, stride, show_ms > UINT16_MAX ? UINT16_MAX : (uint16_t)show_ms);
}

static mt_status draw(const film *f, mt_page *page)
{
    mt_arena scratch = {0};
    const mt_status status = mt_figure_draw(&f->figure, &scratch, page, mt_bar_colour, &f->bar);
    mt_arena_free(&scratch);
    draw_legend(page, f);
    mt_page_title(page, f->movie->title);
    return status;
}

static mt_status add_frame(film *f)
{
    mt_page page;
    MT_TRY(f->movie->give(f->movie->context, f->frame, f->values));
    mt_view_rim_values(&f->rim, f->values, &f->figure.surface);
    for (size_t k = 0; k < f->figure.n_panels; k++)
        mt_plot_revalue(&f->figure.panel[k].plot, &f->figure.surface);
    MT_TRY(mt_page_begin(&page));
    return mt_page_give(&page, draw(f, &page), add_picture, f);
}

/* ---- the whole ---- */

static mt_status check(const mt_movie *m)
{
    if (m->mesh->n_elements == 0 || m->adjacency->n_elements != m->mesh->n_elements)
        return mt_fail(MT_INPUT,
            "movie: a mesh of %zu elements and an adjacency of %zu; both must be the same, above 0",
            m->mesh->n_elements, m->adjacency->n_elements);
    if (m->n_frames == 0 || m->n_frames > INT32_MAX)
        return mt_fail(MT_INPUT, "movie: %zu frames; 1 to %d are allowed", m->n_frames, INT32_MAX);
    if (!(m->low < m->high) || !isfinite(m->high - m->low))
        return mt_fail(MT_INPUT, "movie: a scale from %g to %g; it must go up", m->low, m->high);
    if (m->show_ms < 1 || m->show_ms > UINT16_MAX)
        return mt_fail(MT_INPUT, "movie: frames of %u ms; 1 to %d are allowed", m->show_ms, (int)UINT16_MAX);
    return MT_OK;
}

mt_status mt_movie_write(const char *path, const mt_movie *movie)
{
    MT_TRY(check(movie));
    MT_SCRATCH(scratch);
    film *f;
    MT_ALLOC(scratch, f, 1);
    MT_ALLOC(scratch, f->values, movie->mesh->n_elements);
    f->movie = movie;
    f->bar.low = movie->low, f->bar.high = movie->high;
    mt_bar_make(&f->bar);
    MT_TRY(mt_view_surface_make_flat(scratch, movie->mesh, movie->adjacency, f->values, &f->figure.surface));
    f->figure.moves = true;
    MT_TRY(mt_figure_make(scratch, &f->figure));
    MT_TRY(mt_view_rim_make(scratch, &f->figure.surface, &f->rim));
    MT_TRY(mt_png_begin(scratch, path, MT_PAGE_WIDTH, MT_PAGE_HEIGHT, (uint32_t)movie->n_frames, &f->png));
    mt_status status = MT_OK;
    for (; f->frame < movie->n_frames && status == MT_OK && !ferror(f->png.file.stream); f->frame++)
        status = add_frame(f); /* a full disk is told at the end */
    return mt_png_end(&f->png, status);
}
