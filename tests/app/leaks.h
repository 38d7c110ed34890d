/* Leaks of libraries that a search for leaks must not report. */
#pragma once

/* fontconfig keeps its patterns for the life of the program, by offsets that a search for leaks does not see.
 */
__attribute__((weak)) const char *__lsan_default_suppressions(void);
__attribute__((weak)) const char *__lsan_default_suppressions(void) { return "leak:libfontconfig\n"; }
