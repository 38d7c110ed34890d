#include "ipu/library/codelets.h"

#include "ipu/library/elementwise.h"
#include "ipu/library/loop.h"
#include "ipu/library/reduction.h"
#include "ipu/library/slice.h"

size_t ipu_library_codelets(const ipu_codelet **list)
{
    static size_t (*const of_files[])(const ipu_codelet **) = {
        ipu_elementwise_codelets, ipu_loop_codelets, ipu_reduction_codelets, ipu_slice_codelets};
    size_t n = 0;
    for (size_t f = 0; f < sizeof of_files / sizeof *of_files; f++) n += of_files[f](list ? list + n : NULL);
    return n;
}
