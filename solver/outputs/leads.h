/* The leads of an ECG from the potentials at its electrodes.
 *
 * With the electrodes RA, LA (right and left arm) and LL (left leg) the six limb leads are
 *
 *     I   = LA - RA        aVR = RA - (LA + LL) / 2
 *     II  = LL - RA        aVL = LA - (RA + LL) / 2
 *     III = LL - LA        aVF = LL - (RA + LA) / 2
 *
 * and each of the chest electrodes V1 to V6 has a lead against Wilson's terminal, Vk = Vk - (RA + LA + LL) / 3: the leads of Einthoven and
 * Goldberger, and the chest leads (J. Malmivuo and R. Plonsey, Bioelectromagnetism, Oxford 1995, chapter 15). Hence I + III = II and aVR +
 * aVL + aVF = 0. With all nine electrodes these are the twelve standard leads. The potentials of all other electrodes follow, except RL,
 * the right leg, which is the ground and not part of any lead. If one of RA, LA and LL is missing, there are no standard leads, only the
 * potential of each electrode. With standard leads no other electrode may have the name of a lead. */
#pragma once

#include <stddef.h>

#include "data/core/arena.h"
#include "data/core/status.h"

enum { MT_LEADS_LIMB = 6, MT_LEADS_STANDARD = 12, MT_LIMBS = 3, MT_CHEST = 6 };

typedef struct mt_leads {
    size_t n;
    /* number of standard leads, which are first: MT_LEADS_LIMB and one for each existing V1 to V6; or 0 */
    size_t n_standard;
    const char *const *name; /* [n] in the order I, II, III, aVR, aVL, aVF, V1 .. V6, others */
    size_t limb[MT_LIMBS];   /* numbers of the electrodes RA, LA and LL */
    size_t chest[MT_CHEST];  /* numbers of the existing electrodes V1 to V6; only with standard leads */
    const size_t *others;    /* [n - n_standard] numbers of the other electrodes */
} mt_leads;

/* Returns the leads of n electrodes with distinct names. Names of electrodes are stored, not copied. MT_INPUT if an electrode that is not
 * part of the standard leads has the name of a lead. MT_MEMORY. */
MT_NODISCARD mt_status mt_leads_make(
    mt_arena *arena, size_t n, const char *const *electrode, mt_leads *leads);

/* Returns the number of standard leads at the start of n leads with these names, in the order of mt_leads_make. */
size_t mt_leads_standard(size_t n, const char *const *name);

/* Returns the index of a chest lead in V1 to V6, from 0; MT_CHEST if the name is not a chest lead. */
size_t mt_leads_chest(const char *name);

/* Computes lead_mV [leads->n] from the potentials of all electrodes. */
void mt_leads_values(const mt_leads *leads, const double *phi_mV, double *lead_mV);
