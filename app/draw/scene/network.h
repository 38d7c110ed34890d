/* A conduction network on plots: coloured lines with light rims, in front of the surface or hidden by it. */
#pragma once

#include "app/draw/scene/picture.h"
#include "app/draw/scene/view.h"

/* Lines up to this depth below the surface are visible: most fibres are just below the endocardium. */
#define MT_NETWORK_DEPTH_MM 1.0

/* Draws the network on a plot, which gets samples of it in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_network_draw(
    mt_arena *arena, const mt_picture_network *network, const mt_view *view, mt_plot *plot);
