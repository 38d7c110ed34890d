/* Expressions of the text formats, parsed into nodes of a graph by operator precedence.
 *
 *     mt_lexer_start(&lexer, &mt_dialect_gotran, path, text, length, 1);
 *     ... mt_lexer_take(&lexer, "=") ...
 *     MT_TRY(mt_expression_parse(&lexer, &scope, &node));
 *     ... the current token is the first one that cannot continue the expression: a line end, ";", "," ...
 *
 * Nested brackets, calls, signs and powers from the right are at most MT_EXPRESSION_DEPTH deep; sums and products of any length are
 * allowed. Errors are MT_INPUT with file, line, column, the word found and what was expected. */
#pragma once

#include "solver/cells/import/lexer.h"

enum { MT_EXPRESSION_DEPTH = 200 };

/* The names that an expression can use. A callback that fails with a message without place gets that of the name. */
typedef struct mt_expression_scope {
    mt_graph *graph;
    void *context; /* first argument of the callbacks */
    /* Finds the node of a name; leaves *node MT_NO_NODE if it is unknown, which becomes an error unless it is a constant. */
    mt_status (*name)(void *context, const mt_token *name, mt_node *node);
    /* Builds a call to a function that the dialect does not have; leaves *node MT_NO_NODE if it is unknown. NULL: no such functions. */
    mt_status (*call)(void *context, const mt_token *name, const mt_node *argument, size_t n, mt_node *node);
    /* Finds the index of a unit, text[length] between brackets, for mt_graph_number_in. NULL: units are skipped. */
    mt_status (*unit)(void *context, const mt_token *unit, uint32_t *index);
} mt_expression_scope;

/* Parses the expression that begins with the current token. */
MT_NODISCARD mt_status mt_expression_parse(mt_lexer *lexer, const mt_expression_scope *scope, mt_node *node);

/* Moves over a unit "[...]" at the current token; `unit` receives the text between the brackets, without blanks around it. */
MT_NODISCARD mt_status mt_expression_unit(mt_lexer *lexer, mt_token *unit);
