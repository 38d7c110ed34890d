/* Writes a struct as the YAML text that its schema reads, and the schema as a page of documentation. Both go to a stream, whose
 * failures the caller looks at. */
#ifndef MT_DATA_YAML_WRITE_H
#define MT_DATA_YAML_WRITE_H

#include <stdio.h>

#include "data/yaml_schema.h"

/* One line a key, defaults included; without what is MT_YAML_NONE. */
void mt_yaml_write_keys(FILE *to, const mt_yaml_key *keys, const void *structure);

/* Markdown: a table of the keys, and then, for each mapping and list, a heading, its sentence and a table of its keys. */
void mt_yaml_write_page(FILE *to, const mt_yaml_key *keys);

#endif
