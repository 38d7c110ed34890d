#include "solver/outputs/chest.h"

#include <math.h>

#include "data/core/vec3.h"

#define LEAST_MM 10 /* smallest distance between an electrode and the heart */

/* Positions left, posterior and superior of the heart's centre. */
static const mt_electrode in_chest[MT_CHEST_ELECTRODES] = {
    {"RA", {-180, 20, 180}},
    {"LA", {150, 20, 180}},
    {"LL", {60, 0, -350}},
    {"V1", {-45, -75, 15}},
    {"V2", {0, -80, 15}},
    {"V3", {30, -78, -5}},
    {"V4", {60, -68, -25}},
    {"V5", {95, -30, -25}},
    {"V6", {110, 20, -25}},
};

static void find_middle(const mt_mesh *mesh, double middle_mm[3])
{
    double volume = 0;
    for (int k = 0; k < 3; k++) middle_mm[k] = 0;
    for (size_t c = 0; c < mesh->n_elements; c++) {
        double x[3];
        const double v = mt_mesh_volume_mm3(mesh, c);
        mt_mesh_centroid(mesh, c, x);
        for (int k = 0; k < 3; k++) middle_mm[k] += v * x[k];
        volume += v;
    }
    for (int k = 0; k < 3; k++) middle_mm[k] /= volume;
}

static mt_status check_distance(const mt_mesh *mesh, const mt_electrode *electrode)
{
    double nearest = INFINITY;
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        double away[3];
        mt_minus3(mesh->xyz_mm + 3 * v, electrode->at_mm, away);
        nearest = fmin(nearest, mt_length3(away));
    }
    if (nearest >= LEAST_MM) return MT_OK;
    return mt_fail(MT_INPUT, "electrode %s would be %.2g mm from the heart; allowed: at least %d mm",
        electrode->name, nearest, LEAST_MM);
}

/* Computes the directions left, posterior and superior from the landmarks of a heart. */
static mt_status find_directions(const mt_landmarks *landmarks, double chest[3][3])
{
    /* orthogonal unit vectors in the chest: directions of the apex, the right ventricle and the inferior wall */
    const double sin_45 = sqrt(0.5), sin_60 = sqrt(0.75), sin_30 = 0.5;
    const double in[3][3] = {{sin_60 * sin_45, -sin_60 * sin_45, -sin_30}, {-sin_45, -sin_45, 0},
        {-sin_30 * sin_45, sin_30 * sin_45, -sin_60}};
    double axis[3][3];
    for (int k = 0; k < 3; k++) axis[0][k] = -landmarks->up[k], axis[1][k] = landmarks->to_rv[k];
    if (mt_length3(axis[1]) == 0)
        return mt_fail(
            MT_INPUT, "without a right ventricle the orientation of the heart in the chest is unknown");
    mt_cross3(axis[0], axis[1], axis[2]);
    for (int d = 0; d < 3; d++)
        for (int k = 0; k < 3; k++) chest[d][k] = 0;
    for (int a = 0; a < 3; a++)
        for (int d = 0; d < 3; d++)
            for (int k = 0; k < 3; k++) chest[d][k] += in[a][d] * axis[a][k];
    return MT_OK;
}

mt_status mt_chest_electrodes(
    const mt_mesh *mesh, const mt_landmarks *landmarks, mt_electrode electrode[MT_CHEST_ELECTRODES])
{
    double chest[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, middle_mm[3];
    if (landmarks) MT_TRY(find_directions(landmarks, chest));
    find_middle(mesh, middle_mm);
    for (int e = 0; e < MT_CHEST_ELECTRODES; e++) {
        electrode[e].name = in_chest[e].name;
        for (int k = 0; k < 3; k++) electrode[e].at_mm[k] = middle_mm[k];
        for (int d = 0; d < 3; d++)
            for (int k = 0; k < 3; k++) electrode[e].at_mm[k] += in_chest[e].at_mm[d] * chest[d][k];
        MT_TRY(check_distance(mesh, &electrode[e]));
    }
    return MT_OK;
}
