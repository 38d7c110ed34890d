#include "data/core/planes.h"

#include <assert.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

enum {
    LEVEL = 1,
    SAMPLE = 4096,      /* bytes of the trial, at the start and in the middle of a plane */
    PLANE_MIN = 65536,  /* smaller planes are compressed without a trial */
    SWITCH_BYTES = 1024 /* at most, added by a change of the level */
};

struct mt_planes_slot {
    z_stream stream, trial;
    unsigned char *planes, *bytes, *sample;
    size_t n, room;
};

/* ---- preparation ---- */

static voidpf take(voidpf arena, uInt items, uInt size) { return mt_arena_alloc(arena, items, size); }

/* Does nothing: the arena frees. */
static void give(voidpf arena, voidpf address)
{
    (void)arena;
    (void)address;
}

static mt_status make_stream(mt_arena *arena, z_stream *stream)
{
    *stream = (z_stream){.zalloc = take, .zfree = give, .opaque = arena};
    return deflateInit(stream, LEVEL) == Z_OK ? MT_OK : MT_MEMORY;
}

static mt_status make_slot(mt_arena *arena, size_t bytes, size_t planes, mt_planes_slot *slot)
{
    MT_TRY(make_stream(arena, &slot->stream));
    MT_TRY(make_stream(arena, &slot->trial));
    slot->room = deflateBound(&slot->stream, (uLong)bytes) + planes * SWITCH_BYTES + bytes / 256;
    MT_ALLOC(arena, slot->planes, bytes);
    MT_ALLOC(arena, slot->bytes, slot->room);
    MT_ALLOC(arena, slot->sample, 2 * SAMPLE);
    return MT_OK;
}

mt_status mt_planes_make(
    mt_arena *arena, size_t value_bytes, size_t stored_bytes, size_t n_chunk, size_t n, mt_planes *p)
{
    const size_t threads = (size_t)omp_get_max_threads(), n_chunks = (n + n_chunk - 1) / n_chunk;
    assert(value_bytes <= stored_bytes && n_chunk > 0);
    *p = (mt_planes){.value_bytes = value_bytes, .stored_bytes = stored_bytes, .n_chunk = n_chunk};
    p->n_slots = threads < n_chunks ? threads : n_chunks;
    MT_ALLOC(arena, p->slot, p->n_slots);
    for (size_t k = 0; k < p->n_slots; k++)
        MT_TRY(make_slot(arena, n_chunk * stored_bytes, stored_bytes, p->slot + k));
    return MT_OK;
}

/* ---- one chunk ---- */

/* Sets the planes of n values. */
static void shuffle(const mt_planes *p, size_t n, const unsigned char *values, unsigned char *planes)
{
    const size_t step = p->value_bytes;
    for (size_t b = 0; b < p->stored_bytes; b++) {
        unsigned char *plane = planes + b * p->n_chunk;
        const size_t known = b < step ? n : 0;
        for (size_t k = 0; k < known; k++) plane[k] = values[k * step + b];
        memset(plane + known, 0, p->n_chunk - known);
    }
}

/* True if samples of the plane shrink. */
static bool shrinks(mt_planes_slot *slot, size_t n, const unsigned char *plane)
{
    if (n < PLANE_MIN) return true;
    unsigned char *out = slot->sample;
    for (size_t k = 0; k < 2; k++) {
        (void)deflateReset(&slot->trial);
        slot->trial.next_in = (z_const Bytef *)plane + k * (n / 2);
        slot->trial.avail_in = SAMPLE;
        slot->trial.next_out = out;
        slot->trial.avail_out = 2 * SAMPLE;
        (void)deflate(&slot->trial, Z_FINISH);
        if (slot->trial.total_out < SAMPLE - SAMPLE / 32) return true;
    }
    return false;
}

static void compress_chunk(const mt_planes *p, mt_planes_slot *slot)
{
    const size_t n = p->n_chunk, planes = p->stored_bytes;
    z_stream *stream = &slot->stream;
    int result = deflateReset(stream);
    stream->next_out = slot->bytes;
    stream->avail_out = (uInt)slot->room;
    stream->avail_in = 0;
    for (size_t b = 0; b < planes && result == Z_OK; b++) {
        const unsigned char *plane = slot->planes + b * n;
        result =
            deflateParams(stream, shrinks(slot, n, plane) ? LEVEL : Z_NO_COMPRESSION, Z_DEFAULT_STRATEGY);
        stream->next_in = (z_const Bytef *)plane;
        stream->avail_in = (uInt)n;
        if (result == Z_OK) result = deflate(stream, b + 1 < planes ? Z_NO_FLUSH : Z_FINISH);
    }
    slot->n = result == Z_STREAM_END ? stream->total_out : 0;
}

/* ---- all chunks ---- */

void mt_planes_run(const mt_planes *p, size_t n, const void *values)
{
    const size_t each = p->n_chunk, n_chunks = (n + each - 1) / each;
    assert(n_chunks <= p->n_slots);
#pragma omp parallel for schedule(static) if (n_chunks > 1)
    for (size_t k = 0; k < n_chunks; k++) {
        mt_planes_slot *slot = p->slot + k;
        const size_t left = n - k * each;
        shuffle(p, left < each ? left : each, (const unsigned char *)values + k * each * p->value_bytes,
            slot->planes);
        compress_chunk(p, slot);
    }
}

const void *mt_planes_bytes(const mt_planes *p, size_t chunk, size_t *n)
{
    *n = p->slot[chunk].n;
    return p->slot[chunk].bytes;
}
