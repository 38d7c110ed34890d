/* Changes of several files that are all made or all undone, even if the program is killed between them or one of them fails.
 *
 * A change replaces the file NAME by its temporary file .NAME.XXXXXX.part (data/files/temporary.h), or removes NAME. The previous
 * file remains as .NAME.XXXXXX.prev until all changes are made. Therefore the folder contains the state of every change, and
 * every change can be undone:
 *
 *     replacing   not made: .part exists; made: .part does not exist (it is NAME now)
 *     removing    not made: NAME exists; made: NAME does not exist
 *
 * A journal lists the changes and is durable before the first one is made: a file .myotile.PID-K.journal with a line "rename
 * .NAME.XXXXXX.part" or "remove .NAME.XXXXXX.part" for each, and then "end". It carries the lock of its writer. The next program
 * that uses the folder settles the journal of a killed program (mt_journal_finish) in the same way as the writer: it makes the
 * missing changes, or undoes all if one of them fails. A journal without "end" is deleted, because no change had been made. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "data/core/status.h"

/* Paths. `part` is the temporary file; for a removal it is only a unique name. */
typedef struct mt_change {
    const char *target, *part;
    bool removes;
} mt_change;

/* Makes n changes. MT_FILE: all are undone, and the temporary files are deleted. If undoing fails too, `pending` is true: the
 * journal and all temporary and previous files remain for mt_journal_finish, and the message states it. Changes outside the
 * folder of the first change are made and undone with the others, but not listed in the journal. */
MT_NODISCARD mt_status mt_journal_commit(size_t n, const mt_change *change, bool *pending);

/* Settles the journals of killed programs, but only those of this user, because anyone can leave one in a shared folder. `busy`:
 * a journal of a running program or of another user remains. MT_FILE: a journal cannot be settled, and the files of its set are
 * not all in place. MT_MEMORY. */
MT_NODISCARD mt_status mt_journal_finish(const char *folder, bool *busy);

/* Makes the names in the folder of a path durable, if the file system supports it. */
void mt_journal_sync(const char *path);
