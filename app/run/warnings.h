/* Where the solver's findings go: to standard error, as warnings (app/cli/warning.h). */
#ifndef MT_APP_RUN_WARNINGS_H
#define MT_APP_RUN_WARNINGS_H

#include "app/cli/warning.h"
#include "solver/case/findings.h"

extern const mt_findings mt_warnings;

#endif
