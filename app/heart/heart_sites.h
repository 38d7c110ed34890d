/* Sites of the first activation of a heart.
 *
 * They are the apex, or the earliest endocardial sites of a human heart (D. Durrer et al., Circulation 41, 899, 1970), as in
 * data/cases/s1-s2.yaml: on the left endocardium the middle of the septum, a high anterior and a low posterior site next to the
 * septum, and 8 ms later the free wall of the right ventricle. Each site is the vertex of its surface that is farthest in a
 * transverse direction, at a fraction of the height from apex to base, with the elements around it near the endocardium. */
#pragma once

#include "app/heart/heart_mesh.h"
#include "solver/tissue/region.h"

enum { MT_HEART_SITES = 4 };

typedef struct mt_heart_site {
    mt_region region;
    double start_ms;
} mt_heart_site;

/* Returns the depth of the fast-conducting endocardium [mm]: 1.5, or more on coarse meshes. */
double mt_heart_endocardium_mm(const mt_heart_mesh *heart);

/* Finds the sites of a heart with anatomy and returns their number: 4, or 3 without a right ventricle. */
size_t mt_heart_sites_find(const mt_heart_mesh *heart, mt_heart_site site[MT_HEART_SITES]);
