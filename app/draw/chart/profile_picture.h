/* A machine's profile as pictures: PNGs of MT_PAGE_WIDTH x MT_PAGE_HEIGHT pixels.
 *
 *   tiles   each tile in its place on the die, coloured by the cycles for which it is busy: above in the exchange of
 *           the compute set whose exchange takes longest in all, below in the computing of the one that computes
 *           longest. Colours go from 0 to the slowest tile, which has a frame if it is the only slowest one; a grey tile
 *           has nothing to do. The first MT_PROFILE_CHIPS_MAX chips.
 *   memory  all tiles side by side, from the emptiest to the fullest, each a stack of what its memory is used for
 *   links   the links between chips that are busiest in the compute set where most crosses, and for how long; bars and
 *           colours go from 0 to the whole exchange phase
 * Every scale begins at 0, so that a few per cent look like a few per cent. */
#ifndef MT_APP_DRAW_CHART_PROFILE_PICTURE_H
#define MT_APP_DRAW_CHART_PROFILE_PICTURE_H

#include "ipu/run/profile_files.h"

enum { MT_PROFILE_CHIPS_MAX = 64, MT_PROFILE_LINKS_MAX = 60 };

/* Each writes its picture to `path`: whole, or not at all. The same profile gives the same bytes. MT_INPUT: a title
 * that is not UTF-8; MT_MEMORY. MT_FILE: the file cannot be written. */
MT_NODISCARD mt_status mt_profile_picture_tiles(const ipu_profiled *profiled, const char *path);
MT_NODISCARD mt_status mt_profile_picture_memory(const ipu_profiled *profiled, const char *path);
/* Something must go from chip to chip. */
MT_NODISCARD mt_status mt_profile_picture_links(const ipu_profiled *profiled, const char *path);

#endif
