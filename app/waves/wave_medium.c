#include "app/waves/wave_medium.h"

static mt_status check_rest(const mt_case *input)
{
    if (input->prepace.beats > 0)
        return mt_fail(MT_INPUT,
            "prepace.beats: %zu; allowed for a plane wave: cells at rest, as with --set prepace.beats=0",
            input->prepace.beats);
    if (input->start.state[0])
        return mt_fail(MT_INPUT,
            "start.state: %s; allowed for a plane wave: cells at rest, as with --set start.state=",
            input->start.state);
    return MT_OK;
}

mt_status mt_wave_medium_of_case(const mt_case *input, mt_wave_medium *medium)
{
    const mt_cell_model *model = mt_case_model(input);
    if ((size_t)input->cell.type >= model->n_variants)
        return mt_fail(MT_INPUT,
            "cell.type: layers; allowed for a plane wave: cells of one type, as with --set cell.type=%s",
            model->variants[0].name);
    MT_TRY(check_rest(input));
    *medium = (mt_wave_medium){.model = model,
        .variant = (size_t)input->cell.type,
        .tissue = mt_case_tissue(input),
        .scheme = mt_case_scheme(input),
        .dt_ms = input->time.dt_ms,
        .pde_steps = input->time.pde_steps,
        .diffusing = mt_case_diffusing(input),
        .residual_mV = input->diffusion.tolerance_mV,
        .splitting = input->time.splitting};
    medium->tissue.sigma_n_mS_mm = 0;
    return MT_OK;
}

mt_monodomain mt_wave_medium_problem(
    const mt_wave_medium *medium, const mt_diffusion *diffusion, const mt_stimulus *stimulus)
{
    const bool is_explicit = medium->diffusing == MT_DIFFUSING_EXPLICIT;
    return (mt_monodomain){.diffusion = diffusion,
        .model = medium->model,
        .variant = medium->variant,
        .dt_ms = medium->dt_ms,
        .pde_steps = !is_explicit            ? 1
                     : medium->pde_steps > 0 ? medium->pde_steps
                                             : mt_monodomain_pde_steps(diffusion, medium->dt_ms),
        .diffusing = medium->diffusing,
        .residual_mV = medium->residual_mV,
        .splitting = medium->splitting,
        .n_stimuli = 1,
        .stimulus = stimulus};
}
