/* What somebody else's tags mean: which of base, epicardium, left and right endocardium (mt_surface) the tagged triangles
 * of a heart are, by the area that they share with the surfaces found by its shape (mesh/anatomy/surfaces.h).
 *
 * A tag means the surface on which more than half of its triangles' area lies, and nothing where that is none of them.
 * Triangles are the same where they have the same corners. */
#pragma once

#include "mesh/anatomy/surfaces.h"

enum { MT_MEANING_TAGS_MAX = 64, MT_MEANING_TEXT = 1024 };

/* Invariants: n >= 1; tags ascend; 0 <= overlap <= 1, and 0 where no tag means the surface. */
typedef struct mt_meaning {
    size_t n; /* different tags */
    int32_t tag[MT_MEANING_TAGS_MAX];
    int32_t surface[MT_MEANING_TAGS_MAX]; /* mt_surface, or 0 */
    double overlap[MT_SURFACES];          /* with all tags that mean it: area of both by area of either */
} mt_meaning;

/* Gives what the tags of one mesh mean by those of another with the same vertices, whose tags are mt_surface. MT_INPUT:
 * no tagged triangle, or more than MT_MEANING_TAGS_MAX different tags. MT_MEMORY. O(n log n). */
MT_NODISCARD mt_status mt_meaning_find(const mt_mesh *tagged, const mt_mesh *found, mt_meaning *meaning);

/* The same by the surfaces that it finds of a mesh (mt_mesh_check passed), whose adjacency is borrowed. Fails as
 * mt_surfaces_find does, too. */
MT_NODISCARD mt_status mt_meaning_by_shape(
    const mt_mesh *mesh, const mt_adjacency *adjacency, mt_meaning *meaning);

/* What the surfaces are called in `--tags`: base, epi, lv, rv. */
extern const char *const mt_meaning_names[MT_SURFACES];

/* Writes the option that tells the commands so (`--tags base=10,epi=20+21,lv=30`), and how sure that is, in words. False, and
 * a text that says so, where no tag means anything. */
bool mt_meaning_text(const mt_meaning *meaning, char text[MT_MEANING_TEXT]);

/* How many triangles of a mesh have tags that are none of mt_surface: 0 where all have the tag 0, which is a mesh without
 * tags. */
size_t mt_meaning_foreign(const mt_mesh *mesh);

/* Does one of our own tags, 1 to 4, mean another surface than its own? */
bool mt_meaning_contradicts(const mt_meaning *meaning);

/* Writes the tags into list[size]: "10, 20 and 30", the first 12 where there are more. */
void mt_meaning_list(const mt_meaning *meaning, char *list, size_t size);

/* What `--tags` takes: surfaces with one or several tags each, or with names of tags in their place. */
#define MT_MEANING_EXAMPLE "base=3+4,epi=2,lv=1"

/* The surface called base, epi, lv or rv (n characters); 0 for any other name. */
int32_t mt_meaning_surface(const char *name, size_t n);

/* Replaces the tags of a mesh's triangles by those of the surfaces that `text`, in the form of `--tags`, says they mean; tags
 * that it does not name become 0. Each name stands there once at most. MT_INPUT: another text, a tag given twice, or one that
 * no triangle has (a misspelt one would leave a surface out, and a heart without its right ventricle runs). */
MT_NODISCARD mt_status mt_meaning_apply(const char *text, mt_mesh *mesh);

/* The same, but tags that `text` does not name stay, unless they are 1 to 4. MT_MEMORY, too. */
MT_NODISCARD mt_status mt_meaning_rename(mt_arena *arena, const char *text, mt_mesh *mesh);
