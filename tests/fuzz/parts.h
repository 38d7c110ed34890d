/* An input of a fuzzer is the files of a mesh one behind the other, with this between them. */
#ifndef TESTS_FUZZ_PARTS_H
#define TESTS_FUZZ_PARTS_H

static const char between_parts[] = "\n<<FILE>>\n";

#endif
