#include "app/heart/heart_sites.h"

#include <math.h>

#include "data/core/vec3.h"

#define RADIUS_MM 8
#define DEPTH_MM 1.5

/* A site: its direction, towards the right ventricle and the anterior wall, and its height above the apex as a fraction of that of
 * the base. */
typedef struct place {
    int32_t surface;
    double to_rv, to_front, height, start_ms;
} place;

static const place places[MT_HEART_SITES] = {
    {MT_SURFACE_LV, 1, 0, 0.56, 0},
    {MT_SURFACE_LV, 0.48, 0.88, 0.72, 0},
    {MT_SURFACE_LV, 0.51, -0.86, 0.42, 0},
    {MT_SURFACE_RV, 0.8, 0.6, 0.5, 8},
};

double mt_heart_endocardium_mm(const mt_heart_mesh *heart)
{
    return fmax(DEPTH_MM, 1.2 * heart->size.length_mm);
}

/* Computes unit vectors: up, to the right ventricle, to the anterior wall. Without a right ventricle the second is any
 * perpendicular to the first. */
static void find_frame(const mt_landmarks *l, double frame[3][3])
{
    for (int k = 0; k < 3; k++) frame[0][k] = l->up[k], frame[1][k] = l->to_rv[k];
    if (mt_length3(frame[1]) == 0) {
        const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
        mt_cross3(l->up, fabs(l->up[0]) < 0.9 ? x : y, frame[1]);
        const double length = mt_length3(frame[1]);
        for (int k = 0; k < 3; k++) frame[1][k] /= length;
    }
    mt_cross3(frame[0], frame[1], frame[2]);
}

/* Finds the vertex of the site's surface that is farthest in its direction, with a penalty of 2 mm per mm of height difference. */
static void find_place(const mt_heart_mesh *heart, double frame[3][3], const place *p, double at_mm[3])
{
    const mt_mesh *mesh = &heart->mesh;
    const double *apex = mesh->xyz_mm + 3 * heart->landmarks.apex;
    double to_base[3], most = -INFINITY;
    mt_minus3(heart->landmarks.base_mm, apex, to_base);
    const double height_mm = p->height * mt_dot3(to_base, frame[0]);
    for (size_t i = 0; i < 3 * mesh->n_faces; i++) {
        if (mesh->face_tag[i / 3] != p->surface) continue;
        const double *x = mesh->xyz_mm + 3 * (size_t)mesh->face_vertex[i];
        double way[3];
        mt_minus3(x, apex, way);
        const double far = p->to_rv * mt_dot3(way, frame[1]) + p->to_front * mt_dot3(way, frame[2]) -
                           2 * fabs(mt_dot3(way, frame[0]) - height_mm);
        if (far <= most) continue;
        most = far;
        for (int k = 0; k < 3; k++) at_mm[k] = x[k];
    }
}

size_t mt_heart_sites_find(const mt_heart_mesh *heart, mt_heart_site site[MT_HEART_SITES])
{
    double frame[3][3];
    size_t n = 0;
    find_frame(&heart->landmarks, frame);
    for (size_t k = 0; k < MT_HEART_SITES; k++) {
        const place *p = &places[k];
        if (p->surface == MT_SURFACE_RV && !heart->has_rv) continue;
        mt_region *r = &site[n].region;
        double at_mm[3] = {0};
        *r = mt_region_empty;
        find_place(heart, frame, p, at_mm);
        for (int i = 0; i < 3; i++) r->centre_mm[i] = round(at_mm[i] * 10) / 10; /* rounded as in the case */
        r->surface = p->surface == MT_SURFACE_RV ? "rv_endocardium" : "lv_endocardium";
        r->depth_mm = fmax(DEPTH_MM, round(17.5 * heart->size.length_mm) / 10);
        r->radius_mm = fmax(RADIUS_MM, ceil(7 * heart->size.length_mm));
        site[n++].start_ms = p->start_ms;
    }
    return n;
}
