#include "ipu/compile/executable.h"

size_t ipu_executable_range(const ipu_executable *e, uint32_t variable, size_t element)
{
    size_t low = e->first_range[variable];
    size_t high = e->first_range[variable + 1];
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (e->ranges[middle].from <= element)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool ipu_superstep_overwrites(const ipu_superstep *step, const ipu_superstep *sender)
{
    for (size_t w = 0, s = 0; w < step->n_writes && s < sender->n_sends;) {
        if (step->writes[w] == sender->sends[s]) return true;
        if (step->writes[w] < sender->sends[s])
            w++;
        else
            s++;
    }
    return false;
}
