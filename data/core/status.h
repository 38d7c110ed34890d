/* What a function that can fail returns: a code, and one message for the person at the keyboard.
 *
 * The message is written in one expression where the failure is seen, and names what was found and what is
 * allowed:
 *
 *     if (edge_mm <= 0) return mt_fail(MT_INPUT, "edge_mm is %g; it must be above 0", edge_mm);
 *
 * Only the newest message of a thread is kept. Below the program nothing prints and nothing exits. */
#pragma once

/* The values are the exit codes of the program, which leaves with that of MT_FILE where there is no memory. */
typedef enum mt_status {
    MT_OK = 0,
    MT_INPUT = 2,    /* a case, an argument or a mesh that makes no sense */
    MT_FILE = 3,     /* a file that cannot be read or written */
    MT_FIT = 4,      /* it does not fit the machine */
    MT_NUMERICS = 5, /* unstable, not finite, not converged, or read before it was received */
    MT_MEMORY = 12,  /* memory that cannot be had */
    MT_STOPPED =
        130 /* the person said stop; the code is 128 and the number of the signal: this one for Ctrl-C */
} mt_status;

#define MT_NODISCARD __attribute__((warn_unused_result))

/* Stores the message (printf rules, at most 1023 bytes) for this thread and returns `code`. Words of more than 200 bytes are shortened
 * (data/core/utf8.h), so that a long path does not hide the reason; shorten quoted values with mt_utf8_shown. mt_message() may be one of the
 * arguments: a caller adds its context to a failure in this way. */
mt_status mt_fail(mt_status code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says where a failure happened: puts "where: " before its message. MT_OK passes, and so do failures of files and memory and
 * being stopped, whose messages say all that is needed. Returns `status`. */
MT_NODISCARD mt_status mt_fail_in(const char *where, mt_status status);

/* The newest message of this thread; "" when there was none. Valid until the thread's next mt_fail. */
const char *mt_message(void);

/* Hands a failure on to the caller. */
#define MT_TRY(expression)                                                                                   \
    do {                                                                                                     \
        mt_status mt_try_ = (expression);                                                                    \
        if (mt_try_ != MT_OK) return mt_try_;                                                                \
    } while (0)
