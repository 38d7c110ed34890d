#include "mesh/names.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data/core/utf8.h"
#include "mesh/tags.h"

enum { LISTED = 10 };

/* ---- names ---- */

/* Returns the position of a pair in the list, or its insertion point. */
static size_t place_of(const mt_mesh *mesh, int32_t dimension, int32_t tag)
{
    size_t low = 0, high = mesh->n_names;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const mt_mesh_name *name = mesh->names + middle;
        if (name->dimension < dimension || (name->dimension == dimension && name->tag < tag))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static mt_mesh_name *find_name(const mt_mesh *mesh, int32_t dimension, int32_t tag)
{
    const size_t at = place_of(mesh, dimension, tag);
    if (at == mesh->n_names) return NULL;
    mt_mesh_name *name = mesh->names + at;
    return name->dimension == dimension && name->tag == tag ? name : NULL;
}

/* Reserves space for one more name; the list doubles. */
static mt_status grow(mt_arena *arena, mt_mesh *mesh)
{
    const size_t n = mesh->n_names;
    mt_mesh_name *names;
    if (n == MT_NAMES_MAX) return mt_fail(MT_INPUT, "more than %d tag names", MT_NAMES_MAX);
    if (n & (n - 1)) return MT_OK;
    MT_ALLOC(arena, names, n > 0 ? 2 * n : 1);
    if (n > 0) memcpy(names, mesh->names, n * sizeof *names);
    mesh->names = names;
    return MT_OK;
}

mt_status mt_names_put(
    mt_arena *arena, mt_mesh *mesh, int32_t dimension, int32_t tag, const char *text, size_t n)
{
    mt_mesh_name name = {.dimension = dimension, .tag = tag};
    if (n > MT_NAME_SIZE - 1) n = mt_utf8_beginning(text, MT_NAME_SIZE - 1);
    for (size_t k = 0; k < n; k++)
        name.text[k] = (unsigned char)text[k] < ' ' || text[k] == '"' || text[k] == 127 ? ' ' : text[k];
    if (!name.text[0]) return MT_OK;
    mt_mesh_name *known = find_name(mesh, dimension, tag);
    if (known) {
        *known = name;
        return MT_OK;
    }
    MT_TRY(grow(arena, mesh));
    const size_t at = place_of(mesh, dimension, tag);
    memmove(mesh->names + at + 1, mesh->names + at, (mesh->n_names - at) * sizeof name);
    mesh->names[at] = name;
    mesh->n_names++;
    return MT_OK;
}

mt_status mt_names_remove(mt_arena *arena, mt_mesh *mesh, int32_t dimension)
{
    const mt_mesh old = *mesh;
    mesh->names = NULL;
    mesh->n_names = 0;
    for (size_t k = 0; k < old.n_names; k++) {
        const mt_mesh_name *name = old.names + k;
        if (name->dimension != dimension)
            MT_TRY(mt_names_put(arena, mesh, name->dimension, name->tag, name->text, strlen(name->text)));
    }
    return MT_OK;
}

const char *mt_names_text(const mt_mesh *mesh, int32_t dimension, int32_t tag)
{
    const mt_mesh_name *name = find_name(mesh, dimension, tag);
    return name ? name->text : NULL;
}

mt_status mt_names_copy(mt_arena *arena, const mt_mesh *from, mt_mesh *to)
{
    to->n_names = to->n_groups = 0;
    to->names = NULL;
    to->groups = NULL;
    for (size_t k = 0; k < from->n_names; k++) {
        const mt_mesh_name *name = from->names + k;
        MT_TRY(mt_names_put(arena, to, name->dimension, name->tag, name->text, strlen(name->text)));
    }
    MT_ALLOC(arena, to->group_tag, from->n_groups);
    for (size_t g = 0; g < from->n_groups; g++) to->group_tag[g] = from->group_tag[g];
    to->n_groups = from->n_groups;
    if (to->n_groups > 0) MT_ALLOC(arena, to->groups, to->n_elements);
    return MT_OK;
}

/* ---- parsing tags ---- */

static bool is_number(const char *text, int32_t *tag)
{
    char *end;
    errno = 0;
    const long number = strtol(text, &end, 10);
    if (end == text || *end || errno || number < INT32_MIN || number > INT32_MAX) return false;
    *tag = (int32_t)number;
    return true;
}

/* Returns the number of tags with this name, and the first of them. */
static size_t count_named(const mt_mesh *mesh, int32_t dimension, const char *text,
    int (*compare)(const char *, const char *), int32_t *tag)
{
    size_t n = 0;
    for (size_t k = 0; k < mesh->n_names; k++) {
        const mt_mesh_name *name = mesh->names + k;
        if (name->dimension != dimension || compare(name->text, text) != 0) continue;
        if (n++ == 0) *tag = name->tag;
    }
    return n;
}

mt_status mt_names_find(const mt_mesh *mesh, int32_t dimension, const char *text, int32_t *tag)
{
    char list[MT_NAMES_LIST];
    if (is_number(text, tag)) return MT_OK;
    size_t n = count_named(mesh, dimension, text, strcmp, tag);
    if (n == 0) n = count_named(mesh, dimension, text, strcasecmp, tag);
    if (n == 1) return MT_OK;
    mt_names_list(mesh, dimension, list);
    return mt_fail(MT_INPUT, "%.60s is %s; allowed: %s%s", text,
        n == 0 ? "not a tag name" : "the name of several tags",
        dimension == MT_NAMES_FACES ? "of the mesh's triangles: " : "of the mesh's elements: ", list);
}

/* ---- listing ---- */

/* Appends a tag with its name; from the eleventh tag on appends nothing but " and others", once. */
static void list_tag(const mt_mesh *mesh, int32_t dimension, int32_t tag, size_t *n, char list[MT_NAMES_LIST])
{
    const size_t used = strlen(list);
    const char *name = mt_names_text(mesh, dimension, tag);
    if (++*n == LISTED + 1) (void)snprintf(list + used, MT_NAMES_LIST - used, " and others");
    if (*n > LISTED) return;
    (void)snprintf(list + used, MT_NAMES_LIST - used, "%s%d%s%.*s%s", *n > 1 ? ", " : "", tag,
        name ? " (" : "", name ? (int)mt_utf8_beginning(name, 24) : 0, name ? name : "", name ? ")" : "");
}

void mt_names_list(const mt_mesh *mesh, int32_t dimension, char list[MT_NAMES_LIST])
{
    const bool faces = dimension == MT_NAMES_FACES;
    MT_SCRATCH(scratch);
    mt_tags tags = {0};
    size_t n = 0;
    *list = 0;
    const mt_status status = mt_tags_make(
        scratch, faces ? mesh->n_faces : mesh->n_elements, faces ? mesh->face_tag : mesh->region, &tags);
    for (size_t t = 0; status == MT_OK && t < tags.n; t++) list_tag(mesh, dimension, tags.tag[t], &n, list);
    for (size_t g = 0; !faces && g < mesh->n_groups; g++) {
        size_t t = 0;
        while (t < tags.n && tags.tag[t] != mesh->group_tag[g]) t++;
        if (t == tags.n) list_tag(mesh, dimension, mesh->group_tag[g], &n, list);
    }
    if (n == 0) (void)strcpy(list, "none");
}

/* ---- text form ---- */

void mt_names_print(FILE *out, const mt_mesh *mesh)
{
    (void)fputs("# dimension tag name\n", out);
    for (size_t k = 0; k < mesh->n_names; k++)
        (void)fprintf(out, "%d %d %s\n", mesh->names[k].dimension, mesh->names[k].tag, mesh->names[k].text);
    for (size_t g = 0; g < mesh->n_groups; g++) (void)fprintf(out, "group %d\n", mesh->group_tag[g]);
}

mt_status mt_names_make_text(mt_arena *arena, const mt_mesh *mesh, const char **text, size_t *n)
{
    char *made = NULL;
    FILE *out = open_memstream(&made, n);
    if (out) mt_names_print(out, mesh);
    const bool written = out && fclose(out) == 0;
    *text = written ? mt_arena_text(arena, made) : NULL;
    free(made);
    if (!written) return mt_fail(MT_MEMORY, "out of memory writing tag names");
    return *text ? MT_OK : MT_MEMORY;
}

static mt_status add_group(mt_arena *arena, mt_mesh *mesh, int32_t tag)
{
    bool twice = false;
    for (size_t g = 0; g < mesh->n_groups; g++) twice |= mesh->group_tag[g] == tag;
    if (twice || mesh->n_groups == MT_GROUPS_MAX)
        return mt_fail(MT_INPUT, "group %d is %s; allowed: at most %d different groups", tag,
            twice ? "a duplicate" : "beyond the limit", MT_GROUPS_MAX);
    if (mesh->n_groups == 0) {
        MT_ALLOC(arena, mesh->group_tag, MT_GROUPS_MAX);
        MT_ALLOC(arena, mesh->groups, mesh->n_elements);
    }
    mesh->group_tag[mesh->n_groups++] = tag;
    return MT_OK;
}

/* Reads a line: a keyword, a tag and, for names, the name. */
static mt_status parse_line(mt_arena *arena, mt_mesh *mesh, char *line)
{
    int32_t tag;
    if (!line[0] || line[0] == '#') return MT_OK;
    char *number = strchr(line, ' '), *text = number ? strchr(number + 1, ' ') : NULL;
    if (number) *number++ = 0;
    if (text) *text++ = 0;
    const bool group = strcmp(line, "group") == 0, name = strcmp(line, "2") == 0 || strcmp(line, "3") == 0;
    if (!number || !is_number(number, &tag) || !(group ? !text : name && text))
        return mt_fail(MT_INPUT, "'%.40s'; allowed: '2 TAG NAME', '3 TAG NAME' and 'group TAG'", line);
    return group ? add_group(arena, mesh, tag)
                 : mt_names_put(arena, mesh, line[0] - '0', tag, text, strlen(text));
}

mt_status mt_names_parse(mt_arena *arena, mt_mesh *mesh, const char *text, size_t n)
{
    const char *end = text + n;
    for (size_t number = 1; text < end; number++) {
        char line[MT_NAME_SIZE + 32] = "";
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        const size_t length = (size_t)(stop - text);
        memcpy(line, text, length < sizeof line ? length : sizeof line - 1);
        const mt_status status = parse_line(arena, mesh, line);
        if (status != MT_OK) return mt_fail(status, "names, line %zu: %s", number, mt_message());
        text = stop + 1;
    }
    return MT_OK;
}

/* ---- names of surfaces ---- */

/* Converts a name to lower case and removes the characters " _-.". */
static void simplify(const char *text, char out[MT_NAME_SIZE])
{
    size_t n = 0;
    for (; *text && n + 1 < MT_NAME_SIZE; text++)
        if (!strchr(" _-.", *text)) out[n++] = (char)tolower((unsigned char)*text);
    out[n] = 0;
}

int32_t mt_names_surface(const char *text, bool has_rv)
{
    enum { SIDES = 2 };
    static const char *const common[] = {"", "endo", "endocardium", "endocardial"};
    static const char *const sides[SIDES][3] = {
        {"lv", "left", "leftventricle"}, {"rv", "right", "rightventricle"}};
    char name[MT_NAME_SIZE], candidate[64];
    simplify(text, name);
    if (strcmp(name, "base") == 0) return MT_SURFACE_BASE;
    if (strcmp(name, "epi") == 0 || strcmp(name, "epicardium") == 0) return MT_SURFACE_EPI;
    if (strcmp(name, "endo") == 0 || strcmp(name, "endocardium") == 0) return has_rv ? 0 : MT_SURFACE_LV;
    for (int32_t side = 0; side < SIDES; side++)
        for (size_t s = 0; s < 3; s++)
            for (size_t c = 0; c < sizeof common / sizeof *common; c++) {
                if (s == 1 && c == 0) continue; /* "left" alone */
                (void)snprintf(candidate, sizeof candidate, "%s%s", sides[side][s], common[c]);
                if (strcmp(name, candidate) == 0) return MT_SURFACE_LV + side;
                (void)snprintf(candidate, sizeof candidate, "%s%s", common[c], sides[side][s]);
                if (strcmp(name, candidate) == 0) return MT_SURFACE_LV + side;
            }
    return 0;
}

int32_t mt_names_surface_of(const mt_mesh *mesh, int32_t tag)
{
    const char *name = mt_names_text(mesh, MT_NAMES_FACES, tag);
    bool has_rv = false;
    if (!name) return 0;
    for (size_t k = 0; k < mesh->n_names; k++)
        has_rv |= mesh->names[k].dimension == MT_NAMES_FACES &&
                  mt_names_surface(mesh->names[k].text, false) == MT_SURFACE_RV;
    return mt_names_surface(name, has_rv);
}

const char *mt_surface_name(int32_t tag)
{
    static const char *const names[] = {[MT_SURFACE_BASE] = "base",
        [MT_SURFACE_EPI] = "epicardium",
        [MT_SURFACE_LV] = "lv_endocardium",
        [MT_SURFACE_RV] = "rv_endocardium"};
    return tag >= MT_SURFACE_BASE && tag <= MT_SURFACE_RV ? names[tag] : NULL;
}

mt_status mt_names_put_surfaces(mt_arena *arena, mt_mesh *mesh)
{
    bool there[MT_SURFACE_RV + 1] = {false};
    for (size_t f = 0; f < mesh->n_faces; f++)
        if (mt_surface_name(mesh->face_tag[f])) there[mesh->face_tag[f]] = true;
    for (int32_t tag = MT_SURFACE_BASE; tag <= MT_SURFACE_RV; tag++) {
        const char *name = mt_surface_name(tag);
        if (there[tag] && mt_names_surface_of(mesh, tag) != tag)
            MT_TRY(mt_names_put(arena, mesh, MT_NAMES_FACES, tag, name, strlen(name)));
    }
    return MT_OK;
}

bool mt_names_confirm(const mt_mesh *mesh)
{
    for (size_t f = 0; f < mesh->n_faces; f++)
        if (mesh->face_tag[f] > 0 && mt_names_surface_of(mesh, mesh->face_tag[f]) == mesh->face_tag[f])
            return true;
    return false;
}

/* Returns the lowest tag from *next on that is not in `tags`, the tags of the triangles. Sets *next to the tag after it. */
static int32_t unused_tag(const mt_tags *tags, int32_t *next)
{
    for (size_t t = 0; t < tags->n; t++) *next += tags->tag[t] == *next;
    return (*next)++;
}

/* Sets to[t] to the new tag of tags->tag[t]. Returns the number of tags with the name of a surface. */
static size_t settled_tags(const mt_mesh *mesh, const mt_tags *tags, int32_t *to)
{
    size_t n_meant = 0;
    int32_t next = MT_SURFACE_RV + 1;
    for (size_t t = 0; t < tags->n; t++) {
        const int32_t tag = tags->tag[t], surface = mt_names_surface_of(mesh, tag);
        n_meant += surface != 0;
        to[t] = surface ? surface : mt_surface_name(tag) ? unused_tag(tags, &next) : tag;
    }
    return n_meant;
}

/* Stores the new tags and moves the names with them. If two tags become one, the first name is kept. */
static mt_status renumber(mt_arena *arena, const mt_tags *tags, const int32_t *to, mt_mesh *mesh)
{
    const mt_mesh old = *mesh;
    MT_TRY(mt_names_remove(arena, mesh, MT_NAMES_FACES));
    for (size_t t = 0; t < tags->n; t++) {
        const char *name = mt_names_text(&old, MT_NAMES_FACES, tags->tag[t]);
        for (size_t k = tags->offset[t]; k < tags->offset[t + 1]; k++) mesh->face_tag[tags->id[k]] = to[t];
        if (name && !mt_names_text(mesh, MT_NAMES_FACES, to[t]))
            MT_TRY(mt_names_put(arena, mesh, MT_NAMES_FACES, to[t], name, strlen(name)));
    }
    return MT_OK;
}

mt_status mt_names_settle(mt_arena *arena, mt_mesh *mesh)
{
    MT_SCRATCH(scratch);
    mt_tags tags;
    int32_t *to;
    size_t n_changed = 0, used = 0;
    char list[MT_NAMES_LIST] = "";
    MT_TRY(mt_tags_make(scratch, mesh->n_faces, mesh->face_tag, &tags));
    MT_ALLOC(scratch, to, tags.n);
    if (settled_tags(mesh, &tags, to) == 0) return MT_OK;
    for (size_t t = 0; t < tags.n; t++) {
        const char *name = mt_names_text(mesh, MT_NAMES_FACES, tags.tag[t]);
        if (!name) name = "unnamed";
        if (to[t] == tags.tag[t]) continue;
        if (n_changed++ < LISTED && used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s%.*s %d is now %d",
                n_changed > 1 ? ", " : "", mt_surface_name(to[t]) ? "" : "other ",
                (int)mt_utf8_beginning(name, 30), name, tags.tag[t], to[t]);
    }
    if (n_changed == 0) return MT_OK;
    MT_TRY(renumber(arena, &tags, to, mesh));
    return mt_mesh_note(arena, mesh, "surfaces are recognised by name and renumbered: %s", list);
}

/* ---- groups ---- */

mt_status mt_groups_put(mt_arena *arena, mt_mesh *mesh, int32_t tag, size_t element, bool *full)
{
    size_t g = 0;
    while (g < mesh->n_groups && mesh->group_tag[g] != tag) g++;
    *full = g == MT_GROUPS_MAX;
    if (*full) return MT_OK;
    if (g == mesh->n_groups) MT_TRY(add_group(arena, mesh, tag));
    mesh->groups[element] |= UINT32_C(1) << g;
    return MT_OK;
}

bool mt_groups_has(const mt_mesh *mesh, int32_t tag, size_t element)
{
    if (mesh->region[element] == tag) return true;
    for (size_t g = 0; g < mesh->n_groups; g++)
        if (mesh->group_tag[g] == tag) return mesh->groups[element] >> g & 1;
    return false;
}

/* ---- elements without a region ---- */

mt_status mt_names_unassigned(mt_arena *arena, mt_mesh *mesh, const uint8_t *without)
{
    const size_t n = mesh->n_elements;
    size_t n_without = 0;
    mt_tags tags;
    MT_SCRATCH(scratch);
    for (size_t c = 0; c < n; c++) n_without += without[c] != 0;
    if (n_without == 0) return MT_OK;
    for (size_t c = 0; c < n; c++)
        if (without[c]) mesh->region[c] = n_without == n ? 1 : INT32_MIN;
    if (n_without == n) return MT_OK;
    MT_TRY(mt_tags_make(scratch, n, mesh->region, &tags));
    int32_t free_tag = 0;
    for (size_t t = 0; t < tags.n; t++) free_tag += tags.tag[t] == free_tag;
    for (size_t c = 0; c < n; c++)
        if (without[c]) mesh->region[c] = free_tag;
    return mt_mesh_note(arena, mesh,
        "%zu of %zu elements have no region in the file: they are assigned tag %d, which no other element "
        "has",
        n_without, n, free_tag);
}
