/* Status of a function that can fail: a code, and one message for the user.
 *
 * The message is written in one expression at the point of failure, and states the value found and the allowed values:
 *
 *     if (edge_mm <= 0) return mt_fail(MT_INPUT, "edge_mm is %g; it must be above 0", edge_mm);
 *
 * Only the newest message of a thread is kept. Libraries neither print nor exit. */
#pragma once

/* The values are the exit codes of the program, except that MT_MEMORY exits with the code of MT_FILE. */
typedef enum mt_status {
    MT_OK = 0,
    MT_INPUT = 2,    /* an invalid case, argument or mesh */
    MT_FILE = 3,     /* a file that cannot be read or written */
    MT_FIT = 4,      /* the problem does not fit the machine */
    MT_NUMERICS = 5, /* unstable, not finite, not converged, or read before it was received */
    MT_DEVICE = 6,   /* an OpenCL device failed, or cannot compile a program */
    MT_MEMORY = 12,  /* out of memory */
    /* stopped by the user; the code is 128 plus the number of the signal: this one for Ctrl-C */
    MT_STOPPED = 130
} mt_status;

#define MT_NODISCARD __attribute__((warn_unused_result))

/* Stores the message (printf format, at most 1023 bytes) for this thread and returns `code`. Words of more than 200 bytes are
 * shortened (data/core/utf8.h), so that a long path does not hide the reason; shorten quoted values with mt_utf8_shown.
 * mt_message() may be one of the arguments, so that a caller can add its context to a failure. */
mt_status mt_fail(mt_status code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds the context of a failure: puts "where: " before its message. Leaves MT_OK unchanged, and also MT_FILE and MT_STOPPED, with
 * messages that are already complete. Returns `status`. */
MT_NODISCARD mt_status mt_fail_in(const char *where, mt_status status);

/* Returns the newest message of this thread; "" if there is no message. Valid until the thread's next mt_fail. */
const char *mt_message(void);

/* Returns a failure of `expression` from the calling function. */
#define MT_TRY(expression)                                                                                   \
    do {                                                                                                     \
        mt_status mt_try_ = (expression);                                                                    \
        if (mt_try_ != MT_OK) return mt_try_;                                                                \
    } while (0)
