/* The conduction velocity at each element, from activation times.
 *
 * In a smooth wavefront the activation time T has a gradient g in the direction of propagation, and
 *
 *     velocity = g / |g|^2 [mm/ms],     speed = 1 / |g|
 *
 * g is the gradient of the quadratic function that fits T best in a neighbourhood (solver/outputs/quadratic_fit.h): the method of Bayly et
 * al. 1998 (IEEE Trans. Biomed. Eng. 45:563, doi 10.1109/10.668746), in space instead of on a surface.
 *
 * Neighbourhood. A ball of radius r around an element's centre: the activated elements with centres in it that are connected to the first
 * one within it. r is MT_VELOCITY_RADIUS_MM or the case's. r grows in steps of a fifth, at most to MT_VELOCITY_GROWTH times its value,
 * while the ball has fewer than MT_VELOCITY_PLACES elements. While it has fewer than MT_VELOCITY_ENOUGH elements, r also grows if the fit
 * is uneven (below). On coarse meshes the ball therefore contains about as many elements as are needed to average the scatter of activation
 * times, which is a fraction of the element size; on fine meshes it has the same size on every mesh. A ball has at most MT_VELOCITY_ROOM
 * elements, the nearest ones by faces.
 *
 * Elements within r / 4 of each other share a fit, each with the gradient at its own centre. The number of fits is then at most
 * proportional to the tissue's volume over r^3, and the time O(n). If r / 4 is below the distance of centres, each element has its own fit.
 *
 * Accuracy. Plane wavefronts are exact, and so is every quadratic T. Otherwise the error of g is due to the third derivatives of T: for a
 * wavefront at the distance R from its origin at most about 1/2 (r / R)^2 of g (tests/solver/outputs/test_velocity.c).
 *
 * The velocity is undefined (NaN), and the reason reported, if:
 *   MT_VELOCITY_NOT_ACTIVATED   T is not finite;
 *   MT_VELOCITY_STIMULATED      the element is stimulated: it did not conduct, and is not in any fit;
 *   MT_VELOCITY_FEW             the largest ball has fewer than MT_VELOCITY_PLACES elements, or they are in two planes;
 *   MT_VELOCITY_UNEVEN          more than MT_VELOCITY_UNEXPLAINED of T's variance remains after the fit, or the standard error of |g| is
 *                               above MT_VELOCITY_ERROR of |g|;
 *   MT_VELOCITY_TURNS           the fitted T has an extremum along g within MT_VELOCITY_TURN r: wavefronts collide, or one originates or
 *                               breaks through. Two plane wavefronts that collide head-on are detected within 0.48 r of the centre, in
 *                               narrow tissue within 0.3 r; farther away the speed is at most 70 % too high, from 1.25 r on exact;
 *   MT_VELOCITY_FLAT            the speed is above MT_VELOCITY_MOST_MM_MS, above that of any tissue: elements were activated from
 *                               elsewhere at nearly the same time. */
#pragma once

#include "mesh/mesh.h"
#include "solver/diffusion/diffusion.h"

#define MT_VELOCITY_RADIUS_MM 1.5
#define MT_VELOCITY_GROWTH 8
#define MT_VELOCITY_PLACES 60
#define MT_VELOCITY_ENOUGH 400
/* Same for vertices, of which there are a fifth to a quarter. */
#define MT_VELOCITY_VERTICES 20
#define MT_VELOCITY_VERTICES_ENOUGH 80
#define MT_VELOCITY_ROOM 16384
#define MT_VELOCITY_UNEXPLAINED 0.25
#define MT_VELOCITY_ERROR 0.1
#define MT_VELOCITY_TURN 0.75

/* Purkinje fibres, the fastest tissue of the heart, conduct at 2 to 4 mm/ms. */
#define MT_VELOCITY_MOST_MM_MS 10

typedef enum mt_velocity_reason {
    MT_VELOCITY_DEFINED,
    MT_VELOCITY_NOT_ACTIVATED,
    MT_VELOCITY_STIMULATED,
    MT_VELOCITY_FEW,
    MT_VELOCITY_UNEVEN,
    MT_VELOCITY_TURNS,
    MT_VELOCITY_FLAT,
    MT_VELOCITY_REASONS
} mt_velocity_reason;

/* Names of the reasons: keys, labels in tables, and short labels in legends of pictures. */
extern const char *const mt_velocity_key[MT_VELOCITY_REASONS],
    *const mt_velocity_label[MT_VELOCITY_REASONS], *const mt_velocity_short[MT_VELOCITY_REASONS];

/* Computes the velocities of elements; with voltages at the vertices those of vertices, [n_vertices] instead of [n_elements], and all of
 * the above for vertices, their positions and their neighbours in the operator. Borrows all arguments. The same bits for any number of
 * threads. MT_MEMORY.
 *   radius_mm        r, positive
 *   activation_ms    [n_elements] T; not finite if not activated
 *   stimulated       [n_elements] nonzero for elements of a stimulus; NULL: none
 *   wanted           [n_elements] true: compute its velocity; false: leave its outputs unchanged; NULL: all true
 *   velocity_mm_ms   [n_elements][3] output; NaN if undefined
 *   reason           [n_elements] output of mt_velocity_reason; may be NULL */
MT_NODISCARD mt_status mt_velocity(const mt_mesh *mesh, const mt_diffusion *diffusion, double radius_mm,
    const double *activation_ms, const uint8_t *stimulated, const bool *wanted, double *velocity_mm_ms,
    uint8_t *reason);
