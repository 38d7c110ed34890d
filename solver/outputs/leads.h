/* The leads of an ECG from the potentials at its electrodes.
 *
 * Of electrodes RA, LA (right and left arm), LL (left leg) and V1 to V6 (chest) the twelve standard leads are
 *
 *     I   = LA - RA        aVR = RA - (LA + LL) / 2        Vk = Vk - (RA + LA + LL) / 3
 *     II  = LL - RA        aVL = LA - (RA + LL) / 2
 *     III = LL - LA        aVF = LL - (RA + LA) / 2
 *
 * Einthoven's, Goldberger's and, against the terminal of Wilson, the chest's (J. Malmivuo and R. Plonsey, Bioelectromagnetism,
 * Oxford 1995, chapter 15). So I + III = II and aVR + aVL + aVF = 0. Behind them stand the potentials of all other electrodes but
 * RL, the right leg, which earths the patient and has no part in any lead. Where one of the nine is missing, there are no
 * standard leads, but the potential of each electrode as it is. Where there are all nine, no other electrode may have the name of a lead:
 * two leads would have one name. */
#ifndef MT_SOLVER_OUTPUTS_LEADS_H
#define MT_SOLVER_OUTPUTS_LEADS_H

#include <stddef.h>

#include "data/arena.h"
#include "data/status.h"

enum { MT_LEADS_STANDARD = 12, MT_LIMBS = 3, MT_CHEST = 6 };

typedef struct mt_leads {
    size_t n;
    size_t n_standard;       /* MT_LEADS_STANDARD, which come first; or 0 */
    const char *const *name; /* [n] in the order I, II, III, aVR, aVL, aVF, V1 .. V6, others */
    size_t limb[MT_LIMBS];   /* which electrodes RA, LA and LL are, */
    size_t chest[MT_CHEST];  /* and V1 to V6; only with standard leads */
    const size_t *others;    /* [n - n_standard] which electrodes the others are */
} mt_leads;

/* Gives the leads of n electrodes with these names, which are all different. Names of electrodes are kept, not copied. MT_INPUT: an
 * electrode beside those of the standard leads has the name of one of these leads. MT_MEMORY. */
MT_NODISCARD mt_status mt_leads_make(
    mt_arena *arena, size_t n, const char *const *electrode, mt_leads *leads);

/* Fills lead_mV [leads->n] from the potentials of all electrodes. */
void mt_leads_values(const mt_leads *leads, const double *phi_mV, double *lead_mV);

#endif
