/* `mesh transfer`: files, tables and messages. */
#include <criterion/criterion.h>

#include "data/files/h5.h"
#include "mesh/vtk/vtkhdf.h"
#include "tests/app/program.h"
#include "tests/mesh/shell.h"

static mt_arena arena;
static mt_mesh from, to;

/* The field z of the vertices and elements, numbers of elements, a vector, and z with gaps. */
static void write_source(void)
{
    const size_t n = from.n_elements;
    double *of_vertices = mt_arena_alloc(&arena, from.n_vertices, sizeof(double));
    float *of_elements = mt_arena_alloc(&arena, n, sizeof(float)),
          *vector = mt_arena_alloc(&arena, 3 * n, sizeof(float));
    int64_t *numbers = mt_arena_alloc(&arena, n, sizeof(int64_t));
    for (size_t v = 0; v < from.n_vertices; v++) of_vertices[v] = from.xyz_mm[3 * v + 2];
    for (size_t e = 0; e < n; e++) {
        double x[3];
        mt_mesh_centroid(&from, e, x);
        of_elements[e] = (float)x[2];
        numbers[e] = x[2] < -10;
        from.region[e] = x[2] < -10 ? 3 : 4;
    }
    const mt_vtkhdf_field fields[] = {
        {.name = "height", .unit = "mm", .f64 = of_vertices, .at_vertices = true},
        {.name = "level", .unit = "mm", .f32 = of_elements, .nan = "none"}, {.name = "low", .i64 = numbers},
        {.name = "arrow", .f32 = vector, .components = 3}};
    cr_assert_eq(mt_vtkhdf_write("from.hdf", &from, 4, fields), MT_OK, "%s", mt_message());
}

static void enter(void)
{
    const shell a = {6, 3, 1}, b = {5, 3, 1};
    enter_room();
    enable_cache();
    shell_make(&arena, &a, &from);
    shell_make(&arena, &b, &to);
    for (size_t k = 0; k < 3 * to.n_vertices; k++) to.xyz_mm[k] *= 2;
    write_source();
    cr_assert_eq(mt_vtkhdf_write("to.hdf", &to, 0, NULL), MT_OK);
}

static void end(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(transfer_command, .init = enter, .fini = end);

static double *read_field(mt_h5 *h5, const char *name, size_t n)
{
    double *values = mt_arena_alloc(&arena, n, sizeof *values);
    cr_assert_eq(mt_h5_read_numbers(h5, name, n, values), MT_OK, "%s", mt_message());
    return values;
}

/* The target is twice the source, and heights are transferred as they are. The source's edges have 5.8 mm. */
Test(transfer_command, fields_have_the_values_at_the_same_position)
{
    char *text = works("mesh transfer from.hdf to.hdf -o out.hdf --field height --field level --field low "
                       "--field region --format json");
    cr_assert_eq(json_property(text, "fields"), 4, "%s", text);
    cr_assert_eq(json_property(text, "elements"), (double)to.n_elements);
    cr_assert_eq(json_property(text, "vertices"), (double)to.n_vertices);
    cr_assert_eq(json_property(text, "elements_without_percent"), 0);
    cr_assert_eq(json_property(text, "vertices_without_percent"), 0);
    free(text);
    mt_mesh out;
    char unit[16], nan[64];
    MT_H5_SCOPE(h5);
    cr_assert_eq(mt_vtkhdf_read(&arena, "out.hdf", &out), MT_OK, "%s", mt_message());
    cr_assert(out.n_elements == to.n_elements && out.coordinate[0] != NULL);
    cr_assert_eq(mt_h5_open("out.hdf", h5), MT_OK);
    const double *height = read_field(h5, "VTKHDF/PointData/height", to.n_vertices),
                 *level = read_field(h5, "VTKHDF/CellData/level", to.n_elements),
                 *low = read_field(h5, "VTKHDF/CellData/low", to.n_elements);
    for (size_t v = 0; v < to.n_vertices; v++)
        cr_assert_lt(fabs(height[v] - to.xyz_mm[3 * v + 2] / 2), 2, "%zu: %g", v, height[v]);
    for (size_t e = 0; e < to.n_elements; e++) {
        double x[3];
        mt_mesh_centroid(&to, e, x);
        cr_assert_lt(fabs(level[e] - x[2] / 2), 3, "%zu: %g", e, level[e]);
        if (fabs(x[2] / 2 + 10) > 5) cr_assert_eq(low[e], x[2] / 2 < -10, "%zu", e);
        cr_assert_eq(out.region[e], low[e] == 1 ? 3 : 4, "%zu", e);
    }
    cr_assert_eq(mt_h5_read_text(h5, "VTKHDF/CellData/level", "unit", unit, sizeof unit), MT_OK);
    cr_assert_eq(mt_h5_read_text(h5, "VTKHDF/CellData/level", "nan", nan, sizeof nan), MT_OK);
    cr_assert(strcmp(unit, "mm") == 0 && strcmp(nan, "no counterpart, or none") == 0, "%s, %s", unit, nan);
}

Test(transfer_command, invalid_input_is_rejected_and_writes_nothing)
{
    refuses(2, "from.hdf: --field depht: no such field; allowed: arrow, level, low, region, height",
        "mesh transfer from.hdf to.hdf -o out.hdf --field depht");
    refuses(2, "--field fibre: no such field", "mesh transfer from.hdf to.hdf -o out.hdf --field fibre");
    refuses(2, "VTKHDF/CellData/arrow is not one number for each of ",
        "mesh transfer from.hdf to.hdf -o out.hdf --field arrow");
    refuses(2, "--field", "mesh transfer from.hdf to.hdf -o out.hdf");
    refuses(2, "in .hdf", "mesh transfer from.hdf to.hdf -o out.vtu --field level");
    refuses(2, "duplicate", "mesh transfer from.hdf to.hdf -o out.hdf --field level --field level");
    free(works("mesh slab -o slab.hdf --size-mm 2,2,2 --edge-mm 1"));
    refuses(2,
        "slab.hdf: the mesh has no ventricular coordinates, and no triangle is tagged as base; needed: ",
        "mesh transfer from.hdf slab.hdf -o out.hdf --field level");
    cr_assert(!there("out.hdf"));
}
