#include "app/stages/warnings.h"

static void warn(void *nobody, const char *text)
{
    (void)nobody;
    mt_warn("%s", text);
}

static const mt_findings printed = {.add = warn};

void mt_warn_of_time(const char *file, const char *key, double found_ms, size_t used_steps, double dt_ms)
{
    mt_findings_of_time(printed, file, key, found_ms, used_steps, dt_ms);
}

void mt_warnings_of_case(const char *path, const mt_case *input)
{
    mt_findings_of_case(printed, path, input);
}

void mt_warnings_of_mesh(const mt_case *input, const mt_mesh *mesh)
{
    mt_findings_of_mesh(printed, input, mesh);
}

void mt_warnings_of_operator(const char *name, const mt_adjacency *adjacency, const mt_diffusion *diffusion)
{
    mt_findings_of_operator(printed, name, adjacency, diffusion);
}

void mt_warnings_of_run(const char *path, const mt_case *input, const mt_monodomain *problem,
    const double *activation_ms, double reached_ms)
{
    mt_findings_of_run(printed, path, input, problem, activation_ms, reached_ms);
}
