/* The prism of chips: layers on top of each other, and rings embedded in it that move at the same time.
 *
 * Each layer is a ring of f chips, at least three; chip l f + c is column c of layer l. Neighbours in a layer are joined by
 * links, and so are the chips of a column in neighbouring layers. A face is two neighbouring columns. Face k has a ring over
 * all chips: from layer 0 up, in each layer across the face, so that all its chips are visited once; from the top down again
 * through the other columns, in each layer across all of them, to where it began. With three faces that is straight down one
 * edge. The rings of all f faces move at once, each with its part of the data.
 *
 * (S. Knowles, Graphcore: US patent application published 1 October 2020, "Networked computer with multiple embedded rings". It
 * claims layers of three chips and more, two links between neighbours in a layer, three in the first and the last, and one link
 * between layers. The claims put links there that are free at the ends; of three chips each has one such link and two
 * neighbours, so that a chip at an end here has one link more than they give it. How the way down goes with more than three
 * faces is our choice.)
 *
 * With three faces each link between layers carries one ring each way; in a layer one ring takes one of two links, and in the
 * first and last layer two rings take two of three, all one way. So with n chips and a link of b bytes a second an all-reduce of
 * V bytes takes 2 (n - 1) steps of V / (3 n b) beside what steps cost by themselves: a third of a single ring's. With five faces
 * and more the links inside layers carry more rings than they have lanes, and steps take longer. */
#pragma once

#include "ipu/collectives/rings.h"

/* Lanes of each way. */
typedef struct ipu_prism {
    size_t layers, faces;
    size_t between;    /* of a link from layer to layer */
    size_t inside;     /* of neighbours in a layer */
    size_t inside_end; /* the same in the first and the last layer */
} ipu_prism;

/* As claimed, for machines whose chips have links of `lanes` lanes: 1, 2 and 3 of them. */
ipu_prism ipu_prism_claimed(size_t layers, size_t faces, size_t lanes);

/* Gives in `arena` the links, for a machine's list (ipu_links.list). MT_INPUT: fewer than two layers or three faces, or lanes of 0.
 * MT_MEMORY. */
MT_NODISCARD mt_status ipu_prism_links(
    mt_arena *arena, const ipu_prism *prism, ipu_listed_link **list, size_t *n_list);

/* Gives in `arena` the rings, of as many streams as there are faces. Fails as above. */
MT_NODISCARD mt_status ipu_prism_rings(mt_arena *arena, const ipu_prism *prism, ipu_rings *rings);
