/* Activates a slab with several longitudinal conductivities, and prints the time of the last activation for each. The mesh and everything
 * that does not depend on the conductivity is built once.
 *
 *     cc conductivities.c $(pkg-config --cflags --libs myotile) -lm -o conductivities */
#include <math.h>
#include <stdio.h>

#include <myotile.h>

/* Stops a run when all of the tissue is above 0 mV. */
static bool all_excited(void *user, const myotile_sample *sample)
{
    size_t n = 0;
    (void)user;
    for (size_t k = 0; k < sample->n; k++) n += sample->v_mV[k] > 0;
    return n == sample->n;
}

static int fail(void)
{
    (void)fprintf(stderr, "%s\n", myotile_message());
    return 1;
}

int main(int argc, char **argv)
{
    static const char *const values[] = {"0.08", "0.17", "0.34"};
    const char *quick[] = {
        "machine.backend=cpu", "mesh.slab.size_mm=[8, 2, 1]", "points=[]", "line.points=0"};
    char path[4096];
    myotile_case *slab;
    (void)snprintf(path, sizeof path, "%s/cases/niederer-0.5.yaml", myotile_data_folder());
    if (myotile_open(argc > 1 ? argv[1] : path, quick, 4, NULL, &slab) != MYOTILE_OK) return fail();
    for (size_t k = 0; k < 3; k++) {
        const myotile_watch watch = {.every_ms = 1, .sample = all_excited};
        const char *set = NULL;
        char text[64];
        myotile_result *result;
        myotile_map map;
        float last = 0;
        (void)snprintf(text, sizeof text, "tissue.intracellular_l_mS_mm=%s", values[k]);
        set = text;
        const myotile_status status = myotile_run(slab, &set, 1, &watch, &result);
        if (status != MYOTILE_OK && status != MYOTILE_STOPPED) return fail();
        if (myotile_result_map(result, "activation", 0, &map) != MYOTILE_OK) return fail();
        for (size_t e = 0; e < map.n; e++) last = fmaxf(last, map.value[e]);
        (void)printf("%s mS/mm: last activation at %.1f ms\n", values[k], (double)last);
        myotile_result_free(result);
    }
    myotile_close(slab);
    return 0;
}
