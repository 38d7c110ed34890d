/* Complete runs on a device and on other backends: the same files. */
#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/app/same_files.h"

TestSuite(device_runs, .init = enter_room, .fini = leave_room, .timeout = 7200);

/* Runs a case on a device, and up to half of the time on another backend from which the device resumes. All files must be the same, also
 * those with the case. `other`: keys of the other backend, which the device ignores. */
static void compare(const char *name, const char *sets, const char *other, double half_ms, double end_ms)
{
    char line[600];
    (void)snprintf(line, sizeof line, "run %s -o one%s --set time.end_ms=%g --set machine.backend=opencl",
        name, sets, end_ms);
    run(line);
    (void)snprintf(line, sizeof line, "run %s -o two%s --set time.end_ms=%g%s", name, sets, half_ms, other);
    run(line);
    (void)snprintf(
        line, sizeof line, "run --resume two --set time.end_ms=%g --set machine.backend=opencl", end_ms);
    run(line);
    cr_expect_geq(expect_same_files("one", "two", true), 4);
}

/* The complete benchmark on the emulated machine and on a device. */
Test(device_runs, the_benchmark_has_the_files_of_the_emulated_machine)
{
    skip_checkpoints = true;
    compare("data/cases/niederer-0.5.yaml", " --set checkpoint.at_end=true", "", 54.98, 55);
}

Test(device_runs, the_benchmark_with_tables_has_the_files_of_the_host)
{
    compare("data/cases/niederer-0.5.yaml",
        " --set checkpoint.at_end=true --set cell.evaluation=tabulated --set cell.stepping=multirate"
        " --set machine.precision=single",
        " --set machine.backend=cpu", 27, 55);
}

/* The activation of the heart is that of small elements: its conductivities are those of the benchmark times 10 and more. */
static const char heart[] =
    "mesh: {file: fibred.hdf}\n"
    "tissue: {intracellular_l_mS_mm: 1.7, intracellular_t_mS_mm: 0.8, extracellular_l_mS_mm: 6.2, "
    "extracellular_t_mS_mm: 4.4, chi_per_mm: 140, cm_uF_mm2: 0.01}\n"
    "cell: {model: bueno-orovio, type: layers, stepping: multirate}\n"
    "time: {dt_ms: 0.1, end_ms: 900}\n"
    "regions:\n"
    "  - {at: apex, radius_mm: 20, scale: [tau_so1=0.9]}\n"
    "  - {surface: rv_endocardium, depth_mm: 4, scale: [tau_si=1.1]}\n"
    "stimuli: [{at: apex, radius_mm: 25, duration_ms: 3, strength_uA_mm3: 100, period_ms: 450, count: 2}]\n"
    "output: {maps: [repolarisation, apd, rest, peak, upstroke], beats: every, vertices: [csv]}\n";

/* Two beats of the three layers of a wall and two kinds of regions: maps at the vertices, as text, and in the result. */
Test(device_runs, a_heart_has_the_files_of_the_host)
{
    free(works("mesh ventricles --elements 5200 -o heart.hdf"));
    free(works("mesh fibres heart.hdf -o fibred.hdf"));
    write_text("heart.yaml", heart);
    for (int nodes = 0; nodes < 2; nodes++)
        for (int device = 0; device < 2; device++) {
            char line[300];
            (void)snprintf(line, sizeof line,
                "run heart.yaml -o %s --set machine.backend=%s --set diffusion.discretisation=%s",
                device ? "device" : "host", device ? "opencl" : "cpu", nodes ? "nodes" : "elements");
            run(line);
            if (device) cr_expect_geq(expect_same_files("host", "device", false), 10);
        }
}
