/* myotile devices: the OpenCL devices of this computer, and whether they compute the bits of the host. */
#include "app/cli/command.h"
#include "app/cli/table.h"
#include "data/core/progress.h"
#include "solver/device/self_test.h"

#include <string.h>

static mt_status devices(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {MT_OPTION_FORMAT, MT_OPTIONS_END};

const mt_command mt_command_devices = {
    .name = "devices",
    .operands = "",
    .summary = "list the OpenCL devices (GPUs and processors) and whether they compute the same bits as "
               "the host",
    .example = "myotile devices --format csv",
    .options = options,
    .run = devices,
};

static double GiB(uint64_t bytes) { return (double)bytes / 0x1p30; }
static const char *yes_or_no(bool yes) { return yes ? "yes" : "no"; }

static mt_table list_table(mt_arena *arena, size_t n, const mt_device *device)
{
    mt_table table = mt_table_begin(arena, "devices", "OpenCL devices");
    mt_table_decimals(&table, "number", "number", "", 0);
    mt_table_strings(&table, "name", "name");
    mt_table_strings(&table, "type", "type");
    mt_table_decimals(&table, "compute_units", "compute units", "", 0);
    mt_table_decimals(&table, "clock_mhz", "clock", "MHz", 0);
    mt_table_decimals(&table, "memory_gib", "memory", "GiB", 1);
    mt_table_decimals(&table, "largest_buffer_gib", "largest buffer", "GiB", 1);
    for (size_t k = 0; k < n; k++) {
        const mt_device *d = &device[k];
        mt_table_number(&table, (double)d->number);
        mt_table_text(&table, d->name);
        mt_table_text(&table, d->type);
        MT_TABLE_NUMBERS(&table, (double)d->compute_units, (double)d->clock_MHz, GiB(d->memory_bytes),
            GiB(d->buffer_bytes_max));
    }
    return table;
}

static mt_table bits_table(mt_arena *arena, size_t n, const mt_device *device)
{
    mt_table table = mt_table_begin(
        arena, "device_arithmetic", "Single precision, and whether the bits of the host are possible");
    mt_table_decimals(&table, "number", "number", "", 0);
    mt_table_strings(&table, "same_bits_possible", "same bits possible");
    mt_table_strings(&table, "lacks", "lacks");
    mt_table_strings(&table, "fused_multiply_add", "fused multiply-add");
    mt_table_strings(&table, "correctly_rounded_division", "correct division");
    mt_table_strings(&table, "round_to_nearest", "round to nearest");
    mt_table_strings(&table, "inf_nan", "infinity, NaN");
    mt_table_strings(&table, "double_precision", "double precision");
    for (size_t k = 0; k < n; k++) {
        const mt_device *d = &device[k];
        const char *lacks = mt_device_lacks(d);
        mt_table_number(&table, (double)d->number);
        mt_table_text(&table, yes_or_no(!lacks));
        mt_table_text(&table, lacks);
        mt_table_text(&table, d->fma ? "in hardware" : "slow");
        mt_table_text(&table, yes_or_no(d->correct_division));
        mt_table_text(&table, yes_or_no(d->nearest));
        mt_table_text(&table, yes_or_no(d->inf_nan));
        mt_table_text(&table, yes_or_no(d->doubles));
    }
    return table;
}

/* The outcome of a self-test. */
typedef struct tested {
    const char *same; /* "yes", "no" or "not tested" */
    char why[512];
} tested;

/* Tests a device. One that cannot be opened or compiled for is not tested, and the reason is its message. */
static mt_status test_device(const mt_device *device, tested *t)
{
    MT_SCRATCH(scratch);
    MT_OPENCL_SCOPE(opencl);
    char difference[MT_DEVICE_DIFFERENCE] = "";
    mt_status status = mt_opencl_open_on(scratch, device, &opencl);
    if (status == MT_OK) status = mt_device_self_test(opencl, 0, NULL, difference);
    if (status == MT_MEMORY) return status;
    t->same = status != MT_OK ? "not tested" : difference[0] ? "no" : "yes";
    (void)snprintf(t->why, sizeof t->why, "%s", status == MT_OK ? difference : mt_message());
    return MT_OK;
}

static mt_status test_all(mt_arena *arena, size_t n, const mt_device *device, mt_table *table)
{
    *table = mt_table_begin(arena, "device_self_test",
        "Self-test: the operations of the equations, computed on the device and on the host");
    mt_table_decimals(table, "number", "number", "", 0);
    mt_table_strings(table, "same_bits", "same bits");
    mt_table_strings(table, "first_difference", "first difference");
    for (size_t k = 0; k < n; k++) {
        tested *t;
        MT_ALLOC(arena, t, 1);
        MT_TRY(test_device(&device[k], t));
        mt_table_number(table, (double)device[k].number);
        mt_table_text(table, t->same);
        mt_table_text(table, t->why[0] ? t->why : NULL);
    }
    return MT_OK;
}

static mt_table driver_table(mt_arena *arena, size_t n, const mt_device *device)
{
    mt_table table = mt_table_begin(arena, "device_drivers", "Drivers");
    mt_table_decimals(&table, "number", "number", "", 0);
    mt_table_strings(&table, "platform", "platform");
    mt_table_strings(&table, "vendor", "vendor");
    mt_table_strings(&table, "driver", "driver");
    mt_table_strings(&table, "opencl", "OpenCL");
    for (size_t k = 0; k < n; k++) {
        mt_table_number(&table, (double)device[k].number);
        mt_table_text(&table, device[k].platform);
        mt_table_text(&table, device[k].vendor);
        mt_table_text(&table, device[k].driver);
        mt_table_text(&table, device[k].version);
    }
    return table;
}

static mt_status devices(mt_arena *arena, const mt_arguments *arguments)
{
    size_t n;
    mt_device *device;
    MT_TRY(mt_devices_list(arena, &n, &device));
    mt_table of_test;
    mt_progress_stage("testing the devices");
    const mt_status status = test_all(arena, n, device, &of_test);
    mt_progress_stage(NULL);
    MT_TRY(status);
    const mt_table tables[] = {
        list_table(arena, n, device), bits_table(arena, n, device), of_test, driver_table(arena, n, device)};
    return mt_print_tables(arguments, tables, sizeof tables / sizeof *tables);
}
