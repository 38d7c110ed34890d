/* An XML reader based on expat: it reports the tags of a file in order, each with its position.
 *
 * A document type is allowed and ignored. Declarations in it (entities, default attributes) are refused,
 * because they could expand a small file without bound. The nesting of elements is limited. External files are
 * not read. */
#pragma once

#include "data/files/scan.h"

/* A start tag. */
typedef struct mt_xml_tag {
    const char *name;
    const char *const *attributes; /* name, value, name, value, ..., NULL */
    const char *begin, *end;       /* its bytes in the file */
    size_t end_line;
    size_t depth; /* depth of the element: 1 for the root */
    bool last;    /* set by `start` to stop: the rest of the file is not read, and need not be XML */
} mt_xml_tag;

typedef struct mt_xml_acts {
    mt_status (*start)(void *context, mt_xml_tag *tag); /* scan->line is the line of the tag */
    /* `begin`, `after`: the bytes of the end tag, both the end of the start tag of an element without content (<a/>). NULL if not
     * needed */
    void (*end)(void *context, const char *begin, const char *after);
    size_t depth_max; /* of elements */
} mt_xml_acts;

enum { MT_XML_DEPTH = 64 }; /* enough for files that hold lists */

/* Parses the elements between scan->begin and scan->end, with scan->line as the first line, and calls `acts`
 * for each. MT_INPUT, with file and line: not well-formed, or not allowed above. MT_MEMORY. Otherwise returns
 * the errors of `start`. */
MT_NODISCARD mt_status mt_xml_parse(mt_scan *scan, const mt_xml_acts *acts, void *context);

/* Returns the value of an attribute, or `missing` if it is absent. */
const char *mt_xml_attribute(const char *const *attributes, const char *name, const char *missing);
