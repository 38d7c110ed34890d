#include "app/library/library.h"

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#include "data/core/progress.h"
#include "data/files/data_folder.h"
#include "data/files/h5.h"

/* ---- reports ---- */

/* The call of this thread; its listener has no other way to it. */
static _Thread_local mt_library_call *current;

static void on_message(const char *kind, const char *text)
{
    const myotile_options *o = current->options;
    if (o->message) o->message(o->user, kind, text);
}

/* Reports progress, unless the last report was just before. */
static void tell(double done, bool always)
{
    enum { PER_SECOND = 10 };
    const myotile_options *o = current->options;
    const double now_s = mt_now_s();
    if (!o->progress || !current->what || (!always && now_s - current->told_s < 1.0 / PER_SECOND)) return;
    current->told_s = now_s;
    current->stop |= o->progress(o->user, current->what, done, current->total);
}

static void on_stage(const char *what)
{
    current->what = what, current->total = 0;
    tell(0, true);
}

static void on_part(const char *part, double done)
{
    (void)part;
    tell(done, false);
}

static void on_begin(const char *what, const char *counted, double total)
{
    (void)counted;
    current->what = what, current->total = total;
    tell(0, true);
}

static void on_update(double now, double element_steps)
{
    (void)element_steps;
    tell(now, false);
}

static int on_stop_signal(void) { return current->stop ? SIGINT : 0; }

void mt_library_begin(mt_library_call *call, const myotile_options *options)
{
    static const mt_listener listener = {.message = on_message,
        .decision = on_message,
        .stage = on_stage,
        .part = on_part,
        .begin = on_begin,
        .update = on_update,
        .stop_signal = on_stop_signal};
    *call = (mt_library_call){.options = options, .threads = omp_get_max_threads()};
    if (options->threads > 0) omp_set_num_threads(options->threads);
    current = call;
    mt_listen_here(&listener);
}

myotile_status mt_library_end(mt_library_call *call, mt_status status)
{
    mt_listen_here(NULL);
    current = NULL;
    omp_set_num_threads(call->threads);
    return (myotile_status)status;
}

/* ---- one at a time ---- */

static pthread_mutex_t preparing = PTHREAD_MUTEX_INITIALIZER;
static mt_h5_printing printing; /* of the process; belongs to the thread that prepares */

void mt_library_lock(void)
{
    (void)pthread_mutex_lock(&preparing);
    mt_h5_shared_begin(&printing);
}

void mt_library_unlock(void)
{
    mt_h5_shared_end(&printing);
    (void)pthread_mutex_unlock(&preparing);
}

/* ---- about the library ---- */

const char *myotile_version(void) { return MT_VERSION; }

const char *myotile_message(void) { return mt_message(); }

const char *myotile_data_folder(void)
{
    mt_library_lock();
    const char *folder = mt_data_folder();
    mt_library_unlock();
    return folder;
}
