/* The leads of an ECG from the potentials at its electrodes.
 *
 * Of the electrodes RA, LA (right and left arm) and LL (left leg) the six limb leads are
 *
 *     I   = LA - RA        aVR = RA - (LA + LL) / 2
 *     II  = LL - RA        aVL = LA - (RA + LL) / 2
 *     III = LL - LA        aVF = LL - (RA + LA) / 2
 *
 * and each of the electrodes V1 to V6 (chest) makes a lead against Wilson's terminal, Vk = Vk - (RA + LA + LL) / 3: Einthoven's,
 * Goldberger's and the chest's leads (J. Malmivuo and R. Plonsey, Bioelectromagnetism, Oxford 1995, chapter 15). So I + III = II and
 * aVR + aVL + aVF = 0. With all nine electrodes these are the twelve standard leads. The potentials of all other electrodes follow, except
 * that of RL, the right leg, which earths the patient and has no part in any lead. If one of RA, LA and LL is missing, there are no
 * standard leads, but the potential of each electrode as it is. With standard leads no other electrode may have the name of a lead:
 * two leads would have one name. */
#pragma once

#include <stddef.h>

#include "data/core/arena.h"
#include "data/core/status.h"

enum { MT_LEADS_LIMB = 6, MT_LEADS_STANDARD = 12, MT_LIMBS = 3, MT_CHEST = 6 };

typedef struct mt_leads {
    size_t n;
    size_t
        n_standard; /* these come first: MT_LEADS_LIMB and one for each of V1 to V6 that is present; or 0 */
    const char *const *name; /* [n] in the order I, II, III, aVR, aVL, aVF, V1 .. V6, others */
    size_t limb[MT_LIMBS];   /* the numbers of the electrodes RA, LA and LL, */
    size_t chest[MT_CHEST];  /* and of those of V1 to V6 that are present; only with standard leads */
    const size_t *others;    /* [n - n_standard] the numbers of the other electrodes */
} mt_leads;

/* Returns the leads of n electrodes with these names, which are all different. Names of electrodes are kept, not copied. MT_INPUT: an
 * electrode other than those of the standard leads has the name of one of these leads. MT_MEMORY. */
MT_NODISCARD mt_status mt_leads_make(
    mt_arena *arena, size_t n, const char *const *electrode, mt_leads *leads);

/* Returns the number of standard leads in front of n leads with these names, as mt_leads_make orders them. */
size_t mt_leads_standard(size_t n, const char *const *name);

/* Returns the place of a chest lead among V1 to V6, from 0; MT_CHEST: the name is that of no chest lead. */
size_t mt_leads_chest(const char *name);

/* Fills lead_mV [leads->n] from the potentials of all electrodes. */
void mt_leads_values(const mt_leads *leads, const double *phi_mV, double *lead_mV);
