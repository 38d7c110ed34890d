#include "mesh/vtk/xdmf_item.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "data/files/h5.h"
#include "mesh/vtk/vtk_grid.h"
#include "mesh/vtk/xdmf_reference.h"

/* ---- attributes ---- */

static const char *word(const mt_xdmf_item *item, const char *name, const char *missing)
{
    return mt_xml_tree_attribute(item->element, name, missing);
}

static bool is_format(const mt_xdmf_item *item, const char *format)
{
    return strcasecmp(word(item, "Format", "XML"), format) == 0;
}

static mt_status read_dimensions(const mt_xml_tree *tree, mt_xdmf_item *item)
{
    const char *text = word(item, "Dimensions", ""), *at = text;
    item->n = 1;
    while (*(at += strspn(at, " \t\n\r"))) {
        char *end;
        errno = 0;
        const unsigned long long size = strtoull(at, &end, 10);
        if (*at < '0' || *at > '9' || errno != 0 || (*end && !strchr(" \t\n\r", *end)) ||
            __builtin_mul_overflow(item->n, size, &item->n) || item->n > (size_t)1 << 40)
            break;
        item->last = (size_t)size;
        item->rank++;
        at = end;
    }
    if (!*at && item->rank > 0) return MT_OK;
    return mt_xml_tree_fail(tree, item->element,
        "Dimensions is '%.60s'; allowed: whole numbers with a product of at most 2^40", text);
}

mt_status mt_xdmf_item_find(mt_xml_tree *tree, const mt_xml_element *parent, size_t k, mt_xdmf_item *item)
{
    const mt_xml_element *at = NULL;
    *item = (mt_xdmf_item){.element = NULL};
    do MT_TRY(mt_xdmf_reference_child(tree, parent, "DataItem", &at, &item->element));
    while (item->element && k-- > 0);
    return item->element ? read_dimensions(tree, item) : MT_OK;
}

/* Finds the type of the numbers in a binary file. */
static mt_status find_type(const mt_xml_tree *tree, const mt_xdmf_item *item, const mt_vtk_type **type)
{
    static const struct {
        const char *name, *of_bytes[9];
    } types[] = {{"Float", {[4] = "Float32", [8] = "Float64"}},
        {"Int", {[1] = "Int8", [2] = "Int16", [4] = "Int32", [8] = "Int64"}},
        {"UInt", {[1] = "UInt8", [2] = "UInt16", [4] = "UInt32", [8] = "UInt64"}}, {"Short", {[2] = "Int16"}},
        {"UShort", {[2] = "UInt16"}}, {"Char", {[1] = "Int8"}}, {"UChar", {[1] = "UInt8"}}};
    const char *name = word(item, "NumberType", word(item, "DataType", "Float"));
    const char *precision = word(item, "Precision",
        strcasestr(name, "Char")    ? "1"
        : strcasestr(name, "Short") ? "2"
                                    : "4");
    const bool digit = *precision >= '1' && *precision <= '8' && !precision[1];
    for (size_t k = 0; k < sizeof types / sizeof *types && digit; k++) {
        const char *is = types[k].of_bytes[*precision - '0'];
        if (strcasecmp(types[k].name, name) == 0 && is) {
            *type = mt_vtk_type_find(is);
            return MT_OK;
        }
    }
    return mt_xml_tree_fail(tree, item->element,
        "NumberType '%.40s' with Precision '%.40s'; allowed: Float of 4 or 8, Int and UInt of 1, 2, 4 or 8, "
        "Char and UChar of 1",
        name, precision);
}

/* Finds the byte order and the offset of the numbers in a binary file. */
static mt_status find_bytes(const mt_xml_tree *tree, const mt_xdmf_item *item, bool *big_endian, size_t *seek)
{
    const char *endian = word(item, "Endian", "Native"), *compression = word(item, "Compression", "Raw"),
               *text = word(item, "Seek", "0");
    char *end;
    *big_endian = strcasecmp(endian, "Big") == 0;
    if (!*big_endian && strcasecmp(endian, "Little") != 0 && strcasecmp(endian, "Native") != 0)
        return mt_xml_tree_fail(tree, item->element, "Endian '%.40s'; allowed: Native, Little, Big", endian);
    if (strcasecmp(compression, "Raw") != 0)
        return mt_xml_tree_fail(tree, item->element, "Compression '%.40s'; allowed: Raw", compression);
    errno = 0;
    *seek = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && errno == 0) return MT_OK;
    return mt_xml_tree_fail(tree, item->element, "Seek is '%.40s'; allowed: a number of bytes", text);
}

/* ---- the data file ---- */

/* True if a path is below the folder of the file that names it. */
static bool is_below(const char *name)
{
    if (!*name || *name == '/') return false;
    for (const char *at = name; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (!at[2] || at[2] == '/')) return false;
    }
    return true;
}

/* Joins the folder of the XDMF file and a name. */
static mt_status join(
    const mt_xml_tree *tree, const mt_xdmf_item *item, const char *name, char path[MT_FILE_PATH_MAX])
{
    const char *xdmf = tree->scan.path, *slash = strrchr(xdmf, '/');
    const int folder = slash ? (int)(slash - xdmf) + 1 : 0;
    if ((size_t)snprintf(path, MT_FILE_PATH_MAX, "%.*s%s", folder, xdmf, name) < MT_FILE_PATH_MAX)
        return MT_OK;
    return mt_xml_tree_fail(tree, item->element, "the path of its file is too long");
}

/* Finds the path of the data file, in the folder of the XDMF file or below. Programs may also write an absolute path or one
 * relative to their working directory; if no such file exists below, a file with the same name in the folder is used. */
static mt_status find_file(
    const mt_xml_tree *tree, const mt_xdmf_item *item, const char *name, char path[MT_FILE_PATH_MAX])
{
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    if (is_below(name)) {
        MT_TRY(join(tree, item, name, path));
        if (last == name || access(path, F_OK) == 0) return MT_OK;
    }
    if (is_below(last)) {
        MT_TRY(join(tree, item, last, path));
        if (access(path, F_OK) == 0) return MT_OK;
    }
    return mt_xml_tree_fail(tree, item->element,
        "file '%.80s'; allowed: a file in the folder of the XDMF file or below it", name);
}

/* Prefixes errors of the data file with the place in the XDMF file that names it. */
static mt_status name_place(const mt_xml_tree *tree, const mt_xdmf_item *item, mt_status status)
{
    if ((status != MT_INPUT && status != MT_FILE) ||
        strncmp(mt_message(), tree->scan.path, strlen(tree->scan.path)) == 0)
        return status;
    return mt_fail(status, "%s:%zu: %s", tree->scan.path, item->element->line, mt_message());
}

mt_status mt_xdmf_item_hdf5(const mt_xml_tree *tree, const mt_xdmf_item *item, bool *has,
    char path[MT_FILE_PATH_MAX], char name[MT_FILE_PATH_MAX])
{
    char text[MT_FILE_PATH_MAX];
    *has = is_format(item, "HDF");
    if (!*has) return MT_OK;
    const bool fits = mt_xml_tree_text(item->element, text, sizeof text);
    char *colon = strstr(text, ":/");
    if (!colon) colon = strrchr(text, ':');
    if (!fits || !colon || !colon[1])
        return mt_xml_tree_fail(tree, item->element, "'%.80s'; allowed: FILE:/ARRAY", text);
    *colon = 0;
    strcpy(name, colon + 1);
    return find_file(tree, item, text, path);
}

/* ---- the numbers ---- */

static mt_status fail_room(const mt_xml_tree *tree, const mt_xdmf_item *item, size_t room)
{
    return mt_xml_tree_fail(
        tree, item->element, "its Dimensions count %zu numbers; the data has space for %zu", item->n, room);
}

static mt_status read_text(
    mt_arena *arena, const mt_xml_tree *tree, const mt_xdmf_item *item, double **values)
{
    char more[41];
    mt_scan scan = tree->scan;
    scan.at = item->element->begin, scan.end = item->element->end;
    scan.line = item->element->text_line;
    const size_t room = mt_scan_left(&scan) / 2 + 1;
    if (item->n > room) return fail_room(tree, item, room);
    MT_ALLOC(arena, *values, item->n);
    MT_TRY(mt_vtk_decode_text(&scan, "number of a <DataItem>", item->n, *values));
    mt_scan_word(&scan, more, sizeof more);
    if (!more[0]) return MT_OK;
    return mt_scan_fail(&scan, "<DataItem>: '%s' after the last of %zu numbers", more, item->n);
}

static mt_status read_dataset(mt_arena *arena, const mt_xml_tree *tree, const mt_xdmf_item *item,
    const char *path, const char *name, double **values)
{
    MT_H5_SCOPE(h5);
    size_t rank, shape[MT_H5_RANK_MAX], n = 1;
    MT_TRY(mt_h5_open(path, h5));
    MT_TRY(mt_h5_extents(h5, name, &rank, shape));
    for (size_t k = 0; k < rank; k++)
        if (__builtin_mul_overflow(n, shape[k], &n)) n = SIZE_MAX;
    if (n != item->n)
        return mt_xml_tree_fail(tree, item->element, "its Dimensions count %zu numbers; %s:%s holds %zu",
            item->n, h5->path, name, n);
    MT_ALLOC(arena, *values, n);
    return mt_h5_read_numbers(h5, name, n, *values);
}

static mt_status read_hdf5(
    mt_arena *arena, const mt_xml_tree *tree, const mt_xdmf_item *item, double **values)
{
    char path[MT_FILE_PATH_MAX], name[MT_FILE_PATH_MAX];
    bool has;
    MT_TRY(mt_xdmf_item_hdf5(tree, item, &has, path, name));
    return name_place(tree, item, read_dataset(arena, tree, item, path, name, values));
}

mt_status mt_xdmf_item_read(
    mt_arena *arena, const mt_xml_tree *tree, const mt_xdmf_item *item, double **values)
{
    const char *kind = word(item, "ItemType", "Uniform");
    if (strcasecmp(kind, "Uniform") != 0)
        return mt_xml_tree_fail(tree, item->element,
            "ItemType '%.40s'; allowed: Uniform (parts and functions of arrays are not read)", kind);
    if (is_format(item, "XML")) return read_text(arena, tree, item, values);
    if (is_format(item, "HDF")) return read_hdf5(arena, tree, item, values);
    if (!is_format(item, "Binary"))
        return mt_xml_tree_fail(
            tree, item->element, "Format '%.40s'; allowed: XML, HDF, Binary", word(item, "Format", ""));
    MT_SCRATCH(scratch);
    char text[MT_FILE_PATH_MAX], path[MT_FILE_PATH_MAX];
    const mt_vtk_type *type = NULL;
    bool big_endian = false;
    size_t seek = 0;
    mt_scan bytes;
    MT_TRY(find_type(tree, item, &type));
    MT_TRY(find_bytes(tree, item, &big_endian, &seek));
    if (!mt_xml_tree_text(item->element, text, sizeof text)) text[0] = 0;
    MT_TRY(find_file(tree, item, text, path));
    MT_TRY(name_place(tree, item, mt_scan_open(scratch, path, &bytes)));
    const size_t size = mt_scan_left(&bytes), room = size > seek ? (size - seek) / type->bytes : 0;
    if (item->n > room) return fail_room(tree, item, room);
    MT_ALLOC(arena, *values, item->n);
    mt_vtk_decode((const unsigned char *)bytes.at + seek, type, big_endian, item->n, *values);
    return MT_OK;
}
