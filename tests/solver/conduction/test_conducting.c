#include <criterion/criterion.h>

#include <stdio.h>

#include "data/core/line_fit.h"
#include "solver/cable.h"
#include "tests/solver/conduction/explicit_cable.h"
#include "tests/solver/conduction/networks.h"
#include "tests/solver/conduction/passive.h"

/* A conduction system without tissue. */
typedef struct setup {
    mt_arena arena;
    mt_network network;
    mt_conduction conduction;
    mt_stimulus stimulus;
    mt_conducting conducting;
    double dt_ms;
    size_t step;
} setup;

/* Divides the network of a system of Stewart cells into points, without stimuli. */
static void make_system(setup *s, const mt_cables_rule *rule, double dt_ms)
{
    s->dt_ms = dt_ms;
    s->step = 0;
    s->conduction = (mt_conduction){.network = &s->network,
        .junctions = {.start = (size_t *)no_junctions},
        .model = stewart(),
        .variant = stewart()->variants[0],
        .steps = 1};
    ok(mt_cables_make(&s->arena, &s->network, NULL, rule, &s->conduction.cables));
}

/* Stimulates the points with x below end_mm for 2 ms. */
static void stimulate_until(setup *s, double end_mm)
{
    const mt_cables *c = &s->conduction.cables;
    uint32_t *point = mt_arena_alloc(&s->arena, c->n_points, sizeof *point);
    size_t n = 0;
    for (uint32_t k = 0; k < c->n_points; k++)
        if (c->xyz_mm[3 * (size_t)k] < end_mm) point[n++] = k;
    s->stimulus = (mt_stimulus){0, 2, 50 / 1.4, n, point, 0, 0, NULL, 0, 0, 0, 0};
    s->conduction.stimulus = &s->stimulus;
    s->conduction.n_stimuli = 1;
}

static void open_system(setup *s, bool single)
{
    ok(mt_conducting_open(&s->arena, &s->conduction, s->dt_ms, single, &s->conducting));
}

static void run_until(setup *s, double end_ms)
{
    for (; (double)s->step * s->dt_ms < end_ms - 1e-9; s->step++)
        mt_conducting_step(&s->conducting, s->step, NULL);
}

/* Returns the activation time at a node of the network. */
static double time_at(const setup *s, size_t node)
{
    return s->conducting.activation_ms[s->conduction.cables.point_of[node]];
}

static void read_v(const setup *s, double *v) { mt_conducting_read(&s->conducting, 0, v); }

/* ---- conduction velocity ---- */

static double speed_of(const setup *s, double from_mm, double to_mm)
{
    const mt_cables *c = &s->conduction.cables;
    mt_line_fit fit = {0};
    for (size_t k = 0; k < c->n_points; k++)
        if (c->xyz_mm[3 * k] > from_mm - 1e-6 && c->xyz_mm[3 * k] < to_mm + 1e-6)
            mt_line_fit_add(&fit, c->xyz_mm[3 * k], s->conducting.activation_ms[k]);
    return 1 / mt_line_fit_slope(&fit);
}

/* Returns the CV along a straight cable. */
static double straight_speed(double conductivity_mS_mm, double spacing_mm, double dt_ms, bool single)
{
    setup s = {0};
    mt_cables_rule rule = usual_rule;
    rule.spacing_mm = spacing_mm;
    rule.conductivity_mS_mm = conductivity_mS_mm;
    straight_network(&s.arena, 1, 20, &s.network);
    make_system(&s, &rule, dt_ms);
    stimulate_until(&s, 1);
    open_system(&s, single);
    run_until(&s, 12);
    const double speed = speed_of(&s, 8, 16);
    mt_arena_free(&s.arena);
    return speed;
}

/* Returns that of the explicit cable, whose error is of the first order in the time step. */
static double reference_speed(double diffusivity_mm2_ms)
{
    double speed[2];
    for (int k = 0; k < 2; k++) {
        mt_arena arena = {0};
        mt_cable_wave wave;
        const mt_cable cable = {.model = stewart(),
            .diffusivity_mm2_ms = diffusivity_mm2_ms,
            .length_mm = 20,
            .dx_mm = 0.05,
            .dt_ms = k == 0 ? 0.005 : 0.01,
            .end_ms = 20,
            .stimulated_mm = 1,
            .duration_ms = 2,
            .rise_mV_ms = 50 / 1.4,
            .splitting = MT_SPLITTING_COMPENSATED,
            .far_mm = 3};
        ok(mt_cable_run(&arena, &cable, &wave));
        speed[k] = mt_cable_speed(&wave, 8, 16);
        mt_arena_free(&arena);
    }
    return 2 * speed[0] - speed[1];
}

/* Converged, the two agree within 0.1 %. The error of the usual steps is that of central differences on a front that takes about 1 ms, and
 * of the second order in space; it is 1.2 % and makes wavefronts late. */
Test(conducting, cv_converges_to_that_of_the_explicit_cable)
{
    static const double sigma[] = {1.1, 1.5};
    for (int k = 0; k < 2; k++) {
        const double reference = reference_speed(sigma[k]),
                     fine = straight_speed(sigma[k], 0.05, 0.005, false),
                     middle = straight_speed(sigma[k], 0.1, 0.005, false),
                     coarse = straight_speed(sigma[k], 0.2, 0.005, false),
                     usual = straight_speed(sigma[k], 0.2, 0.05, false),
                     order = (middle - coarse) / (fine - middle);
        cr_expect_float_eq(fine, reference, 1e-3 * reference, "sigma %g: %.5f, expected %.5f mm/ms", sigma[k],
            fine, reference);
        cr_expect(order > 3.5 && order < 5, "sigma %g: the error is divided by %g", sigma[k], order);
        cr_expect(usual < 0.992 * reference && usual > 0.984 * reference, "sigma %g: %.5f and %.5f mm/ms",
            sigma[k], usual, reference);
    }
}

/* With four times the radius and twice the length of all pieces, all capacitances and conductances are eight times larger. */
Test(conducting, voltages_have_the_same_bits_on_a_cable_with_lengths_scaled_by_the_root_of_the_radius)
{
    static setup s[2];
    double v[2][200];
    for (int k = 0; k < 2; k++) {
        mt_cables_rule rule = usual_rule;
        rule.spacing_mm *= k == 0 ? 1 : 2;
        rule.radius_mm *= k == 0 ? 1 : 4;
        straight_network(&s[k].arena, 1, k == 0 ? 12 : 24, &s[k].network);
        make_system(&s[k], &rule, 0.05);
        stimulate_until(&s[k], k == 0 ? 0.99 : 1.98);
        open_system(&s[k], false);
        run_until(&s[k], 8);
        cr_assert(isfinite(time_at(&s[k], 1)));
        cr_assert_leq(s[k].conduction.cables.n_points, 200);
        read_v(&s[k], v[k]);
    }
    const size_t n = s[0].conduction.cables.n_points;
    cr_assert_eq(s[1].conduction.cables.n_points, n);
    cr_assert_eq(memcmp(v[0], v[1], n * sizeof *v[0]), 0);
    cr_assert_eq(memcmp(s[0].conducting.activation_ms, s[1].conducting.activation_ms, n * sizeof *v[0]), 0);
    for (int k = 0; k < 2; k++) mt_arena_free(&s[k].arena);
}

/* ---- passive cables ---- */

/* Injects a steady current into the first node of a straight passive cable, until nothing changes. rise_mV_ms: in that point. */
static void charge_cable(
    setup *s, double length_mm, double spacing_mm, double rate_per_ms, double dt_ms, double *v)
{
    static double parameters[2];
    static uint32_t point[1];
    mt_cables_rule rule = usual_rule;
    rule.spacing_mm = spacing_mm;
    parameters[0] = rate_per_ms;
    parameters[1] = -80;
    straight_network(&s->arena, 1, length_mm, &s->network);
    make_system(s, &rule, dt_ms);
    s->conduction = passive_conduction(&s->network, &s->conduction.cables, parameters);
    point[0] = s->conduction.cables.point_of[0];
    s->stimulus = (mt_stimulus){0, 1e6, 1, 1, point, 0, 0, NULL, 0, 0, 0, 0};
    s->conduction.stimulus = &s->stimulus;
    s->conduction.n_stimuli = 1;
    open_system(s, false);
    run_until(s, 40 / rate_per_ms);
    mt_conducting_read(&s->conducting,
        mt_conducting_arrays(&s->conduction) - MT_CONDUCTING_RECORDED + MT_CONDUCTING_BEFORE, v);
}

/* A half-infinite cable with the membrane resistance R_m: V decays with the length lambda = sqrt(a sigma R_m / 2) from I times the input
 * resistance lambda / (sigma pi a^2). The splitting reduces lambda^2 by the factor 1 - dt / tau, and points at the distance h have
 * 2 (cosh(h / lambda) - 1) = (h / lambda)^2 of the continuum. */
Test(conducting, a_passive_cable_has_the_length_constant_and_the_input_resistance_of_cable_theory)
{
    const double a = usual_rule.radius_mm, sigma = usual_rule.conductivity_mS_mm, rate_per_ms = 0.5,
                 r_m_kOhm_mm2 = 1 / (rate_per_ms * usual_rule.capacitance_uF_mm2), h_mm = 0.1, dt_ms = 0.01,
                 lambda_mm = sqrt(a * sigma * r_m_kOhm_mm2 / 2);
    setup s = {0};
    double v[400];
    charge_cable(&s, 20 * lambda_mm, h_mm, rate_per_ms, dt_ms, v);
    const mt_cables *c = &s.conduction.cables;
    cr_assert_leq(c->n_points, 400);
    const uint32_t first = c->point_of[0];
    const double far_mm = 2 * lambda_mm, i_uA = c->capacitance_uF[first] * s.stimulus.rise_mV_ms,
                 input_kOhm = (v[first] + 80) / i_uA, expected_kOhm = lambda_mm / (sigma * M_PI * a * a);
    cr_expect_float_eq(
        input_kOhm, expected_kOhm, 0.01 * expected_kOhm, "%g, expected %g kOhm", input_kOhm, expected_kOhm);
    double piece_mm = 0, decay = 0;
    for (uint32_t k = 0; k < c->n_points; k++) {
        const double x = c->xyz_mm[3 * (size_t)k];
        if (x < far_mm || x > 3 * far_mm) continue;
        const uint32_t next = c->xyz_mm[3 * (size_t)k + 3] > x ? k + 1 : k - 1;
        piece_mm = fabs(c->xyz_mm[3 * (size_t)next] - x);
        decay = log((v[k] + 80) / (v[next] + 80));
        const double found = piece_mm / decay,
                     of_points =
                         piece_mm / acosh(1 + 0.5 * pow(piece_mm / lambda_mm, 2) / (1 - rate_per_ms * dt_ms));
        cr_expect_float_eq(
            found, lambda_mm, 0.005 * lambda_mm, "lambda is %g, expected %g mm", found, lambda_mm);
        cr_expect_float_eq(
            found, of_points, 1e-6 * of_points, "lambda is %.9g, expected %.9g mm", found, of_points);
    }
    cr_assert_gt(decay, 0);
    mt_arena_free(&s.arena);
}

/* ---- branches ---- */

enum { HALF = 40 };

/* A parent of the usual radius, and two daughters with the same sum of a^(3/2) times `ratio`, all of HALF pieces of the same electrotonic
 * length. Node HALF is the branch point. Each piece is a segment. */
static void make_fork(setup *s, double ratio, double piece_mm, double dt_ms)
{
    const double parent_mm = usual_rule.radius_mm, daughter_mm = parent_mm * pow(ratio / 2, 2. / 3),
                 longer = sqrt(daughter_mm / parent_mm);
    mt_cables_rule rule = usual_rule;
    rule.spacing_mm = 1000;
    ok(mt_network_new(&s->arena, 3 * HALF + 1, 3 * HALF, &s->network));
    s->network.radius_mm = mt_arena_alloc(&s->arena, 3 * HALF, sizeof *s->network.radius_mm);
    for (uint32_t k = 0; k < 3 * HALF; k++) {
        const bool second = k >= 2 * HALF;
        s->network.segment_node[2 * k] = k == 2 * HALF ? HALF : k;
        s->network.segment_node[2 * k + 1] = k + 1;
        s->network.radius_mm[k] = k < HALF ? parent_mm : daughter_mm;
        double *x = s->network.xyz_mm + 3 * ((size_t)k + 1);
        if (k < HALF)
            x[0] = piece_mm * (k + 1);
        else
            x[0] = piece_mm * HALF, x[1] = (second ? -1 : 1) * piece_mm * longer * (k % HALF + 1);
    }
    ok(mt_network_check(&s->network, NULL));
    make_system(s, &rule, dt_ms);
    stimulate_until(s, 1);
}

/* Returns the delay from the middle of the parent to the middle of the first daughter; infinite in case of block. */
static double fork_delay(double ratio, double piece_mm, double dt_ms)
{
    setup s = {0};
    make_fork(&s, ratio, piece_mm, dt_ms);
    open_system(&s, false);
    run_until(&s, 12);
    const double delay_ms = time_at(&s, HALF + HALF / 2) - time_at(&s, HALF / 2);
    for (size_t k = 1; k <= HALF; k++)
        cr_assert_eq(
            time_at(&s, HALF + k), time_at(&s, 2 * HALF + k), "the daughters differ at piece %zu", k);
    mt_arena_free(&s.arena);
    return delay_ms;
}

/* The same from explicit steps, with the daughters as one cable. */
static double explicit_fork_delay(double ratio, double piece_mm, double dt_ms)
{
    mt_arena arena = {0};
    explicit_cable c = new_explicit_cable(&arena, stewart(), 0, 2 * HALF + 1, dt_ms);
    const double a = usual_rule.radius_mm, half_uF = usual_rule.capacitance_uF_mm2 * M_PI * a * piece_mm,
                 g_mS = usual_rule.conductivity_mS_mm * M_PI * a * a / piece_mm;
    for (size_t k = 0; k < 2 * HALF; k++) {
        const double factor = k < HALF ? 1 : ratio;
        c.capacitance_uF[k] += factor * half_uF;
        c.capacitance_uF[k + 1] += factor * half_uF;
        c.conductance_mS[k] = factor * g_mS;
    }
    while ((double)c.step * dt_ms < 12) {
        for (size_t k = 0; (double)k * piece_mm < 1; k++)
            c.inward_uA[k] = (double)c.step * dt_ms < 2 - 1e-9 ? c.capacitance_uF[k] * 50 / 1.4 : 0;
        step_explicit_cable(&c);
    }
    const double delay_ms = c.activation_ms[HALF + HALF / 2] - c.activation_ms[HALF / 2];
    mt_arena_free(&arena);
    return delay_ms;
}

/* W. Rall: daughters whose a^(3/2) add up to that of the parent continue it, in units of the length constant. */
Test(conducting, a_branch_without_impedance_mismatch_has_no_delay)
{
    static setup s[2];
    make_fork(&s[0], 1, 0.1, 0.02);
    straight_network(&s[1].arena, 2 * HALF, 0.1, &s[1].network);
    make_system(&s[1], &usual_rule, 0.02);
    stimulate_until(&s[1], 1);
    for (int k = 0; k < 2; k++) {
        open_system(&s[k], false);
        run_until(&s[k], 6);
    }
    for (size_t node = 0; node <= 2 * HALF; node++)
        cr_assert_float_eq(time_at(&s[0], node), time_at(&s[1], node), 1e-9,
            "node %zu: %.12g, expected %.12g ms", node, time_at(&s[0], node), time_at(&s[1], node));
    for (int k = 0; k < 2; k++) mt_arena_free(&s[k].arena);
}

typedef double delay_of_ratio(double ratio, double piece_mm, double dt_ms);

/* Returns the ratio at which conduction fails, within 1 %. */
static double critical_ratio(delay_of_ratio *delay, double piece_mm, double dt_ms)
{
    double low = 1, high = 64;
    while (high / low > 1.01) {
        const double middle = sqrt(low * high);
        if (isfinite(delay(middle, piece_mm, dt_ms)))
            low = middle;
        else
            high = middle;
    }
    return sqrt(low * high);
}

Test(conducting, delay_and_block_at_a_branch_equal_those_of_explicit_steps)
{
    static const double ratio[] = {0.3, 2, 4};
    for (size_t k = 0; k < sizeof ratio / sizeof *ratio; k++) {
        const double found = fork_delay(ratio[k], 0.1, 0.01),
                     expected = explicit_fork_delay(ratio[k], 0.1, 0.0025);
        cr_expect_float_eq(
            found, expected, 0.01 * expected, "ratio %g: %.9g, expected %.9g ms", ratio[k], found, expected);
    }
    const double found = critical_ratio(fork_delay, 0.1, 0.02),
                 expected = critical_ratio(explicit_fork_delay, 0.1, 0.004);
    cr_expect_float_eq(
        found, expected, 0.05 * expected, "block from a ratio of %g, expected %g", found, expected);
    cr_expect_gt(found, 3);
}

/* ---- tissue ---- */

enum { UNKNOWNS = 5, JUNCTIONS_MOST = 4 };

/* Couples free ends of the network to two unknowns each, of which neighbours share one: 0 and 1, 1 and 2, and so on. */
static void couple_tissue(setup *s, double resistance_kOhm)
{
    static uint32_t point[JUNCTIONS_MOST], slot[2 * JUNCTIONS_MOST];
    static size_t start[JUNCTIONS_MOST + 1];
    static double conductance_mS[2 * JUNCTIONS_MOST];
    static double capacitance_uF[UNKNOWNS] = {1e-4, 3e-5, 2e-4, 5e-5, 1e-4};
    static uint32_t unknown[UNKNOWNS] = {3, 5, 8, 9, 17};
    const mt_cables *c = &s->conduction.cables;
    mt_junctions *j = &s->conduction.junctions;
    *j = (mt_junctions){.point = point,
        .start = start,
        .slot = slot,
        .conductance_mS = conductance_mS,
        .n_unknowns = UNKNOWNS,
        .unknown = unknown,
        .capacitance_uF = capacitance_uF};
    for (size_t node = 0; node < s->network.n_nodes && j->n < JUNCTIONS_MOST; node++) {
        size_t degree = 0;
        for (size_t k = 0; k < 2 * s->network.n_segments; k++) degree += s->network.segment_node[k] == node;
        if (degree != 1) continue;
        point[j->n] = c->point_of[node];
        for (uint32_t k = 0; k < 2; k++) {
            slot[2 * j->n + k] = (uint32_t)j->n + k;
            conductance_mS[2 * j->n + k] = (k == 0 ? 0.3 : 0.7) / resistance_kOhm;
        }
        j->n++;
        start[j->n] = 2 * j->n;
    }
    cr_assert_gt(j->n, 1);
}

static void step_with_tissue(setup *s, double *tissue_mV)
{
    mt_conducting_step(&s->conducting, s->step++, tissue_mV);
    memcpy(tissue_mV, s->conducting.tissue_mV, s->conduction.junctions.n_unknowns * sizeof *tissue_mV);
}

/* Returns the charge of points and unknowns, or the sum of its absolute values. */
static double charge_of(const setup *s, const double *tissue_mV, bool absolute)
{
    const mt_cables *c = &s->conduction.cables;
    const mt_junctions *j = &s->conduction.junctions;
    double v[2000], sum_nC = 0;
    cr_assert_leq(c->n_points, 2000);
    read_v(s, v);
    for (size_t k = 0; k < c->n_points; k++) sum_nC += c->capacitance_uF[k] * (absolute ? fabs(v[k]) : v[k]);
    for (size_t k = 0; k < j->n_unknowns; k++)
        sum_nC += j->capacitance_uF[k] * (absolute ? fabs(tissue_mV[k]) : tissue_mV[k]);
    return sum_nC;
}

static const double inert[] = {0, -80};

/* Without membrane current. */
Test(conducting, charge_of_cables_and_tissue_is_conserved)
{
    for (uint64_t number = 0; number < 40; number++) {
        setup s = {0};
        uint64_t seed = number;
        const bool single = number % 2 == 1;
        double v[2000], tissue_mV[UNKNOWNS];
        random_network(&s.arena, &seed, number % 4 < 2 ? SEVERAL : TREE, 3, &s.network);
        make_system(&s, &usual_rule, 0.05);
        s.conduction = passive_conduction(&s.network, &s.conduction.cables, inert);
        s.conduction.steps = 1 + number % 3;
        couple_tissue(&s, pow(10, between(&seed, 0, 4)));
        open_system(&s, single);
        for (size_t k = 0; k < s.conduction.cables.n_points; k++) v[k] = between(&seed, -90, 40);
        for (size_t k = 0; k < UNKNOWNS; k++) tissue_mV[k] = between(&seed, -90, 40);
        mt_conducting_write(&s.conducting, 0, v);
        const double before_nC = charge_of(&s, tissue_mV, false), size_nC = charge_of(&s, tissue_mV, true);
        for (size_t k = 0; k < 100; k++) step_with_tissue(&s, tissue_mV);
        const double lost = (charge_of(&s, tissue_mV, false) - before_nC) / size_nC;
        cr_assert_float_eq(
            lost, 0, single ? 1e-5 : 1e-13, "network %d: a share of %g is lost", (int)number, lost);
        mt_arena_free(&s.arena);
    }
}

/* Solves n equations by elimination. */
static void solve(size_t n, double a[16][16], double *b)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++) {
            if (i == k) continue;
            const double factor = a[i][k] / a[k][k];
            for (size_t j = k; j < n; j++) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    for (size_t k = 0; k < n; k++) b[k] /= a[k][k];
}

static const double leaky[] = {1.5, -70};

/* Conductances g between points, and g_i between the free ends and their unknowns, all in one matrix: a step from w = V + d to W, by
 * which V changes, and then one of the leaky cells, with d. */
static void step_as_one(const setup *s, size_t n_points, double *v, double *d)
{
    const mt_cables *c = &s->conduction.cables;
    const mt_junctions *j = &s->conduction.junctions;
    const size_t n = n_points + j->n_unknowns;
    double a[16][16] = {{0}}, b[16];
    const double dt_ms = s->dt_ms;
    double w[16];
    for (size_t k = 0; k < n; k++) w[k] = v[k] + d[k];
    for (size_t k = 0; k < n; k++) {
        a[k][k] = (k < n_points ? c->capacitance_uF[k] : j->capacitance_uF[k - n_points]) / dt_ms;
        b[k] = a[k][k] * w[k];
    }
    for (size_t k = 1; k < n_points; k++) {
        const double g = c->conductance_mS[k];
        a[k][k] += g, a[k - 1][k - 1] += g, a[k][k - 1] -= g, a[k - 1][k] -= g;
    }
    for (size_t k = 0; k < j->n; k++)
        for (size_t i = j->start[k]; i < j->start[k + 1]; i++) {
            const double g = j->conductance_mS[i];
            const size_t x = j->point[k], y = n_points + j->slot[i];
            a[x][x] += g, a[y][y] += g, a[x][y] -= g, a[y][x] -= g;
        }
    solve(n, a, b);
    for (size_t k = 0; k < n; k++) {
        v[k] += b[k] - w[k];
        d[k] = k < n_points ? -dt_ms * leaky[0] * (v[k] - leaky[1]) : 0;
        v[k] += d[k];
    }
}

/* As long as no unknown has two junctions. */
Test(conducting, a_step_of_a_cable_with_junctions_is_one_of_backward_euler_for_all_voltages)
{
    setup s = {0};
    double v[16], d[16] = {0}, found[16];
    uint64_t seed = 8;
    straight_network(&s.arena, 1, 1.6, &s.network);
    make_system(&s, &usual_rule, 0.05);
    s.conduction = passive_conduction(&s.network, &s.conduction.cables, leaky);
    couple_tissue(&s, 50);
    s.conduction.junctions.slot[2] = 2, s.conduction.junctions.slot[3] = 4;
    open_system(&s, false);
    const size_t n = s.conduction.cables.n_points;
    cr_assert_eq(n, 9);
    for (size_t k = 0; k < n + UNKNOWNS; k++) v[k] = found[k] = between(&seed, -90, 40);
    mt_conducting_write(&s.conducting, 0, v);
    for (int step = 0; step < 3; step++) {
        step_with_tissue(&s, found + n);
        step_as_one(&s, n, v, d);
        read_v(&s, found);
        for (size_t k = 0; k < n + UNKNOWNS; k++)
            cr_assert_float_eq(
                found[k], v[k], 1e-11, "voltage %zu is %.15g, expected %.15g", k, found[k], v[k]);
    }
    mt_arena_free(&s.arena);
}

/* -81.3 is rounded in single precision. */
Test(conducting, cables_and_tissue_at_one_voltage_exchange_nothing)
{
    static const double rest[] = {0, -81.3};
    for (int single = 0; single < 2; single++) {
        setup s = {0};
        straight_network(&s.arena, 1, 3, &s.network);
        make_system(&s, &usual_rule, 0.05);
        s.conduction = passive_conduction(&s.network, &s.conduction.cables, rest);
        couple_tissue(&s, 50);
        open_system(&s, single);
        double tissue_mV[UNKNOWNS] = {-81.3, -81.3, -81.3, -81.3, -81.3};
        for (int step = 0; step < 20; step++) step_with_tissue(&s, tissue_mV);
        const double expected_mV = single ? (double)-81.3F : -81.3;
        for (size_t k = 0; k < UNKNOWNS; k++) cr_assert_eq(tissue_mV[k], expected_mV, "%.17g", tissue_mV[k]);
        mt_arena_free(&s.arena);
    }
}

/* ---- several steps in a time step ---- */

/* A random network of Stewart cells with tissue at -20 mV, and stimulated points. */
static void make_busy(setup *s, size_t steps, double dt_ms)
{
    uint64_t seed = 21;
    *s = (setup){0};
    random_network(&s->arena, &seed, SEVERAL, 3, &s->network);
    make_system(s, &usual_rule, dt_ms);
    s->conduction.steps = steps;
    stimulate_until(s, 0.5);
    couple_tissue(s, 500);
}

static void fill_tissue(double *tissue_mV)
{
    for (size_t k = 0; k < UNKNOWNS; k++) tissue_mV[k] = -20 - (double)k;
}

Test(conducting, n_steps_of_the_cables_are_n_shorter_time_steps)
{
    for (size_t n = 2; n <= 4; n += 2) {
        setup s[2];
        double tissue_mV[2][UNKNOWNS], v[2][2000];
        for (int k = 0; k < 2; k++) {
            make_busy(&s[k], k == 0 ? n : 1, k == 0 ? 0.05 : 0.05 / (double)n);
            open_system(&s[k], false);
            fill_tissue(tissue_mV[k]);
            for (size_t step = 0; step < 60 * (k == 0 ? 1 : n); step++) step_with_tissue(&s[k], tissue_mV[k]);
            cr_assert_leq(s[k].conduction.cables.n_points, 2000);
            read_v(&s[k], v[k]);
        }
        for (size_t k = 0; k < s[0].conduction.cables.n_points; k++)
            cr_assert_float_eq(
                v[0][k], v[1][k], 1e-9, "%zu steps: V is %.12g and %.12g", n, v[0][k], v[1][k]);
        for (size_t k = 0; k < UNKNOWNS; k++) cr_assert_float_eq(tissue_mV[0][k], tissue_mV[1][k], 1e-9);
        for (int k = 0; k < 2; k++) mt_arena_free(&s[k].arena);
    }
}

/* A start in the middle of a time step is rounded to its end, as in the tissue. 11 times the eleventh part of 0.05 is not 0.05. */
Test(conducting, stimuli_are_on_in_the_same_time_steps_for_any_number_of_steps)
{
    for (size_t n = 1; n <= 40; n++) {
        setup s = {0};
        uint32_t point[] = {0, 1};
        double v[2];
        straight_network(&s.arena, 1, 0.1, &s.network);
        make_system(&s, &usual_rule, 0.05);
        s.conduction = passive_conduction(&s.network, &s.conduction.cables, inert);
        s.conduction.steps = n;
        s.stimulus = (mt_stimulus){0.025, 0.05, 20, 2, point, 0, 0, NULL, 0, 0, 0, 0};
        s.conduction.stimulus = &s.stimulus;
        s.conduction.n_stimuli = 1;
        open_system(&s, false);
        for (size_t step = 0; step < 4; step++) {
            run_until(&s, s.dt_ms * (double)(step + 1));
            read_v(&s, v);
            const double expected = step == 0 ? -80 : -79;
            cr_assert_float_eq(v[0], expected, 1e-9, "%zu steps, time step %zu: %g, expected %g mV", n, step,
                v[0], expected);
        }
        mt_arena_free(&s.arena);
    }
}

Test(conducting, activation_times_converge_with_the_number_of_steps)
{
    static const size_t steps[] = {1, 2, 4, 40};
    double time_ms[4];
    for (int k = 0; k < 4; k++) {
        setup s = {0};
        straight_network(&s.arena, 1, 15, &s.network);
        make_system(&s, &usual_rule, 0.05);
        s.conduction.steps = steps[k];
        stimulate_until(&s, 1);
        open_system(&s, false);
        run_until(&s, 10);
        time_ms[k] = time_at(&s, 1);
        mt_arena_free(&s.arena);
    }
    for (int k = 1; k < 3; k++) {
        const double before_ms = fabs(time_ms[k - 1] - time_ms[3]), now_ms = fabs(time_ms[k] - time_ms[3]);
        cr_expect_lt(now_ms, before_ms / 2, "%zu steps: the error is %g ms, before %g ms", steps[k], now_ms,
            before_ms);
    }
    cr_expect_float_eq(time_ms[2], time_ms[3], 0.002 * time_ms[3]);
}

/* ---- single precision ---- */

Test(conducting, activation_times_in_single_precision_differ_by_less_than_a_thousandth)
{
    setup s[2];
    for (int k = 0; k < 2; k++) {
        uint64_t seed = 4;
        s[k] = (setup){0};
        random_network(&s[k].arena, &seed, LOOPS, 6, &s[k].network);
        make_system(&s[k], &usual_rule, 0.05);
        stimulate_until(&s[k], 1);
        open_system(&s[k], k == 1);
        run_until(&s[k], 14);
    }
    double last_ms = 0;
    for (size_t k = 0; k < s[0].conduction.cables.n_points; k++) {
        const double a = s[0].conducting.activation_ms[k], b = s[1].conducting.activation_ms[k];
        cr_assert_float_eq(a, b, 1e-3 * a, "point %zu: %g and %g ms", k, a, b);
        last_ms = fmax(last_ms, a);
    }
    cr_assert(last_ms > 4 && isfinite(last_ms), "%g ms", last_ms);
    cr_assert_neq(memcmp(s[0].conducting.activation_ms, s[1].conducting.activation_ms,
                      s[0].conduction.cables.n_points * sizeof(double)),
        0);
    for (int k = 0; k < 2; k++) mt_arena_free(&s[k].arena);
}

/* ---- arrays ---- */

static void expect_same_arrays(const setup *a, const setup *b)
{
    for (size_t k = 0; k < mt_conducting_arrays(&a->conduction); k++) {
        size_t n;
        double x[2000], y[2000];
        const mt_cell_quantity quantity = mt_conducting_array(&a->conduction, k, &n);
        mt_conducting_read(&a->conducting, k, x);
        mt_conducting_read(&b->conducting, k, y);
        cr_assert_eq(memcmp(x, y, n * sizeof *x), 0, "%s", quantity.name);
    }
}

/* In a second beat, so that V is above the threshold of another activation at some places. */
Test(conducting, a_system_continues_to_the_same_bits_from_its_arrays)
{
    for (int single = 0; single < 2; single++) {
        setup s[2];
        double tissue_mV[2][UNKNOWNS];
        for (int k = 0; k < 2; k++) make_busy(&s[k], 2, 0.05), open_system(&s[k], single);
        fill_tissue(tissue_mV[0]);
        for (size_t step = 0; step < 50; step++) {
            step_with_tissue(&s[0], tissue_mV[0]);
            if (step == 30) mt_conducting_begin_beat(&s[0].conducting, step + 1);
        }
        for (size_t k = 0; k < mt_conducting_arrays(&s[0].conduction); k++) {
            double values[2000];
            mt_conducting_read(&s[0].conducting, k, values);
            mt_conducting_write(&s[1].conducting, k, values);
        }
        s[1].step = s[0].step;
        s[1].conducting.beat_step = s[0].conducting.beat_step;
        memcpy(tissue_mV[1], tissue_mV[0], sizeof tissue_mV[0]);
        for (size_t step = 0; step < 100; step++)
            for (int k = 0; k < 2; k++) step_with_tissue(&s[k], tissue_mV[k]);
        expect_same_arrays(&s[0], &s[1]);
        cr_assert_eq(memcmp(tissue_mV[0], tissue_mV[1], sizeof tissue_mV[0]), 0);
        for (int k = 0; k < 2; k++) mt_arena_free(&s[k].arena);
    }
}

Test(conducting, arrays_have_names_units_and_lengths)
{
    setup s;
    make_busy(&s, 1, 0.05);
    const size_t n_points = s.conduction.cables.n_points, n_places = n_points + s.conduction.junctions.n,
                 n_states = stewart()->n_states;
    static const mt_cell_quantity rest[] = {
        {"increment", "mV"}, {"activation", "ms"}, {"before", "mV"}, {"free", ""}};
    cr_assert_eq(mt_conducting_arrays(&s.conduction), 1 + n_states + 4);
    for (size_t k = 0; k < 1 + n_states + 4; k++) {
        size_t n;
        const mt_cell_quantity found = mt_conducting_array(&s.conduction, k, &n),
                               expected = k == 0          ? (mt_cell_quantity){"V", "mV"}
                                          : k <= n_states ? stewart()->states[k - 1]
                                                          : rest[k - 1 - n_states];
        cr_assert_str_eq(found.name, expected.name);
        cr_assert_str_eq(found.unit, expected.unit);
        cr_assert_eq(n, k <= n_states + 1 ? n_points : n_places, "%s", found.name);
    }
    mt_arena_free(&s.arena);
}

/* Threads take 1024 points at a time, in blocks of 16, of which the last is shorter. */
Test(conducting, states_belong_to_their_points)
{
    setup s = {0};
    mt_cables_rule rule = usual_rule;
    double written[1351], read[1351];
    uint64_t seed = 2;
    rule.spacing_mm = 0.01;
    straight_network(&s.arena, 1, 13.5, &s.network);
    make_system(&s, &rule, 0.05);
    const size_t n = s.conduction.cables.n_points;
    cr_assert_eq(n, 1351);
    s.conduction = passive_conduction(&s.network, &s.conduction.cables, inert);
    open_system(&s, false);
    for (size_t k = 0; k < n; k++) written[k] = between(&seed, 0, 1);
    mt_conducting_write(&s.conducting, 1, written);
    run_until(&s, 1);
    mt_conducting_read(&s.conducting, 1, read);
    for (size_t k = 0; k < n; k++) cr_assert_float_eq(read[k], written[k] + 1, 1e-12, "point %zu", k);
    mt_arena_free(&s.arena);
}

/* ---- activations ---- */

/* V is moved by stimuli alone, at 10 mV/ms: an activation is the first passage of -20 mV of a beat, after V was below -60 mV. */
Test(conducting, activations_are_first_passages_of_a_beat_from_rest)
{
    enum { RUNS = 7, NEVER = -1 };
    static const struct {
        double start_ms, duration_ms, rate_mV_ms, activation_ms; /* by the end of this run */
    } run[RUNS] = {{0, 10, 10, 6},                               /* from -80 to 20 */
        {20, 6, -10, 6},                                         /* to -40 */
        {40, 4, 10, NEVER},                                      /* to 0, not from rest */
        {60, 7, -10, NEVER},                                     /* to -70 */
        {80, 8.5, 10, 85},                                       /* to 15 */
        {100, 9, -10, 85},                                       /* to -75 */
        {120, 8, 10, 85}};                                       /* the second one of this beat */
    setup s = {0};
    mt_stimulus stimulus[RUNS];
    uint32_t point[] = {0, 1};
    straight_network(&s.arena, 1, 0.1, &s.network);
    make_system(&s, &usual_rule, 0.25);
    s.conduction = passive_conduction(&s.network, &s.conduction.cables, inert);
    for (int k = 0; k < RUNS; k++)
        stimulus[k] = (mt_stimulus){
            run[k].start_ms, run[k].duration_ms, run[k].rate_mV_ms, 2, point, 0, 0, NULL, 0, 0, 0, 0};
    s.conduction.stimulus = stimulus;
    s.conduction.n_stimuli = RUNS;
    open_system(&s, false);
    for (int k = 0; k < RUNS; k++) {
        if (k == 2) mt_conducting_begin_beat(&s.conducting, s.step);
        run_until(&s, run[k].start_ms + run[k].duration_ms);
        const double expected = run[k].activation_ms == NEVER ? INFINITY : run[k].activation_ms;
        for (size_t node = 0; node < 2; node++)
            cr_assert(time_at(&s, node) == expected || fabs(time_at(&s, node) - expected) < 1e-9,
                "run %d: %g, expected %g ms", k, time_at(&s, node), expected);
    }
    mt_arena_free(&s.arena);
}

/* The mean of the tissue at a junction, -80 to 20 mV with weights 0.3 and 0.7, passes the threshold of -20 mV. V at the start of a step is
 * that of the end of the previous one. At the other junction the mean begins above -60 mV and passes the threshold. */
Test(conducting, the_mean_of_the_tissue_at_a_junction_is_recorded)
{
    setup s = {0};
    straight_network(&s.arena, 1, 0.1, &s.network);
    make_system(&s, &usual_rule, 0.25);
    s.conduction = passive_conduction(&s.network, &s.conduction.cables, inert);
    couple_tissue(&s, 1e12);
    open_system(&s, false);
    for (size_t step = 0; step < 60; step++) {
        double tissue_mV[UNKNOWNS] = {0};
        tissue_mV[0] = -80;
        tissue_mV[1] = fmin(-80 + 10 * s.dt_ms * (double)step, 40);
        mt_conducting_step(&s.conducting, step, tissue_mV);
        for (size_t k = 0; k < UNKNOWNS; k++)
            cr_assert_float_eq(s.conducting.tissue_mV[k], tissue_mV[k], 1e-6);
    }
    const double *activation_ms = s.conducting.activation_ms + s.conduction.cables.n_points,
                 expected = 60 / (0.7 * 10);
    cr_assert_float_eq(activation_ms[0], expected, 1e-6, "%g, expected %g ms", activation_ms[0], expected);
    cr_assert(isinf(s.conducting.activation_ms[0]));
    cr_assert(isinf(activation_ms[1]), "%g ms", activation_ms[1]);
    mt_arena_free(&s.arena);
}

/* ---- passages ---- */

/* By the rule of the header, on both sides of each of its limits. */
Test(conducting, passages_follow_their_rule)
{
    static const struct {
        mt_passage passage;
        mt_passage_times times; /* inside, cable, tissue, end, share */
    } junction[] = {{MT_PASSAGE_NONE, {INFINITY, INFINITY, INFINITY, 100, 0}},
        {MT_PASSAGE_NONE, {10, INFINITY, INFINITY, 100, 0}},
        /* most of the tissue follows, or half of it */
        {MT_PASSAGE_ANTEGRADE, {9, 10, 14, 100, 0.51}}, {MT_PASSAGE_ANTEGRADE_FAILED, {9, 10, 14, 100, 0.5}},
        {MT_PASSAGE_ANTEGRADE_FAILED, {9, 10, INFINITY, 100, 0.9}},
        {MT_PASSAGE_ANTEGRADE, {9, 10, 30, 100, 1}}, {MT_PASSAGE_ANTEGRADE_FAILED, {9, 10, 30.1, 100, 1}},
        {MT_PASSAGE_ANTEGRADE, {9, 10, 9, 100, 1}},
        /* the tissue was activated from elsewhere */
        {MT_PASSAGE_COLLISION, {9, 10, 8.9, 100, 0}}, {MT_PASSAGE_COLLISION, {29, 30, 10, 100, 1}},
        {MT_PASSAGE_RETROGRADE_FAILED, {29, 30, 9.9, 100, 1}},
        {MT_PASSAGE_RETROGRADE_FAILED, {INFINITY, INFINITY, 10, 100, 0}},
        /* into the cable, or only to its end */
        {MT_PASSAGE_RETROGRADE, {13, 12, 10, 100, 0}}, {MT_PASSAGE_RETROGRADE, {13, 12, 14, 100, 0}},
        {MT_PASSAGE_RETROGRADE, {30, 12, 10, 100, 1}}, {MT_PASSAGE_RETROGRADE_FAILED, {30.1, 12, 10, 100, 1}},
        {MT_PASSAGE_RETROGRADE_FAILED, {INFINITY, 12, 14, 100, 1}},
        /* the end of the beat or run */
        {MT_PASSAGE_OPEN, {9, 10, INFINITY, 29.9, 0}},
        {MT_PASSAGE_ANTEGRADE_FAILED, {9, 10, INFINITY, 30, 0}}, {MT_PASSAGE_OPEN, {9, 10, 14, 29.9, 0.5}},
        {MT_PASSAGE_ANTEGRADE, {9, 10, 14, 29.9, 0.6}}, {MT_PASSAGE_OPEN, {INFINITY, INFINITY, 10, 29.9, 0}},
        {MT_PASSAGE_OPEN, {INFINITY, 12, 10, 29.9, 1}}, {MT_PASSAGE_COLLISION, {9, 10, 8.5, 12, 0}}};
    for (size_t k = 0; k < sizeof junction / sizeof *junction; k++) {
        const mt_passage found = mt_passage_of(&junction[k].times);
        cr_expect_str_eq(mt_passage_name[found], mt_passage_name[junction[k].passage], "row %zu", k);
    }
}

Test(conducting, the_share_around_a_junction_is_that_of_the_volume_activated_with_its_free_end)
{
    size_t start[] = {0, 1, 5};
    uint32_t near[] = {0, 4, 1, 3, 2};
    const mt_junctions junctions = {.n = 2, .near_start = start, .near = near};
    const double volume_mm3[] = {1, 1, 2, 4, 9}, activation_ms[] = {1, 30, 50, 50.5, INFINITY};
    cr_expect_float_eq(mt_passage_share(&junctions, 1, volume_mm3, activation_ms, 30), 3.0 / 16, 1e-12);
    cr_expect_float_eq(mt_passage_share(&junctions, 1, volume_mm3, activation_ms, 70.5), 4.0 / 16, 1e-12);
    cr_expect_eq(mt_passage_share(&junctions, 1, volume_mm3, activation_ms, INFINITY), 0);
    cr_expect_eq(mt_passage_share(&junctions, 0, volume_mm3, activation_ms, 21), 1);
}

/* ---- memory ---- */

Test(conducting, a_failing_allocation_is_reported)
{
    mt_arena arena = {0};
    setup s;
    size_t n = 0;
    make_busy(&s, 1, 0.05);
    for (mt_status status = MT_MEMORY; status == MT_MEMORY; mt_arena_free(&arena)) {
        mt_arena_fail_at(++n);
        status = mt_conducting_open(&arena, &s.conduction, 0.05, true, &s.conducting);
        mt_arena_fail_at(0);
        cr_assert(status == MT_MEMORY || status == MT_OK);
    }
    cr_assert_gt(n, 30);
    mt_arena_free(&s.arena);
}
