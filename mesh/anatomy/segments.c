#include "mesh/anatomy/segments.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const mt_segment_name mt_segment_names[MT_SEGMENTS] = {
    {"right_free_wall", "free wall of the right ventricle"},
    {"basal_anterior", "basal anterior"},
    {"basal_anteroseptal", "basal anteroseptal"},
    {"basal_inferoseptal", "basal inferoseptal"},
    {"basal_inferior", "basal inferior"},
    {"basal_inferolateral", "basal inferolateral"},
    {"basal_anterolateral", "basal anterolateral"},
    {"mid_anterior", "mid anterior"},
    {"mid_anteroseptal", "mid anteroseptal"},
    {"mid_inferoseptal", "mid inferoseptal"},
    {"mid_inferior", "mid inferior"},
    {"mid_inferolateral", "mid inferolateral"},
    {"mid_anterolateral", "mid anterolateral"},
    {"apical_anterior", "apical anterior"},
    {"apical_septal", "apical septal"},
    {"apical_inferior", "apical inferior"},
    {"apical_lateral", "apical lateral"},
    {"apex", "apex"},
};

/* Returns the sector, from 0 in the order of segments, of n sectors of which the first begins at `from`. */
static int sector(double rotational, int n, double from)
{
    const double turn = rotational - from;
    const int at = (int)((turn - floor(turn)) * n);
    return at < n ? at : n - 1;
}

int mt_segment_at(double apicobasal, double rotational)
{
    if (apicobasal <= 0.1) return 17;
    if (apicobasal <= 0.4) return 13 + sector(rotational, 4, 11.0 / 24);
    return (apicobasal <= 0.7 ? 7 : 1) + sector(rotational, 6, 1.0 / 2);
}

mt_status mt_segment_parse(const char *text, int32_t *segment)
{
    char *end;
    const long number = strtol(text, &end, 10);
    for (*segment = 1; *segment <= MT_SEGMENT_LAST; ++*segment)
        if (strcmp(text, mt_segment_names[*segment].key) == 0) return MT_OK;
    *segment = number >= 1 && number <= MT_SEGMENT_LAST && isdigit((unsigned char)*text) && !*end
                   ? (int32_t)number
                   : 0;
    if (*segment > 0) return MT_OK;
    return mt_fail(MT_INPUT, "'%.100s'; allowed: 1 to %d, or a name such as mid_anterior or apex", text,
        MT_SEGMENT_LAST);
}

void mt_segments_find(
    const mt_mesh *mesh, const mt_coordinates *coordinates, int32_t *segment, double volume_ml[MT_SEGMENTS])
{
    for (int s = 0; s < MT_SEGMENTS; s++) volume_ml[s] = 0;
    for (size_t e = 0; e < mesh->n_elements; e++) {
        double apicobasal = 0, rotational[4], right = 0;
        for (size_t k = 0; k < 4; k++) {
            const uint32_t v = mesh->element_vertex[4 * e + k];
            apicobasal += coordinates->apicobasal[v] / 4;
            rotational[k] = coordinates->rotational[v];
            right += coordinates->transventricular[v];
        }
        const double turn = mt_coordinates_mean_rotational(4, rotational);
        segment[e] = right > 2 && turn < 2.0 / 3 ? 0 : mt_segment_at(apicobasal, turn);
        volume_ml[segment[e]] += mt_mesh_volume_mm3(mesh, e) / 1000;
    }
}
