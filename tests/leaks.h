/* Leaks of libraries that leak detection must not report. */
#pragma once

/* fontconfig keeps its patterns for the life of the program, referenced by offsets, which the leak detector does not follow. The compiler
 * of pocl, LLVM, loses objects of each kernel that it compiles; only libraries in C++ allocate through libstdc++. HDF5 1.10 loses some
 * memory allocated for a file that turns out to be damaged. */
__attribute__((weak)) const char *__lsan_default_suppressions(void);
__attribute__((weak)) const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\nleak:libstdc++\nleak:libhdf5\n";
}
