/* An input of a fuzzer is the files of a mesh one behind the other, with this between them. */
#pragma once

static const char between_parts[] = "\n<<FILE>>\n";
