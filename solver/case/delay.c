#include "solver/case/delay.h"

#include <assert.h>
#include <math.h>

double mt_delay_default_length_mm(const mt_tissue *tissue, double length_mm)
{
    const double along = mt_tissue_diffusivity_l(tissue) / mt_tissue_diffusivity_l(&mt_tissue_default),
                 across = mt_tissue_diffusivity_t(tissue) / mt_tissue_diffusivity_t(&mt_tissue_default);
    return length_mm / cbrt(sqrt(along) * across);
}

/* Returns the delay at one point of the model's table. */
static double delay_at(const mt_cell_delay *delay, bool usual)
{
    return usual ? delay->usual_percent : delay->plain_percent;
}

double mt_delay_percent(
    const mt_cell_model *model, const mt_diffusion_scheme *scheme, const mt_tissue *tissue, double length_mm)
{
    const bool usual = mt_diffusion_scheme_same(scheme, &mt_diffusion_scheme_default);
    assert(model->n_delays > 0);
    const mt_cell_delay *d = model->delays, *last = d + model->n_delays - 1;
    length_mm = mt_delay_default_length_mm(tissue, length_mm);
    if (length_mm <= d->length_mm)
        return delay_at(d, usual) * (length_mm / d->length_mm) * (length_mm / d->length_mm);
    while (d < last && length_mm > d[1].length_mm) d++;
    if (d == last) return delay_at(last, usual);
    const double part = (length_mm - d->length_mm) / (d[1].length_mm - d->length_mm);
    return delay_at(d, usual) + part * (delay_at(d + 1, usual) - delay_at(d, usual));
}

/* Bisects to the precision of a double: magnitudes increase with the length. */
double mt_delay_length_mm(
    const mt_cell_model *model, const mt_diffusion_scheme *scheme, const mt_tissue *tissue, double percent)
{
    assert(model->n_delays > 0);
    const double longest_mm =
        model->delays[model->n_delays - 1].length_mm / mt_delay_default_length_mm(tissue, 1);
    double low_mm = 0, high_mm = longest_mm;
    if (fabs(mt_delay_percent(model, scheme, tissue, longest_mm)) <= percent) return longest_mm;
    for (double middle_mm; middle_mm = (low_mm + high_mm) / 2, middle_mm > low_mm && middle_mm < high_mm;)
        if (fabs(mt_delay_percent(model, scheme, tissue, middle_mm)) <= percent)
            low_mm = middle_mm;
        else
            high_mm = middle_mm;
    return low_mm;
}
