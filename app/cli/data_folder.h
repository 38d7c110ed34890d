/* Where the program's data lie: data/machines, data/geometry and data/reference. */
#ifndef MT_APP_CLI_DATA_FOLDER_H
#define MT_APP_CLI_DATA_FOLDER_H

/* The folder share/myotile beside the folder of the program, where it is installed, wherever that was moved; else data/ of the
 * source that the program was built from. Valid for ever. */
const char *mt_data_folder(void);

#endif
