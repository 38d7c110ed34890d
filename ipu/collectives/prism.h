/* The prism of chips: stacked layers, with embedded rings that are used simultaneously.
 *
 * Each layer is a ring of f chips, at least three; chip l f + c is column c of layer l. Neighbours in a layer are joined by
 * links, and so are the chips of a column in neighbouring layers. A face is two neighbouring columns. Face k has a ring over
 * all chips. It runs from layer 0 up, in each layer across the face, so that all chips of the face are visited once. It then
 * runs from the top down through the other columns, in each layer across all of them, back to its start. With three faces the
 * way down is straight along one edge. The rings of all f faces are used simultaneously, each for its part of the data.
 *
 * (S. Knowles, Graphcore: US patent application published 1 October 2020, "Networked computer with multiple embedded rings". It
 * claims layers of three chips and more, two links between neighbours in a layer, three in the first and the last, and one link
 * between layers. In the end layers the claims use free links for this. But of three chips each has one such link and two
 * neighbours, so a chip at an end here has one link more than in the claims. The way down with more than three faces is our
 * choice.)
 *
 * With three faces each link between layers carries one ring each way; in a layer one ring uses one of two links, and in the
 * first and last layer two rings use two of three, all one way. So with n chips and links of b bytes per second an all-reduce
 * of V bytes takes 2 (n - 1) steps of V / (3 n b) plus the fixed cost of a step: a third of the time of a single ring. With
 * five faces and more the links inside layers carry more rings than they have lanes, and steps take longer. */
#pragma once

#include "ipu/collectives/rings.h"

/* The size of a prism, and the lanes each way. */
typedef struct ipu_prism {
    size_t layers, faces;
    size_t between;    /* of a link between layers */
    size_t inside;     /* between neighbours in a layer */
    size_t inside_end; /* the same in the first and the last layer */
} ipu_prism;

/* Returns a prism as claimed, for chips with links of `lanes` lanes: with 1, 2 and 3 of them. */
ipu_prism ipu_prism_claimed(size_t layers, size_t faces, size_t lanes);

/* Builds in `arena` the links, for a machine's list (ipu_links.list). Fails with MT_INPUT if there are fewer than two layers or
 * three faces, or 0 lanes, or with MT_MEMORY. */
MT_NODISCARD mt_status ipu_prism_links(
    mt_arena *arena, const ipu_prism *prism, ipu_listed_link **list, size_t *n_list);

/* Builds in `arena` the rings, with one stream per face. Fails as above. */
MT_NODISCARD mt_status ipu_prism_rings(mt_arena *arena, const ipu_prism *prism, ipu_rings *rings);
