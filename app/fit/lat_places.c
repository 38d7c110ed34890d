#include "app/fit/lat_places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/progress.h"
#include "mesh/scale.h"

static const double least_mm_ms = 0.01, most_mm_ms = 20, small_part = 0.2;

/* ---- extents ---- */

typedef struct box {
    double low_mm[3], high_mm[3];
} box;

static const box nowhere = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void extend(box *b, const double xyz_mm[3])
{
    for (int k = 0; k < 3; k++) {
        b->low_mm[k] = fmin(b->low_mm[k], xyz_mm[k]);
        b->high_mm[k] = fmax(b->high_mm[k], xyz_mm[k]);
    }
}

static box box_of_tissue(const mt_fit_surface *surface)
{
    box b;
    mt_mesh_box(&surface->mesh, b.low_mm, b.high_mm);
    return b;
}

static box box_of_points(const mt_lat_points *points)
{
    box b = nowhere;
    for (size_t k = 0; k < points->n; k++) extend(&b, points->point[k].xyz_mm);
    return b;
}

static double extent_of(const box *b) { return mt_scale_extent_mm(b->low_mm, b->high_mm); }

/* ---- checks ---- */

static mt_status fail_far(
    const mt_lat_points *points, const mt_fit_surface *surface, const char *name, double max_mm)
{
    const box p = box_of_points(points), s = box_of_tissue(surface);
    return mt_fail(MT_INPUT,
        "%s: found no point within %g mm of the surface '%s': x_mm %.4g to %.4g, y_mm %.4g to %.4g, z_mm "
        "%.4g to %.4g; needed: coordinates of the mesh, %.4g to %.4g, %.4g to %.4g, %.4g to %.4g mm%s",
        points->path, max_mm, name, p.low_mm[0], p.high_mm[0], p.low_mm[1], p.high_mm[1], p.low_mm[2],
        p.high_mm[2], s.low_mm[0], s.high_mm[0], s.low_mm[1], s.high_mm[1], s.low_mm[2], s.high_mm[2],
        mt_scale_advice(extent_of(&s), extent_of(&p)));
}

static mt_status check_extent(
    const mt_lat_points *points, const mt_lat_places *places, const mt_fit_surface *surface, double points_mm)
{
    const box tissue = box_of_tissue(surface);
    const double whole_mm = extent_of(&tissue), element_mm = mt_mesh_length_mm(&surface->mesh);
    if (places->n > 1 && points_mm < element_mm)
        return mt_fail(MT_INPUT,
            "%s: found %zu points with an extent of %.3g mm, less than an element of %.3g mm; needed: points "
            "across the tissue of %.3g mm, with coordinates in mm",
            points->path, places->n, points_mm, element_mm, whole_mm);
    if (places->n > 1 && points_mm < small_part * whole_mm)
        mt_warn("%s: found points with an extent of %.3g mm on tissue of %.3g mm; expected, unless it is a "
                "map of a small part: coordinates in mm",
            points->path, points_mm, whole_mm);
    return MT_OK;
}

static mt_status check_times(const mt_lat_points *points, const mt_lat_places *places, double points_mm)
{
    size_t first = 0, last = 0;
    for (size_t k = 1; k < places->n; k++) {
        if (places->lat_ms[k] < places->lat_ms[first]) first = k;
        if (places->lat_ms[k] > places->lat_ms[last]) last = k;
    }
    const double range_ms = places->lat_ms[last] - places->lat_ms[first], mm_ms = points_mm / range_ms;
    if (places->n < 2 || (mm_ms >= least_mm_ms && mm_ms <= most_mm_ms)) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: lat_ms: found %.6g (line %zu) to %.6g (line %zu) at points with an extent of %.3g mm, so %.3g "
        "mm/ms; allowed: %g to %g mm/ms, with times in ms and without outliers",
        points->path, places->lat_ms[first], points->point[places->point[first]].row, places->lat_ms[last],
        points->point[places->point[last]].row, points_mm, mm_ms, least_mm_ms, most_mm_ms);
}

/* ---- repeated points ---- */

/* Place, LAT and row of a point. */
typedef struct measured {
    double number[4];
    size_t row;
} measured;

static int compare(const void *a, const void *b)
{
    const measured *x = a, *y = b;
    for (int k = 0; k < 4; k++)
        if (x->number[k] != y->number[k]) return x->number[k] < y->number[k] ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static mt_status warn_of_repeated(const mt_lat_points *points)
{
    MT_SCRATCH(scratch);
    measured *list;
    size_t n = 0, first = 0;
    MT_ALLOC(scratch, list, points->n);
    for (size_t k = 0; k < points->n; k++) {
        const mt_lat_point *p = &points->point[k];
        list[k] = (measured){{p->xyz_mm[0], p->xyz_mm[1], p->xyz_mm[2], p->lat_ms}, p->row};
    }
    qsort(list, points->n, sizeof *list, compare);
    for (size_t k = 1; k < points->n; k++) {
        if (memcmp(list[k].number, list[k - 1].number, sizeof list[k].number) != 0) continue;
        if (n++ == 0 || list[k].row < first) first = list[k].row;
    }
    if (n > 0)
        mt_warn("%s: found %zu points with the place and the LAT of an earlier line, the first in line %zu; "
                "each counts as a measurement, so that standard errors are too small",
            points->path, n, first);
    return MT_OK;
}

/* ---- places ---- */

static mt_status project(mt_arena *arena, const mt_lat_points *points, const mt_fit_surface *surface,
    double max_mm, mt_lat_places *places, box *used)
{
    MT_ALLOC(arena, places->point, points->n);
    MT_ALLOC(arena, places->place, points->n);
    MT_ALLOC(arena, places->lat_ms, points->n);
    MT_ALLOC(arena, places->weight, points->n);
    *used = nowhere;
    for (size_t k = 0; k < points->n; k++) {
        const mt_lat_point *point = &points->point[k];
        mt_fit_place *place = &places->place[places->n];
        mt_fit_surface_project(surface, point->xyz_mm, place);
        places->mean_mm += place->distance_mm / (double)points->n;
        places->most_mm = fmax(places->most_mm, place->distance_mm);
        if (place->distance_mm > max_mm) continue;
        extend(used, point->xyz_mm);
        places->point[places->n] = (uint32_t)k;
        places->lat_ms[places->n] = point->lat_ms;
        places->weight[places->n++] = point->weight;
    }
    places->n_far = points->n - places->n;
    return MT_OK;
}

mt_status mt_lat_places_make(mt_arena *arena, const mt_lat_points *points, const mt_fit_surface *surface,
    const char *name, double max_mm, mt_lat_places *places)
{
    box used;
    *places = (mt_lat_places){0};
    MT_TRY(project(arena, points, surface, max_mm, places, &used));
    if (places->n == 0) return fail_far(points, surface, name, max_mm);
    if (places->n_far > 0)
        mt_warn("%s: found %zu of %zu points farther than %g mm from the surface '%s'; they are left out",
            points->path, places->n_far, points->n, max_mm, name);
    MT_TRY(check_extent(points, places, surface, extent_of(&used)));
    MT_TRY(check_times(points, places, extent_of(&used)));
    return warn_of_repeated(points);
}
