/* The choice between voltages at the centres of the elements and at the vertices (diffusion.discretisation: auto).
 *
 * A step with voltages at the vertices takes about a fifth of the time, but has larger errors on the same mesh. The vertices are taken if
 * the expected error of activation times is at most diffusion.accuracy_percent, otherwise the elements. If neither is accurate enough, the
 * more accurate one is taken, and a warning has an element size that would do.
 *
 * The expected error of a discretisation is that of its fronts (app/run/fronts.h), also at the shortest coupling interval of the case: the
 * largest, except that fronts with less than MT_PLACING_SHARE of the elements in total may exceed it. All fronts that conduct on a
 * converged cable must conduct on this mesh. Errors of elements with the default law are at least those measured with the model on many
 * meshes (solver/case/delay.h). In two hearts the expected errors were right to 4 points at the vertices, and to 5 at the elements
 * (app/README.md). */
#pragma once

#include "app/run/fronts.h"

#define MT_PLACING_SHARE 0.01

/* A missed accuracy is warned of if the error exceeds the allowed one by this factor. */
#define MT_PLACING_TOLERANCE 1.1

/* A choice. Zero-initialised: the case states its discretisation. */
typedef struct mt_placing {
    bool automatic, at_vertices;
    double allowed_percent;
    /* [at_vertices] expected error; infinite: propagation fails; NaN for both: not measured, and `why` has the reason of the choice */
    double error_percent[2];
    char why[256];
} mt_placing;

/* True if it was chosen by expected errors. */
bool mt_placing_is_measured(const mt_placing *placing);

/* Returns a choice that needs no measurement; `why` completes "voltages at the elements, ...". */
mt_placing mt_placing_given(bool at_vertices, const char *why);

/* Chooses by the fronts of the case with voltages at the vertices, measured for n_elements. `input`: the case with nodes and its accuracy.
 * `name`: of the mesh, for the warning. Returns the errors of `mt_front_resize`. */
MT_NODISCARD mt_status mt_placing_make(const char *name, const mt_case *input, const mt_fronts *fronts,
    size_t n_elements, const mt_media *media, const mt_monodomain *cells, bool cached, mt_placing *placing);

/* Writes the choice and its reason: "voltages at the vertices: expected error 6.8 %, allowed 8 %; elements: 2.0 %, about five times the
 * time". Empty if the case states its discretisation. */
enum { MT_PLACING_TEXT = 384 };
const char *mt_placing_text(const mt_placing *placing, char text[MT_PLACING_TEXT]);

/* Reports the choice as a note about the file of a case; nothing if the case states its discretisation. */
void mt_placing_report(const char *path, const mt_placing *placing);
