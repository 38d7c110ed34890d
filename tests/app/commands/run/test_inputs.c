/* No command overwrites its inputs, under any of their names, and none waits for a pipe given instead of a file. */
#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/solver/small_case.h"

static const char small[] =
    "title: Small\n"
    "mesh: {file: mesh.hdf}\n" USUAL_TISSUE
    "time: {end_ms: 0.1}\n" SMALL_STIMULUS("2") "machine: {backend: cpu}\n"
                                                "points: [{name: a, at_mm: [0, 0, 0]}]\n";

static void enter(void)
{
    enter_room();
    free(works("mesh slab --size-mm 1,1,1 --edge-mm 0.5 -o mesh.hdf"));
    write_text("small.yaml", small);
}

TestSuite(inputs, .init = enter, .fini = leave_room);

/* Checks that the command is refused and the input unchanged. */
static void keeps(const char *input, const char *line)
{
    size_t n_before, n_after;
    char *before = bytes_of(input, &n_before);
    refuses(2, ": this command would overwrite one of its inputs; allowed: another output", "%s", line);
    char *after = bytes_of(input, &n_after);
    cr_assert(n_before == n_after && memcmp(before, after, n_before) == 0, "%s: %s is changed", line, input);
    free(before), free(after);
}

Test(inputs, an_input_mesh_is_not_overwritten)
{
    cr_assert_eq(symlink("mesh.hdf", "link.hdf"), 0);
    cr_assert_eq(link("mesh.hdf", "hard.hdf"), 0);
    free(works("mesh convert mesh.hdf mesh.pts"));
    keeps("mesh.hdf", "mesh convert mesh.hdf mesh.hdf");
    keeps("mesh.hdf", "mesh convert mesh.hdf ./link.hdf --force");
    keeps("mesh.hdf", "mesh convert hard.hdf mesh.hdf");
    keeps("mesh.elem", "mesh convert mesh.pts mesh.elem --force");
    keeps("mesh.hdf", "mesh refine mesh.hdf -o mesh.hdf");
    write_machine("machine.yaml", 3);
    keeps("mesh.hdf", "partition mesh.hdf --target machine.yaml -o mesh.hdf");
}

Test(inputs, input_case_state_and_machine_files_are_not_overwritten)
{
    write_machine("machine.yaml", 3);
    free(works("cell --end-ms 2 --save cell.yaml -o cell.csv"));
    keeps("cell.yaml", "cell --end-ms 2 --start cell.yaml --save cell.yaml --force");
    keeps("cell.yaml", "cell --end-ms 2 --start cell.yaml -o cell.yaml --force");
    write_text("small.png", small);
    keeps("small.png", "restitution --cable --case small.png --picture small.png --force");
    keeps("machine.yaml",
        "machine allreduce --sweep --ipus 2 --bytes 4096 --target machine.yaml -o machine.yaml --force");
}

Test(inputs, files_of_a_run_are_not_overwritten_by_a_report_or_another_run)
{
    static const char *const files[] = {"result.hdf", "used.yaml", "activation.csv"};
    free(works("run small.yaml -o out"));
    for (int k = 0; k < 3; k++) {
        char path[64], line[128];
        (void)snprintf(path, sizeof path, "out/%s", files[k]);
        (void)snprintf(line, sizeof line, "report out -o out/%s", files[k]);
        keeps(path, line);
    }
    keeps("out/used.yaml", "run out/used.yaml -o out");
    keeps("out/result.hdf", "run small.yaml -o out --set mesh.file=out/result.hdf");
    free(works("report out -o out/report.html"));
    free(works("report out -o out/report.html"));
    free(works("run small.yaml -o out"));
}

/* Each file is read by a different reader. */
Test(inputs, a_pipe_or_folder_instead_of_a_file_is_rejected_immediately)
{
    static const char *const names[] = {
        "pipe.hdf", "pipe.msh", "pipe.vtk", "pipe.vtu", "pipe.pts", "pipe.stl", "pipe.obj", "pipe.node"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        cr_assert_eq(mkfifo(names[k], 0600), 0);
        refuses(3, "is a pipe; allowed: a regular file", "mesh info %s", names[k]);
    }
    cr_assert_eq(mkdir("folder.hdf", 0777), 0);
    refuses(3, "is a folder; allowed: a regular file", "mesh info folder.hdf");
    refuses(3, "is a pipe", "run small.yaml --set start.state=pipe.hdf");
    refuses(3, ": a pipe to which no program writes", "cell --start pipe.hdf --end-ms 1");
    cr_assert(
        mkdir("run", 0777) == 0 && mkfifo("run/result.hdf", 0600) == 0 && mkfifo("run/used.yaml", 0600) == 0);
    refuses(3,
        "run: this folder contains files that myotile did not write; choose another folder, or use --force "
        "to write in it and replace files of the same names",
        "run small.yaml -o run");
}

/* The writer may start later than the reader. */
Test(inputs, a_case_can_be_read_from_a_pipe)
{
    cr_assert_eq(mkfifo("case.fifo", 0600), 0);
    cr_assert_eq(system("(sleep 0.2; cat small.yaml > case.fifo) &"), 0);
    free(works("run case.fifo -o out"));
    cr_assert(there("out/result.hdf"));
}
