/* Pieces of a case that runs quickly: 3 x 2 x 1 mm at 0.5 mm, 288 elements, stimulated at one end; all are activated within 6 ms. A test
 * adds the time and any other keys. */
#pragma once

#define SMALL_SLAB                                                                                           \
    "mesh:\n"                                                                                                \
    "  slab: {size_mm: [3, 2, 1], edge_mm: 0.5}\n"

#define USUAL_TISSUE                                                                                         \
    "tissue:\n"                                                                                              \
    "  intracellular_l_mS_mm: 0.17\n"                                                                        \
    "  intracellular_t_mS_mm: 0.019\n"                                                                       \
    "  extracellular_l_mS_mm: 0.62\n"                                                                        \
    "  extracellular_t_mS_mm: 0.24\n"                                                                        \
    "  chi_per_mm: 140\n"                                                                                    \
    "  cm_uF_mm2: 0.01\n"                                                                                    \
    "cell: {type: epi}\n"

#define SMALL_STIMULUS(duration_ms)                                                                          \
    "stimuli:\n"                                                                                             \
    "  - min_mm: [0, 0, 0]\n"                                                                                \
    "    max_mm: [1.5, 1.5, 1]\n"                                                                            \
    "    duration_ms: " duration_ms "\n"                                                                     \
    "    strength_uA_mm3: 50\n"
