#include "app/progress.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "data/file.h"

enum { BAR = 20, LINE_SIZE = 512 };

static const double interval_s = 0.2;

double mt_now_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

mt_progress mt_progress_begin_on(FILE *stream, const char *what, double total_ms)
{
    int fd = fileno(stream);
    bool terminal = fd >= 0 && isatty(fd);
    return (mt_progress){
        .stream = terminal ? stream : NULL,
        .what = what,
        .total_ms = total_ms,
        .start_s = mt_now_s(),
        .drawn_s = -INFINITY,
    };
}

mt_progress mt_progress_begin(const char *what, double total_ms)
{
    return mt_progress_begin_on(stderr, what, total_ms);
}

void mt_progress_stage_on(FILE *stream, const char *what)
{
    int fd = fileno(stream);
    if (fd < 0 || !isatty(fd)) return;
    (void)fprintf(stream, "\r%s%s\033[K", what ? what : "", what ? " ..." : "");
    (void)fflush(stream);
}

void mt_progress_stage(const char *what) { mt_progress_stage_on(stderr, what); }

/* Appends a part where it fits into the columns. */
static void append(char *out, size_t size, int columns, const char *part)
{
    size_t used = strlen(out), n = strlen(part);
    if (used + n <= (columns > 0 ? (size_t)columns : 0) && used + n < size) memcpy(out + used, part, n + 1);
}

/* "1.24 G cell-steps/s" */
static void print_rate(double rate, char *out, size_t size)
{
    static const char prefixes[] = " kMGTP";
    int k = 0;
    for (; rate >= 999.5 && k < 5; k++) rate /= 1000;
    int decimals = rate < 9.995 ? 2 : rate < 99.95 ? 1 : 0;
    (void)snprintf(
        out, size, "   %.*f %.*scell-steps/s", decimals, rate, k ? 2 : 0, (char[]){prefixes[k], ' ', 0});
}

/* "0:21", "1:02:03" */
static void print_duration(double seconds, char *out, size_t size)
{
    double whole = fmin(ceil(seconds), 359999);
    int s = (int)whole;
    if (s >= 3600)
        (void)snprintf(out, size, "%d:%02d:%02d", s / 3600, s / 60 % 60, s % 60);
    else
        (void)snprintf(out, size, "%d:%02d", s / 60, s % 60);
}

static void print_bar(double fraction, char out[BAR + 8])
{
    int done = (int)(fraction * BAR);
    char *p = out;
    *p++ = ' ', *p++ = ' ', *p++ = '[';
    for (int k = 0; k < BAR; k++) *p++ = k < done ? '=' : k == done ? '>' : ' ';
    *p++ = ']', *p = 0;
}

void mt_progress_line(const mt_progress *progress, double elapsed_s, int columns, char *out, size_t size)
{
    char bar[BAR + 8], percent[32], simulated[96], rate[64] = "", left[64] = "", time[32];
    double fraction = progress->total_ms > 0 ? progress->now_ms / progress->total_ms : 1;
    fraction = fraction > 0 ? fmin(fraction, 1) : 0;

    print_bar(fraction, bar);
    (void)snprintf(percent, sizeof percent, " %3d %%", (int)(100 * fraction));
    (void)snprintf(simulated, sizeof simulated, "   %.1f of %.1f ms", progress->now_ms, progress->total_ms);
    if (progress->cell_steps > 0 && elapsed_s > 0)
        print_rate(progress->cell_steps / elapsed_s, rate, sizeof rate);
    if (fraction > 0 && fraction < 1 && elapsed_s > 1) {
        print_duration(elapsed_s * (1 - fraction) / fraction, time, sizeof time);
        (void)snprintf(left, sizeof left, "   %s left", time);
    }

    /* What is needed most decides first whether there is room for the rest. */
    int needed = (int)(strlen(progress->what) + strlen(percent) + strlen(left) + strlen(simulated));
    bool with_rate = needed + (int)strlen(rate) <= columns;
    bool with_bar = needed + (with_rate ? (int)strlen(rate) : 0) + (int)strlen(bar) <= columns;
    if (size > 0) out[0] = 0;
    append(out, size, columns, progress->what);
    if (with_bar) append(out, size, columns, bar);
    append(out, size, columns, percent);
    append(out, size, columns, simulated);
    if (with_rate) append(out, size, columns, rate);
    append(out, size, columns, left);
}

/* Columns of the terminal; one is left free, so that the cursor stays on the line. */
static int terminal_columns(FILE *stream)
{
    struct winsize size;
    bool known = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return known ? size.ws_col - 1 : 79;
}

void mt_progress_update(mt_progress *progress, double now_ms, double cell_steps)
{
    progress->now_ms = now_ms;
    progress->cell_steps = cell_steps;
    if (!progress->stream) return;
    double now_s = mt_now_s();
    if (now_s - progress->drawn_s < interval_s) return;
    progress->drawn_s = now_s;

    char line[LINE_SIZE];
    mt_progress_line(
        progress, now_s - progress->start_s, terminal_columns(progress->stream), line, sizeof line);
    (void)fprintf(progress->stream, "\r%s\033[K", line); /* ESC [ K: clear to the end of the line */
    (void)fflush(progress->stream);
}

void mt_progress_end(mt_progress *progress)
{
    if (!progress->stream) return;
    char rate[64] = "";
    double elapsed_s = mt_now_s() - progress->start_s;
    if (progress->cell_steps > 0 && elapsed_s > 0)
        print_rate(progress->cell_steps / elapsed_s, rate, sizeof rate);
    (void)fprintf(progress->stream, "\r%s  %.1f ms in %.1f s%s\033[K\n", progress->what, progress->now_ms,
        elapsed_s, rate);
    (void)fflush(progress->stream);
    progress->stream = NULL;
}

/* The one thing a signal handler may write. */
static volatile sig_atomic_t stop_asked;

/* Is there a terminal, with ^C and perhaps a stage on the line? */
static volatile sig_atomic_t stands_on_a_line;

static void leave(int number)
{
    static const char message[] = "\nmyotile: stopped\n";
    const size_t from = stands_on_a_line ? 0 : 1;
    (void)number;
    mt_file_abandon();
    const ssize_t told = write(STDERR_FILENO, message + from, sizeof message - 1 - from);
    (void)told;
    _exit(MT_STOPPED);
}

static void on_signal(int number)
{
    (void)number;
    stop_asked = 1;
    (void)signal(SIGINT, leave);
    (void)signal(SIGTERM, leave);
}

static void handle_interrupts(void (*handler)(int))
{
    static const int numbers[] = {SIGINT, SIGTERM};
    struct sigaction action, before;
    stands_on_a_line = isatty(STDERR_FILENO);
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART; /* a write under way is finished */
    (void)sigemptyset(&action.sa_mask);
    for (int k = 0; k < 2; k++)
        if (sigaction(numbers[k], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            (void)sigaction(numbers[k], &action, NULL);
}

void mt_progress_leave_on_interrupt(void) { handle_interrupts(leave); }

void mt_progress_catch_interrupt(void) { handle_interrupts(on_signal); }

bool mt_progress_interrupted(void) { return stop_asked != 0; }
