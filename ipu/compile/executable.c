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

const ipu_range *ipu_executable_range_at(const ipu_executable *e, size_t byte, size_t *element)
{
    for (size_t r = 0; r < e->first_range[e->graph->n_variables]; r++) {
        const ipu_range *range = &e->ranges[r];
        const size_t bytes = ipu_type_bytes(e->graph->variables[range->variable].type);
        if (byte < range->offset || byte >= range->offset + range->n * bytes) continue;
        *element = range->from + (byte - range->offset) / bytes;
        return range;
    }
    return NULL;
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
