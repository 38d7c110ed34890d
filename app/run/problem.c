#include "app/run/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/progress.h"
#include "solver/case/findings.h"
#include "app/heart/anatomy.h"
#include "app/run/operator.h"
#include "app/run/prepace.h"
#include "app/heart/mesh_file.h"
#include "data/files/file.h"
#include "mesh/files/formats.h"
#include "mesh/names.h"
#include "mesh/make/slab.h"
#include "mesh/vertex_share.h"
#include "solver/case/case_network.h"
#include "solver/case/case_on_mesh.h"
#include "solver/case/parts.h"
#include "solver/cells/compiled/compiled.h"
#include "solver/cells/open.h"

static mt_status get_mesh(mt_arena *arena, const mt_case *input, mt_mesh *mesh)
{
    mt_progress_stage("reading or generating the mesh");
    if (!input->mesh.file[0])
        return mt_slab_make_cut(
            arena, input->mesh.slab.size_mm, input->mesh.slab.edge_mm, input->mesh.slab.cut, mesh);
    return mt_read_mesh(arena, input->mesh.file, mesh);
}

static mt_status make_elementwise(
    mt_arena *arena, const mt_case *input, const mt_tissues *tissues, bool cached, mt_problem *p)
{
    const mt_diffusion_scheme scheme = mt_case_scheme(input);
    const char *name = mt_case_mesh_name(input);
    MT_TRY(mt_fail_in(
        name, mt_operator_make(arena, &p->mesh, &p->adjacency, tissues, &scheme,
                  p->fronts.spreading.n > 0 ? &p->fronts.spreading : NULL, cached, &p->diffusion)));
    mt_findings_of_operator(name, &p->adjacency, &p->diffusion);
    return MT_OK;
}

static mt_status make_operator(mt_arena *arena, const mt_case *input, bool cached, mt_problem *p)
{
    mt_tissues tissues;
    MT_TRY(mt_media_tissues(arena, &p->media, &tissues));
    mt_progress_stage("computing the diffusion operator and its stability limit");
    if (!p->unknowns.at_vertices) return make_elementwise(arena, input, &tissues, cached, p);
    return mt_fail_in(mt_case_mesh_name(input),
        mt_operator_make_nodal(arena, &p->mesh, &tissues, &p->fronts.nodal, &p->diffusion));
}

/* Gives all cells the default laws; with a prescribed activation none, as nothing depends on the CV of the discrete wavefront. */
static void set_default_fronts(const mt_case *input, mt_problem *p)
{
    p->fronts = (mt_fronts){.interval_ms = NAN};
    if (p->unknowns.at_vertices && input->activation == MT_CASE_MONODOMAIN)
        p->fronts.nodal = (mt_nodal_spreading){1, &mt_nodal_law_default, NULL};
}

static mt_status make_fronts(mt_arena *arena, const mt_case *input, bool cached, mt_problem *p)
{
    if (input->activation != MT_CASE_MONODOMAIN) return set_default_fronts(input, p), MT_OK;
    return mt_fail_in(mt_case_mesh_name(input),
        mt_fronts_make(arena, input, &p->mesh, &p->adjacency, &p->media, &p->monodomain, cached, &p->fronts));
}

/* Returns the number, among the conducting elements, of an element of the complete mesh; MT_NO_ELEMENT if it does not conduct. */
static uint32_t conducting_number(const mt_problem *p, uint32_t element)
{
    const uint32_t *number = p->mesh.number,
                   *found = bsearch(&element, number, p->mesh.n_elements, sizeof *number, mt_compare_ids);
    return found ? (uint32_t)(found - number) : MT_NO_ELEMENT;
}

/* Moves the probes to the problem: to conducting elements, or into the elements that contain them. */
static mt_status place_probes(mt_arena *arena, mt_problem *p)
{
    if (p->unknowns.at_vertices) return mt_probes_locate(arena, &p->whole, &p->mesh, &p->probes);
    for (size_t k = 0; k < p->probes.n && p->mesh.number; k++)
        p->probes.element[k] = conducting_number(p, p->probes.element[k]);
    return MT_OK;
}

/* Returns the media of the unknowns, NULL if all have the first one: those of the elements, or at a vertex the one with the largest
 * volume of its elements, the first of equals. */
static mt_status media_of(mt_arena *scratch, const mt_problem *p, const uint16_t **of)
{
    uint16_t *largest;
    *of = p->media.of;
    if (!p->media.of || !p->unknowns.at_vertices) return MT_OK;
    MT_TRY(mt_vertex_share_largest(scratch, &p->mesh, p->media.n, p->media.of, &largest));
    *of = largest;
    return MT_OK;
}

/* Returns chi Cm of an unknown, by the media of all unknowns. */
static double membrane_of(const mt_media *media, const uint16_t *of, size_t unknown)
{
    const mt_medium *m = &media->medium[of ? of[unknown] : 0];
    return m->chi_per_mm * m->cm_uF_mm2;
}

/* Moves all unknowns with the same chi Cm as the first one out of a stimulus into `part`, a stimulus with the same times and the rate of
 * change of V for that chi Cm. `left`: the unknowns of `from`, a copy. */
static mt_status take_part(mt_arena *arena, const mt_media *media, const uint16_t *of, double strength_uA_mm3,
    mt_stimulus *from, uint32_t *left, mt_stimulus *part)
{
    const double membrane = membrane_of(media, of, left[0]);
    uint32_t *taken;
    size_t n = 0, n_left = 0;
    MT_ALLOC(arena, taken, from->n_elements);
    for (size_t k = 0; k < from->n_elements; k++)
        if (membrane_of(media, of, left[k]) == membrane)
            taken[n++] = left[k];
        else
            left[n_left++] = left[k];
    *part = *from;
    part->rise_mV_ms = strength_uA_mm3 / membrane;
    part->n_elements = n;
    part->element = taken;
    from->n_elements = n_left;
    return MT_OK;
}

/* Divides a stimulus of a case into one for each value of chi Cm of its unknowns, as the same current density then changes their V at
 * different rates. */
static mt_status part_by_membrane(
    mt_arena *arena, const mt_case *input, const mt_stimulus *whole, mt_problem *p)
{
    MT_SCRATCH(scratch);
    const size_t room = input->n_stimuli * p->media.n;
    const uint16_t *of;
    mt_stimulus *parts;
    size_t *stimulus_of, n = 0;
    MT_TRY(media_of(scratch, p, &of));
    MT_ALLOC(arena, parts, room);
    MT_ALLOC(arena, stimulus_of, room);
    for (size_t s = 0; s < input->n_stimuli; s++) {
        const double strength_uA_mm3 = input->stimuli[s].strength_uA_mm3;
        mt_stimulus from = whole[s];
        uint32_t *left;
        MT_COPY(arena, left, from.element, from.n_elements);
        for (; from.n_elements > 0; n++) {
            MT_TRY(take_part(arena, &p->media, of, strength_uA_mm3, &from, left, &parts[n]));
            stimulus_of[n] = s;
        }
    }
    p->monodomain.n_stimuli = n;
    p->monodomain.stimulus = parts;
    p->monodomain.stimulus_of = stimulus_of;
    return MT_OK;
}

mt_status mt_problem_set_stimuli_and_probes(mt_arena *arena, const mt_case *input, mt_problem *p)
{
    mt_stimulus *stimuli;
    MT_TRY(mt_probes_make(arena, input, &p->whole, &p->probes));
    MT_TRY(place_probes(arena, p));
    MT_TRY(mt_case_stimuli(arena, input, &p->whole, &p->unknowns, &stimuli));
    return part_by_membrane(arena, input, stimuli, p);
}

static mt_status find_region_files(mt_arena *arena, mt_region *region)
{
    if (region->vtx[0]) MT_TRY(mt_file_absolute(arena, &region->vtx));
    return region->elements[0] ? mt_file_absolute(arena, &region->elements) : MT_OK;
}

mt_status mt_problem_find_files(mt_arena *arena, mt_case *input)
{
    if (input->mesh.file[0]) MT_TRY(mt_file_absolute(arena, &input->mesh.file));
    if (mt_import_is_file(input->cell.named)) MT_TRY(mt_file_absolute(arena, &input->cell.named));
    if (input->start.state[0]) MT_TRY(mt_file_absolute(arena, &input->start.state));
    if (input->network.file[0]) MT_TRY(mt_file_absolute(arena, &input->network.file));
    if (mt_import_is_file(input->network.named)) MT_TRY(mt_file_absolute(arena, &input->network.named));
    for (size_t r = 0; r < input->n_regions; r++) MT_TRY(find_region_files(arena, &input->regions[r].region));
    for (size_t s = 0; s < input->n_stimuli; s++) MT_TRY(find_region_files(arena, &input->stimuli[s].region));
    return MT_OK;
}

/* True if a place or a gradient of a case depends on which triangles are base, epicardium and endocardia. */
static bool uses_surfaces(const mt_case *input)
{
    bool any = false;
    for (size_t r = 0; r < input->n_regions; r++) any |= mt_region_uses_surfaces(&input->regions[r].region);
    for (size_t s = 0; s < input->n_stimuli; s++) any |= mt_region_uses_surfaces(&input->stimuli[s].region);
    for (size_t g = 0; g < input->n_gradients; g++)
        any |= input->gradients[g].along == MT_GRADIENT_APEX_TO_BASE;
    return any;
}

/* Confirms the labels of the surfaces, unless the case uses none or they were confirmed before. */
static mt_status confirm_surfaces(mt_arena *arena, const mt_case *input, mt_problem *p)
{
    if (p->confirmed || !uses_surfaces(input)) return MT_OK;
    p->confirmed = true;
    return mt_anatomy_confirm(arena, mt_case_mesh_name(input), &p->whole);
}

/* Finds the places of a case on the mesh, and stores them in `used`, a copy. */
static mt_status find_places(mt_arena *arena, bool cached, mt_case *used, mt_problem *p)
{
    MT_TRY(mt_case_places_find(arena, used, cached, &p->whole, &p->confirmed, &p->places));
    mt_case_places_put(&p->places, used);
    return MT_OK;
}

/* Selects the conducting elements, and finds the channels. */
static mt_status select_conducting(mt_arena *arena, const mt_case *input, mt_problem *p)
{
    uint8_t *conducting;
    MT_TRY(mt_case_conducting(arena, input, &p->whole, &conducting));
    if (conducting) {
        MT_TRY(mt_channels_find(arena, &p->whole, conducting, &p->channels));
        MT_TRY(mt_mesh_select(arena, &p->whole, conducting, &p->mesh));
    }
    return MT_OK;
}

/* Selects the unknowns. The order of the elements remains. */
static mt_status select_unknowns(mt_arena *arena, const mt_case *input, mt_problem *p)
{
    p->unknowns = (mt_unknowns){&p->mesh, mt_case_at_vertices(input)};
    return p->unknowns.at_vertices ? mt_unknowns_mesh(arena, &p->mesh, &p->mesh) : MT_OK;
}

/* Evaluations of a cell with multirate stepping, relative to uniform stepping; only for the decision to compile. */
#define MULTIRATE_SHARE 0.15

/* Compiles the model of a file if the case requires it or the run is long. */
static mt_status compile_model(mt_arena *arena, const mt_case *input, bool cached, mt_problem *p)
{
    const double share = input->cell.stepping == MT_STEPPING_MULTIRATE ? MULTIRATE_SHARE : 1,
                 evaluations = share * (double)mt_unknowns_count(&p->unknowns) * (double)mt_case_steps(input);
    const bool automatic = input->cell.compile == MT_CASE_COMPILE_AUTO;
    const mt_cell_model **model = &p->monodomain.model;
    if (input->cell.compile == MT_CASE_COMPILE_NEVER) return MT_OK;
    /* a device compiles the equations itself */
    const bool elsewhere = input->machine.backend == MT_CASE_OPENCL;
    if (automatic && (elsewhere || !mt_compile_pays(*model, evaluations))) return MT_OK;
    const bool tabulated = input->cell.evaluation == MT_EVALUATION_TABULATED;
    const mt_status status =
        mt_fail_in("cell.compile", mt_cell_compile(arena, *model, tabulated, cached, model));
    if (!automatic || (status != MT_FILE && status != MT_NUMERICS)) return status;
    mt_warn("%s: cell.model: found no compiled code, so the run takes up to twice as long: %s",
        (*model)->name, mt_message());
    return MT_OK;
}

mt_junctions_tissue mt_problem_tissue(const mt_problem *p)
{
    const mt_medium *first = &p->media.medium[0];
    return (mt_junctions_tissue){&p->unknowns, &p->adjacency, p->mesh.number ? &p->whole : NULL,
        &p->diffusion, first->chi_per_mm * first->cm_uF_mm2};
}

/* Couples the conduction system to the tissue, once the operator exists. */
static mt_status make_conduction(mt_arena *arena, const mt_case *input, mt_problem *p)
{
    const mt_junctions_tissue tissue = mt_problem_tissue(p);
    if (input->network.file[0]) mt_progress_stage("coupling the conduction network to the tissue");
    return mt_case_conduction(arena, input, &tissue, &p->monodomain.conduction);
}

/* Sets the parameters of the time loop other than stimuli and cells. */
static mt_status set_loop(mt_arena *arena, const mt_case *input, mt_problem *p)
{
    MT_TRY(mt_case_pde_steps(input, &p->diffusion, &p->monodomain.pde_steps));
    p->monodomain.diffusion = &p->diffusion;
    p->monodomain.dt_ms = input->time.dt_ms;
    p->monodomain.diffusing = mt_case_diffusing(input);
    p->monodomain.accumulation = input->diffusion.accumulation;
    p->monodomain.residual_mV = input->diffusion.tolerance_mV;
    p->monodomain.splitting = input->time.splitting;
    p->monodomain.stepping = input->cell.stepping;
    p->monodomain.tolerance_mV = input->cell.tolerance_mV;
    p->monodomain.evaluation = input->cell.evaluation;
    MT_TRY(mt_case_record(arena, input, &p->monodomain.record));
    p->monodomain.mesh = &p->mesh;
    return mt_monodomain_check(&p->monodomain);
}

/* Completes a problem with its operator. */
static mt_status finish(mt_arena *arena, const mt_case *input, mt_problem *p)
{
    MT_TRY(set_loop(arena, input, p));
    return make_conduction(arena, input, p);
}

/* Checks media and mesh before the operator is built. */
static mt_status check_parts(const mt_case *input, const mt_problem *p)
{
    MT_SCRATCH(scratch);
    mt_case_parts parts;
    MT_TRY(mt_case_parts_make(scratch, &p->mesh, &p->media, &parts));
    return mt_case_check_scale(input, &parts);
}

/* Warns of expected errors of activation times: measured ones, and estimates for the tissues with other fronts. With a measured choice of
 * the discretisation only of errors above the allowed one. */
static mt_status warn_of_errors(const mt_case *input, const mt_problem *p)
{
    MT_SCRATCH(scratch);
    mt_case_parts parts;
    if (input->activation != MT_CASE_MONODOMAIN) return MT_OK;
    MT_TRY(mt_case_parts_make(scratch, &p->mesh, &p->media, &parts));
    const bool chosen = mt_placing_is_measured(&p->placing);
    mt_fronts_warn(mt_case_mesh_name(input), &p->fronts, chosen ? p->placing.allowed_percent : 0);
    for (size_t k = 0; k < parts.n; k++) parts.part[k].measured = true;
    for (size_t k = 0; k < p->fronts.n; k++)
        if (!chosen && !p->fronts.front[k].measured) parts.part[p->fronts.front[k].medium].measured = false;
    return mt_findings_of_mesh(input, &parts);
}

/* Returns the width of a channel in elements. */
static double width_of(const mt_channel *channel) { return channel->width_mm / channel->length_mm; }

/* Returns the narrowest channel after `last` in the order of width and number; NULL if there is none. `last`: NULL for the first. */
static const mt_channel *next_channel(const mt_channels *channels, const mt_channel *last)
{
    const mt_channel *next = NULL;
    for (const mt_channel *c = channels->channel; c < channels->channel + channels->n; c++) {
        const bool follows =
            !last || width_of(c) > width_of(last) || (width_of(c) == width_of(last) && c > last);
        if (follows && (!next || width_of(c) < width_of(next))) next = c;
    }
    return next;
}

static void warn_of_channel(const mt_case *input, const mt_problem *p, const mt_channel *channel)
{
    const double *x = channel->middle_mm;
    const uint32_t element = conducting_number(p, channel->middle),
                   unknown = p->unknowns.at_vertices ? p->mesh.element_vertex[4 * (size_t)element] : element;
    mt_warn(
        "%s: found a conducting path %.3g mm (%.2g elements) wide between non-conducting elements, at [%.4g, "
        "%.4g, %.4g] mm, in cells \"%s\"; usual: at least %d elements; wavefronts may block there because of "
        "the element size; %s",
        mt_case_mesh_name(input), channel->width_mm, width_of(channel), x[0], x[1], x[2],
        mt_monodomain_variant(&p->monodomain, unknown)->name, MT_CHANNEL_ELEMENTS,
        input->mesh.file[0] ? "`myotile mesh refine --where channels` with --case refines it"
                            : "a smaller mesh.slab.edge_mm resolves it");
}

static void warn_of_channels(const mt_case *input, const mt_problem *p)
{
    const mt_channels *channels = &p->channels;
    const mt_channel *channel = NULL;
    for (size_t k = 0; k < channels->n && k < MT_PROBLEM_CHANNELS_WARNED; k++) {
        channel = next_channel(channels, channel);
        warn_of_channel(input, p, channel);
    }
    if (channels->n <= MT_PROBLEM_CHANNELS_WARNED) return;
    const size_t n = channels->n - MT_PROBLEM_CHANNELS_WARNED;
    mt_warn(
        "%s: found %zu further conducting path%s of less than %d elements between non-conducting elements",
        mt_case_mesh_name(input), n, n == 1 ? "" : "s", MT_CHANNEL_ELEMENTS);
}

/* Ends collecting messages, and reports them. */
static void report_collected(mt_messages *said)
{
    mt_messages_end(said);
    mt_messages_report(said);
}

/* Builds the parts of a problem that do not depend on the discretisation. `input`: gets its places. */
static mt_status make_ground(mt_arena *arena, const mt_mesh *mesh, bool cached, mt_case *input, mt_problem *p)
{
    *p = (mt_problem){.whole = *mesh};
    MT_TRY(confirm_surfaces(arena, input, p));
    MT_TRY(find_places(arena, cached, input, p));
    p->mesh = p->whole;
    mt_messages_begin(&p->regions_said, arena);
    mt_status status = select_conducting(arena, input, p);
    if (status == MT_OK) status = mt_case_media(arena, input, &p->whole, &p->mesh, &p->media);
    report_collected(&p->regions_said);
    MT_TRY(status);
    MT_TRY(check_parts(input, p));
    return mt_adjacency_make(arena, &p->mesh, &p->adjacency);
}

/* Makes the fronts with voltages at the vertices, in `arena`, and chooses by them. `used`: the case without auto; gets its model if
 * that was compiled. */
static mt_status choose_by_fronts(mt_arena *arena, const mt_problem *ground, bool cached, mt_case *used,
    mt_fronts *fronts, mt_placing *placing)
{
    MT_SCRATCH(scratch);
    mt_problem p = {
        .whole = ground->whole, .mesh = ground->mesh, .adjacency = ground->adjacency, .media = ground->media};
    MT_TRY(select_unknowns(scratch, used, &p));
    MT_TRY(mt_case_cells(arena, used, &p.whole, &p.unknowns, &p.monodomain));
    MT_TRY(compile_model(arena, used, cached, &p));
    used->cell.model = p.monodomain.model;
    MT_TRY(make_fronts(arena, used, cached, &p));
    *fronts = p.fronts;
    return mt_placing_make(
        mt_case_mesh_name(used), used, fronts, p.mesh.n_elements, &p.media, &p.monodomain, cached, placing);
}

/* Same, unless a key of the case excludes the vertices; then `fronts` is unchanged. `used`: gets the discretisation. */
static mt_status choose(mt_arena *arena, const mt_problem *ground, bool cached, mt_case *used,
    mt_fronts *fronts, mt_placing *placing)
{
    mt_status status = mt_case_check_vertices(used);
    if (status == MT_INPUT) {
        char why[sizeof placing->why];
        (void)snprintf(why, sizeof why, "since the case has %.200s", mt_message());
        *placing = mt_placing_given(false, why);
        status = MT_OK;
    } else {
        used->diffusion.accuracy_percent = mt_case_accuracy_percent(used);
        used->diffusion.discretisation = MT_CASE_NODES;
        status = choose_by_fronts(arena, ground, cached, used, fronts, placing);
    }
    used->diffusion.accuracy_percent = NAN;
    used->diffusion.discretisation = placing->at_vertices ? MT_CASE_NODES : MT_CASE_ELEMENTS;
    return status;
}

/* Makes the fronts, unless the choice of the discretisation made them; warns of their errors. */
static mt_status find_fronts(mt_arena *arena, const mt_case *used, bool cached, mt_problem *p)
{
    if (!p->placing.at_vertices) MT_TRY(make_fronts(arena, used, cached, p));
    return warn_of_errors(used, p);
}

/* Builds the problem on a ground. `measures`: false: with the default laws instead of those of the fronts, and without warnings. */
static mt_status complete(mt_arena *arena, const mt_case *used, bool cached, bool measures, mt_problem *p)
{
    MT_TRY(select_unknowns(arena, used, p));
    MT_TRY(mt_problem_set_stimuli_and_probes(arena, used, p));
    MT_TRY(mt_case_cells(arena, used, &p->whole, &p->unknowns, &p->monodomain));
    MT_TRY(compile_model(arena, used, cached, p));
    if (measures)
        warn_of_channels(used, p);
    else
        set_default_fronts(used, p);
    if (measures) MT_TRY(find_fronts(arena, used, cached, p));
    mt_messages_begin(&p->operator_said, arena);
    const mt_status status = make_operator(arena, used, cached, p);
    report_collected(&p->operator_said);
    MT_TRY(status);
    return finish(arena, used, p);
}

mt_status mt_problem_make_on(
    mt_arena *arena, const mt_mesh *mesh, const mt_case *input, bool cached, mt_problem *p)
{
    mt_case used = *input;
    MT_TRY(make_ground(arena, mesh, cached, &used, p));
    if (mt_case_is_auto(input)) {
        mt_messages_begin(&p->placing_said, arena);
        const mt_status status = choose(arena, p, cached, &used, &p->fronts, &p->placing);
        report_collected(&p->placing_said);
        MT_TRY(status);
    }
    return complete(arena, &used, cached, true, p);
}

mt_status mt_problem_make_unmeasured(
    mt_arena *arena, const mt_mesh *mesh, const mt_case *input, mt_problem *p)
{
    mt_case used = *input;
    MT_TRY(make_ground(arena, mesh, false, &used, p));
    return complete(arena, &used, false, false, p);
}

mt_status mt_problem_choose(const mt_mesh *mesh, const mt_case *input, bool cached, mt_placing *placing)
{
    MT_SCRATCH(scratch);
    mt_mesh own;
    mt_problem p;
    mt_fronts fronts;
    mt_case used = *input;
    if (!mesh) MT_TRY(get_mesh(scratch, input, &own));
    MT_TRY(make_ground(scratch, mesh ? mesh : &own, cached, &used, &p));
    return choose(scratch, &p, cached, &used, &fronts, placing);
}

mt_status mt_problem_make(mt_arena *arena, const mt_case *input, bool cached, mt_problem *problem)
{
    mt_mesh mesh;
    mt_messages said;
    mt_messages_begin(&said, arena);
    const mt_status status = get_mesh(arena, input, &mesh);
    report_collected(&said);
    MT_TRY(status);
    MT_TRY(mt_problem_make_on(arena, &mesh, input, cached, problem));
    problem->mesh_said = said;
    return MT_OK;
}

/* Sets the pattern and the volumes of the unknowns. The pattern of vertices is needed only for the junctions of a conduction system. */
static mt_status make_pattern(mt_arena *arena, const mt_case *input, mt_problem *p)
{
    mt_diffusion *diffusion = &p->diffusion;
    mt_nodal *nodal;
    mt_stars *stars;
    diffusion->n_unknowns = mt_unknowns_count(&p->unknowns);
    MT_TRY(mt_unknowns_volumes(arena, &p->unknowns, &diffusion->volume_mm3));
    if (!p->unknowns.at_vertices) {
        MT_ALLOC(arena, stars, 1);
        stars->adjacency = &p->adjacency;
        diffusion->stars = stars;
        return MT_OK;
    }
    MT_ALLOC(arena, nodal, 1);
    diffusion->nodal = nodal;
    return input->network.file[0] ? mt_nodal_pattern_make(arena, &p->mesh, nodal) : MT_OK;
}

mt_status mt_problem_make_still(mt_arena *arena, const mt_case *input, bool cached, mt_problem *p)
{
    mt_case used = *input;
    mt_mesh mesh;
    MT_TRY(get_mesh(arena, input, &mesh));
    mt_progress_stage("finding tissue, cells and stimuli");
    MT_TRY(make_ground(arena, &mesh, cached, &used, p));
    if (mt_case_is_auto(&used)) mt_case_fix_discretisation(&used, mt_case_check_vertices(&used) == MT_OK);
    MT_TRY(select_unknowns(arena, &used, p));
    MT_TRY(mt_problem_set_stimuli_and_probes(arena, &used, p));
    MT_TRY(mt_case_cells(arena, &used, &p->whole, &p->unknowns, &p->monodomain));
    set_default_fronts(&used, p);
    MT_TRY(make_pattern(arena, &used, p));
    p->monodomain.diffusion = &p->diffusion;
    p->monodomain.dt_ms = used.time.dt_ms;
    p->monodomain.mesh = &p->mesh;
    MT_TRY(mt_case_record(arena, &used, &p->monodomain.record));
    return make_conduction(arena, &used, p);
}

mt_status mt_problem_fix(mt_arena *arena, const mt_problem *problem, mt_case *input)
{
    input->time.pde_steps = problem->monodomain.pde_steps;
    mt_case_fix_discretisation(input, problem->unknowns.at_vertices);
    mt_case_places_put(&problem->places, input);
    return mt_fronts_fix(arena, &problem->fronts, input);
}

/* Builds all of a problem like `made` except for fronts, operator and the time loop. `input`: gets its places. */
static mt_status begin_like(
    mt_arena *arena, const mt_problem *made, bool cached, mt_case *input, mt_problem *p)
{
    *p = (mt_problem){.whole = made->whole,
        .mesh = made->mesh,
        .unknowns = {&p->mesh, made->unknowns.at_vertices},
        .adjacency = made->adjacency,
        .media = made->media,
        .channels = made->channels,
        .diffusion = made->diffusion,
        .confirmed = made->confirmed};
    if (made->repeats_messages) mt_messages_report(&made->mesh_said);
    MT_TRY(confirm_surfaces(arena, input, p));
    MT_TRY(find_places(arena, cached, input, p));
    if (made->repeats_messages) mt_messages_report(&made->regions_said);
    MT_TRY(check_parts(input, p));
    MT_TRY(mt_problem_set_stimuli_and_probes(arena, input, p));
    MT_TRY(mt_case_cells(arena, input, &p->whole, &p->unknowns, &p->monodomain));
    if (mt_cell_model_same(made->monodomain.model, p->monodomain.model))
        p->monodomain.model = made->monodomain.model; /* it can be compiled */
    return MT_OK;
}

mt_status mt_problem_choose_like(
    const mt_problem *made, const mt_case *input, bool cached, mt_placing *placing)
{
    MT_SCRATCH(scratch);
    mt_problem p = {.whole = made->whole,
        .mesh = made->mesh,
        .adjacency = made->adjacency,
        .media = made->media,
        .confirmed = made->confirmed};
    mt_fronts fronts;
    mt_case used = *input;
    MT_TRY(confirm_surfaces(scratch, input, &p));
    MT_TRY(find_places(scratch, cached, &used, &p));
    return choose(scratch, &p, cached, &used, &fronts, placing);
}

mt_status mt_problem_make_like(mt_arena *arena, const mt_problem *made, const mt_case *input,
    const mt_placing *placing, bool cached, mt_problem *p)
{
    mt_case used = *input;
    const bool repeats = made->repeats_messages;
    MT_TRY(begin_like(arena, made, cached, &used, p));
    p->placing = *placing;
    MT_TRY(compile_model(arena, &used, cached, p));
    if (repeats) warn_of_channels(&used, p);
    MT_TRY(make_fronts(arena, &used, cached, p));
    const bool same = mt_fronts_same(&made->fronts, &p->fronts, p->mesh.n_elements);
    if (repeats || !same) MT_TRY(warn_of_errors(&used, p));
    if (!same) MT_TRY(make_operator(arena, &used, cached, p));
    if (same && repeats) mt_messages_report(&made->operator_said);
    return finish(arena, &used, p);
}

mt_status mt_problem_check_like(const mt_problem *made, const mt_case *input)
{
    MT_SCRATCH(scratch);
    mt_problem p;
    mt_case used = *input;
    MT_TRY(begin_like(scratch, made, false, &used, &p));
    MT_TRY(set_loop(scratch, &used, &p));
    return mt_case_conduction_check(&used);
}

/* Paces a cell of the conduction system, too. */
static mt_status prepace_network(
    mt_arena *arena, const mt_pulses *pulses, bool cached, mt_monodomain *problem)
{
    mt_conduction *paced;
    if (!problem->conduction) return MT_OK;
    MT_COPY(arena, paced, problem->conduction, 1);
    mt_monodomain alone = {.model = paced->model,
        .variants = &problem->conduction->variant,
        .n_variants = 1,
        .dt_ms = problem->dt_ms / (double)paced->steps};
    MT_TRY(mt_prepace(arena, pulses, cached, &alone));
    if (alone.variants) paced->variant = alone.variants[0];
    problem->conduction = paced;
    return MT_OK;
}

mt_status mt_problem_prepace(mt_arena *arena, const mt_case *input, bool cached, mt_problem *problem)
{
    const mt_pulses pulses = mt_case_prepace(input);
    MT_TRY(mt_prepace(arena, &pulses, cached, &problem->monodomain));
    return prepace_network(arena, &pulses, cached, &problem->monodomain);
}
