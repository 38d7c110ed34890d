#include "mesh/scale.h"

#include <math.h>
#include <string.h>

#include "data/core/utf8.h"
#include "data/core/vec3.h"

mt_status mt_unit_mm(const char *name, double *mm)
{
    static const struct {
        const char *name;
        double mm;
    } units[] = {{"um", 1e-3}, {"mm", 1}, {"cm", 10}, {"m", 1000}};
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        if (strcmp(name, units[u].name) == 0) {
            *mm = units[u].mm;
            return MT_OK;
        }
    return mt_fail(MT_INPUT, "unit %s; allowed: um, mm, cm, m", mt_utf8_shown(name));
}

double mt_scale_extent_mm(const double low_mm[3], const double high_mm[3])
{
    double side_mm[3];
    mt_minus3(high_mm, low_mm, side_mm);
    return fmax(side_mm[0], fmax(side_mm[1], side_mm[2]));
}

double mt_scale_distance_mm(const double low_mm[3], const double high_mm[3], const double at_mm[3])
{
    double outside_mm[3];
    for (int k = 0; k < 3; k++) outside_mm[k] = fmax(0, fmax(low_mm[k] - at_mm[k], at_mm[k] - high_mm[k]));
    return sqrt(mt_dot3(outside_mm, outside_mm));
}

const char *mt_scale_advice(double extent_mm, double length_mm)
{
    if (!(length_mm > MT_SCALE_FAR * extent_mm)) return "";
    if (extent_mm < MT_SCALE_LEAST_MM)
        return "; the mesh appears to be in centimetres or metres: `myotile mesh convert IN OUT --unit` "
               "converts it";
    if (length_mm / 1000 <= MT_SCALE_FAR * extent_mm)
        return "; this appears to be in micrometres: 1 mm = 1000 um";
    return "; is this in mm?";
}
