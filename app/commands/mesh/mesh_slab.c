/* myotile mesh slab. */
#include "app/cli/command.h"
#include "mesh/make/slab.h"
#include "mesh/vtk/vtkhdf.h"

static mt_status slab(mt_arena *arena, const mt_arguments *arguments);

static const mt_option slab_options[] = {{.name = "--size-mm",
                                             .value = "X,Y,Z",
                                             .help = "extent of the slab, each a multiple of the box edge",
                                             .required = true},
    {.name = "--edge-mm",
        .value = "H",
        .help = "edge of the boxes, each split into six tetrahedra",
        .required = true},
    {.name = "--cut",
        .value = "mirrored|kuhn",
        .help = "split of the boxes: mirrored, each the mirror image of its neighbours, so that no diagonal "
                "is preferred (default); kuhn, all equal"},
    MT_OPTION_OUTPUT("FILE.hdf", "the file to write (VTKHDF: opens in ParaView)"), MT_OPTION_FORCE,
    MT_OPTIONS_END};

const mt_command mt_command_mesh_slab = {
    .name = "mesh slab",
    .operands = "",
    .summary = "generate a tetrahedral mesh of a slab with fibres along x",
    .example = "myotile mesh slab --size-mm 20,7,3 --edge-mm 0.5 -o slab.hdf",
    .options = slab_options,
    .run = slab,
};

static mt_status slab(mt_arena *arena, const mt_arguments *arguments)
{
    size_t cut;
    const char *size, *edge, *path;
    double size_mm[3], edge_mm;
    mt_mesh mesh;
    size = mt_option_value(arguments, "--size-mm", NULL);
    edge = mt_option_value(arguments, "--edge-mm", NULL);
    path = mt_option_value(arguments, "--output", NULL);
    MT_TRY(mt_vtkhdf_check_name(path));
    MT_TRY(mt_file_check(path, mt_option_replace(arguments)));
    MT_TRY(mt_numbers("--size-mm", size, 3, 0, size_mm));
    MT_TRY(mt_numbers("--edge-mm", edge, 1, 0, &edge_mm));
    MT_TRY(mt_option_word(
        arguments, "--cut", mt_slab_cut_name[MT_SLAB_MIRRORED], mt_slab_cut_name, MT_SLAB_CUTS, &cut));
    MT_TRY(mt_slab_make_cut(arena, size_mm, edge_mm, (mt_slab_cut)cut, &mesh));
    MT_TRY(mt_vtkhdf_write(path, &mesh, 0, NULL));
    (void)fprintf(arguments->out, "%s: %zu elements, %zu vertices\n", path, mesh.n_elements, mesh.n_vertices);
    return MT_OK;
}
