#include "solver/diffusion/scheme.h"

#include <math.h>
#include <stddef.h>

const char *const mt_correction_name[] = {
    [MT_CORRECTION_MINIMUM] = "minimum", [MT_CORRECTION_OVER_RELAXED] = "over-relaxed", NULL};

const mt_diffusion_scheme mt_diffusion_scheme_default = {
    .damping = 1.6, .spreading = 0.055, .front_ms = 0.5, .correction = MT_CORRECTION_MINIMUM};
const mt_diffusion_scheme mt_diffusion_scheme_plain = {
    .damping = 1.5, .correction = MT_CORRECTION_OVER_RELAXED};

bool mt_diffusion_scheme_same(const mt_diffusion_scheme *a, const mt_diffusion_scheme *b)
{
    return a->damping == b->damping && a->spreading == b->spreading && a->correction == b->correction;
}

mt_status mt_diffusion_scheme_check(const mt_diffusion_scheme *scheme)
{
    if (!(scheme->damping > 0) || !isfinite(scheme->damping))
        return mt_fail(MT_INPUT, "damping is %g; it must be finite and above 0", scheme->damping);
    if (!(scheme->spreading >= 0) || !isfinite(scheme->spreading))
        return mt_fail(MT_INPUT, "spreading is %g; it must be finite and not below 0", scheme->spreading);
    if (!(scheme->front_ms >= 0) || !isfinite(scheme->front_ms))
        return mt_fail(
            MT_INPUT, "the front's time is %g ms; it must be finite and not below 0", scheme->front_ms);
    return MT_OK;
}
