/* The numbers of XDMF's <DataItem>: as text in the file, as bytes of another file (Format Binary), or in HDF5
 * (Format HDF). */
#pragma once

#include "data/files/file.h"
#include "data/files/xml_tree.h"

/* An array of numbers that has not been read. */
typedef struct mt_xdmf_item {
    const mt_xml_element *element; /* NULL if there is none */
    size_t n, rank, last;          /* product, number and last of its Dimensions */
} mt_xdmf_item;

/* Finds the k-th DataItem of an element; item->element is NULL if it has fewer. MT_INPUT: Dimensions that are
 * not allowed. */
MT_NODISCARD mt_status mt_xdmf_item_find(
    mt_xml_tree *tree, const mt_xml_element *parent, size_t k, mt_xdmf_item *item);

/* Reads the numbers into `arena`. Memory is allocated only for numbers that exist. MT_INPUT, with file and
 * line: an unsupported kind of item (parts of arrays, functions), another number of values, or a file outside
 * the folder of the XDMF file and its subfolders. MT_FILE: the data file cannot be read. MT_MEMORY. */
MT_NODISCARD mt_status mt_xdmf_item_read(
    mt_arena *arena, const mt_xml_tree *tree, const mt_xdmf_item *item, double **values);

/* Sets *has to true if the numbers are in HDF5, and returns the path of that file and the name of the array
 * in it. MT_INPUT: as above. */
MT_NODISCARD mt_status mt_xdmf_item_hdf5(const mt_xml_tree *tree, const mt_xdmf_item *item, bool *has,
    char path[MT_FILE_PATH_MAX], char name[MT_FILE_PATH_MAX]);
