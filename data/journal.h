/* Renames and removals in one folder that are all tried, or none of them, also where the program is killed in between.
 *
 * A journal says what will be done, and is made durable before the first of it is: a file `.myotile.XXXXXX.journal` with a line
 * for each change, "rename .NAME.XXXXXX.part" (to NAME: data/temporary.h) or "remove NAME", and "end" behind them. Whoever
 * comes next finishes the journal of a killed program (mt_journal_finish), or throws it away where it has no end. All names are
 * of files in the journal's own folder. */
#ifndef MT_DATA_JOURNAL_H
#define MT_DATA_JOURNAL_H

#include <stdio.h>

#include "data/status.h"

enum { MT_JOURNAL_PATH_MAX = 8192 };

typedef struct mt_journal {
    FILE *stream; /* NULL: none */
    char path[MT_JOURNAL_PATH_MAX];
} mt_journal;

/* Starts one in `folder`, with its lock. MT_FILE: it cannot be made. */
MT_NODISCARD mt_status mt_journal_begin(const char *folder, mt_journal *journal);

/* What will be done: to a temporary file, and to one that goes; names without a folder and without line ends. Failures are told
 * by mt_journal_seal. */
void mt_journal_rename(mt_journal *journal, const char *temporary);
void mt_journal_remove(mt_journal *journal, const char *name);

/* Makes it durable: from here on it will be done, by the caller or by whoever comes next. MT_FILE: it cannot be; the journal is
 * gone. */
MT_NODISCARD mt_status mt_journal_seal(mt_journal *journal);

/* It has been done: the journal goes. */
void mt_journal_end(mt_journal *journal);

/* Does what journals in this folder still ask for, of programs that are gone: this user's alone, for in a shared folder anybody
 * can leave one. */
void mt_journal_finish(const char *folder);

#endif
