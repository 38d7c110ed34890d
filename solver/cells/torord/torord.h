/* The ToR-ORd model of a human ventricular cell, with dynamic chloride: 43 states and the transmembrane voltage.
 *
 * J. Tomek, A. Bueno-Orovio, E. Passini, X. Zhou, A. Minchole, O. Britton, C. Bartolucci, S. Severi, A. Shrier, L. Virag, A. Varro,
 * B. Rodriguez, Development, calibration, and validation of a novel human ventricular myocyte model in health, disease, and drug block,
 * eLife 8 (2019) e48890, doi 10.7554/eLife.48890 (equations and constants: Appendix 1, section 15.3). This is its later version
 * ToR-ORd-dynCl, in which intracellular chloride is dynamic: J. Tomek, A. Bueno-Orovio, B. Rodriguez, bioRxiv (2020), doi
 * 10.1101/2020.06.01.127043.
 *
 * Equations that Tomek et al. inherit are those of T. O'Hara, L. Virag, A. Varro, Y. Rudy, PLoS Comput. Biol. 7 (2011) e1002061,
 * doi 10.1371/journal.pcbi.1002061: I_NaL, I_to, I_Ks, I_NaCa, I_NaK, I_pCa, CaMKII, RyR, SERCA, diffusion between compartments and
 * buffers, with new conductances. I_Na and I_ClCa, I_Clb: after E. Grandi, F. S. Pasqualini, D. M. Bers, J. Mol. Cell. Cardiol. 48 (2010)
 * 112-121. I_Kr: Y. Lu et al., J. Physiol. 537 (2001) 843-851. I_K1: J. Carro et al., Heart Rhythm 8 (2011) 1942-1951.
 *
 * As in the published version, protons of the sodium-potassium pump are 1e-7 (in mM), and its state 1 has the published terms. I_K(ATP), of
 * which the published version opens no channel, is omitted. The occupancy of the first closed state C0 of I_Kr (C3 in the CellML files) is
 * 1 minus that of the other four: C1 (C2 in the files), C2 (C1), O and I.
 *
 * A store that a time step has overdrawn releases nothing (the published time constant of release would be that of a full store again for
 * Ca_jsr below -0.0123 mM, which is never reached with short steps).
 *
 * One step: Rush-Larsen for the gates of I_Na, m_L, x_s2 and release; backward Euler for the states of I_Kr, which are linear at a steady
 * V, and for the diffusion of calcium out of the subspace; forward Euler for all other states. All other terms are evaluated at the start
 * of the step. With multirate stepping APDs are within 0.6 ms of those with uniform stepping, and peaks of Ca_i within 1 % in epi and endo.
 * In mid, where the store almost empties, they are within 4 %.
 *
 * Initial states: those of each type 1000 ms after the last of at least 1000 stimuli of 53 mV/ms for 1 ms, carried by potassium, at a cycle
 * length of 1000 ms with steps of 0.02 ms, from published states. */
#pragma once

#include "solver/cells/torord/torord_parameters.h"

/* The row of the table of models (solver/cells/model.h). */
extern const struct mt_cell_model mt_cell_torord;

/* Layer of the wall. */
typedef enum torord_variant { TORORD_EPI, TORORD_MID, TORORD_ENDO, TORORD_VARIANTS } torord_variant;

/* The states other than V, in storage order. A suffix P: of channels phosphorylated by CaMKII. _I: cytosol, _SS: subspace, NSR, JSR:
 * network and junctional sarcoplasmic reticulum. Concentrations in mM, release in mM/ms; the others are dimensionless. */
typedef enum torord_state {
    TORORD_M,
    TORORD_H,
    TORORD_J,
    TORORD_HP,
    TORORD_JP,
    TORORD_ML,
    TORORD_HL,
    TORORD_HLP,
    TORORD_A,
    TORORD_IF,
    TORORD_IS,
    TORORD_AP,
    TORORD_IFP,
    TORORD_ISP,
    TORORD_D,
    TORORD_FF,
    TORORD_FS,
    TORORD_FCAF,
    TORORD_FCAS,
    TORORD_JCA,
    TORORD_FFP,
    TORORD_FCAFP,
    TORORD_NCA_I,
    TORORD_NCA_SS,
    TORORD_C1,
    TORORD_C2,
    TORORD_O,
    TORORD_I,
    TORORD_XS1,
    TORORD_XS2,
    TORORD_J_REL_NP,
    TORORD_J_REL_P,
    TORORD_CAMK_T,
    TORORD_NA_I,
    TORORD_NA_SS,
    TORORD_K_I,
    TORORD_K_SS,
    TORORD_CL_I,
    TORORD_CL_SS,
    TORORD_CA_I,
    TORORD_CA_SS,
    TORORD_CA_NSR,
    TORORD_CA_JSR,
    TORORD_STATES
} torord_state;

/* The currents [pA/pF], positive outwards: dV/dt is minus their sum. I_CaL, I_CaNa and I_CaK are the parts of the L-type current carried by
 * each ion. */
typedef enum torord_current {
    TORORD_I_NA,
    TORORD_I_NAL,
    TORORD_I_TO,
    TORORD_I_CAL_I,
    TORORD_I_CAL_SS,
    TORORD_I_CANA_I,
    TORORD_I_CANA_SS,
    TORORD_I_CAK_I,
    TORORD_I_CAK_SS,
    TORORD_I_KR,
    TORORD_I_KS,
    TORORD_I_K1,
    TORORD_I_NACA_I,
    TORORD_I_NACA_SS,
    TORORD_I_NAK,
    TORORD_I_KB,
    TORORD_I_NAB,
    TORORD_I_CAB,
    TORORD_I_PCA,
    TORORD_I_CLCA,
    TORORD_I_CLB,
    TORORD_CURRENTS
} torord_current;

/* The functions of V in tables: targets, rates, and what is left of the distance after a time step (decay_of in solver/cells/gates.h), of
 * the gates; exponentials of the channels of I_Kr; parts of currents. */
typedef enum torord_function {
    TORORD_OF_V_M_LEFT,
    TORORD_OF_V_M,
    TORORD_OF_V_ML,
    TORORD_OF_V_H,
    TORORD_OF_V_HP,
    TORORD_OF_V_H_LEFT,
    TORORD_OF_V_J_LEFT,
    TORORD_OF_V_JP_LEFT,
    TORORD_OF_V_HL,
    TORORD_OF_V_HLP,
    TORORD_OF_V_A_RATE,
    TORORD_OF_V_A,
    TORORD_OF_V_AP,
    TORORD_OF_V_I,
    TORORD_OF_V_IF_RATE,
    TORORD_OF_V_IS_RATE,
    TORORD_OF_V_DEVELOP,
    TORORD_OF_V_RECOVER,
    TORORD_OF_V_XS,
    TORORD_OF_V_XS1_RATE,
    TORORD_OF_V_XS2_LEFT,
    TORORD_OF_V_KR_ALPHA,
    TORORD_OF_V_KR_BETA,
    TORORD_OF_V_KR_ALPHA_2,
    TORORD_OF_V_KR_BETA_2,
    TORORD_OF_V_KR_ALPHA_I,
    TORORD_OF_V_KR_BETA_I,
    TORORD_OF_V_KR_TO_I,
    TORORD_OF_V_KR_FROM_I,
    TORORD_OF_V_D_EXPONENT,
    TORORD_OF_V_D_RATE,
    TORORD_OF_V_F,
    TORORD_OF_V_FF_RATE,
    TORORD_OF_V_FS_RATE,
    TORORD_OF_V_FCAF_RATE,
    TORORD_OF_V_FCAS_RATE,
    TORORD_OF_V_JCA,
    TORORD_OF_V_UP_1,
    TORORD_OF_V_PER_1,
    TORORD_OF_V_UP_2,
    TORORD_OF_V_PER_2,
    TORORD_OF_V_CAL_FAST,
    TORORD_OF_V_NAK_IN,
    TORORD_OF_V_NAK_OUT,
    TORORD_OF_V_TO_FAST,
    TORORD_OF_V_KB,
    TORORD_OF_V_HNA,
    TORORD_OF_V_HCA,
    TORORD_FUNCTIONS
} torord_function;
