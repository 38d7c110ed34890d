/* The equations of the ToR-ORd model: one step of LANES cells at once.
 *
 * Source of every equation and constant: see solver/cells/torord/torord.h. Units: mV, ms, mM, pA/pF (= mV/ms), mS/uF.
 *
 * As published, term by term. If a function has two branches of voltage, both are computed and one is selected, so that all lanes do the
 * same. Fluxes of Goldman, Hodgkin and Katz take their 0/0 at V = 0 from expm1: x / (exp(x) - 1) -> 1 for x -> 0. */
#include "solver/kernels/functions.h"
#include "solver/cells/gates.h"
#include "solver/cells/torord/torord.h"

#define MODEL cell_torord
#define MODEL_MULTIRATE cell_torord_multirate
#define MODEL_CURRENTS cell_torord_currents
#define MODEL_TABULATED cell_torord_tabulated
#define MODEL_TABULATED_MULTIRATE cell_torord_tabulated_multirate
#define MODEL_FUNCTIONS cell_torord_functions
enum {
    STATES = TORORD_STATES,
    CONSTANTS = TORORD_CONSTANTS,
    CURRENTS = TORORD_CURRENTS,
    FUNCTIONS = TORORD_FUNCTIONS
};

/* A function of V: its value, or the number in its table. */
#define OF_V(name, value) function_of_v(p, TORORD_OF_V_##name, value)

/* (x - from) / by, and its exponential */
#define SCALED(x, from, by) (((x)-K(from)) * K(1.0 / (by)))
#define EXP(x, from, by) lanes_exp(SCALED(x, from, by))
/* 1 / (1 + exp((x - from) / by)): falls from 1 to 0 for by > 0 */
#define LOGISTIC(x, from, by) (K(1) / (K(1) + EXP(x, from, by)))

/* Advances a gate: over many time steps by relaxation, over one by forward Euler. */
static inline lanes gate_step(pace p, lanes gate, lanes target, lanes rate)
{
    const lanes euler = gate + p.step * ((target - gate) * rate);
    return pace_choose(p, euler, p.relaxes ? relax(p.dt, gate, target, rate) : euler);
}

/* Gates of the sodium current. Below and above -40 mV the rates of h and j are different functions. */
static inline void sodium_gates(pace p, lanes v, const lanes s[STATES], lanes next[STATES])
{
    const lanes m_rate = K(1) / (K(0.1292) * lanes_exp(-square(SCALED(v, -45.79, 15.54))) +
                                    K(0.06487) * lanes_exp(-square(SCALED(v, 4.823, 51.12))));
    const lanes m_left = decay_of(p, TORORD_OF_V_M_LEFT, m_rate),
                m_inf = OF_V(M, square(LOGISTIC(v, -56.86, -9.03))),
                ml_inf = OF_V(ML, LOGISTIC(v, -42.85, -5.264));
    next[TORORD_M] = m_inf + (s[TORORD_M] - m_inf) * m_left;
    next[TORORD_ML] = ml_inf + (s[TORORD_ML] - ml_inf) * m_left;

    const real knee = K(-40);
    const lanes none = v * K(0);
    const lanes inf = OF_V(H, square(LOGISTIC(v, -71.55, 7.43))),
                hp_inf = OF_V(HP, square(LOGISTIC(v, -77.55, 7.43)));
    const lanes h_alpha = lanes_select_below(v, knee, K(0.057) * EXP(v, -80, -6.8), none);
    const lanes h_beta =
        lanes_select_below(v, knee, K(2.7) * lanes_exp(K(0.079) * v) + K(3.1e5) * lanes_exp(K(0.3485) * v),
            K(0.77 / 0.13) * LOGISTIC(v, -10.66, -11.1));
    const lanes h_left = decay_of(p, TORORD_OF_V_H_LEFT, h_alpha + h_beta);
    next[TORORD_H] = inf + (s[TORORD_H] - inf) * h_left;
    next[TORORD_HP] = hp_inf + (s[TORORD_HP] - hp_inf) * h_left;

    const lanes j_alpha = lanes_select_below(v, knee,
        (K(-2.5428e4) * lanes_exp(K(0.2444) * v) - K(6.948e-6) * lanes_exp(K(-0.04391) * v)) *
            (v + K(37.78)) / (K(1) + lanes_exp(K(0.311) * (v + K(79.23)))),
        none);
    const lanes j_beta = lanes_select_below(v, knee,
        K(0.02424) * lanes_exp(K(-0.01052) * v) / (K(1) + lanes_exp(K(-0.1378) * (v + K(40.14)))),
        K(0.6) * lanes_exp(K(0.057) * v) / (K(1) + lanes_exp(K(-0.1) * (v + K(32)))));
    const lanes j_rate = j_alpha + j_beta;
    next[TORORD_J] = inf + (s[TORORD_J] - inf) * decay_of(p, TORORD_OF_V_J_LEFT, j_rate);
    next[TORORD_JP] = inf + (s[TORORD_JP] - inf) * decay_of(p, TORORD_OF_V_JP_LEFT, K(1 / 1.46) * j_rate);
}

static inline void late_sodium_gates(
    pace p, const lanes c[CONSTANTS], lanes v, const lanes s[STATES], lanes next[STATES])
{
    const lanes rate = c[TORORD_HL_RATE];
    next[TORORD_HL] = gate_step(p, s[TORORD_HL], OF_V(HL, LOGISTIC(v, -87.61, 7.488)), rate);
    next[TORORD_HLP] = gate_step(p, s[TORORD_HLP], OF_V(HLP, LOGISTIC(v, -93.81, 7.488)), K(1.0 / 3) * rate);
}

static inline void transient_outward_gates(
    pace p, const lanes c[CONSTANTS], lanes v, const lanes s[STATES], lanes next[STATES])
{
    const lanes a_rate = OF_V(A_RATE, K(1 / (1.0515 * 1.2089)) * LOGISTIC(v, 18.4099, -29.3814) +
                                          K(3.5 / 1.0515) * LOGISTIC(v, -100, 29.3814));
    next[TORORD_A] = gate_step(p, s[TORORD_A], OF_V(A, LOGISTIC(v, 14.34, -14.82)), a_rate);
    next[TORORD_AP] = gate_step(p, s[TORORD_AP], OF_V(AP, LOGISTIC(v, 24.34, -14.82)), a_rate);

    const lanes inf = OF_V(I, LOGISTIC(v, -43.94, 5.711)),
                epi = K(1) - c[TORORD_DELTA_EPI] * LOGISTIC(v, -70, 5);
    const lanes fast = K(4.562) + K(1) / (K(0.3933) * EXP(v, -100, -100) + K(0.08004) * EXP(v, -50, 16.59));
    const lanes slow =
        K(23.62) + K(1) / (K(0.001416) * EXP(v, -96.52, -59.05) + K(1.78e-8) * EXP(v, -114.1, 8.079));
    const lanes fast_rate = OF_V(IF_RATE, K(1) / (fast * epi)),
                slow_rate = OF_V(IS_RATE, K(1) / (slow * epi));
    next[TORORD_IF] = gate_step(p, s[TORORD_IF], inf, fast_rate);
    next[TORORD_IS] = gate_step(p, s[TORORD_IS], inf, slow_rate);

    /* The second exponential passes through all magnitudes within a few mV: it has no table. */
    const lanes develop = K(1.354) + K(1e-4) / (OF_V(DEVELOP, EXP(v, 167.4, 15.89)) + EXP(v, 12.23, -0.2154));
    const lanes recover = OF_V(RECOVER, K(1) - K(0.5) * LOGISTIC(v, -70, 20));
    const lanes slower = K(1) / (develop * recover);
    next[TORORD_IFP] = gate_step(p, s[TORORD_IFP], inf, fast_rate * slower);
    next[TORORD_ISP] = gate_step(p, s[TORORD_ISP], inf, slow_rate * slower);
}

static inline void slow_potassium_gates(pace p, lanes v, const lanes s[STATES], lanes next[STATES])
{
    const lanes inf = OF_V(XS, LOGISTIC(v, -11.6, -8.932));
    const lanes tau =
        K(817.3) + K(1) / (K(2.326e-4) * EXP(v, -48.28, 17.8) + K(0.001292) * EXP(v, -210, -230));
    next[TORORD_XS1] = gate_step(p, s[TORORD_XS1], inf, OF_V(XS1_RATE, K(1) / tau));
    const lanes left =
        decay_of(p, TORORD_OF_V_XS2_LEFT, K(0.01) * EXP(v, 50, 20) + K(0.0193) * EXP(v, -66.54, -31));
    next[TORORD_XS2] = inf + (s[TORORD_XS2] - inf) * left;
}

/* Channels of I_Kr: C0 - C1 - C2, and a triangle of C2, O and I. A backward Euler step: the equations are linear, and are solved by
 * elimination of C0 and C1 from one end and of I from the other. All terms of the eliminated equations are positive sums, so that no digits
 * cancel; in the comments, d is the time step. */
static inline void rapid_potassium_channel(
    pace p, lanes d, lanes x, const lanes s[STATES], lanes next[STATES])
{
    const lanes alpha = d * K(0.1161) * OF_V(KR_ALPHA, lanes_exp(K(0.2990) * x)),
                beta = d * K(0.2442) * OF_V(KR_BETA, lanes_exp(K(-1.604) * x));
    const lanes alpha_1 = d * K(0.154375), beta_1 = d * K(0.1911);
    const lanes alpha_2 = d * K(0.0578) * OF_V(KR_ALPHA_2, lanes_exp(K(0.9710) * x)),
                beta_2 = d * K(0.349e-3) * OF_V(KR_BETA_2, lanes_exp(K(-1.062) * x));
    const lanes alpha_i = d * K(0.2533) * OF_V(KR_ALPHA_I, lanes_exp(K(0.5953) * x)),
                beta_i = d * K(0.06525) * OF_V(KR_BETA_I, lanes_exp(K(-0.8209) * x));
    const lanes to_i = d * K(0.52e-4) * OF_V(KR_TO_I, lanes_exp(K(1.525) * x));
    /* by detailed balance, beta_2 beta_i to_i / (alpha_2 alpha_i) */
    const lanes from_i = d * K(0.349e-3 * 0.06525 * 0.52e-4 / (0.0578 * 0.2533)) *
                         OF_V(KR_FROM_I, lanes_exp(K(-1.062 - 0.8209 + 1.525 - 0.9710 - 0.5953) * x));

    const lanes c0 = K(1) - s[TORORD_C1] - s[TORORD_C2] - s[TORORD_O] - s[TORORD_I];
    const lanes kept_0 = K(1) / (K(1) + alpha); /* C0 = kept_0 (c0 + beta C1) */
    const lanes per_1 = K(1) / (K(1) + alpha_1 + beta * kept_0);
    const lanes with_0 = s[TORORD_C1] + alpha * kept_0 * c0; /* C1 = per_1 (with_0 + beta_1 C2) */
    const lanes kept_i = K(1) / (K(1) + from_i + beta_i);    /* I = kept_i (i + to_i C2 + alpha_i O) */

    /* (stays_2 + to_open) C2 = of_2 + to_2 O,  (stays_o + to_2) O = of_o + to_open C2 */
    const lanes to_open = alpha_2 + beta_i * to_i * kept_i, to_2 = beta_2 + from_i * alpha_i * kept_i;
    const lanes stays_2 = K(1) + beta_1 * (K(1) + beta * kept_0) * per_1 + to_i * kept_i,
                stays_o = K(1) + alpha_i * kept_i;
    const lanes of_2 = s[TORORD_C2] + alpha_1 * per_1 * with_0 + from_i * kept_i * s[TORORD_I],
                of_o = s[TORORD_O] + beta_i * kept_i * s[TORORD_I];
    const lanes per_determinant = K(1) / (stays_2 * (stays_o + to_2) + to_open * stays_o);
    const lanes c2 = ((stays_o + to_2) * of_2 + to_2 * of_o) * per_determinant,
                o = ((stays_2 + to_open) * of_o + to_open * of_2) * per_determinant;
    next[TORORD_C1] = per_1 * (with_0 + beta_1 * c2);
    next[TORORD_C2] = c2;
    next[TORORD_O] = o;
    next[TORORD_I] = kept_i * (s[TORORD_I] + to_i * c2 + alpha_i * o);
}

/* Over k time steps in four parts, since one such step of backward Euler would lag behind. */
static inline void rapid_potassium_channels(pace p, lanes x, const lanes s[STATES], lanes next[STATES])
{
    enum { PARTS = 4 };
    lanes part[PARTS + 1][STATES];
    rapid_potassium_channel(p, p.dt, x, s, next);
    if (!p.relaxes) return;
    for (int k = TORORD_C1; k <= TORORD_I; k++) part[0][k] = s[k];
    for (int n = 0; n < PARTS; n++)
        rapid_potassium_channel(p, K(1.0 / PARTS) * p.dt, x, part[n], part[n + 1]);
    for (int k = TORORD_C1; k <= TORORD_I; k++) next[k] = pace_choose(p, next[k], part[PARTS][k]);
}

/* Steps the fraction of channels that inactivate by calcium, of those at this concentration. */
static inline lanes calcium_bound_step(pace p, lanes nca, lanes jca, lanes calcium)
{
    const real on = K(500);
    const lanes four = square(square(K(1) + K(0.002) / calcium));
    return gate_step(p, nca, on / (on + jca * four), jca);
}

/* Gates of the L-type calcium current. The published target of d is 0 at rest, towards which d would become subnormal in single precision:
 * here it is at least 1e-30. */
static inline void calcium_gates(pace p, lanes v, const lanes s[STATES], lanes next[STATES])
{
    /* Its exponential becomes 0 at rest, with all digits: only the exponent has a table. */
    const lanes exponent = OF_V(D_EXPONENT, K(-1.0070) * lanes_exp(K(-0.0829) * v));
    const lanes d_inf = lanes_select_below(v, K(31.4978), K(1.0763) * lanes_exp(exponent), v * K(0) + K(1));
    const lanes d_tau = K(0.6) + K(1) / (EXP(v, -6, -20) + lanes_exp(K(0.09) * (v + K(14))));
    next[TORORD_D] = gate_step(p, s[TORORD_D], lanes_at_least(d_inf, K(1e-30)), OF_V(D_RATE, K(1) / d_tau));

    const lanes inf = OF_V(F, LOGISTIC(v, -19.58, 3.696));
    const lanes f_up = EXP(v, -20, 10), fca_up = EXP(v, 4, 7);
    const lanes ff_rate = OF_V(FF_RATE, K(1) / (K(7) + K(1 / 0.0045) / (K(1) / f_up + f_up)));
    const lanes fs_rate = OF_V(FS_RATE, K(1) / (K(1000) + K(1 / 3.5e-5) / (EXP(v, -5, -4) + EXP(v, -5, 6))));
    const lanes fcaf_rate = OF_V(FCAF_RATE, K(1) / (K(7) + K(1 / 0.04) / (K(1) / fca_up + fca_up)));
    const lanes fcas_rate =
        OF_V(FCAS_RATE, K(1) / (K(100) + K(1 / 0.00012) / (EXP(v, 0, -3) + EXP(v, 0, 7))));
    next[TORORD_FF] = gate_step(p, s[TORORD_FF], inf, ff_rate);
    next[TORORD_FS] = gate_step(p, s[TORORD_FS], inf, fs_rate);
    next[TORORD_FCAF] = gate_step(p, s[TORORD_FCAF], inf, fcaf_rate);
    next[TORORD_FCAS] = gate_step(p, s[TORORD_FCAS], inf, fcas_rate);
    next[TORORD_FFP] = gate_step(p, s[TORORD_FFP], inf, K(1 / 2.5) * ff_rate);
    next[TORORD_FCAFP] = gate_step(p, s[TORORD_FCAFP], inf, K(1 / 2.5) * fcaf_rate);
    next[TORORD_JCA] =
        gate_step(p, s[TORORD_JCA], OF_V(JCA, LOGISTIC(v, -18.08, 2.7916)), v * K(0) + K(1 / 72.5));
    next[TORORD_NCA_I] = calcium_bound_step(p, s[TORORD_NCA_I], s[TORORD_JCA], s[TORORD_CA_I]);
    next[TORORD_NCA_SS] = calcium_bound_step(p, s[TORORD_NCA_SS], s[TORORD_JCA], s[TORORD_CA_SS]);
}

/* Returns the fraction of CaMKII that is active; *bound: that bound to calmodulin; and the fraction of channels it phosphorylates. */
static inline lanes active_camk(const lanes c[CONSTANTS], const lanes s[STATES], lanes *bound)
{
    *bound = c[TORORD_CAMK_0] * (K(1) - s[TORORD_CAMK_T]) / (K(1) + c[TORORD_K_CAM] / s[TORORD_CA_SS]);
    return *bound + s[TORORD_CAMK_T];
}
static inline lanes phosphorylated(const lanes c[CONSTANTS], const lanes s[STATES])
{
    lanes bound;
    const lanes active = active_camk(c, s, &bound);
    return active / (active + c[TORORD_K_CAMK]);
}

/* a, or b in the phosphorylated fraction f */
static inline lanes mixed(lanes f, lanes a, lanes b) { return (K(1) - f) * a + f * b; }

/* ---- currents [pA/pF], positive outwards ---- */

/* Returns the activity coefficient of ions of valence 1 in a compartment; that of calcium is its fourth power. */
static inline lanes activity(lanes na, lanes k, lanes cl, lanes ca)
{
    const lanes strength = K(0.0005) * (na + k + cl + K(4) * ca), root = lanes_sqrt(strength);
    return lanes_exp(K(-TORORD_DAVIES) * (root / (K(1) + root) - K(0.3) * strength));
}

/* The driving forces of Goldman, Hodgkin and Katz without z F: z x / (exp(z x) - 1) (inside exp(z x) - outside). */
typedef struct goldman {
    lanes up_1, per_1, up_2, per_2; /* exp(z x) and z x / (exp(z x) - 1) for z = 1 and 2 */
} goldman;

static inline goldman goldman_at(pace p, lanes x)
{
    const lanes one = lanes_expm1(x), two = one * (one + K(2)), limit = x * K(0) + K(1);
    /* the limits are selected only if x = 0 */
    return (goldman){OF_V(UP_1, one + K(1)), OF_V(PER_1, lanes_select_below(x * x, K(1e-36), limit, x / one)),
        OF_V(UP_2, two + K(1)), OF_V(PER_2, lanes_select_below(x * x, K(1e-36), limit, K(2) * x / two))};
}

/* The parts of the L-type current through channels in one compartment, the fraction `part` of all. */
static inline void l_type(const lanes c[CONSTANTS], const goldman *g, lanes part, lanes na, lanes k, lanes ca,
    lanes gamma, lanes *i_ca, lanes *i_na, lanes *i_k)
{
    *i_ca = part * c[TORORD_CAL_FACTOR] * g->per_2 *
            (square(square(gamma)) * ca * g->up_2 - c[TORORD_CA_OUTSIDE]);
    *i_na = part * c[TORORD_CANA_FACTOR] * g->per_1 * (gamma * na * g->up_1 - c[TORORD_NA_OUTSIDE]);
    *i_k = part * c[TORORD_CAK_FACTOR] * g->per_1 * (gamma * k * g->up_1 - c[TORORD_K_OUTSIDE]);
}

/* The L-type current, and the background current of calcium, which has the same driving force. */
static inline void calcium_currents(pace p, const lanes c[CONSTANTS], lanes v, const goldman *g, lanes f,
    const lanes s[STATES], lanes i[TORORD_CURRENTS])
{
    const lanes gamma_i = activity(s[TORORD_NA_I], s[TORORD_K_I], s[TORORD_CL_I], s[TORORD_CA_I]),
                gamma_ss = activity(s[TORORD_NA_SS], s[TORORD_K_SS], s[TORORD_CL_SS], s[TORORD_CA_SS]);
    const lanes fast = OF_V(CAL_FAST, K(0.3) + K(0.6) * LOGISTIC(v, 10, 10)),
                slow = (K(1) - fast) * s[TORORD_FCAS];
    const lanes slow_f = K(0.4) * s[TORORD_FS];
    /* voltage-dependent inactivation, and that of channels with calcium */
    const lanes weight_p = K(1.1) * f, weight = K(1) - f;
    const lanes open =
        weight * (K(0.6) * s[TORORD_FF] + slow_f) + weight_p * (K(0.6) * s[TORORD_FFP] + slow_f);
    const lanes bound = s[TORORD_JCA] * (weight * (fast * s[TORORD_FCAF] + slow) +
                                            weight_p * (fast * s[TORORD_FCAFP] + slow));
    const lanes part_i =
        c[TORORD_CAL_I] * s[TORORD_D] * (open * (K(1) - s[TORORD_NCA_I]) + bound * s[TORORD_NCA_I]);
    const lanes part_ss =
        c[TORORD_F_CAL_SS] * s[TORORD_D] * (open * (K(1) - s[TORORD_NCA_SS]) + bound * s[TORORD_NCA_SS]);
    l_type(c, g, part_i, s[TORORD_NA_I], s[TORORD_K_I], s[TORORD_CA_I], gamma_i, &i[TORORD_I_CAL_I],
        &i[TORORD_I_CANA_I], &i[TORORD_I_CAK_I]);
    l_type(c, g, part_ss, s[TORORD_NA_SS], s[TORORD_K_SS], s[TORORD_CA_SS], gamma_ss, &i[TORORD_I_CAL_SS],
        &i[TORORD_I_CANA_SS], &i[TORORD_I_CAK_SS]);
    i[TORORD_I_CAB] = c[TORORD_CAB_FACTOR] * g->per_2 *
                      (square(square(gamma_i)) * s[TORORD_CA_I] * g->up_2 - c[TORORD_CA_OUTSIDE]);
}

/* The exchanger in one compartment, for a g_NaCa of 1. hna and hca: exp(q x) of sodium and calcium. */
static inline lanes exchanger(const lanes c[CONSTANTS], lanes hna, lanes hca, lanes na, lanes ca)
{
    const lanes na_3 = na * K(1 / TORORD_K_NA3), h3 = K(1) / (K(1) + na_3 * (K(1) + hna)),
                h2 = na_3 * hna * h3;
    const lanes na_1 = na * K(1 / TORORD_K_NA1), na_2 = na * K(1 / TORORD_K_NA2);
    const lanes h6 = K(1) / (K(1) + na_1 * (K(1) + na_2)), h5 = na_1 * na_2 * h6;
    const lanes up = K(1) / hna, h9 = K(1) / (K(1) + c[TORORD_NACA_BOUND] * (K(1) + up)),
                h8 = c[TORORD_NACA_BOUND] * up * h9;
    const lanes k1 = c[TORORD_NACA_K1];
    const real k2 = K(TORORD_K_CAOFF), k5 = k2;
    const lanes k3pp = K(TORORD_W_NACA) * h8, k3 = K(TORORD_W_CA) * h9 + k3pp;
    const lanes k4pp = K(TORORD_W_NACA) * h2, k4 = K(TORORD_W_CA) * h3 / hca + k4pp;
    const lanes k6 = K(TORORD_K_CAON) * ca * h6, k7 = K(TORORD_W_NA) * h5 * h2, k8 = c[TORORD_NACA_K8] * h8;
    const lanes x1 = k2 * k4 * (k7 + k6) + k5 * k7 * (k2 + k3),
                x2 = k1 * k7 * (k4 + k5) + k4 * k6 * (k1 + k8),
                x3 = k1 * k3 * (k7 + k6) + k8 * k6 * (k2 + k3),
                x4 = k2 * k8 * (k4 + k5) + k3 * k5 * (k1 + k8);
    const lanes sodium = K(3) * (x4 * k7 - x1 * k8) + x3 * k4pp - x2 * k3pp, calcium = x2 * k2 - x1 * k1;
    const lanes bound = K(1) + square(K(150e-6) / ca); /* 1 / allosteric factor */
    return (sodium + K(2) * calcium) / ((x1 + x2 + x3 + x4) * bound);
}

/* The sodium-potassium pump, for a P_NaK of 1: fluxes between four states. */
static inline lanes pump(pace p, const lanes c[CONSTANTS], lanes x, lanes na, lanes k)
{
    const real delta = K(-0.155), protons = K(1e-7), atp = K(9.8 / 1.698e-7); /* MgATP / K_MgATP */
    const lanes sodium_in = na * K(1 / 9.073) * OF_V(NAK_IN, lanes_exp(K(-1.0 / 3) * delta * x)),
                sodium_out = c[TORORD_NAK_SODIUM] * OF_V(NAK_OUT, lanes_exp(K(1.0 / 3) * (delta - K(1)) * x));
    const lanes potassium_in = k * K(1 / 0.5);
    const lanes phosphate =
        K(4.2) / (K(1) + protons * K(1 / 1.698e-7) + na * K(1.0 / 224) + k * K(1.0 / 292));
    const lanes one_in = K(1) + sodium_in, one_out = K(1) + sodium_out;
    const lanes per_in = K(1) / (one_in * one_in * one_in + potassium_in * (K(2) + potassium_in)),
                per_out = K(1) / (one_out * one_out * one_out + c[TORORD_NAK_BOUND]);
    const real b1 = K(182.4 * 0.05), a2 = K(687.2), a4 = K(639) * atp / (K(1) + atp);
    const lanes a1 = K(949.5) * sodium_in * sodium_in * sodium_in * per_in,
                b2 = K(39.4) * sodium_out * sodium_out * sodium_out * per_out,
                a3 = K(1899) * c[TORORD_NAK_POTASSIUM] * per_out,
                b3 = K(79300) / (K(1) + atp) * protons * phosphate,
                b4 = K(40) * potassium_in * potassium_in * per_in;
    const lanes x1 = a4 * a1 * a2 + b2 * b4 * b3 + a2 * b4 * b3 + b3 * a1 * a2,
                x2 = b2 * b1 * b4 + a1 * a2 * a3 + a3 * b1 * b4 + a2 * a3 * b4,
                x3 = a2 * a3 * a4 + b3 * b2 * b1 + b2 * b1 * a4 + a3 * a4 * b1,
                x4 = b4 * b3 * b2 + a3 * a4 * a1 + b2 * a4 * a1 + b3 * b2 * a1;
    return (K(3) * (x1 * a3 - x2 * b3) + K(2) * (x4 * b1 - x3 * a1)) / (x1 + x2 + x3 + x4);
}

static inline void potassium_currents(
    pace p, const lanes c[CONSTANTS], lanes v, lanes f, const lanes s[STATES], lanes i[TORORD_CURRENTS])
{
    const lanes v_k = v - K(TORORD_RT_F) * lanes_log(c[TORORD_K_O] / s[TORORD_K_I]);
    const lanes v_ks = v - K(TORORD_RT_F) * lanes_log(c[TORORD_KS_OUTSIDE] /
                                                      (s[TORORD_K_I] + c[TORORD_P_KNA] * s[TORORD_NA_I]));
    const lanes fast = OF_V(TO_FAST, LOGISTIC(v, 213.6, 151.2)), slow = K(1) - fast;
    i[TORORD_I_TO] = c[TORORD_G_TO] * v_k *
                     mixed(f, s[TORORD_A] * (fast * s[TORORD_IF] + slow * s[TORORD_IS]),
                         s[TORORD_AP] * (fast * s[TORORD_IFP] + slow * s[TORORD_ISP]));
    i[TORORD_I_KR] = c[TORORD_KR_FACTOR] * s[TORORD_O] * v_k;
    const lanes by_calcium =
        K(1) + K(0.6) / (K(1) + lanes_exp(K(1.4) * lanes_log(K(3.8e-5) / s[TORORD_CA_I])));
    i[TORORD_I_KS] = c[TORORD_G_KS] * by_calcium * s[TORORD_XS1] * s[TORORD_XS2] * v_ks;
    const lanes k1_alpha = K(4.094) / (K(1) + lanes_exp(K(0.1217) * (v_k - K(49.934))));
    const lanes k1_beta =
        (K(15.72) * lanes_exp(K(0.0674) * (v_k - K(3.257))) + lanes_exp(K(0.0618) * (v_k - K(594.31)))) /
        (K(1) + lanes_exp(K(-0.1629) * (v_k + K(14.207))));
    i[TORORD_I_K1] = c[TORORD_K1_FACTOR] * (k1_alpha / (k1_alpha + k1_beta)) * v_k;
    i[TORORD_I_KB] = c[TORORD_G_KB] * OF_V(KB, LOGISTIC(v, 10.8968, -23.9871)) * v_k;
}

static inline void cell_currents(
    pace p, const lanes c[CONSTANTS], lanes v, const lanes s[STATES], lanes i[TORORD_CURRENTS])
{
    const lanes x = v * K(1 / TORORD_RT_F), f = phosphorylated(c, s);
    const goldman g = goldman_at(p, x);
    const lanes v_na = v - K(TORORD_RT_F) * lanes_log(c[TORORD_NA_O] / s[TORORD_NA_I]);
    i[TORORD_I_NA] = c[TORORD_G_NA] * v_na * (s[TORORD_M] * s[TORORD_M] * s[TORORD_M]) *
                     mixed(f, s[TORORD_H] * s[TORORD_J], s[TORORD_HP] * s[TORORD_JP]);
    i[TORORD_I_NAL] = c[TORORD_G_NAL] * v_na * s[TORORD_ML] * mixed(f, s[TORORD_HL], s[TORORD_HLP]);
    i[TORORD_I_NAB] = c[TORORD_NAB_FACTOR] * g.per_1 * (s[TORORD_NA_I] * g.up_1 - c[TORORD_NA_O]);

    potassium_currents(p, c, v, f, s, i);
    calcium_currents(p, c, v, &g, f, s, i);

    const lanes hna = OF_V(HNA, lanes_exp(K(0.5224) * x)), hca = OF_V(HCA, lanes_exp(K(0.167) * x));
    i[TORORD_I_NACA_I] = c[TORORD_NACA_I] * exchanger(c, hna, hca, s[TORORD_NA_I], s[TORORD_CA_I]);
    i[TORORD_I_NACA_SS] = c[TORORD_NACA_SS] * exchanger(c, hna, hca, s[TORORD_NA_SS], s[TORORD_CA_SS]);
    i[TORORD_I_NAK] = c[TORORD_P_NAK] * pump(p, c, x, s[TORORD_NA_I], s[TORORD_K_I]);
    i[TORORD_I_PCA] = c[TORORD_G_PCA] * s[TORORD_CA_I] / (K(5e-4) + s[TORORD_CA_I]);

    const lanes v_cl = v + K(TORORD_RT_F) * lanes_log(c[TORORD_CL_O] / s[TORORD_CL_I]),
                v_cl_ss = v + K(TORORD_RT_F) * lanes_log(c[TORORD_CL_O] / s[TORORD_CL_SS]);
    i[TORORD_I_CLCA] = c[TORORD_G_CLCA] * v_cl_ss / (K(1) + c[TORORD_K_CLCA] / s[TORORD_CA_SS]);
    i[TORORD_I_CLB] = c[TORORD_G_CLB] * v_cl;
}

/* ---- concentrations ---- */

/* Changes of a concentration [mM/ms] in cytosol and subspace by a current of 1 pA/pF of ions of valence 1. */
#define PER_CURRENT_I K(TORORD_CM / (TORORD_FARADAY * TORORD_V_MYO))
#define PER_CURRENT_SS K(TORORD_CM / (TORORD_FARADAY * TORORD_V_SS))
#define SS_OF_MYO K(TORORD_V_SS / TORORD_V_MYO)

/* Sums of the currents [pA/pF] into cytosol and subspace by ion. */
typedef struct sums {
    lanes sodium_i, sodium_ss, potassium_i, calcium_i, calcium_ss;
    lanes total; /* all currents */
} sums;

static inline sums sums_of(const lanes i[TORORD_CURRENTS])
{
    sums sum;
    sum.sodium_i = i[TORORD_I_NA] + i[TORORD_I_NAL] + i[TORORD_I_NAB] + i[TORORD_I_CANA_I] +
                   K(3) * (i[TORORD_I_NAK] + i[TORORD_I_NACA_I]);
    sum.sodium_ss = i[TORORD_I_CANA_SS] + K(3) * i[TORORD_I_NACA_SS];
    sum.potassium_i = i[TORORD_I_TO] + i[TORORD_I_KR] + i[TORORD_I_KS] + i[TORORD_I_K1] + i[TORORD_I_KB] +
                      i[TORORD_I_CAK_I] - K(2) * i[TORORD_I_NAK];
    sum.calcium_i = i[TORORD_I_CAL_I] + i[TORORD_I_PCA] + i[TORORD_I_CAB] - K(2) * i[TORORD_I_NACA_I];
    sum.calcium_ss = i[TORORD_I_CAL_SS] - K(2) * i[TORORD_I_NACA_SS];
    sum.total = sum.sodium_i + sum.sodium_ss + sum.potassium_i + sum.calcium_i + sum.calcium_ss +
                i[TORORD_I_CAK_SS] + i[TORORD_I_CLCA] + i[TORORD_I_CLB];
    return sum;
}

static inline void sodium_potassium_chloride(
    lanes dt, const sums *sum, const lanes i[TORORD_CURRENTS], const lanes s[STATES], lanes next[STATES])
{
    const real rate = K(1 / 2.0);
    const lanes na = rate * (s[TORORD_NA_SS] - s[TORORD_NA_I]), k = rate * (s[TORORD_K_SS] - s[TORORD_K_I]),
                cl = rate * (s[TORORD_CL_SS] - s[TORORD_CL_I]);
    next[TORORD_NA_I] = s[TORORD_NA_I] + dt * (SS_OF_MYO * na - PER_CURRENT_I * sum->sodium_i);
    next[TORORD_NA_SS] = s[TORORD_NA_SS] - dt * (na + PER_CURRENT_SS * sum->sodium_ss);
    next[TORORD_K_I] = s[TORORD_K_I] + dt * (SS_OF_MYO * k - PER_CURRENT_I * sum->potassium_i);
    next[TORORD_K_SS] = s[TORORD_K_SS] - dt * (k + PER_CURRENT_SS * i[TORORD_I_CAK_SS]);
    next[TORORD_CL_I] = s[TORORD_CL_I] + dt * (SS_OF_MYO * cl + PER_CURRENT_I * i[TORORD_I_CLB]);
    next[TORORD_CL_SS] = s[TORORD_CL_SS] - dt * (cl - PER_CURRENT_SS * i[TORORD_I_CLCA]);
}

/* Release from the sarcoplasmic reticulum. It is not limited by the content: as the store empties, its time constant falls to the published
 * floor, which ends it. That of a store that a time step has overdrawn is the floor, too. */
static inline void release(
    lanes dt, const lanes c[CONSTANTS], lanes i_cal_ss, const lanes s[STATES], lanes next[STATES])
{
    const lanes jsr = lanes_at_least(s[TORORD_CA_JSR], K(0)),
                tau = c[TORORD_BETA_TAU] * jsr / (jsr + K(0.0123));
    const lanes eighth = square(square(square(c[TORORD_K_JSR] / jsr)));
    const lanes inf = -c[TORORD_ALPHA_REL] * i_cal_ss / (K(1) + eighth);
    next[TORORD_J_REL_NP] = relax(dt, s[TORORD_J_REL_NP], inf, K(1) / lanes_at_least(tau, K(0.001)));
    next[TORORD_J_REL_P] =
        relax(dt, s[TORORD_J_REL_P], K(1.25) * inf, K(1) / lanes_at_least(K(1.25) * tau, K(0.001)));
}

/* Advances calcium in its four compartments, and CaMKII. Diffusion out of the subspace, with a time constant of 0.2 ms, takes the calcium
 * of the subspace at the end of the step. */
static inline void calcium(
    lanes dt, const lanes c[CONSTANTS], const sums *sum, const lanes s[STATES], lanes next[STATES])
{
    const lanes ca_i = s[TORORD_CA_I], ca_ss = s[TORORD_CA_SS], nsr = s[TORORD_CA_NSR],
                jsr = s[TORORD_CA_JSR];
    lanes bound;
    const lanes active = active_camk(c, s, &bound), f = phosphorylated(c, s);
    next[TORORD_CAMK_T] = s[TORORD_CAMK_T] + dt * (K(0.05) * bound * active - K(0.00068) * s[TORORD_CAMK_T]);

    const lanes j_up = c[TORORD_J_UP] * mixed(f, ca_i / (ca_i + K(0.00092)),
                                            K(2.75) * ca_i / (ca_i + K(0.00092 - 0.00017))) -
                       c[TORORD_J_LEAK] * nsr;
    const lanes j_rel = c[TORORD_J_REL] * mixed(f, s[TORORD_J_REL_NP], s[TORORD_J_REL_P]);
    const lanes j_tr = c[TORORD_TR_RATE] * (nsr - jsr);

    const lanes buffer_i = K(1) / (K(1) + c[TORORD_BUFFER_CMDN] / square(c[TORORD_K_CMDN] + ca_i) +
                                      c[TORORD_BUFFER_TRPN] / square(c[TORORD_K_TRPN] + ca_i));
    const lanes buffer_ss = K(1) / (K(1) + c[TORORD_BUFFER_BSR] / square(c[TORORD_K_BSR] + ca_ss) +
                                       c[TORORD_BUFFER_BSL] / square(c[TORORD_K_BSL] + ca_ss));
    const lanes buffer_jsr = K(1) / (K(1) + c[TORORD_BUFFER_CSQN] / square(c[TORORD_K_CSQN] + jsr));

    const real rate = K(1 / 0.2);
    const lanes room = dt * buffer_ss, j_diff = rate * (ca_ss - ca_i);
    const lanes rise =
        room * (j_rel * K(TORORD_V_JSR / TORORD_V_SS) - K(0.5) * PER_CURRENT_SS * sum->calcium_ss - j_diff) /
        (K(1) + room * rate);
    next[TORORD_CA_SS] = ca_ss + rise;
    next[TORORD_CA_I] =
        ca_i + dt * buffer_i *
                   (SS_OF_MYO * (j_diff + rate * rise) - K(0.5) * PER_CURRENT_I * sum->calcium_i -
                       j_up * K(TORORD_V_NSR / TORORD_V_MYO));
    next[TORORD_CA_NSR] = nsr + dt * (j_up - j_tr * K(TORORD_V_JSR / TORORD_V_NSR));
    next[TORORD_CA_JSR] = jsr + dt * buffer_jsr * (j_tr - j_rel);
}

/* Over k time steps calcium advances with the rates at the mean time of k Euler steps, as in tp06: calcium is released on the plateau of V,
 * while k is large. Cells that advance by one time step are unchanged. */
static inline void centre_calcium(pace p, const lanes c[CONSTANTS], const sums *sum, lanes i_cal_ss,
    const lanes s[STATES], lanes next[STATES])
{
    static const int of_calcium[] = {TORORD_CA_I, TORORD_CA_SS, TORORD_CA_NSR, TORORD_CA_JSR};
    lanes middle[STATES], after[STATES];
    const lanes half = K(0.5) * (p.dt - p.step);
    calcium(half, c, sum, s, middle);
    release(half, c, i_cal_ss, s, middle);
    calcium(p.dt, c, sum, middle, after);
    for (int i = 0; i < (int)(sizeof of_calcium / sizeof *of_calcium); i++) {
        const int k = of_calcium[i];
        next[k] = pace_choose(p, next[k], s[k] + (after[k] - middle[k]));
    }
}

static inline lanes cell_step(
    pace p, const lanes c[CONSTANTS], lanes v, const lanes s[STATES], lanes next[STATES])
{
    sodium_gates(p, v, s, next);
    late_sodium_gates(p, c, v, s, next);
    transient_outward_gates(p, c, v, s, next);
    slow_potassium_gates(p, v, s, next);
    rapid_potassium_channels(p, v * K(1 / TORORD_RT_F), s, next);
    calcium_gates(p, v, s, next);
    lanes i[TORORD_CURRENTS];
    cell_currents(p, c, v, s, i);
    const sums sum = sums_of(i);
    sodium_potassium_chloride(p.dt, &sum, i, s, next);
    release(p.dt, c, i[TORORD_I_CAL_SS], s, next);
    calcium(p.dt, c, &sum, s, next);
    if (p.relaxes) centre_calcium(p, c, &sum, i[TORORD_I_CAL_SS], s, next);
    return -(p.step * sum.total);
}

#ifdef MT_TALLY
/* The constants common to epi, mid and endo are known to the compiler; the others are loaded. The values matter little. */
static inline void compiled_in(const real *loaded, lanes c[CONSTANTS])
{
    static const int differing[] = {TORORD_G_NAL, TORORD_G_TO, TORORD_G_KS, TORORD_G_KB, TORORD_P_NAK,
        TORORD_ALPHA_REL, TORORD_J_UP, TORORD_DELTA_EPI, TORORD_CAL_FACTOR, TORORD_CANA_FACTOR,
        TORORD_CAK_FACTOR, TORORD_KR_FACTOR, TORORD_K1_FACTOR, TORORD_NACA_I, TORORD_NACA_SS,
        TORORD_BUFFER_CMDN};
    const double usual[TORORD_PARAMETERS] = {TORORD_IN_COMMON};
    double exact[CONSTANTS];
    torord_constants(usual, 1, 0.884, exact);
#    pragma clang loop unroll(full)
    for (int k = 0; k < CONSTANTS; k++) c[k] = (real)exact[k];
#    pragma clang loop unroll(full)
    for (int d = 0; d < (int)(sizeof differing / sizeof *differing); d++) c[differing[d]] = loaded[d];
}
#endif

#include "solver/cells/kernel.h"
