#include "app/stages/gmsh.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/cli/data_folder.h"
#include "app/cli/progress.h"
#include "mesh/files/gmsh.h"

/* Looks again and again: a signal does not end a wait (mt_progress_catch_interrupt), and may come just before one. */
static void wait_for(pid_t child, int *ended)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    while (waitpid(child, ended, WNOHANG) == 0) {
        if (mt_progress_interrupted()) (void)kill(child, SIGTERM);
        (void)nanosleep(&pause, NULL);
    }
}

enum { CANNOT_START = 127 };

/* The child becomes the program, quiet, and dies with its parent. */
static _Noreturn void become(char *const words[], pid_t parent)
{
    const int nowhere = open("/dev/null", O_RDWR);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(CANNOT_START); /* it has gone already */
    (void)signal(SIGPIPE, SIG_DFL), (void)signal(SIGXFSZ, SIG_DFL);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) (void)dup2(nowhere, fd);
    (void)execvp(words[0], words);
    _exit(CANNOT_START);
}

/* Runs the program with these words and waits. A signal meanwhile ends both. */
static mt_status run(char *const words[], double edge_mm)
{
    int ended = 0;
    const pid_t parent = getpid();
    mt_progress_catch_interrupt(NULL);
    const pid_t child = fork();
    if (child == 0) become(words, parent);
    if (child > 0) wait_for(child, &ended);
    mt_progress_leave_on_interrupt();
    if (child < 0) return mt_fail(MT_FILE, "gmsh: cannot be started: %s", strerror(errno));
    if (mt_progress_interrupted()) return mt_fail(MT_STOPPED, "stopped while gmsh was at work");
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == CANNOT_START)
        return mt_fail(MT_FILE,
            "gmsh: cannot be started, or not found; this command needs the program (Debian's package gmsh)");
    if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
        return mt_fail(MT_NUMERICS, "gmsh failed on edge %g mm", edge_mm);
    return MT_OK;
}

mt_status mt_gmsh_mesh(mt_arena *arena, const char *script, const char *surface, size_t n,
    const mt_gmsh_number *numbers, const char *out, mt_mesh *mesh)
{
    static const char *const fixed[] = {"-3", "-algo", "hxt", "-format", "msh41", "-bin", "-o"};
    char path[MT_FILE_PATH_MAX], values[MT_GMSH_NUMBERS_MAX][32], *words[16 + 3 * MT_GMSH_NUMBERS_MAX];
    mt_file body;
    int n_words = 0;
    assert(n >= 1 && n <= MT_GMSH_NUMBERS_MAX);
    if (snprintf(path, sizeof path, "%s/geometry/%s", mt_data_folder(), script) >= (int)sizeof path)
        return mt_fail(MT_INPUT, "%s: the path is too long", script);
    words[n_words++] = (char *)(uintptr_t) "gmsh";
    if (surface) words[n_words++] = (char *)(uintptr_t)surface;
    words[n_words++] = path;
    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++) words[n_words++] = (char *)(uintptr_t)fixed[k];
    MT_TRY(mt_file_reserve(out, &body));
    words[n_words++] = (char *)(uintptr_t)mt_file_temporary(&body);
    for (size_t k = 0; k < n; k++) {
        (void)snprintf(values[k], sizeof values[k], "%.9g", numbers[k].value);
        words[n_words++] = (char *)(uintptr_t) "-setnumber";
        words[n_words++] = (char *)(uintptr_t)numbers[k].name;
        words[n_words++] = values[k];
    }
    words[n_words] = NULL;
    mt_status status = run(words, numbers[0].value);
    if (status == MT_OK) status = mt_gmsh_read(arena, mt_file_temporary(&body), 1, mesh);
    mt_file_discard(&body);
    return status;
}

mt_status mt_gmsh_no_file(char out[MT_FILE_PATH_MAX])
{
    const char *folder = getenv("TMPDIR");
    if (snprintf(out, MT_FILE_PATH_MAX, "%s/myotile-%d.msh", folder ? folder : "/tmp", (int)getpid()) <
        MT_FILE_PATH_MAX)
        return MT_OK;
    return mt_fail(MT_FILE, "TMPDIR: the path is too long");
}

mt_status mt_gmsh_slab(mt_arena *arena, const double size_mm[3], double edge_mm, mt_mesh *mesh)
{
    const mt_gmsh_number numbers[] = {
        {"h", edge_mm}, {"size_x", size_mm[0]}, {"size_y", size_mm[1]}, {"size_z", size_mm[2]}};
    char out[MT_FILE_PATH_MAX];
    MT_TRY(mt_gmsh_no_file(out));
    mt_progress_stage("meshing with gmsh");
    MT_TRY(mt_gmsh_mesh(arena, "slab.geo", NULL, sizeof numbers / sizeof *numbers, numbers, out, mesh));
    return mt_mesh_new_fibres(arena, mesh);
}

void mt_gmsh_put_surface(FILE *stream, const mt_mesh *surface)
{
    (void)fprintf(stream, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%zu\n", surface->n_vertices);
    for (size_t v = 0; v < surface->n_vertices; v++) {
        const double *x = surface->xyz_mm + 3 * v;
        (void)fprintf(stream, "%zu %.17g %.17g %.17g\n", v + 1, x[0], x[1], x[2]);
    }
    (void)fprintf(stream, "$EndNodes\n$Elements\n%zu\n", surface->n_faces);
    for (size_t t = 0; t < surface->n_faces; t++) {
        const uint32_t *v = surface->face_vertex + 3 * t;
        (void)fprintf(stream, "%zu 2 2 1 1 %u %u %u\n", t + 1, v[0] + 1, v[1] + 1, v[2] + 1);
    }
    (void)fputs("$EndElements\n", stream);
}

/* The number of elements goes with the edge to the power -3, so a few corrections meet the count. 0.6327 mm made 3.03 million. */
mt_status mt_gmsh_ventricles(mt_arena *arena, unsigned long elements, const char *out, mt_mesh *mesh)
{
    double edge_mm = 0.6327 * cbrt(3.03e6 / (double)elements);
    for (int attempt = 0; attempt < 8; attempt++) {
        mt_progress_stage("meshing with gmsh");
        MT_TRY(mt_gmsh_mesh(arena, "ventricles.geo", NULL, 1, &(mt_gmsh_number){"h", edge_mm}, out, mesh));
        const double ratio = (double)mesh->n_elements / (double)elements;
        if (fabs(ratio - 1) <= 0.01) return MT_OK;
        edge_mm *= cbrt(ratio);
        mt_arena_free(arena);
    }
    return mt_fail(MT_NUMERICS, "gmsh: no ventricles within 1 %% of %lu elements after 8 attempts", elements);
}
