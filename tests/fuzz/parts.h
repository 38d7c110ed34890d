/* Separator between the files of a mesh in a fuzzer's input. */
#pragma once

static const char between_parts[] = "\n<<FILE>>\n";
