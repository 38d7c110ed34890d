/* Changes of several files that are all made or none, also if the program is killed between them or one of them fails.
 *
 * A change replaces the file NAME by its temporary file .NAME.XXXXXX.part (data/files/temporary.h), or removes NAME. The previous file stays
 * as .NAME.XXXXXX.prev until all changes are made. Therefore the state of every change can be read from the folder, and every change
 * can be undone:
 *
 *   replacing   not made: .part exists; made: it does not (it is NAME now)
 *   removing    not made: NAME exists; made: it does not
 *
 * A journal lists the changes and is durable before the first one: a file .myotile.PID-K.journal with a line "rename
 * .NAME.XXXXXX.part" or "remove .NAME.XXXXXX.part" for each, and then "end". It carries the lock of its writer. The next program that
 * uses the folder settles the journal of one that was killed (mt_journal_finish), in the same way as the writer itself: it makes
 * the changes that are missing, or undoes all if one of them fails. A journal without "end" is deleted: no change had been made. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "data/core/status.h"

/* Paths; `part` of the temporary file, for a removal only as a name that nobody else has. */
typedef struct mt_change {
    const char *target, *part;
    bool removes;
} mt_change;

/* Makes n changes. MT_FILE: all are undone, and the temporary files are deleted. If even that fails, `pending` is true: the journal
 * stays, with all temporary and previous files, for mt_journal_finish; the message says so. Changes outside the folder of the
 * first one are made and undone with the others, but not listed in the journal. */
MT_NODISCARD mt_status mt_journal_commit(size_t n, const mt_change *change, bool *pending);

/* Settles the journals of programs that ended before they could: only those of this user, because anybody can leave one in a shared
 * folder. `busy`: another journal remains, of a program that still runs or of another user. MT_FILE: one cannot be settled, and the files
 * of its set are not all in place. MT_MEMORY. */
MT_NODISCARD mt_status mt_journal_finish(const char *folder, bool *busy);

/* Makes the names in the folder of a path durable, where the file system can. */
void mt_journal_sync(const char *path);
