#include "solver/outputs/leads.h"

#include <stdbool.h>
#include <string.h>

static const char *const lead_name[MT_LEADS_STANDARD] = {
    "I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6"};
static const char *const limb_name[MT_LIMBS] = {"RA", "LA", "LL"};

/* Returns the number of the electrode with this name; n if there is none. */
static size_t find(size_t n, const char *const *electrode, const char *name)
{
    size_t e = 0;
    while (e < n && strcmp(electrode[e], name) != 0) e++;
    return e;
}

/* Finds the electrodes of the standard leads and appends the names of these leads. */
static void find_standard(mt_leads *leads, size_t n, const char *const *electrode, const char **name)
{
    for (size_t k = 0; k < MT_LIMBS; k++)
        if ((leads->limb[k] = find(n, electrode, limb_name[k])) == n) return;
    for (size_t k = 0; k < MT_LEADS_LIMB; k++) name[leads->n++] = lead_name[k];
    for (size_t k = MT_LEADS_LIMB; k < MT_LEADS_STANDARD; k++) {
        const size_t e = find(n, electrode, lead_name[k]);
        if (e == n) continue;
        leads->chest[leads->n - MT_LEADS_LIMB] = e;
        name[leads->n++] = lead_name[k];
    }
    leads->n_standard = leads->n;
}

/* True for an electrode of the standard leads, or the ground. */
static bool is_used(const mt_leads *leads, const char *const *electrode, size_t e)
{
    if (leads->n_standard == 0) return false;
    for (size_t k = 0; k < MT_LIMBS; k++)
        if (leads->limb[k] == e) return true;
    for (size_t k = MT_LEADS_LIMB; k < leads->n_standard; k++)
        if (leads->chest[k - MT_LEADS_LIMB] == e) return true;
    return strcmp(electrode[e], "RL") == 0;
}

/* Electrodes V1 to V6 have the names of their leads; they are used. */
static mt_status check_other(const char *electrode)
{
    for (size_t k = 0; k < MT_LEADS_STANDARD; k++)
        if (strcmp(electrode, lead_name[k]) == 0)
            return mt_fail(MT_INPUT,
                "electrode '%s' has the name of a lead that RA, LA and LL define; allowed: another name",
                electrode);
    return MT_OK;
}

mt_status mt_leads_make(mt_arena *arena, size_t n, const char *const *electrode, mt_leads *leads)
{
    const char **name;
    size_t *others;
    *leads = (mt_leads){0};
    MT_ALLOC(arena, name, n + MT_LEADS_LIMB);
    MT_ALLOC(arena, others, n);
    find_standard(leads, n, electrode, name);
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
    for (size_t k = MT_LEADS_LIMB; k < leads->n_standard; k++)
        lead[k] = phi[leads->chest[k - MT_LEADS_LIMB]] - terminal;
}

void mt_leads_values(const mt_leads *leads, const double *phi_mV, double *lead_mV)
{
    if (leads->n_standard > 0) standard_values(leads, phi_mV, lead_mV);
    for (size_t k = leads->n_standard; k < leads->n; k++)
        lead_mV[k] = phi_mV[leads->others[k - leads->n_standard]];
}

size_t mt_leads_standard(size_t n, const char *const *name)
{
    size_t k = 0, chest = MT_LEADS_LIMB;
    while (k < n && k < MT_LEADS_LIMB && strcmp(name[k], lead_name[k]) == 0) k++;
    if (k < MT_LEADS_LIMB) return 0;
    for (; k < n && chest < MT_LEADS_STANDARD; chest++) k += strcmp(name[k], lead_name[chest]) == 0;
    return k;
}

size_t mt_leads_chest(const char *name)
{
    size_t k = 0;
    while (k < MT_CHEST && strcmp(name, lead_name[MT_LEADS_LIMB + k]) != 0) k++;
    return k;
}
