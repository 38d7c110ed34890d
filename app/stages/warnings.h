/* The findings of the solver (solver/findings.h), printed as warnings (app/cli/warning.h). */
#ifndef MT_APP_STAGES_WARNINGS_H
#define MT_APP_STAGES_WARNINGS_H

#include "app/cli/warning.h"
#include "solver/findings.h"

void mt_warn_of_time(const char *file, const char *key, double found_ms, size_t used_steps, double dt_ms);
void mt_warnings_of_case(const char *path, const mt_case *input);
void mt_warnings_of_mesh(const mt_case *input, const mt_mesh *mesh);
void mt_warnings_of_operator(const char *name, const mt_adjacency *adjacency, const mt_diffusion *diffusion);
void mt_warnings_of_run(const char *path, const mt_case *input, const mt_monodomain *problem,
    const double *activation_ms, double reached_ms);

#endif
