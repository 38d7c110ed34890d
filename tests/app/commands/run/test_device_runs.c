/* Runs on OpenCL devices, by command: the files of the host in single precision, also after a change of the backend. */
#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/app/same_files.h"

#include "mesh/vtk/vtkhdf.h"
#include "tests/solver/small_case.h"

#include <omp.h>

/* A small model, which devices compile quickly; cells, voltages and traces of two beats. */
static const char body[] =
    SMALL_SLAB "tissue:\n"
               "  intracellular_l_mS_mm: 0.17\n"
               "  intracellular_t_mS_mm: 0.019\n"
               "  extracellular_l_mS_mm: 0.62\n"
               "  extracellular_t_mS_mm: 0.24\n"
               "  chi_per_mm: 140\n"
               "  cm_uF_mm2: 0.01\n"
               "cell: {model: mitchell-schaeffer, type: standard}\n"
               "time: {end_ms: 12}\n"
               "regions:\n"
               "  - {min_mm: [1.5, 0, 0], max_mm: [2, 1, 1], scale: [tau_close=0.9]}\n" SMALL_STIMULUS(
                   "2") "points:\n  - {name: far, at_mm: [2.7, 0.5, 0.5]}\n"
                        "traces: {every_ms: 0.5}\nseries: {every_ms: 3}\ncheckpoint: {at_end: true}\n";

enum { N = 288 };
#define HOST " --set machine.backend=cpu"
#define DEVICE " --set machine.backend=opencl"

static void enter(void)
{
    enter_room();
    share_cache();
    omp_set_num_threads(1);
    write_text("case.yaml", body);
}

TestSuite(device_runs, .init = enter, .fini = leave_room);

/* Kinds of runs. */
static const char *const kinds[] = {"", " --set cell.stepping=multirate",
    " --set diffusion.discretisation=nodes --set time.dt_ms=0.01",
    (" --set diffusion.accumulation=double-word --set time.pde_steps=3 --set output.beats=every"
     " --set output.maps=[apd,peak,upstroke] --set stimuli.0.period_ms=7 --set stimuli.0.count=2")};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Compares all lines but that of the backend. */
static void expect_same_case(const char *a, const char *b)
{
    size_t n;
    char *text[2] = {bytes_of(a, &n), bytes_of(b, &n)};
    char *line[2] = {strstr(text[0], "\n  backend: "), strstr(text[1], "\n  backend: ")};
    cr_assert(line[0] && line[1]);
    cr_expect_str_eq(strchr(line[0] + 1, '\n'), strchr(line[1] + 1, '\n'));
    *line[0] = *line[1] = 0;
    cr_expect_str_eq(text[0], text[1]);
    free(text[0]), free(text[1]);
}

static void expect_same_field(const char *a, const char *b, const char *name)
{
    mt_arena arena = {0};
    double *in_a, *in_b;
    cr_assert_eq(mt_vtkhdf_read_field(&arena, a, name, N, &in_a), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_vtkhdf_read_field(&arena, b, name, N, &in_b), MT_OK, "%s", mt_message());
    cr_expect_arr_eq(in_a, in_b, N * sizeof *in_a, "%s", name);
    mt_arena_free(&arena);
}

static void run_kind(const char *kind, const char *more)
{
    char line[400];
    (void)snprintf(line, sizeof line, "run case.yaml%s%s", kind, more);
    run(line);
}

Test(device_runs, a_device_writes_the_files_of_the_host)
{
    for (size_t k = 0; k < KINDS; k++) {
        run_kind(kinds[k], " -o host" HOST);
        run_kind(kinds[k], " -o device" DEVICE);
        cr_expect_geq(expect_same_files("host", "device", false), 5);
        expect_same_case("host/used.yaml", "device/used.yaml");
        if (k != 2) expect_same_field("host/result.hdf", "device/result.hdf", "activation");
    }
}

/* All files, also those with the case, since the last backend is the same. */
static void check_change(const char *kind, const char *from, const char *to)
{
    char more[200];
    (void)snprintf(more, sizeof more, " -o one%s", to);
    run_kind(kind, more);
    (void)snprintf(more, sizeof more, " -o two --set time.end_ms=3.5%s", from);
    run_kind(kind, more);
    (void)snprintf(more, sizeof more, "run --resume two --set time.end_ms=12%s", to);
    run(more);
    cr_expect_geq(expect_same_files("one", "two", true), 8);
}

Test(device_runs, a_run_of_the_host_is_resumed_on_a_device_and_back)
{
    for (size_t k = 0; k < KINDS; k++) {
        check_change(kinds[k], HOST, DEVICE);
        check_change(kinds[k], DEVICE, HOST);
    }
}

Test(device_runs, a_checkpoint_of_the_emulated_machine_is_resumed_on_a_device)
{
    skip_checkpoints = true;
    check_change(" --set machine.tiles=3", " --set machine.backend=ipu", DEVICE);
}

Test(device_runs, values_that_devices_do_not_have_are_refused)
{
    static const struct {
        const char *set, *message;
    } wrong[] = {{"machine.precision=double",
                     "case.yaml: machine.precision: double; allowed with machine.backend opencl: single"},
        {"diffusion.method=implicit",
            "case.yaml: diffusion.method: implicit; allowed with machine.backend opencl: explicit"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        refuses(2, wrong[k].message, "run case.yaml -o x" DEVICE " --set %s", wrong[k].set);
}

/* Errors that are found when the device is opened, after the mesh and the operator were made. */
static void expect_no_device(const char *set, const char *message)
{
    reply r = myotile("run case.yaml -o x" DEVICE "%s", set);
    cr_expect_eq(r.code, 2, "%s", r.said);
    cr_expect(strstr(r.said, message), "%s: %s", set, r.said);
    cr_expect_not(there("x/used.yaml") || there("x/result.hdf"));
    forget(&r);
}

Test(device_runs, an_unknown_device_is_reported_with_the_devices_of_the_computer)
{
    expect_no_device(" --set machine.device=quantum", "OpenCL device 'quantum' is unknown; allowed: ");
    expect_no_device(" --set machine.device=99", "OpenCL device '99' is unknown; allowed: ");
    expect_no_device(" --set machine.device=99", "0 (pthread");
}

/* The key has no effect on other backends. */
Test(device_runs, the_host_ignores_the_device) { run_kind("", " -o x --set machine.device=quantum" HOST); }

/* A missing library is named. */
Test(device_runs, a_missing_opencl_library_is_reported)
{
    cr_assert_eq(setenv("MYOTILE_OPENCL", "/nowhere/libOpenCL.so", 1), 0);
    expect_no_device("", "/nowhere/libOpenCL.so");
}
