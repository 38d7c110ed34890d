/* Sites where the activation of a heart begins.
 *
 * The apex, or the earliest endocardial sites of a human heart (D. Durrer et al., Circulation 41, 899, 1970), as in data/cases/s1-s2.yaml:
 * of the left endocardium the middle of the septum, a high anterior and a low posterior site next to the septum, and 8 ms later the free
 * wall of the right ventricle. Each is the vertex of its surface at a fraction of the height from apex to base that is farthest in a
 * direction across the axis, with the elements around it near the endocardium. */
#pragma once

#include "app/heart/heart_mesh.h"
#include "solver/tissue/region.h"

enum { MT_HEART_SITES = 4 };

typedef struct mt_heart_site {
    mt_region region;
    double start_ms;
} mt_heart_site;

/* Depth of the endocardium that conducts fast [mm]: 1.5, or more on coarse meshes. */
double mt_heart_endocardium_mm(const mt_heart_mesh *heart);

/* Fills the sites of a heart with anatomy and returns how many they are: 4, or 3 without a right ventricle. */
size_t mt_heart_sites_find(const mt_heart_mesh *heart, mt_heart_site site[MT_HEART_SITES]);
