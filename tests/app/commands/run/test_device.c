/* Runs on an OpenCL device: what their outputs say about it. */
#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/opencl_library.h"

#include "tests/solver/small_case.h"

static const char body[] = SMALL_SLAB USUAL_TISSUE
    "time: {end_ms: 2}\n" SMALL_STIMULUS("2") "machine: {backend: opencl, device: pthread}\n";

/* Of a small model, which devices compile quickly. */
#define RUN "run case.yaml --set cell.model=mitchell-schaeffer --set cell.type=standard"

static void enter(void)
{
    enter_room();
    use_changes("", "0");
    write_text("case.yaml", body);
}

TestSuite(device, .init = enter, .fini = leave_room);

/* True if a file of a run has this text. */
static bool has(const char *path, const char *text)
{
    size_t n;
    char *bytes = bytes_of(path, &n);
    const bool found = memmem(bytes, n, text, strlen(text)) != NULL;
    free(bytes);
    return found;
}

Test(device, the_table_and_the_files_name_the_device)
{
    char *text = works(RUN " -o out");
    cr_assert(strstr(text, "OpenCL device") && strstr(text, "pthread"), "%s", text);
    cr_assert(strstr(text, "bits of the host"), "%s", text);
    cr_assert(has("out/result.hdf", "pthread") && !has("out/result.hdf", "device_differs"));
    cr_assert(has("out/used.yaml", "reproduces the results bit by bit"));
    free(text);
    text = works(RUN " -o out --format json");
    cr_assert(json_property(text, "device_memory_mb") > 0 && json_property(text, "device_memory_mb") < 10);
    free(text);
    text = works(RUN " -o host --set machine.backend=cpu");
    cr_assert(!strstr(text, "device") && !strstr(text, "bits of the host"), "%s", text);
    free(text);
}

Test(device, every_output_states_that_the_bits_may_differ)
{
    use_changes("-cl-no-signed-zeros", "0");
    refuses(2, "machine.strict: false", RUN " -o out");
    char *text = works(RUN " -o out --set machine.strict=false");
    cr_assert(strstr(text, "no: results may differ in their last digits"), "%s", text);
    cr_assert(has("out/result.hdf", "device_differs") && has("out/result.hdf", "on the host "));
    cr_assert(has("out/used.yaml", "may give results with other last digits: the device pthread"));
    cr_assert(!has("out/used.yaml", "reproduces the results bit by bit"));
    cr_assert(has("out/report.html", "Results may differ from those of the host in their last digits"));
    free(text);
    text = works("report out -o again.html");
    cr_assert(has("again.html", "Results may differ from those of the host in their last digits"));
    free(text);
}
