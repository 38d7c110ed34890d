#include "solver/tissue/medium.h"

#include <math.h>

const mt_medium mt_medium_default = {.intracellular_l_mS_mm = 0.17,
    .intracellular_t_mS_mm = 0.019,
    .intracellular_n_mS_mm = NAN,
    .extracellular_l_mS_mm = 0.62,
    .extracellular_t_mS_mm = 0.24,
    .extracellular_n_mS_mm = NAN,
    .chi_per_mm = 140,
    .cm_uF_mm2 = 0.01};

static double in_series(double a, double b) { return a * b / (a + b); }

/* Returns an optional value, or its default. */
static double given(double value, double otherwise) { return isnan(value) ? otherwise : value; }

/* ---- one medium ---- */

bool mt_medium_change_names(const mt_medium_change *change)
{
    const mt_medium *m = &change->named;
    return !isnan(change->conductivity_factor) || !isnan(m->intracellular_l_mS_mm) ||
           !isnan(m->intracellular_t_mS_mm) || !isnan(m->extracellular_l_mS_mm) ||
           !isnan(m->extracellular_t_mS_mm) || mt_medium_normal_key(m) || !isnan(m->chi_per_mm) ||
           !isnan(m->cm_uF_mm2);
}

const char *mt_medium_normal_key(const mt_medium *medium)
{
    if (!isnan(medium->intracellular_n_mS_mm)) return "intracellular_n_mS_mm";
    if (!isnan(medium->extracellular_n_mS_mm)) return "extracellular_n_mS_mm";
    return NULL;
}

void mt_medium_intracellular(const mt_medium *medium, double along_axes_mS_mm[3])
{
    along_axes_mS_mm[0] = medium->intracellular_l_mS_mm;
    along_axes_mS_mm[1] = medium->intracellular_t_mS_mm;
    along_axes_mS_mm[2] = given(medium->intracellular_n_mS_mm, medium->intracellular_t_mS_mm);
}

mt_tissue mt_medium_tissue(const mt_medium *medium)
{
    mt_tissue tissue = {
        .sigma_l_mS_mm = in_series(medium->intracellular_l_mS_mm, medium->extracellular_l_mS_mm),
        .sigma_t_mS_mm = in_series(medium->intracellular_t_mS_mm, medium->extracellular_t_mS_mm),
        .chi_per_mm = medium->chi_per_mm,
        .cm_uF_mm2 = medium->cm_uF_mm2,
    };
    const double normal = in_series(given(medium->intracellular_n_mS_mm, medium->intracellular_t_mS_mm),
        given(medium->extracellular_n_mS_mm, medium->extracellular_t_mS_mm));
    if (normal != tissue.sigma_t_mS_mm) tissue.sigma_n_mS_mm = normal;
    return tissue;
}

static bool same_value(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static bool same(const mt_medium *a, const mt_medium *b)
{
    return a->intracellular_l_mS_mm == b->intracellular_l_mS_mm &&
           a->intracellular_t_mS_mm == b->intracellular_t_mS_mm &&
           same_value(a->intracellular_n_mS_mm, b->intracellular_n_mS_mm) &&
           a->extracellular_l_mS_mm == b->extracellular_l_mS_mm &&
           a->extracellular_t_mS_mm == b->extracellular_t_mS_mm &&
           same_value(a->extracellular_n_mS_mm, b->extracellular_n_mS_mm) && a->chi_per_mm == b->chi_per_mm &&
           a->cm_uF_mm2 == b->cm_uF_mm2;
}

/* Returns a changed value of the medium: the stated value, else the default medium's value times the factor, else the previous value. */
static double changed(double was, double whole, double factor, double named)
{
    return given(named, isnan(factor) ? was : factor * whole);
}

static mt_medium change_one(const mt_medium *was, const mt_medium *whole, const mt_medium_change *change)
{
    const double k = change->conductivity_factor;
    const mt_medium *to = &change->named;
    return (mt_medium){
        .intracellular_l_mS_mm =
            changed(was->intracellular_l_mS_mm, whole->intracellular_l_mS_mm, k, to->intracellular_l_mS_mm),
        .intracellular_t_mS_mm =
            changed(was->intracellular_t_mS_mm, whole->intracellular_t_mS_mm, k, to->intracellular_t_mS_mm),
        .intracellular_n_mS_mm =
            changed(was->intracellular_n_mS_mm, whole->intracellular_n_mS_mm, k, to->intracellular_n_mS_mm),
        .extracellular_l_mS_mm =
            changed(was->extracellular_l_mS_mm, whole->extracellular_l_mS_mm, k, to->extracellular_l_mS_mm),
        .extracellular_t_mS_mm =
            changed(was->extracellular_t_mS_mm, whole->extracellular_t_mS_mm, k, to->extracellular_t_mS_mm),
        .extracellular_n_mS_mm =
            changed(was->extracellular_n_mS_mm, whole->extracellular_n_mS_mm, k, to->extracellular_n_mS_mm),
        .chi_per_mm = given(to->chi_per_mm, was->chi_per_mm),
        .cm_uF_mm2 = given(to->cm_uF_mm2, was->cm_uF_mm2),
    };
}

/* ---- the media of a mesh ---- */

mt_status mt_media_begin(mt_arena *arena, const mt_medium *whole, size_t n_elements, mt_media *media)
{
    *media = (mt_media){.n = 1};
    MT_ALLOC(arena, media->medium, 1);
    MT_ALLOC(arena, media->by, 1);
    MT_ALLOC(arena, media->of, n_elements);
    media->medium[0] = *whole;
    media->by[0] = MT_MEDIA_WHOLE;
    return MT_OK;
}

/* Returns the number of an equal medium, or adds a new one. */
static size_t find_or_add(mt_media *media, const mt_medium *medium, size_t by)
{
    size_t k = 0;
    while (k < media->n && !same(&media->medium[k], medium)) k++;
    if (k == media->n) {
        media->medium[k] = *medium;
        media->by[k] = by;
        media->n++;
    }
    return k;
}

mt_status mt_media_change(mt_arena *arena, mt_media *media, const mt_medium *whole, size_t n,
    const uint32_t *elements, const mt_medium_change *change, size_t number)
{
    const size_t n_before = media->n, *by = media->by;
    const mt_medium *before = media->medium;
    size_t *becomes; /* 1 + the number of the new medium; 0: not yet known */
    MT_ALLOC(arena, becomes, n_before);
    MT_ALLOC(arena, media->medium, 2 * n_before);
    MT_ALLOC(arena, media->by, 2 * n_before);
    for (size_t k = 0; k < n_before; k++) media->medium[k] = before[k], media->by[k] = by[k];
    for (size_t k = 0; k < n; k++) {
        uint16_t *of = &media->of[elements[k]];
        if (becomes[*of] == 0) {
            const mt_medium to = change_one(&before[*of], whole, change);
            becomes[*of] = 1 + find_or_add(media, &to, number);
        }
        if (becomes[*of] > MT_MEDIA_MOST)
            return mt_fail(
                MT_INPUT, "more than %d different tissues; allowed: at most this number", MT_MEDIA_MOST);
        *of = (uint16_t)(becomes[*of] - 1);
    }
    return MT_OK;
}

mt_status mt_media_end(mt_arena *arena, size_t n_elements, mt_media *media)
{
    size_t *number, n = 0; /* 1 + the new number of a medium; 0: unused */
    if (n_elements == 0) return MT_OK;
    MT_ALLOC(arena, number, media->n);
    for (size_t c = 0; c < n_elements; c++) number[media->of[c]] = 1;
    for (size_t k = 0; k < media->n; k++) {
        if (number[k] == 0) continue;
        media->medium[n] = media->medium[k];
        media->by[n] = media->by[k];
        number[k] = ++n;
    }
    for (size_t c = 0; c < n_elements; c++) media->of[c] = (uint16_t)(number[media->of[c]] - 1);
    media->n = n;
    if (n == 1) media->of = NULL;
    return MT_OK;
}

const mt_medium *mt_media_at(const mt_media *media, size_t element)
{
    return &media->medium[media->of ? media->of[element] : 0];
}

void mt_media_intracellular_tensor(
    const mt_media *media, const mt_mesh *mesh, size_t element, double tensor_mS_mm[3][3])
{
    const double any[3] = {1, 0, 0}, *fibre = mesh->fibre ? mesh->fibre + 3 * element : any;
    double axes[3];
    mt_medium_intracellular(mt_media_at(media, element), axes);
    mt_tissue_tensor(axes[0], axes[1], fibre, tensor_mS_mm);
    if (mesh->sheet)
        mt_tissue_tensor_add_normal(axes[2] - axes[1], fibre, mesh->sheet + 3 * element, tensor_mS_mm);
}

mt_status mt_media_tissues(mt_arena *arena, const mt_media *media, mt_tissues *tissues)
{
    mt_tissue *tissue;
    MT_ALLOC(arena, tissue, media->n);
    for (size_t k = 0; k < media->n; k++) tissue[k] = mt_medium_tissue(&media->medium[k]);
    *tissues = (mt_tissues){.n = media->n, .tissue = tissue, .of = media->of};
    return MT_OK;
}
