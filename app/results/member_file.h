/* The record of a member of an ensemble in its folder: the case that it is of, its state, and its row of the table.
 *
 * The file `.myotile.member` is written when the member begins, and again after its results. An interrupted ensemble finds out from
 * it which members are complete. It has the warnings and notes of the run, too. It is a CSV file with a row for each beat; a member without
 * results has one row without beat. The record of complete results is valid as long as the folder has the used.yaml and the result.hdf of that run. */
#pragma once

#include "app/results/ensemble_table.h"
#include "data/core/progress.h"

typedef struct mt_member_record {
    /* fingerprint of the case (mt_member_fingerprint); "" if there is no record, or a damaged one */
    char fingerprint[MT_HASH_SIZE];
    bool complete; /* true if the run reached its end and its results are in the folder */
    mt_member_row row;
    mt_messages messages; /* warnings and notes of the run (app/results/ensemble_messages.h) */
} mt_member_record;

/* Computes the fingerprint of a case: of all values as read, with absolute paths, of the machine's values, of size and time of each
 * file that the case names, and of the version of the program. MT_MEMORY. */
MT_NODISCARD mt_status mt_member_fingerprint(const mt_case *input, char fingerprint[MT_HASH_SIZE]);

/* Writes the record into the folder, which was entered, completely or not at all. MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_member_record_write(const char *folder, const mt_member_record *record);

/* Deletes the record of a folder, if there is one; a failure has no consequences, as the record claims no results. */
void mt_member_record_remove(const char *folder);

/* Reads the record of a folder into `arena`. Without a folder or a readable record the fingerprint is "". MT_MEMORY. */
MT_NODISCARD mt_status mt_member_record_read(mt_arena *arena, const char *folder, mt_member_record *record);
