/* The files and the output of an ensemble: its table, picture and page, and the list of messages. */
#pragma once

#include "app/commands/run/ensemble_state.h"

/* The names of all files of an ensemble in its folder, terminated by NULL. */
extern const char *const mt_ensemble_file_names[];

/* Writes ensemble.csv or sweep.csv. */
MT_NODISCARD mt_status mt_ensemble_write_table(const mt_ensemble_state *s);

/* Writes the picture of an ensemble, or deletes that of an earlier one if there is nothing to draw. */
MT_NODISCARD mt_status mt_ensemble_write_picture(const mt_ensemble_state *s, bool *written);

/* Writes the page of an ensemble if the case requests it (output.report), or deletes an earlier one. A failure is only a warning. */
void mt_ensemble_write_page(const mt_ensemble_state *s, bool *written);

/* Checks before the first run that the files can be written. */
MT_NODISCARD mt_status mt_ensemble_check_files(const mt_ensemble_state *s);

/* Prints the table, and the names of the files. */
MT_NODISCARD mt_status mt_ensemble_print_table(const mt_ensemble_state *s, bool picture, bool page);

/* Reports the messages of all members as one list. */
void mt_ensemble_report_messages(const mt_ensemble_state *s);
