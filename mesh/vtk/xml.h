/* Reads XML files with expat: the tags of a file in their order, each with its place in it.
 *
 * A document type is allowed and not read; declarations in it (entities, default attributes) are refused, as they could make a small
 * file large. Elements are nested 64 deep at most. Nothing outside of the file is read. */
#pragma once

#include "data/files/scan.h"

/* A start tag. */
typedef struct mt_xml_tag {
    const char *name;
    const char *const *attributes; /* name, value, name, value, ..., NULL */
    const char *begin, *end;       /* its bytes in the file */
    size_t end_line;
    size_t depth; /* of the element: 1 for the root */
    bool last;    /* may be set by `start`: the rest of the file is not read, and need not be XML */
} mt_xml_tag;

typedef struct mt_xml_acts {
    mt_status (*start)(void *context, mt_xml_tag *tag); /* scan->line is that of the tag */
    void (*end)(void *context);                         /* NULL: nothing to do */
} mt_xml_acts;

/* Calls `acts` for the elements between scan->begin and scan->end, of which scan->line is the first line. MT_INPUT, with file and line:
 * not well-formed, or not allowed above. MT_MEMORY. Otherwise the failure of `start`. */
MT_NODISCARD mt_status mt_xml_parse(mt_scan *scan, const mt_xml_acts *acts, void *context);

/* Returns the value of an attribute, or `missing`. */
const char *mt_xml_attribute(const char *const *attributes, const char *name, const char *missing);
