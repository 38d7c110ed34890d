/* The velocity of the front at each element, from activation times.
 *
 * T is the activation time of elements. Where a front passes smoothly, T is nearly linear in the neighbourhood, with a gradient g that
 * points the way the front goes, and
 *
 *     velocity = g / |g|^2 [mm/ms],     speed = 1 / |g|
 *
 * g is that of the linear function that fits T best at the element's centre and at those of the elements its diffusion row reads, at
 * most 16 (solver/outputs/linear_fit.h). To fit activation times where they were measured and take the velocity from the fit's
 * gradient is the method of Bayly et al. 1998 (IEEE Trans. Biomed. Eng. 45:563, doi 10.1109/10.668746); they fit polynomials on a
 * surface.
 *
 * A plane wave is exact. A curved one is off by a part of its speed that falls with the elements: in the mean over elements with the
 * square of their edge, at a single one, whose neighbours do not lie symmetrically about it, with the edge. It is 0.9 % (root mean
 * square) at 0.4 mm some 3.5 mm from the point a wave starts from (tests/solver/outputs/test_velocity.c). A fit of second order would have
 * 10 unknowns for at most 17 values, and would take the unevenness of waves on coarse meshes for curvature.
 *
 * A velocity is not given (NaN) where it would mean nothing:
 *   - The element was not activated.
 *   - It was stimulated: it was switched on and did not conduct. Nor does it count in the fits of its neighbours.
 *   - Fewer than four of its neighbours were activated by a wave, or all lie in one plane with it. With three there would be as many
 *     values as unknowns, and no good fit could be told from a bad one.
 *   - T is not linear there: waves meet, or one breaks through or begins. With n places the variance of the residual, its sum of
 *     squares over n - 4, must be at most MT_VELOCITY_UNEXPLAINED of the variance of T, its sum of squares over n - 1: this share is
 *     1 less the adjusted coefficient of determination. It has no unit and does not depend on how fast the wave or how large the
 *     elements are.
 *   - The speed is above MT_VELOCITY_MOST_MM_MS, which no tissue has: the elements were activated from elsewhere at nearly the same
 *     time.
 *
 * Why a tenth is allowed. Where two plane waves meet at a distance d s from the middle of a neighbourhood that reaches s to both
 * sides, |g| is smaller by the factor (3 d - d^3) / 2, and a share of T's variance is not explained that grows as d falls: it comes to
 * a tenth at d = 0.6, where the speed is given a fourth too high (on a Gmsh mesh a third at most). A front of the radius r, in a ball
 * of the radius s, has a share of (0.29 s / r)^2: it is not taken for a collision while r is above s, about an edge. Less would leave
 * out too much where nothing collides, as elements of coarse meshes do not fire evenly: of a plane wave along the fibres through a Gmsh
 * mesh of 0.4 mm a tenth keeps 94 per cent of the elements, and 3 per cent keep 59; at 0.6 mm it is 88 and 30 per cent. The speeds of
 * single elements are off there by 6 and 9 per cent of the wave's (root mean square). */
#ifndef MT_SOLVER_OUTPUTS_VELOCITY_H
#define MT_SOLVER_OUTPUTS_VELOCITY_H

#include "mesh/mesh.h"
#include "solver/diffusion/diffusion.h"

#define MT_VELOCITY_UNEXPLAINED 0.1

/* Purkinje fibres, the fastest of the heart, conduct at 2 to 4 mm/ms. */
#define MT_VELOCITY_MOST_MM_MS 10

/* Fills velocity_mm_ms [n_elements][3], NaN where it means nothing (above). activation_ms [n_elements] is not finite where not
 * activated. stimulated [n_elements] is not 0 for elements of a stimulus; NULL: there are none. Borrows all. The same bits for any number of
 * threads; time O(n). MT_MEMORY. */
MT_NODISCARD mt_status mt_velocity(const mt_mesh *mesh, const mt_diffusion *diffusion,
    const double *activation_ms, const uint8_t *stimulated, double *velocity_mm_ms);

#endif
