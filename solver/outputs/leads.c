#include "solver/outputs/leads.h"

#include <stdbool.h>
#include <string.h>

static const char *const lead_name[MT_LEADS_STANDARD] = {
    "I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6"};
static const char *const limb_name[MT_LIMBS] = {"RA", "LA", "LL"};

/* Finds electrodes by their names; false: one is missing. */
static bool find(
    size_t n, const char *const *electrode, size_t n_names, const char *const *name, size_t *found)
{
    for (size_t k = 0; k < n_names; k++) {
        size_t e = 0;
        while (e < n && strcmp(electrode[e], name[k]) != 0) e++;
        if (e == n) return false;
        found[k] = e;
    }
    return true;
}

/* Is it a part of the standard leads, or their earth? */
static bool is_used(const mt_leads *leads, const char *const *electrode, size_t e)
{
    if (leads->n_standard == 0) return false;
    for (size_t k = 0; k < MT_LIMBS; k++)
        if (leads->limb[k] == e) return true;
    for (size_t k = 0; k < MT_CHEST; k++)
        if (leads->chest[k] == e) return true;
    return strcmp(electrode[e], "RL") == 0;
}

/* Electrodes V1 to V6 are called as their leads; they are used. */
static mt_status check_other(const char *electrode)
{
    for (size_t k = 0; k < MT_LEADS_STANDARD; k++)
        if (strcmp(electrode, lead_name[k]) == 0)
            return mt_fail(MT_INPUT,
                "electrode '%s' has the name of a lead that RA, LA, LL and V1 to V6 make; allowed: another "
                "name",
                electrode);
    return MT_OK;
}

mt_status mt_leads_make(mt_arena *arena, size_t n, const char *const *electrode, mt_leads *leads)
{
    const char **name;
    size_t *others;
    *leads = (mt_leads){0};
    if (find(n, electrode, MT_LIMBS, limb_name, leads->limb) &&
        find(n, electrode, MT_CHEST, lead_name + MT_LEADS_STANDARD - MT_CHEST, leads->chest))
        leads->n = leads->n_standard = MT_LEADS_STANDARD;
    MT_ALLOC(arena, name, n + leads->n);
    MT_ALLOC(arena, others, n);
    memcpy(name, lead_name, leads->n_standard * sizeof *name);
    for (size_t e = 0; e < n; e++) {
        if (is_used(leads, electrode, e)) continue;
        if (leads->n_standard > 0) MT_TRY(check_other(electrode[e]));
        others[leads->n - leads->n_standard] = e;
        name[leads->n++] = electrode[e];
    }
    leads->name = name;
    leads->others = others;
    return MT_OK;
}

static void standard_values(const mt_leads *leads, const double *phi, double *lead)
{
    const double ra = phi[leads->limb[0]], la = phi[leads->limb[1]], ll = phi[leads->limb[2]],
                 terminal = (ra + la + ll) / 3;
    lead[0] = la - ra;
    lead[1] = ll - ra;
    lead[2] = ll - la;
    lead[3] = ra - (la + ll) / 2;
    lead[4] = la - (ra + ll) / 2;
    lead[5] = ll - (ra + la) / 2;
    for (size_t k = 0; k < MT_CHEST; k++) lead[6 + k] = phi[leads->chest[k]] - terminal;
}

void mt_leads_values(const mt_leads *leads, const double *phi_mV, double *lead_mV)
{
    if (leads->n_standard > 0) standard_values(leads, phi_mV, lead_mV);
    for (size_t k = leads->n_standard; k < leads->n; k++)
        lead_mV[k] = phi_mV[leads->others[k - leads->n_standard]];
}
