/* myotile tune --network and --junction. */
#include <criterion/criterion.h>

#include "solver/cable.h"
#include "solver/case/case.h"
#include "tests/json.h"
#include "tests/app/program.h"
#include "tests/solver/small_case.h"

static mt_arena arena;

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(tune_network, .init = enter_room, .fini = leave);

static const json *properties(const json *tables, const char *table)
{
    return json_at(json_item(tables, "table", table), "properties");
}

/* Returns the converged velocity of Stewart cells along a cable. */
static double converged_mm_ms(double diffusivity_mm2_ms)
{
    mt_cable cable = {.diffusivity_mm2_ms = diffusivity_mm2_ms,
        .length_mm = 24,
        .dx_mm = 0.1,
        .dt_ms = 0.01,
        .end_ms = 40,
        .splitting = MT_SPLITTING_COMPENSATED,
        .stimulated_mm = 2,
        .duration_ms = 1,
        .rise_mV_ms = 100};
    mt_cable_wave wave;
    cr_assert_eq(mt_cell_model_find("stewart", &cable.model), MT_OK);
    cr_assert_eq(mt_cable_run(&arena, &cable, &wave), MT_OK, "%s", mt_message());
    return mt_cable_speed(&wave, 10, 20);
}

/* At 0.2 mm a cable is 1.3 % slower than a converged one (tests/solver/conduction/test_conducting.c), and the target is met to 0.2 %. */
Test(tune_network, cables_conduct_at_the_target_velocity)
{
    const json *tables =
        json_parse_and_free(&arena, works("tune --network 2 --set time.dt_ms=0.05 --format json"));
    const json *found = properties(tables, "tuned_network");
    const double diffusivity = json_value(found, "diffusivity_mm2_ms"),
                 converged = converged_mm_ms(diffusivity);
    cr_expect_float_eq(json_value(found, "measured_mm_per_ms"), 2, 0.004);
    cr_expect_float_eq(json_value(found, "measured_mm_per_ms") / converged, 0.987, 0.006, "%g", converged);
    cr_expect_float_eq(
        diffusivity, json_value(found, "conductivity_millisiemens_per_mm") * 0.05 / 0.02, 1e-9);
}

#define TISSUE "--set diffusion.discretisation=nodes --set time.dt_ms=0.05 --set network.fibres=2000 "

/* The tuned junction in a run of its own: the cable and slab of app/waves/network_tuning.h, in a case. */
Test(tune_network, junctions_have_the_target_delay_in_a_run)
{
    const json *tables =
        json_parse_and_free(&arena, works("tune --junction 2 --edge-mm 0.8 --format json " TISSUE));
    const json *found = properties(tables, "tuned_junction");
    const double resistance = json_value(found, "resistance_kohm"), delay = json_value(found, "antegrade_ms");
    double cable_ms, tissue_ms;
    cr_expect_float_eq(delay, 2, 0.04);
    cr_expect_gt(json_value(found, "block_kohm"), resistance);
    cr_expect_gt(json_value(found, "retrograde_ms"), 0);
    write_text("line.csv", "x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm\n4,4,18,4,4,3\n");
    write_text("case.yaml",
        "mesh: {slab: {size_mm: [8, 8, 4], edge_mm: 0.8}}\n" USUAL_TISSUE "time: {end_ms: 20}\n"
        "network: {file: line.csv, stimuli: [{node: 0}]}\n"
        "machine: {backend: cpu, precision: double}\n");
    free(works("run case.yaml -o out --set network.junction.resistance_kOhm=%.17g " TISSUE, resistance));
    size_t size;
    char *text = bytes_of("out/junctions.csv", &size);
    const char *row = strchr(text, '\n');
    cr_assert_eq(sscanf(row + 1, "0,4,4,3,1,%lf,%lf", &cable_ms, &tissue_ms), 2, "%s", text);
    cr_expect_float_eq(tissue_ms - cable_ms, delay, 1e-6, "%g", tissue_ms - cable_ms);
    free(text);
    /* the eikonal equation measures the delays in the same slab, and the CV of the cable along another one, without a junction's load */
    const json *of_map = json_parse_and_free(&arena,
        works("eikonal case.yaml -o map --format json --set network.junction.resistance_kOhm=%.17g " TISSUE,
            resistance));
    const json *network = properties(of_map, "network");
    cr_expect_float_eq(
        json_value(network, "antegrade_ms"), delay, 0.01, "%g", json_value(network, "antegrade_ms"));
    cr_expect_float_eq(json_value(network, "retrograde_ms"), json_value(found, "retrograde_ms"), 0.01);
    text = bytes_of("map/junctions.csv", &size);
    double map_cable_ms;
    cr_assert_eq(sscanf(strchr(text, '\n') + 1, "0,4,4,3,1,%lf", &map_cable_ms), 1, "%s", text);
    cr_expect_float_eq(map_cable_ms, cable_ms, 0.05 * cable_ms, "%g, not %g ms", map_cable_ms, cable_ms);
    free(text);
}

Test(tune_network, the_printed_snippet_is_a_valid_section)
{
    mt_case loaded;
    char text[2048], *printed = works("tune --network 1.5 --set time.dt_ms=0.05");
    const char *snippet = strstr(printed, "\nnetwork:\n");
    cr_assert_not_null(snippet, "%s", printed);
    (void)snprintf(
        text, sizeof text, SMALL_SLAB USUAL_TISSUE "time: {end_ms: 8}\n" SMALL_STIMULUS("2") "%s", snippet);
    free(printed);
    write_text("tuned.yaml", text);
    cr_assert_eq(mt_case_load(&arena, "tuned.yaml", NULL, 0, &loaded), MT_OK, "%s", mt_message());
    cr_expect(loaded.network.conductivity_mS_mm > 0.1 && loaded.network.conductivity_mS_mm < 0.2);
}

/* The cables of the tuning are stimulated by it. */
Test(tune_network, the_default_stimulus_is_that_of_a_case)
{
    mt_case_network_stimulus stimulus;
    mt_case loaded;
    write_text("net.csv", "x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm\n0,0,2,0,0,0\n");
    write_text("case.yaml", SMALL_SLAB USUAL_TISSUE
        "time: {end_ms: 8}\n" SMALL_STIMULUS("2") "network: {file: net.csv, stimuli: [{node: 0}]}\n");
    cr_assert_eq(mt_case_load(&arena, "case.yaml", NULL, 0, &loaded), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_case_default_network_stimulus(&arena, &stimulus), MT_OK);
    const mt_case_network_stimulus *of_case = &loaded.network.stimuli[0];
    cr_expect(stimulus.node == 0 && stimulus.count == of_case->count && isnan(stimulus.period_ms));
    cr_expect(stimulus.radius_mm == of_case->radius_mm && stimulus.start_ms == of_case->start_ms);
    cr_expect(stimulus.duration_ms == of_case->duration_ms && stimulus.duration_ms > 0);
    cr_expect(stimulus.strength_mV_ms == of_case->strength_mV_ms && stimulus.strength_mV_ms > 0);
}

Test(tune_network, invalid_requests_are_rejected)
{
    refuses(2, "CV of 20 mm/ms; allowed: 0.1 to 10 mm/ms", "tune --network 20");
    refuses(2, "a delay of 30 ms; allowed: 0.05 to 20 ms", "tune --junction 30 --edge-mm 1");
    refuses(2, "no element size; needed", "tune --junction 3");
    refuses(2, "--cv-l or --cv-t with --network or --junction", "tune --network 2 --cv-l 0.6");
    refuses(5, "the cables cannot activate this tissue with any resistance",
        "tune --junction 3 --edge-mm 0.8 --set network.fibres=1 --set diffusion.discretisation=nodes --set "
        "time.dt_ms=0.05");
}
