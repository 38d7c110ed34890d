#include "app/report/machine_part.h"

#include "data/files/folder.h"
#include "data/yaml/yaml.h"
#include "data/yaml/yaml_node.h"
#include "ipu/run/profile_files.h"

/* Writes the object "machine". The profile is parsed, as YAML, only to detect a damaged file. */
static mt_status put(
    mt_html_part *part, const char *folder, const mt_machine_limits *limits, mt_tiles_shown *shown)
{
    MT_SCRATCH(arena);
    char path[MT_FILE_PATH_MAX];
    mt_yaml_node *root;
    const char *text;
    MT_TRY(mt_folder_path(folder, "profile.json", path));
    MT_TRY(mt_yaml_text(arena, path, &text));
    MT_TRY(mt_yaml_node_read(arena, path, text, &root));
    mt_html_text(part, "profile", text);
    mt_json_count(&part->json, "links", limits->links);
    return mt_tiles_part_put(part, folder, &limits->tiles, shown);
}

mt_status mt_machine_part_put(
    mt_html_part *part, const mt_run_folder *folder, const mt_machine_limits *limits, mt_tiles_shown *shown)
{
    *shown = (mt_tiles_shown){0};
    if (!ipu_profile_is_in(folder->profile)) {
        mt_json_text(&part->json, "machine", NULL);
        return MT_OK;
    }
    mt_json_open(&part->json, "machine", '{');
    MT_TRY(put(part, folder->profile, limits, shown));
    mt_json_close(&part->json);
    return MT_OK;
}
