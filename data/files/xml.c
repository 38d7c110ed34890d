#include "data/files/xml.h"

#include <expat.h>
#include <string.h>

enum { CHUNK = 1 << 30 };

typedef struct run {
    XML_Parser parser;
    mt_scan *scan;
    size_t first_line;
    const mt_xml_acts *acts;
    void *context;
    size_t depth;
    bool stopped;
    mt_status status;
} run;

/* Sets the line for messages to the position of the parser. */
static void find_line(run *r) { r->scan->line = r->first_line + XML_GetCurrentLineNumber(r->parser) - 1; }

/* Returns the bytes of the current tag. */
static void find_bytes(const run *r, const char **begin, const char **end)
{
    *begin = r->scan->begin + XML_GetCurrentByteIndex(r->parser);
    *end = *begin + XML_GetCurrentByteCount(r->parser);
}

static void stop(run *r, mt_status status)
{
    r->stopped = true;
    r->status = status;
    (void)XML_StopParser(r->parser, XML_FALSE);
}

static void XMLCALL start_element(void *user, const XML_Char *name, const XML_Char **attributes)
{
    run *r = user;
    if (r->stopped) return;
    find_line(r);
    if (++r->depth > r->acts->depth_max) {
        stop(r, mt_scan_fail(r->scan, "elements are nested more than %zu levels deep", r->acts->depth_max));
        return;
    }
    mt_xml_tag tag = {.name = name, .attributes = (const char *const *)attributes, .depth = r->depth};
    find_bytes(r, &tag.begin, &tag.end);
    tag.end_line = r->scan->line;
    for (const char *c = tag.begin; c < tag.end; c++) tag.end_line += *c == '\n';
    const mt_status status = r->acts->start(r->context, &tag);
    if (status != MT_OK || tag.last) stop(r, status);
}

static void XMLCALL end_element(void *user, const XML_Char *name)
{
    (void)name;
    run *r = user;
    if (r->stopped) return;
    r->depth--;
    if (!r->acts->end) return;
    const char *begin, *after;
    find_bytes(r, &begin, &after);
    r->acts->end(r->context, begin, after);
}

static void refuse_declaration(run *r, const char *what)
{
    if (r->stopped) return;
    find_line(r);
    stop(r, mt_scan_fail(
                r->scan, "its document type declares %s, which could expand a small file excessively", what));
}

static void XMLCALL refuse_entity(void *user, const XML_Char *name, int parameter, const XML_Char *value,
    int length, const XML_Char *base, const XML_Char *system, const XML_Char *public,
    const XML_Char *notation)
{
    (void)name, (void)parameter, (void)value, (void)length, (void)base, (void)system, (void)public,
        (void)notation;
    refuse_declaration(user, "an entity");
}

static void XMLCALL refuse_attributes(void *user, const XML_Char *element, const XML_Char *name,
    const XML_Char *type, const XML_Char *value, int required)
{
    (void)element, (void)name, (void)type, (void)value, (void)required;
    refuse_declaration(user, "attributes");
}

static void free_parser(const run *r) { XML_ParserFree(r->parser); }

mt_status mt_xml_parse(mt_scan *scan, const mt_xml_acts *acts, void *context)
{
    __attribute__((cleanup(free_parser)))
    run r = {.scan = scan, .first_line = scan->line, .acts = acts, .context = context, .status = MT_OK};
    r.parser = XML_ParserCreate(NULL);
    if (!r.parser) return mt_fail(MT_MEMORY, "%s: out of memory reading XML", scan->path);
    const char *at = scan->begin;
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, start_element, end_element);
    XML_SetEntityDeclHandler(r.parser, refuse_entity);
    XML_SetAttlistDeclHandler(r.parser, refuse_attributes);
    for (bool final = false; !final; at += CHUNK) {
        const size_t left = (size_t)(scan->end - at);
        final = left <= CHUNK;
        if (XML_Parse(r.parser, at, final ? (int)left : CHUNK, final) == XML_STATUS_OK) continue;
        if (r.stopped) return r.status;
        const enum XML_Error error = XML_GetErrorCode(r.parser);
        if (error == XML_ERROR_NO_MEMORY)
            return mt_fail(MT_MEMORY, "%s: out of memory reading XML", scan->path);
        find_line(&r);
        return mt_scan_fail(scan, "not well-formed XML: %s", XML_ErrorString(error));
    }
    return MT_OK;
}

const char *mt_xml_attribute(const char *const *attributes, const char *name, const char *missing)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0) return attributes[1];
    return missing;
}
