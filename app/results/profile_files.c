#include "app/results/profile_files.h"

#include "app/draw/chart/profile_picture.h"
#include "data/files/folder.h"

static void segment_object(mt_json *json, const mt_segment *s)
{
    mt_json_open(json, NULL, '{');
    mt_json_count(json, "first_step", s->first);
    mt_json_count(json, "last_step", s->end - 1);
    mt_json_text(json, "machine", s->machine[0] ? s->machine : NULL);
    mt_json_text(json, "fingerprint", s->machine[0] ? s->fingerprint : NULL);
    mt_json_count(json, "ipus", s->ipus);
    mt_json_count(json, "tiles", s->tiles);
    mt_json_number(json, "clock_hz", s->clock_hz);
    mt_json_open(json, "phase_cycles", '{');
    for (int p = 0; p < MT_PHASES; p++) mt_json_count(json, mt_phase_words_of[p].key, s->cycles[p]);
    mt_json_close(json);
    mt_json_count(json, "step_cycles", s->step_cycles);
    mt_json_count(json, "host_cycles", s->host_cycles);
    mt_json_close(json);
}

void mt_profile_add_segments(mt_json *json, const void *of)
{
    const mt_segments *segments = of;
    if (!mt_segments_several(segments)) return;
    mt_json_open(json, "segments", '[');
    for (size_t k = 0; k < segments->n; k++)
        if (segments->segment[k].end > segments->segment[k].first)
            segment_object(json, &segments->segment[k]);
    mt_json_close(json);
}

typedef mt_status picture(const ipu_profiled *profiled, const char *path);

static const struct {
    const char *name;
    picture *draw;
    bool of_links;
} pictures[] = {
    {"tiles.png", mt_profile_picture_tiles, false},
    {"memory.png", mt_profile_picture_memory, false},
    {"links.png", mt_profile_picture_links, true},
};
enum { PICTURES = sizeof pictures / sizeof *pictures };

mt_status mt_profile_check(const char *folder, bool details)
{
    char path[MT_FILE_PATH_MAX];
    MT_TRY(ipu_profile_check(folder, details));
    for (int p = 0; details && p < PICTURES; p++) {
        MT_TRY(mt_folder_path(folder, pictures[p].name, path));
        MT_TRY(mt_file_check(path, MT_FILE_ANY));
    }
    return MT_OK;
}

/* Before the profile that they are of, without which nobody knows whose they are. */
static mt_status forget_pictures(const char *folder)
{
    char path[MT_FILE_PATH_MAX];
    if (!ipu_profile_is_in(folder)) return MT_OK;
    for (int p = 0; p < PICTURES; p++) {
        MT_TRY(mt_folder_path(folder, pictures[p].name, path));
        MT_TRY(mt_file_remove(path));
    }
    return MT_OK;
}

mt_status mt_profile_forget(const char *folder)
{
    MT_TRY(forget_pictures(folder));
    return ipu_profile_forget(folder);
}

mt_status mt_profile_write(const ipu_profiled *profiled, const char *folder, bool details)
{
    const bool links = ipu_profile_crosses(profiled->profile);
    char path[MT_FILE_PATH_MAX];
    MT_TRY(ipu_profile_check_words(profiled->title, profiled->target->name));
    MT_TRY(forget_pictures(folder));
    MT_TRY(ipu_profile_write(profiled, folder, details));
    for (int p = 0; details && p < PICTURES; p++) {
        if (pictures[p].of_links && !links) continue;
        MT_TRY(mt_folder_path(folder, pictures[p].name, path));
        MT_TRY(pictures[p].draw(profiled, path));
    }
    return MT_OK;
}
