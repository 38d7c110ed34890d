/* Writes a struct as a YAML text that reads back to it, and a schema as a page of documentation. Both write to a stream; the caller
 * checks it for errors. */
#pragma once

#include <stdio.h>

#include "data/yaml/yaml_schema.h"

/* A text as a value, in quotes. */
void mt_yaml_write_text(FILE *to, const char *text);

/* One line for each key, defaults included; keys without a value (MT_YAML_NONE) are left out. */
void mt_yaml_write_keys(FILE *to, const mt_yaml_key *keys, const void *structure);

/* One line "path.to.key: value" for each key, in the same order and with the same values; an entry of a list is named by its number,
 * an empty list stands for itself ("points: []"). */
void mt_yaml_write_paths(FILE *to, const mt_yaml_key *keys, const void *structure);

/* In Markdown: a table of the keys, and then a section for each mapping and list with its sentence and a table of its keys. */
void mt_yaml_write_page(FILE *to, const mt_yaml_key *keys);
