#include "solver/backends/segments.h"

#include <string.h>

/* ---- of a run in progress ---- */

/* True if the run continues its last segment. */
static bool goes_on(const mt_segments *before, bool counted, const mt_backend *backend)
{
    return before && (counted || (!backend->profile && !before->segment[before->n - 1].machine[0]));
}

mt_status mt_segments_begin(mt_arena *arena, const mt_segments *before, bool counted,
    const mt_backend *backend, void *self, const mt_layout *layout, mt_segments *segments)
{
    const size_t n = before ? before->n : 0;
    *segments = (mt_segments){.n = n};
    MT_ALLOC(arena, segments->segment, n + 1);
    for (size_t k = 0; k < n; k++) segments->segment[k] = before->segment[k];
    if (goes_on(before, counted, backend)) return MT_OK;
    mt_segment *s = &segments->segment[segments->n++];
    *s = (mt_segment){.first = n > 0 ? before->segment[n - 1].end : 0, .machine = ""};
    s->end = s->first;
    if (!backend->profile) return MT_OK;
    s->machine = layout->target->name;
    s->ipus = layout->target->ipus;
    s->tiles = layout->halo->n_parts;
    s->clock_hz = layout->target->clock_hz;
    return backend->fingerprint(self, s->fingerprint);
}

void mt_segments_set(
    mt_segments *segments, const mt_monodomain *problem, const ipu_profile *profile, size_t steps_done)
{
    mt_segment *s = &segments->segment[segments->n - 1];
    s->end = steps_done;
    if (!profile) return;
    mt_phases_count(profile, problem, s->cycles);
    s->step_cycles = profile->cycles - profile->host_cycles;
    s->host_cycles = profile->host_cycles;
}

mt_status mt_segments_count(mt_segments *segments, const mt_monodomain *problem, const mt_backend *backend,
    void *self, size_t steps_done)
{
    MT_SCRATCH(scratch);
    ipu_profile profile;
    const mt_status status = backend->profile ? backend->profile(self, scratch, &profile) : MT_OK;
    if (status == MT_OK) mt_segments_set(segments, problem, backend->profile ? &profile : NULL, steps_done);
    return status;
}

bool mt_segments_several(const mt_segments *segments)
{
    const mt_segment *last = &segments->segment[segments->n - 1];
    size_t n = 0;
    for (size_t k = 0; k < segments->n; k++) n += segments->segment[k].end > segments->segment[k].first;
    return n > 1 || (n == 1 && last->end == last->first);
}

/* ---- as arrays of a file ---- */

static unsigned char *add_text(unsigned char *to, const char *text)
{
    const size_t n = strlen(text) + 1;
    memcpy(to, text, n);
    return to + n;
}

mt_status mt_segments_flatten(mt_arena *arena, const mt_segments *segments, mt_segments_flat *flat)
{
    *flat = (mt_segments_flat){.n = segments->n};
    for (size_t k = 0; k < flat->n; k++)
        flat->n_words += strlen(segments->segment[k].machine) + strlen(segments->segment[k].fingerprint) + 2;
    MT_ALLOC(arena, flat->begin, flat->n + 1);
    MT_ALLOC(arena, flat->count, flat->n * MT_SEGMENT_COUNTS);
    MT_ALLOC(arena, flat->clock_hz, flat->n);
    MT_ALLOC(arena, flat->words, flat->n_words);
    unsigned char *words = flat->words;
    for (size_t k = 0; k < flat->n; k++) {
        const mt_segment *s = &segments->segment[k];
        int64_t *count = flat->count + k * MT_SEGMENT_COUNTS;
        flat->begin[k] = (int64_t)s->first;
        flat->begin[k + 1] = (int64_t)s->end;
        count[0] = (int64_t)s->ipus;
        count[1] = (int64_t)s->tiles;
        count[2] = (int64_t)s->step_cycles;
        count[3] = (int64_t)s->host_cycles;
        for (int p = 0; p < MT_PHASES; p++) count[4 + p] = (int64_t)s->cycles[p];
        flat->clock_hz[k] = s->clock_hz;
        words = add_text(add_text(words, s->machine), s->fingerprint);
    }
    return MT_OK;
}

/* Returns the text at a position and moves past it; false if it is not terminated. */
static bool take_text(const mt_segments_flat *flat, size_t *at, const char **text)
{
    const unsigned char *begin = flat->words + *at, *end = memchr(begin, 0, flat->n_words - *at);
    if (!end) return false;
    *text = (const char *)begin;
    *at += (size_t)(end - begin) + 1;
    return true;
}

/* Reads one segment; the machine's name points into the words. */
static bool take_one(const mt_segments_flat *flat, size_t k, size_t *at, mt_segment *s)
{
    const int64_t *count = flat->count + k * MT_SEGMENT_COUNTS;
    const char *fingerprint;
    if (!take_text(flat, at, &s->machine) || !take_text(flat, at, &fingerprint)) return false;
    if (strlen(fingerprint) >= MT_HASH_SIZE || flat->begin[k] < 0 || flat->begin[k + 1] < flat->begin[k])
        return false;
    (void)strcpy(s->fingerprint, fingerprint);
    s->first = (size_t)flat->begin[k];
    s->end = (size_t)flat->begin[k + 1];
    for (int c = 0; c < MT_SEGMENT_COUNTS; c++)
        if (count[c] < 0) return false;
    s->ipus = (size_t)count[0];
    s->tiles = (size_t)count[1];
    s->step_cycles = (uint64_t)count[2];
    s->host_cycles = (uint64_t)count[3];
    for (int p = 0; p < MT_PHASES; p++) s->cycles[p] = (uint64_t)count[4 + p];
    s->clock_hz = flat->clock_hz[k];
    return true;
}

mt_status mt_segments_unflatten(mt_arena *arena, const mt_segments_flat *flat, mt_segments *segments)
{
    size_t at = 0;
    *segments = (mt_segments){.n = flat->n};
    MT_ALLOC(arena, segments->segment, flat->n);
    for (size_t k = 0; k < flat->n; k++)
        if (!take_one(flat, k, &at, &segments->segment[k])) return MT_INPUT;
    return flat->n > 0 && at == flat->n_words ? MT_OK : MT_INPUT;
}
