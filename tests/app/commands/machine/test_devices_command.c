#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/opencl_library.h"

TestSuite(devices_command, .init = enter_room, .fini = leave_room);

Test(devices_command, lists_pocl_and_tests_that_it_computes_the_same_bits)
{
    char *text = works("devices --format csv");
    cr_assert(strstr(text, "Portable Computing Language") && strstr(text, ",cpu,"), "%s", text);
    cr_assert(strstr(text, "\n0,yes,,in hardware"), "%s", text);
    cr_assert(strstr(text, "\nnumber,same_bits,first_difference\n0,yes,\n"), "%s", text);
    free(text);
}

Test(devices_command, names_what_a_device_lacks_for_the_same_bits)
{
    use_devices("g:NVIDIA H200;gfd:Old GPU|");
    char *text = works("devices --format csv");
    static const char *const parts[] = {"\n0,NVIDIA H200,gpu,132,1980,150,37.5\n",
        "\n1,Old GPU,gpu,132,1980,150,37.5\n", "\n0,yes,,in hardware,yes,yes,yes,yes\n",
        "\n1,no,double precision,slow,yes,yes,yes,no\n",
        "\n1,not tested,\"OpenCL device 1 (Old GPU): creating a context: CL_DEVICE_NOT_AVAILABLE (-2); ",
        "\n1,Fake 0,Fakes Ltd,535.1,OpenCL 1.2 fake\n"};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        cr_assert(strstr(text, parts[k]), "%s: %s", parts[k], text);
    free(text);
}

Test(devices_command, without_a_device_it_fails_and_says_what_to_install)
{
    use_devices("");
    refuses(2, "pocl-opencl-icd", "devices");
    cr_assert_eq(setenv("MYOTILE_OPENCL", "/nowhere.so", 1), 0);
    refuses(2, "MYOTILE_OPENCL: cannot be loaded: /nowhere.so", "devices");
}
