/* A small case and a table of members for tests of ensembles. */
#pragma once

#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/solver/small_case.h"

#include <omp.h>

/* A slab that is activated within 9 ms, and three members: another operator for b. */
static const char small[] =
    "title: Small slab\n" SMALL_SLAB "tissue: {intracellular_l_mS_mm: 0.17, intracellular_t_mS_mm: 0.019,\n"
    "  extracellular_l_mS_mm: 0.62, extracellular_t_mS_mm: 0.24, chi_per_mm: 140,\n"
    "  cm_uF_mm2: 0.01}\n"
    "cell: {model: mitchell-schaeffer, type: standard}\n"
    "time: {dt_ms: 0.05, end_ms: 12}\n" SMALL_STIMULUS(
        "2") "points:\n  - {name: P1, at_mm: [1, 1, 1]}\nmachine: {backend: cpu}\n";
/* of a single run, as the default of members */
#define PLAIN "--set output.report=false --set output.pictures=false"

static const char three[] = "name,tissue.intracellular_l_mS_mm,stimuli.0.start_ms\n"
                            "a,0.17,0\n"
                            "b,0.2,0\n"
                            "c,0.17,1\n";

static inline void enter_ensemble(void)
{
    enter_room();
    share_cache();
    omp_set_num_threads(1);
    write_text("small.yaml", small);
    write_text("three.csv", three);
}

/* Returns the number of times that a text occurs. */
static inline int occurrences(const char *text, const char *word)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, word)); at++) n++;
    return n;
}
