/* A program with its own MPI that shares runs of the library among its ranks: rank 0 has the bits of a run alone, all ranks return the same
 * errors, and MPI remains the program's.
 *     mpiexec -n N library_on_ranks CASE.yaml */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/library/myotile.h"

static int rank;

static void require(bool holds, const char *what)
{
    if (holds) return;
    (void)fprintf(stderr, "rank %d: %s: %s\n", rank, what, myotile_message());
    (void)MPI_Abort(MPI_COMM_WORLD, 1);
}

static const char *const sets[] = {"mesh.slab.size_mm=[4, 2, 1]", "points=[]", "line.points=0",
    "time.end_ms=6", "machine.ipus=4", "machine.tiles=12"};
enum { SETS = sizeof sets / sizeof *sets };

static myotile_result *run(const char *path, const void *communicator, const char *also)
{
    const myotile_options options = {.threads = 1, .communicator = communicator};
    myotile_case *c;
    myotile_result *r;
    require(myotile_open(path, sets, SETS, &options, &c) == MYOTILE_OK, "open");
    for (int k = 0; k < 2; k++) { /* the second run uses the preparations of the first */
        const myotile_status status = myotile_run(c, &also, 1, NULL, &r);
        require(status == MYOTILE_OK, "run");
        require((r != NULL) == (!communicator || rank == 0), "result");
        if (k == 0) myotile_result_free(r);
    }
    myotile_close(c);
    return r;
}

static void compare(const char *path, const char *also)
{
    const MPI_Comm world = MPI_COMM_WORLD;
    myotile_result *shared = run(path, &world, also);
    myotile_map here, there;
    if (rank > 0) return;
    myotile_result *alone = run(path, NULL, also);
    require(myotile_result_map(alone, "activation", 0, &here) == MYOTILE_OK, "map");
    require(myotile_result_map(shared, "activation", 0, &there) == MYOTILE_OK, "map");
    require(here.n == there.n && memcmp(here.value, there.value, here.n * sizeof *here.value) == 0, also);
    require(myotile_result_cycles(alone) == myotile_result_cycles(shared), "cycles");
    myotile_result_free(alone), myotile_result_free(shared);
}

int main(int argc, char **argv)
{
    int provided, sum = 1;
    const MPI_Comm world = MPI_COMM_WORLD;
    const myotile_options options = {.communicator = &world};
    myotile_case *c;
    if (argc != 2) return EXIT_FAILURE;
    (void)MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    compare(argv[1], "machine.backend=ipu");
    compare(argv[1], "machine.backend=cpu");
    require(myotile_open("missing.yaml", NULL, 0, &options, &c) == MYOTILE_FILE, "a missing case");
    require(myotile_open(argv[1], sets, SETS, &options, &c) == MYOTILE_OK, "open");
    myotile_result *r;
    const char *bad = "stimuli.0.max_mm=[-5, -5, -5]"; /* found by rank 0 only */
    require(myotile_run(c, &bad, 1, NULL, &r) == MYOTILE_INPUT, "a stimulus without tissue");
    myotile_close(c);
    (void)MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) (void)printf("%d ranks\n", sum);
    return MPI_Finalize();
}
