#include "app/cli/console.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "app/cli/ranks.h"
#include "data/core/progress.h"
#include "data/core/utf8.h"
#include "data/files/file.h"
#include "data/files/folder.h"

enum { BAR = 20, LINE_SIZE = 512 };

static const double rewrite_s = 0.2;

/* State shown in a log, protected by the lock. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool has_thread, started; /* the thread was created; it is running */
    mt_console_mode mode;
    double interval_s;
    FILE *stream;     /* NULL: nothing to show */
    char what[128];   /* the current stage */
    double start_s;   /* its start */
    const char *part; /* its current part (NULL: unknown), and the completed fraction of that */
    double done;
    const mt_console_work *progress; /* of the simulation, or NULL */
    size_t lines;                    /* number of lines printed for it */
} told = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .interval_s = 60};

const char *const mt_console_mode_name[MT_CONSOLE_MODES] = {"auto", "never", "lines"};

void mt_console_choose(mt_console_mode mode) { told.mode = mode; }

void mt_console_choose_interval(double seconds) { told.interval_s = seconds; }

/* True if progress on this stream is a rewritten line. */
static bool is_rewritten(FILE *stream)
{
    const int fd = fileno(stream);
    return told.mode == MT_CONSOLE_AUTO && fd >= 0 && isatty(fd);
}

/* Appends a part if it fits into the columns. */
static void append(char *out, size_t size, int columns, const char *part)
{
    size_t used = strlen(out), n = strlen(part);
    if (used + n <= (columns > 0 ? (size_t)columns : 0) && used + n < size) memcpy(out + used, part, n + 1);
}

/* "1.24 G cell-steps/s" */
static void print_rate(double rate, const char *what, char *out, size_t size)
{
    static const char prefixes[] = " kMGTP";
    int k = 0;
    for (; rate >= 999.5 && k < 5; k++) rate /= 1000;
    int decimals = rate < 9.995 ? 2 : rate < 99.95 ? 1 : 0;
    (void)snprintf(
        out, size, "   %.*f %.*s%s/s", decimals, rate, k ? 2 : 0, (char[]){prefixes[k], ' ', 0}, what);
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

/* Prints the work's rate; "" if unknown. */
static void print_rate_of(const mt_console_work *progress, double elapsed_s, char *out, size_t size)
{
    const double done = progress->counted ? 1e6 * progress->now_ms : progress->element_steps;
    out[0] = 0;
    if (done > 0 && elapsed_s > 0)
        print_rate(done / elapsed_s, progress->counted ? progress->counted : "cell-steps", out, size);
}

static const char *unit_of(const mt_console_work *progress) { return progress->counted ? "million" : "ms"; }

static void print_bar(double fraction, char out[BAR + 8])
{
    int done = (int)(fraction * BAR);
    char *p = out;
    *p++ = ' ', *p++ = ' ', *p++ = '[';
    for (int k = 0; k < BAR; k++) *p++ = k < done ? '=' : k == done ? '>' : ' ';
    *p++ = ']', *p = 0;
}

void mt_console_line(const mt_console_work *progress, double elapsed_s, int columns, char *out, size_t size)
{
    char bar[BAR + 8], percent[32], simulated[96], rate[64], left[64] = "", time[32];
    double fraction = progress->total_ms > 0 ? progress->now_ms / progress->total_ms : 1;
    fraction = fraction > 0 ? fmin(fraction, 1) : 0;

    print_bar(fraction, bar);
    (void)snprintf(percent, sizeof percent, " %3d %%", (int)(100 * fraction));
    (void)snprintf(simulated, sizeof simulated, "   %.1f of %.1f %s", progress->now_ms, progress->total_ms,
        unit_of(progress));
    print_rate_of(progress, elapsed_s, rate, sizeof rate);
    if (fraction > 0 && fraction < 1 && elapsed_s > 1) {
        print_duration(elapsed_s * (1 - fraction) / fraction, time, sizeof time);
        (void)snprintf(left, sizeof left, "   %s left", time);
    }

    /* The essential parts decide whether there is room for the others. */
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

/* ---- a log ---- */

/* Prints the current line of the log. */
static void print_told(double now_s)
{
    char line[LINE_SIZE], time[32];
    told.lines++;
    if (told.progress) {
        mt_console_line(told.progress, now_s - told.progress->start_s, LINE_SIZE - 64, line, sizeof line);
        (void)fprintf(told.stream, "myotile: %s\n", line);
    } else {
        print_duration(now_s - told.start_s, time, sizeof time);
        (void)fprintf(told.stream, "myotile: %s", told.what);
        if (told.part) (void)fprintf(told.stream, ": %s %.0f %%", told.part, 100 * told.done);
        (void)fprintf(told.stream, " ... %s\n", time);
    }
    (void)fflush(told.stream);
}

/* Prints a line at every interval since the first stage; runs until the program ends. */
static void *tell(void *nothing)
{
    (void)pthread_mutex_lock(&told.lock);
    told.started = true;
    (void)pthread_cond_signal(&told.changed);
    for (double last_s = mt_now_s();;) {
        struct timespec until;
        while (!told.stream) (void)pthread_cond_wait(&told.changed, &told.lock);
        (void)clock_gettime(CLOCK_REALTIME, &until);
        const double left_s = fmax(last_s + told.interval_s - mt_now_s(), 0), whole_s = floor(left_s);
        until.tv_sec += (time_t)whole_s;
        until.tv_nsec += (long)(1e9 * (left_s - whole_s));
        if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
        (void)pthread_cond_timedwait(&told.changed, &told.lock, &until);
        const double now_s = mt_now_s();
        if (now_s - last_s < told.interval_s) continue;
        if (told.stream) print_told(now_s);
        last_s = now_s;
    }
    return nothing;
}

/* Starts the thread with all signals blocked, and waits until it runs. A starting thread holds locks of AddressSanitizer's
 * allocator; a process forked in that moment (mesh/cut/metis.c) would wait for them forever. Without the thread the log stays
 * silent. */
static void start_thread(void)
{
    sigset_t all, before;
    pthread_t thread;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    told.has_thread = pthread_create(&thread, NULL, tell, NULL) == 0 && pthread_detach(thread) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    while (told.has_thread && !told.started) (void)pthread_cond_wait(&told.changed, &told.lock);
}

/* Sets the stage or work shown in the log; nothing if there is no stream. */
static void tell_progress(FILE *stream, const char *what, const mt_console_work *progress)
{
    (void)pthread_mutex_lock(&told.lock);
    told.stream = stream;
    told.progress = progress;
    told.start_s = mt_now_s();
    told.part = NULL;
    told.lines = 0;
    (void)snprintf(told.what, sizeof told.what, "%s", what ? what : "");
    if (stream && !told.has_thread) start_thread();
    (void)pthread_cond_signal(&told.changed);
    (void)pthread_mutex_unlock(&told.lock);
}

/* ---- stages and work ---- */

/* Durations of the stages since the last work. */
static struct {
    size_t n;
    struct {
        char what[64];
        double took_s;
    } of[16];
    double since_s; /* start of the last one; 0: it has ended */
    double worth_s; /* minimum total duration for a report */
} stages = {.worth_s = 10};

void mt_console_choose_worth(double seconds) { stages.worth_s = seconds; }

static void end_of_stage(void)
{
    if (stages.since_s > 0) stages.of[stages.n - 1].took_s = mt_now_s() - stages.since_s;
    stages.since_s = 0;
}

static void begin_stage(const char *what)
{
    end_of_stage();
    if (!what || stages.n == sizeof stages.of / sizeof stages.of[0]) return;
    (void)snprintf(stages.of[stages.n].what, sizeof stages.of[0].what, "%s", what);
    stages.n++;
    stages.since_s = mt_now_s();
}

/* Prints the durations of the stages if their sum is large enough, and clears them. */
static void tell_stages(FILE *stream)
{
    double all_s = 0;
    char time[32];
    end_of_stage();
    for (size_t k = 0; k < stages.n; k++) all_s += stages.of[k].took_s;
    print_duration(all_s, time, sizeof time);
    if (stream && stages.n > 0 && all_s >= stages.worth_s) {
        (void)fprintf(stream, "%smyotile: ready in %s:", is_rewritten(stream) ? "\r\033[K" : "", time);
        for (size_t k = 0; k < stages.n; k++)
            (void)fprintf(stream, "%s %s %.1f s", k > 0 ? "," : "", stages.of[k].what, stages.of[k].took_s);
        (void)fprintf(stream, "\n");
    }
    stages.n = 0;
}

/* The stage on a terminal's line; no stage if there is no stream. */
static struct stage {
    FILE *stream;
    char what[128];
    double drawn_s;
} stage;

void mt_console_stage_on(FILE *stream, const char *what)
{
    if (told.mode == MT_CONSOLE_NEVER) return;
    begin_stage(what);
    stage = (struct stage){.stream = what && is_rewritten(stream) ? stream : NULL, .drawn_s = mt_now_s()};
    (void)snprintf(stage.what, sizeof stage.what, "%s", what ? what : "");
    if (!is_rewritten(stream)) {
        tell_progress(what ? stream : NULL, what, NULL);
        return;
    }
    (void)fprintf(stream, "\r%s%s\033[K", what ? what : "", what ? " ..." : "");
    (void)fflush(stream);
}

static void begin_shown_stage(const char *what) { mt_console_stage_on(stderr, what); }

/* Clears the terminal's line so that something else can be printed; the stage continues. */
static void clear_line(void)
{
    if (!is_rewritten(stderr)) return;
    (void)fputs("\r\033[K", stderr);
    (void)fflush(stderr);
}

static void show_part(const char *part, double done)
{
    (void)pthread_mutex_lock(&told.lock);
    told.part = part;
    told.done = done;
    (void)pthread_mutex_unlock(&told.lock);
    if (!stage.stream || mt_now_s() - stage.drawn_s < rewrite_s) return;
    stage.drawn_s = mt_now_s();
    (void)fprintf(stage.stream, "\r%s: %s %.0f %% ...\033[K", stage.what, part, 100 * done);
    (void)fflush(stage.stream);
}

mt_console_work mt_console_begin_on(FILE *stream, const char *what, double total_ms)
{
    tell_progress(NULL, NULL, NULL); /* the stage before it has ended */
    tell_stages(told.mode == MT_CONSOLE_NEVER ? NULL : stream);
    stage.stream = NULL;
    return (mt_console_work){
        .stream = told.mode == MT_CONSOLE_NEVER ? NULL : stream,
        .rewritten = is_rewritten(stream),
        .what = what,
        .total_ms = total_ms,
        .start_s = mt_now_s(),
        .drawn_s = -INFINITY,
    };
}

/* Returns the columns of the terminal less one, so that the cursor stays on the line. */
static int terminal_columns(FILE *stream)
{
    struct winsize size;
    bool known = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return known ? size.ws_col - 1 : 79;
}

/* Updates the work for the thread of the log. */
static void update_log(mt_console_work *progress, double now_ms, double element_steps)
{
    const bool first = progress->drawn_s < 0;
    (void)pthread_mutex_lock(&told.lock);
    progress->now_ms = now_ms;
    progress->element_steps = element_steps;
    (void)pthread_mutex_unlock(&told.lock);
    progress->drawn_s = 0;
    if (first) tell_progress(progress->stream, NULL, progress);
}

void mt_console_update(mt_console_work *progress, double now_ms, double element_steps)
{
    if (progress->stream && !progress->rewritten) {
        update_log(progress, now_ms, element_steps);
        return;
    }
    progress->now_ms = now_ms;
    progress->element_steps = element_steps;
    if (!progress->stream) return;
    double now_s = mt_now_s();
    if (now_s - progress->drawn_s < rewrite_s) return;
    progress->drawn_s = now_s;

    char line[LINE_SIZE];
    mt_console_line(
        progress, now_s - progress->start_s, terminal_columns(progress->stream), line, sizeof line);
    (void)fprintf(progress->stream, "\r%s\033[K", line); /* ESC [ K: clear to the end of the line */
    (void)fflush(progress->stream);
}

void mt_console_end(mt_console_work *progress)
{
    if (!progress->stream) return;
    char rate[64];
    double elapsed_s = mt_now_s() - progress->start_s;
    const bool silent = !progress->rewritten && told.lines == 0;
    if (!progress->rewritten) tell_progress(NULL, NULL, NULL);
    print_rate_of(progress, elapsed_s, rate, sizeof rate);
    if (!silent)
        (void)fprintf(progress->stream, "%s%s  %.1f %s in %.1f s%s%s\n",
            progress->rewritten ? "\r" : "myotile: ", progress->what, progress->now_ms, unit_of(progress),
            elapsed_s, rate, progress->rewritten ? "\033[K" : "");
    (void)fflush(progress->stream);
    progress->stream = NULL;
}

/* ---- signals ---- */

/* The number of the signal that requested a stop; the only variable that a signal handler writes. */
static volatile sig_atomic_t stop_asked;

/* Message of a requested stop. */
static const char *volatile stop_message;

/* True if stderr is a terminal, with ^C and possibly a stage on the current line. */
static volatile sig_atomic_t stands_on_a_line;

static void say(const char *text)
{
    const size_t from = stands_on_a_line ? 0 : 1; /* skips the initial line end */
    const ssize_t written = write(STDERR_FILENO, text + from, strlen(text + from));
    (void)written;
}

static void leave(int number)
{
    if (!mt_file_abandon(number)) return;
    mt_folder_abandon();
    say("\nmyotile: stopped\n");
    _exit(128 + number);
}

static void handle_interrupts(void (*handler)(int))
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART; /* an interrupted write is completed */
    (void)sigemptyset(&action.sa_mask);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        (void)sigaddset(&action.sa_mask, numbers[k]);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (sigaction(numbers[k], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            (void)sigaction(numbers[k], &action, NULL);
}

static void on_signal(int number)
{
    stop_asked = number;
    handle_interrupts(leave);
    if (stop_message) say(stop_message);
}

static void leave_on_interrupt(void)
{
    stands_on_a_line = isatty(STDERR_FILENO);
    handle_interrupts(leave);
}

static void catch_interrupt(const char *message)
{
    stands_on_a_line = isatty(STDERR_FILENO);
    stop_message = message;
    handle_interrupts(on_signal);
}

static int stop_signal(void) { return stop_asked; }

/* ---- the listener ---- */

/* Current work on stderr; output of decisions. */
static mt_console_work shown;
static FILE *decisions;

static void begin_shown(const char *what, const char *counted, double total)
{
    shown = mt_console_begin_on(stderr, what, total);
    shown.counted = counted;
}

static void update_shown(double now, double element_steps) { mt_console_update(&shown, now, element_steps); }

static void end_shown(void) { mt_console_end(&shown); }

/* Prints a message as a single line, with control characters of file names replaced. */
static void print_message(const char *kind, const char *text)
{
    char line[2048];
    if (!mt_ranks_prints()) return;
    (void)snprintf(line, sizeof line, "%s", text);
    for (char *at = line; *at; at++)
        if ((unsigned char)*at < ' ') *at = ' ';
    mt_utf8_shorten_words(line);
    clear_line();
    (void)fprintf(stderr, "myotile: %s: %s\n", kind, line);
}

/* Prints a decision at once; a stage continues below it. */
static void print_decision(const char *what, const char *text)
{
    clear_line();
    (void)fprintf(decisions, "%s: %s\n", what, text);
    (void)fflush(decisions);
}

void mt_console_listen(FILE *out)
{
    static const mt_listener listener = {
        .message = print_message,
        .decision = print_decision,
        .stage = begin_shown_stage,
        .part = show_part,
        .begin = begin_shown,
        .update = update_shown,
        .end = end_shown,
        .defer_stop = catch_interrupt,
        .stop_at_once = leave_on_interrupt,
        .stop_signal = stop_signal,
    };
    decisions = out;
    mt_listen(&listener);
}
