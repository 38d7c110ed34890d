#include "solver/case/nodes.h"

mt_status mt_case_need_elements(const char *path, const mt_case *input)
{
    if (!mt_case_at_vertices(input)) return MT_OK;
    return mt_fail(MT_INPUT, "%s: diffusion.discretisation: nodes; allowed here: elements", path);
}
