/* A picture of what joins the chips of a machine: chips as boxes, each link as an arrow whose colour and width tell how busy it is beside
 * the busiest, and what carries nothing as a thin grey line. A ladder lies on its side, with even chips above; the joined ends of a torus go
 * around it. A prism lies on its side, too, a layer behind the other. The chips of any other list stand in a circle. A PNG of MT_PAGE_WIDTH x
 * MT_PAGE_HEIGHT pixels. */
#ifndef MT_APP_DRAW_CHART_NETWORK_PICTURE_H
#define MT_APP_DRAW_CHART_NETWORK_PICTURE_H

#include "app/draw/page.h"
#include "ipu/machine/topology.h"

enum { MT_NETWORK_CHIPS_MAX = 64 };

/* All is borrowed; texts are UTF-8. */
typedef struct mt_network_picture {
    const char *title, *caption; /* caption: the traffic, below the title */
    const ipu_topology *network;
    const uint64_t *load; /* [n_links] bytes; beside the arrows, where there are few enough */
    size_t faces;         /* of a prism, whose chip c is column c % faces of layer c / faces; 0: it is none */
} mt_network_picture;

/* Writes the picture to `path`: whole, or not at all. The same input gives the same bytes. MT_INPUT: more chips than
 * MT_NETWORK_CHIPS_MAX, words that are not UTF-8. MT_MEMORY. MT_FILE: the file cannot be written. */
MT_NODISCARD mt_status mt_network_picture_write(const char *path, const mt_network_picture *picture);

#endif
