/* The equations of an ionic model, as a reader of files (solver/cells/import) delivers them: variables and a graph of their expressions.
 *
 * Each variable is one of
 *
 *   state          has a derivative with respect to time, and an initial value
 *   parameter      has a number
 *   intermediate   has an expression
 *   time           the variable of integration, of which there is one at most
 *   input          is provided by the simulation: a pacing signal, the current by diffusion; 0 in tissue, where stimuli are added to V
 *
 * A reader has resolved every reference, so expressions contain variables of this table only. Units are those of the file. */
#pragma once

#include "solver/cells/graph/graph.h"
#include "solver/cells/graph/units.h"

typedef enum mt_variable_kind {
    MT_VARIABLE_STATE,
    MT_VARIABLE_PARAMETER,
    MT_VARIABLE_INTERMEDIATE,
    MT_VARIABLE_TIME,
    MT_VARIABLE_INPUT
} mt_variable_kind;

typedef struct mt_variable {
    const char *component; /* "membrane"; "" if the format has none */
    const char *name;      /* within the component */
    const char *label;     /* meaning by annotation: "membrane_voltage"; NULL: none */
    const char *text;      /* description; NULL: none */
    const char *unit_text; /* as written; "": none */
    mt_unit unit;          /* unknown if none is written */
    size_t line;           /* of its definition in the file */
    mt_variable_kind kind;
    mt_node expression; /* of an intermediate: its value; of a state: its derivative; otherwise MT_NO_NODE */
    /* Of a state: its initial value, an expression of parameters, after mt_equations_finish in the flat graph; otherwise MT_NO_NODE. */
    mt_node initial;
    /* set by mt_equations_finish (solver/cells/graph/complete.h), except for the value of a parameter */
    mt_node flat; /* `expression` in the flat graph */
    double value; /* of a parameter; of a state: initial; otherwise 0 */
} mt_variable;

typedef struct mt_equations {
    mt_arena *arena;
    const char *path;   /* of the file, for messages */
    const char *format; /* "CellML 1.0", "Myokit", "gotran", "EasyML" */
    const char *name;   /* of the model; "" if the file has none */
    const char *title;  /* for people; "" if none */
    const char *source; /* publication; "" if none */
    mt_graph *graph;
    mt_variable *variable; /* [n] */
    size_t n, room;
    mt_unit *unit; /* [n_units] of numbers in the graph; unit[0] is unknown */
    size_t n_units, units_room;
    const char **warning;               /* [n_warnings] "file:line: text" */
    size_t n_warnings, n_more_warnings; /* at most MT_EQUATIONS_WARNINGS are stored, more are counted */
    /* Set by mt_equations_finish: the expressions with definitions in place of intermediates. Its leaves are numbers, states, parameters,
     * time and inputs. */
    mt_graph *flat;
} mt_equations;

enum { MT_EQUATIONS_VARIABLES_MAX = 1 << 16, MT_EQUATIONS_UNITS_MAX = 4096, MT_EQUATIONS_WARNINGS = 20 };

/* Creates empty equations; copies path and format. MT_MEMORY. */
MT_NODISCARD mt_status mt_equations_new(
    mt_arena *arena, const char *path, const char *format, mt_equations **equations);

/* Adds a variable with these texts, copied; its other members are those of an intermediate without expression. MT_INPUT with too many
 * variables. The result is an index; pointers into `variable` are valid until the next call. */
MT_NODISCARD mt_status mt_equations_add(
    mt_equations *e, const char *component, const char *name, size_t line, size_t *index);

/* Finds or adds a unit in the table of units of numbers, for mt_graph_number_in. MT_INPUT with too many. MT_MEMORY. */
MT_NODISCARD mt_status mt_equations_unit(mt_equations *e, mt_unit unit, uint32_t *index);

/* Writes "component.name", shortened, to `text`, and returns it. */
enum { MT_VARIABLE_NAME_SHOWN = 60, MT_VARIABLE_NAME = 2 * MT_VARIABLE_NAME_SHOWN + 2 };
const char *mt_variable_name(const mt_variable *v, char text[MT_VARIABLE_NAME]);

/* Adds a warning (printf format) with file and line before it; drops it if there are too many or no memory. */
void mt_equations_warn(mt_equations *e, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns MT_INPUT with "file:line: " before the message. */
mt_status mt_equations_fail(const mt_equations *e, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Finds a variable by "component.name", or by a name that is unique. False if there is none, or several. */
bool mt_equations_find(const mt_equations *e, const char *name, size_t *index);

/* Returns the values of all variables, value[n], for the parameters and the initial state of the file, with time and inputs 0; of a state
 * also its derivative, rate[n]. By the C library's functions: the plain meaning of a file. MT_MEMORY. */
MT_NODISCARD mt_status mt_equations_values(const mt_equations *e, double *value, double *rate);
