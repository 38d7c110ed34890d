/* Interpretation of unknown surface tags of a heart as base, epicardium, left or right endocardium (mt_surface), by comparing areas with
 * the surfaces found by shape (mesh/anatomy/surfaces.h).
 *
 * A tag denotes the surface that contains more than half of its triangles' area, if there is one. Triangles are identified by their
 * corners. */
#pragma once

#include "mesh/anatomy/surfaces.h"

enum { MT_TAG_MEANING_TAGS_MAX = 64, MT_TAG_MEANING_TEXT = 1024 };

/* Invariants: n >= 1; tags ascend; 0 <= overlap <= 1, and 0 if no tag denotes the surface. */
typedef struct mt_tag_meaning {
    size_t n; /* number of distinct tags */
    int32_t tag[MT_TAG_MEANING_TAGS_MAX];
    int32_t surface[MT_TAG_MEANING_TAGS_MAX]; /* mt_surface of each tag; 0 if it denotes none */
    double overlap[MT_SURFACES]; /* of each surface with its tags: area of intersection / union */
} mt_tag_meaning;

/* Interprets the tags of `tagged` by comparison with `found`, which has the same vertices and mt_surface tags. MT_INPUT: no tagged
 * triangle, or more than MT_TAG_MEANING_TAGS_MAX distinct tags. MT_MEMORY. Time: O(n log n). */
MT_NODISCARD mt_status mt_tag_meaning_find(
    const mt_mesh *tagged, const mt_mesh *found, mt_tag_meaning *meaning);

/* Same, by comparison with the surfaces found by shape in a mesh that has passed mt_mesh_check; borrows its adjacency. Errors of
 * mt_tag_meaning_find and mt_surfaces_find. */
MT_NODISCARD mt_status mt_tag_meaning_by_shape(
    const mt_mesh *mesh, const mt_adjacency *adjacency, mt_tag_meaning *meaning);

/* Names of the surfaces in `--tags`, by mt_surface: base, epi, lv, rv. */
extern const char *const mt_tag_meaning_names[MT_SURFACES];

/* Writes the corresponding command-line option (`--tags base=10,epi=20+21,lv=30`) and the overlaps as text. Returns false and writes an
 * explanation if no tag denotes a surface. */
bool mt_tag_meaning_text(const mt_tag_meaning *meaning, char text[MT_TAG_MEANING_TEXT]);

/* Returns the number of triangles of a mesh with tags other than mt_surface; 0 if all tags are 0, as the mesh is then untagged. */
size_t mt_tag_meaning_foreign(const mt_mesh *mesh);

/* True if one of the tags 1 to 4 denotes another surface than its mt_surface. */
bool mt_tag_meaning_contradicts(const mt_tag_meaning *meaning);

/* Writes the first 12 tags to list[size]: "10, 20 and 30". */
void mt_tag_meaning_list(const mt_tag_meaning *meaning, char *list, size_t size);

/* Example of the argument of `--tags`: surfaces, each with one or several tags or names of tags. */
#define MT_TAG_MEANING_EXAMPLE "base=3+4,epi=2,lv=1"

/* Returns the surface with the name base, epi, lv or rv (n characters); 0 for other names. */
int32_t mt_tag_meaning_surface(const char *name, size_t n);

/* Replaces the triangle tags of a mesh by mt_surface tags as specified by `text`, the argument of `--tags`; unlisted tags become 0. Each
 * surface may appear once. MT_INPUT: a syntax error, a repeated tag, or a tag that no triangle has (a misspelt tag would silently omit a
 * surface, such as the right ventricle). */
MT_NODISCARD mt_status mt_tag_meaning_apply(const char *text, mt_mesh *mesh);

/* Same, but unlisted tags are unchanged unless they are 1 to 4, which become 0. MT_MEMORY. */
MT_NODISCARD mt_status mt_tag_meaning_rename(mt_arena *arena, const char *text, mt_mesh *mesh);
