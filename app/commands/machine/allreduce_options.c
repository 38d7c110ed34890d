#include "app/commands/machine/allreduce_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/files/data_folder.h"
#include "data/core/number.h"
#include "ipu/machine/machines.h"

const char *const mt_physical_name[MT_PHYSICALS] = {"ladder", "torus", "prism"};

mt_status mt_allreduce_size(const char *text, size_t *elements)
{
    static const struct {
        const char *unit;
        double bytes;
    } units[] = {{"", 1}, {"B", 1}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"kB", 1e3},
        {"MB", 1e6}, {"GB", 1e9}};
    enum { ELEMENT = 4, MOST_GIB = 1 };
    char digits[MT_NUMBER_SIZE] = "";
    const size_t n = strspn(text, "0123456789.");
    double number;
    if (n < sizeof digits) memcpy(digits, text, n);
    for (size_t k = 0; mt_number_read(digits, &number) && k < sizeof units / sizeof *units; k++) {
        const double bytes = number * units[k].bytes;
        if (strcmp(text + n, units[k].unit) != 0) continue;
        if (!(bytes >= ELEMENT && bytes <= MOST_GIB * 0x1p30) || fmod(bytes, ELEMENT) != 0) break;
        *elements = (size_t)bytes / ELEMENT;
        return MT_OK;
    }
    return mt_fail(
        MT_INPUT, "--bytes: '%s'; allowed: a multiple of 4 bytes up to 1GiB: 4096, 64KiB, 1MiB, 10MB", text);
}

mt_status mt_allreduce_words(const mt_arguments *arguments, mt_collective *c, ipu_method *chosen)
{
    size_t operation, with, method;
    MT_TRY(mt_option_word(
        arguments, "--operation", ipu_collective_name[0], ipu_collective_name, IPU_COLLECTIVES, &operation));
    MT_TRY(mt_option_word(
        arguments, "--operator", ipu_operator_name[0], ipu_operator_name, IPU_OPERATORS, &with));
    MT_TRY(mt_option_word(arguments, "--method", ipu_method_name[0], ipu_method_name, IPU_METHODS, &method));
    c->operation = (ipu_collective)operation;
    c->with = (ipu_operator)with;
    *chosen = (ipu_method)method;
    return MT_OK;
}

/* ---- the machine ---- */

/* Loads a machine of one chip, with links of this topology. */
static mt_status read_machine(
    mt_arena *arena, const mt_arguments *arguments, const char *shape, ipu_target *one)
{
    const char *path;
    mt_yaml_override *sets;
    size_t n_sets;
    MT_TRY(ipu_machine_path(
        arena, mt_machines_folder(), mt_option_value(arguments, "--target", "gc200"), &path));
    MT_TRY(mt_option_overrides(arena, arguments, "--machine-set", &n_sets, &sets));
    if (shape) {
        char *set;
        MT_ALLOC(arena, set, sizeof "links.shape=" + strlen(shape));
        (void)sprintf(set, "links.shape=%s", shape);
        sets[n_sets++] = (mt_yaml_override){"--physical", set};
    }
    return ipu_machine_load(arena, path, sets, n_sets, one);
}

mt_status mt_allreduce_machine(mt_arena *arena, const mt_arguments *arguments, const char **name)
{
    ipu_target one;
    MT_TRY(read_machine(arena, arguments, NULL, &one));
    *name = one.name;
    return MT_OK;
}

mt_status mt_allreduce_chips(
    mt_arena *arena, const mt_arguments *arguments, const char *shape, size_t ipus, mt_collective *c)
{
    ipu_target one;
    MT_TRY(read_machine(arena, arguments, shape, &one));
    return ipu_target_several(&one, ipus, &c->target);
}

/* True if "key=value" sets the links between chips, or a part of them: links.list.0.lanes=2. */
static bool sets_links(const char *set)
{
    static const char *const of_links[] = {"links.shape", "links.direct", "links.cross", "links.rail",
        "links.list", "links.routes", "links.chips", "links.buffers"};
    const size_t n = strcspn(set, "=");
    for (size_t k = 0; k < sizeof of_links / sizeof *of_links; k++) {
        const size_t length = strlen(of_links[k]);
        if (n >= length && strncmp(set, of_links[k], length) == 0 && (n == length || set[length] == '.'))
            return true;
    }
    return false;
}

const char *mt_allreduce_links_set(const mt_arguments *arguments)
{
    size_t n = 0;
    const char *set;
    while ((set = mt_option_nth(arguments, "--machine-set", n)) && !sets_links(set)) n++;
    return set;
}

/* Replaces the links of a machine with those of a prism. */
static mt_status join_prism(mt_arena *arena, const ipu_prism *prism, ipu_links *links)
{
    links->shape = IPU_LINK_LIST;
    links->direct = links->cross = links->rail = 0;
    links->routes = NULL;
    links->n_routes = links->chips = 0;
    links->buffers = 1;
    return ipu_prism_links(arena, prism, &links->list, &links->n_list);
}

mt_status mt_allreduce_prism(
    mt_arena *arena, const mt_arguments *arguments, size_t layers, size_t faces, mt_collective *c)
{
    const ipu_prism prism = ipu_prism_claimed(layers, faces, 1);
    const char *set = mt_allreduce_links_set(arguments);
    ipu_target one;
    if (set)
        return mt_fail(MT_INPUT,
            "--machine-set %s with a prism; allowed: keys other than links, which the prism defines", set);
    if (layers * faces > MT_ALLREDUCE_IPUS_MAX)
        return mt_fail(
            MT_INPUT, "a prism of %zu chips; allowed: at most %d", layers * faces, MT_ALLREDUCE_IPUS_MAX);
    MT_TRY(read_machine(arena, arguments, NULL, &one));
    MT_TRY(join_prism(arena, &prism, &one.links));
    MT_TRY(ipu_target_several(&one, layers * faces, &c->target));
    return ipu_prism_rings(arena, &prism, &c->rings);
}

ipu_ring_choice mt_default_ring_choice(ipu_logical logical)
{
    static const size_t replica[IPU_LOGICALS] = {1, 1, 2, 2, 4, 8, 1};
    return (ipu_ring_choice){.logical = logical,
        .routing = logical == IPU_BARLEY_TWIST ? IPU_BTNC : IPU_DNC,
        .replica = replica[logical]};
}
