/* Leaks of libraries that leak detection must not report. */
#pragma once

/* fontconfig keeps its patterns for the life of the program, referenced by offsets, which the leak detector does not follow. */
__attribute__((weak)) const char *__lsan_default_suppressions(void);
__attribute__((weak)) const char *__lsan_default_suppressions(void) { return "leak:libfontconfig\n"; }
