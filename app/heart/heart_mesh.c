#include "app/heart/heart_mesh.h"

#include <math.h>
#include <string.h>

#include "data/core/number.h"
#include "data/core/progress.h"
#include "app/heart/filling.h"
#include "app/heart/mesh_file.h"
#include "mesh/repair/repair.h"
#include "mesh/names.h"
#include "solver/case/delay.h"

static const double elements_most = 5e7;   /* maximum in a filled or refined body */
static const double elements_least = 1000; /* minimum in a filled body */
static const double fewer = 0.95;          /* gmsh generates at least this fraction of the requested number */
static const double mm3_in_mL = 1000;
/* Ratio of mean edge and cube root of the mean volume (mt_element_size). */
static const double edge_of_length = 2.1;

/* State of the preparation of a heart. */
typedef struct making {
    const mt_heart_request *asked;
    mt_refining *refining;
    mt_heart_mesh *heart;
    mt_surfaces surfaces;
    unsigned long times; /* number of refinements */
} making;

static mt_arena *arena_of(making *m) { return m->refining->arenas[m->refining->at]; }

/* ---- files ---- */

static mt_status read_one(mt_arena *arena, const making *m, const char *path, mt_mesh *mesh)
{
    const mt_mesh_format *format = NULL;
    double unit_mm = 1;
    MT_TRY(mt_mesh_format_find(path, false, &format));
    MT_TRY(mt_mesh_unit(path, format, m->asked->unit, &unit_mm));
    MT_TRY(format->read(arena, path, unit_mm, mesh));
    mt_print_notes(path, mesh->notes);
    if (mesh->n_elements == 0 || m->asked->n == 1) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: found %zu elements; allowed: one mesh, or surfaces without elements that form one closed "
        "surface",
        path, mesh->n_elements);
}

static void warn_of_size(const making *m, const mt_mesh *mesh)
{
    double low_mm[3], high_mm[3];
    mt_mesh_box(mesh, low_mm, high_mm);
    mt_warn_of_size(m->asked->path[0], low_mm, high_mm);
}

static double volume_of(const mt_mesh *mesh)
{
    double volume_mm3 = 0;
    for (size_t c = 0; c < mesh->n_elements; c++) volume_mm3 += mt_mesh_volume_mm3(mesh, c);
    return volume_mm3;
}

/* ---- anatomy and tissue ---- */

static void say_anatomy(const making *m, mt_anatomy anatomy, bool unused)
{
    mt_decision("anatomy", "%s, %s%s",
        m->heart->has_rv ? "both ventricles" : "one ventricle, assumed to be the left",
        mt_anatomy_text(anatomy, m->surfaces.how),
        unused ? "; the tags in the file are not surface tags, and are ignored" : "");
}

/* Identifies the surfaces of a mesh, or of a closed surface without elements. */
static mt_status find_anatomy(mt_arena *arena, making *m, const mt_adjacency *adjacency, mt_mesh *mesh)
{
    mt_anatomy anatomy;
    bool unused;
    mt_progress_stage("finding the surfaces");
    MT_TRY(mt_anatomy_decide(arena, adjacency, mesh, &m->surfaces, &anatomy, &unused));
    const mt_status status =
        anatomy == MT_ANATOMY_NONE ? MT_INPUT : mt_landmarks_find(mesh, &m->heart->landmarks);
    mt_progress_stage(NULL);
    if (status != MT_OK && status != MT_INPUT) return status;
    m->heart->has_anatomy = status == MT_OK;
    m->heart->has_rv = status == MT_OK && m->surfaces.n_triangles[MT_SURFACE_RV] > 0;
    if (status == MT_OK)
        say_anatomy(m, anatomy, unused);
    else
        mt_decision("anatomy", "none: %s", mt_message());
    return MT_OK;
}

/* Chooses the tissue. Without fibres it has the transverse conductivities in all directions. */
static void choose_tissue(making *m, bool fibres)
{
    mt_medium *tissue = &m->heart->tissue;
    *tissue = mt_medium_default;
    if (fibres) return;
    tissue->intracellular_l_mS_mm = tissue->intracellular_t_mS_mm;
    tissue->extracellular_l_mS_mm = tissue->extracellular_t_mS_mm;
}

/* Returns the number of elements for a body of this volume: the requested number, or as required by the delay. */
static double elements_of(const making *m, double volume_mm3)
{
    const mt_tissue tissue = mt_medium_tissue(&m->heart->tissue);
    const double length_mm = mt_delay_length_mm(
        mt_cell_models[0], &mt_diffusion_scheme_default, &tissue, m->asked->accuracy_percent);
    return m->asked->elements > 0 ? m->asked->elements : volume_mm3 / (length_mm * length_mm * length_mm);
}

static mt_status check_elements(const making *m, double elements, double volume_mm3)
{
    if (elements <= elements_most) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: %.4g mL require %.2g elements; allowed: at most %g; reduce --elements or check --unit",
        m->asked->path[0], volume_mm3 / mm3_in_mL, elements, elements_most);
}

static void say_wanted(const making *m, double elements, double volume_mm3)
{
    char text[MT_NUMBER_SIZE], why[64] = "by --elements", of[MT_ELEMENT_SIZE_TEXT];
    const double length_mm = cbrt(volume_mm3 / elements);
    mt_element_size_text(&(mt_element_size){length_mm, edge_of_length * length_mm}, of);
    if (m->asked->elements == 0)
        (void)snprintf(why, sizeof why, "for a CV error below %.4g %%", m->asked->accuracy_percent);
    mt_decision(
        "elements", "%s requested, element size %s, %s", mt_number_count_text(elements, text), of, why);
}

/* ---- from surfaces ---- */

static mt_status begin_surface(mt_arena *arena, making *m, mt_mesh *parts, mt_filling *filling)
{
    char name[MT_FILE_PATH_MAX], vertices[MT_NUMBER_SIZE];
    mt_mesh joined;
    MT_TRY(mt_closed_join(arena, parts, m->asked->n, &joined));
    (void)snprintf(name, sizeof name, "%s%s", m->asked->path[0], m->asked->n > 1 ? " and others" : "");
    MT_TRY(mt_filling_begin(name, &joined, filling));
    const mt_closed *c = &filling->closed;
    mt_decision("surface", "closed, %s vertices, %.3g mL%s",
        mt_number_count_text((double)filling->surface.n_vertices, vertices), c->volume_mm3 / mm3_in_mL,
        c->n_merged + c->n_degenerate + c->n_duplicate + c->n_chips > 0
            ? "; repaired: points merged, or triangles removed"
            : "");
    return MT_OK;
}

/* Chooses the number of elements that gmsh generates. */
static mt_status choose_filling(making *m, double volume_mm3, double *filled)
{
    double elements = elements_of(m, volume_mm3);
    if (m->asked->elements == 0) elements = fmax(elements / fewer, elements_least);
    MT_TRY(check_elements(m, elements, volume_mm3));
    for (*filled = elements; *filled > MT_HEART_FILLED_MOST; *filled /= 8) m->times++;
    say_wanted(m, elements, volume_mm3);
    return MT_OK;
}

static mt_status repair(making *m, mt_mesh *mesh, mt_repair *r)
{
    mesh->notes = NULL; /* the reader's notes are already printed */
    const mt_status status = mt_repair_mesh(arena_of(m), mesh, r);
    if (status == MT_OK) mt_print_notes(m->asked->path[0], mesh->notes);
    if (status != MT_INPUT) return status;
    return mt_fail(status, "%s: cannot be repaired: %s", m->asked->path[0], mt_message());
}

/* Copies the surface's tags to the boundary of the mesh and names them. */
static mt_status tag_as_surface(making *m, const mt_mesh *surface, mt_mesh *mesh)
{
    MT_SCRATCH(scratch);
    mt_adjacency adjacency;
    MT_TRY(mt_adjacency_make(scratch, mesh, &adjacency));
    MT_TRY(mt_boundary_make(arena_of(m), &adjacency, mesh));
    MT_TRY(mt_filling_carry_tags(surface, mesh));
    MT_TRY(mt_surfaces_rims(mesh));
    mt_triangles_remove_untagged(mesh);
    return mt_names_put_surfaces(arena_of(m), mesh);
}

static mt_status fill(mt_arena *arena, making *m, mt_mesh *parts)
{
    mt_filling *filling;
    mt_repair repaired;
    double filled;
    mt_mesh *mesh = &m->heart->mesh;
    MT_ALLOC(arena, filling, 1);
    MT_TRY(begin_surface(arena, m, parts, filling));
    warn_of_size(m, &filling->surface);
    MT_TRY(find_anatomy(arena, m, NULL, &filling->surface));
    choose_tissue(m, m->heart->has_anatomy);
    MT_TRY(choose_filling(m, filling->closed.volume_mm3, &filled));
    mt_arena_free(arena_of(m));
    MT_TRY(mt_filling_make(arena_of(m), filling, filled, m->asked->mesh, mesh));
    mt_progress_stage(NULL);
    MT_TRY(repair(m, mesh, &repaired));
    return m->heart->has_anatomy ? tag_as_surface(m, &filling->surface, mesh) : MT_OK;
}

/* ---- from a mesh ---- */

static mt_status report_repair(const mt_mesh *mesh, const mt_repair *r)
{
    char elements[MT_NUMBER_SIZE], text[256] = "", size[MT_ELEMENT_SIZE_TEXT];
    mt_element_size found;
    const struct {
        const char *what;
        size_t n;
    } done[] = {{"inverted elements reoriented", r->turned},
        {"duplicate, flat or overlapping elements removed",
            r->repeats.n_merged + r->duplicates + r->repeated + r->flat.elements + r->flat.surface +
                r->flat.inside + r->overlapping},
        {"disconnected pieces removed", r->pieces}, {"vertices removed", r->vertices}};
    for (size_t k = 0; k < sizeof done / sizeof *done; k++) {
        const size_t used = strlen(text);
        if (done[k].n == 0) continue;
        (void)snprintf(text + used, sizeof text - used, "%s%zu %s",
            used > 0 ? ", " : "; repaired: ", done[k].n, done[k].what);
    }
    MT_TRY(mt_element_size_find(mesh, &found));
    mt_element_size_text(&found, size);
    mt_decision("mesh", "%s elements, element size %s, %.3g mL%s",
        mt_number_count_text((double)mesh->n_elements, elements), size, volume_of(mesh) / mm3_in_mL, text);
    return MT_OK;
}

/* Chooses the number of refinements: as many as necessary, or as --elements permits. */
static mt_status choose_refining(making *m)
{
    const mt_mesh *mesh = &m->heart->mesh;
    const double volume_mm3 = volume_of(mesh), wanted = elements_of(m, volume_mm3);
    const bool asked = m->asked->elements > 0;
    double elements = (double)mesh->n_elements;
    for (; asked ? elements * 8 <= wanted : elements < wanted; elements *= 8) m->times++;
    MT_TRY(check_elements(m, elements, volume_mm3));
    say_wanted(m, elements, volume_mm3);
    return MT_OK;
}

static mt_status take_mesh(mt_arena *arena, making *m)
{
    mt_mesh *mesh = &m->heart->mesh;
    mt_repair repaired;
    mt_adjacency adjacency;
    MT_TRY(repair(m, mesh, &repaired));
    MT_TRY(report_repair(mesh, &repaired));
    warn_of_size(m, mesh);
    MT_TRY(mt_adjacency_make(arena, mesh, &adjacency));
    MT_TRY(find_anatomy(arena_of(m), m, &adjacency, mesh));
    choose_tissue(m, mesh->fibre || m->heart->has_anatomy);
    return choose_refining(m);
}

/* ---- surfaces and meshes ---- */

static mt_status refine(making *m)
{
    char elements[MT_NUMBER_SIZE], halved[64] = "", failing[96] = "", size[MT_ELEMENT_SIZE_TEXT];
    mt_heart_mesh *heart = m->heart;
    const mt_tissue tissue = mt_medium_tissue(&heart->tissue);
    mt_progress_stage("refining");
    MT_TRY(mt_refining_times(m->refining, m->times, &heart->mesh));
    mt_progress_stage(NULL);
    MT_TRY(mt_element_size_find(&heart->mesh, &heart->size));
    mt_element_size_text(&heart->size, size);
    heart->late_percent =
        mt_delay_percent(mt_cell_models[0], &mt_diffusion_scheme_default, &tissue, heart->size.length_mm);
    heart->beyond_measured = heart->size.length_mm > mt_delay_length_mm(mt_cell_models[0],
                                                         &mt_diffusion_scheme_default, &tissue, INFINITY);
    if (m->times == 1 || m->times == 2)
        (void)snprintf(halved, sizeof halved, ", edges halved %s", m->times == 1 ? "once" : "twice");
    else if (m->times > 0)
        (void)snprintf(halved, sizeof halved, ", edges halved %lu times", m->times);
    if (heart->beyond_measured)
        (void)snprintf(failing, sizeof failing,
            " or more; propagation may fail at element sizes above %.2f mm",
            mt_delay_length_mm(mt_cell_models[0], &mt_diffusion_scheme_default, &tissue, INFINITY));
    mt_decision("mesh", "%s elements, element size %s%s; CV error: activation times about %.0f %% late%s",
        mt_number_count_text((double)heart->mesh.n_elements, elements), size, halved, heart->late_percent,
        failing);
    return heart->has_anatomy ? mt_landmarks_find(&heart->mesh, &heart->landmarks) : MT_OK;
}

static mt_status make_fibres(mt_arena *arena, making *m)
{
    mt_mesh *mesh = &m->heart->mesh;
    mt_adjacency adjacency;
    mt_fibres fibres;
    MT_TRY(mt_adjacency_make(arena, mesh, &adjacency));
    mt_progress_stage("solving for the transmural and apicobasal coordinates");
    MT_TRY(mt_fibres_make(arena_of(m), mesh, &adjacency, &mt_fibres_rule_default, &fibres));
    mt_progress_stage(NULL);
    mesh->fibre = fibres.fibre, mesh->sheet = fibres.sheet;
    mesh->depth = fibres.depth, mesh->layer = fibres.layer;
    return MT_OK;
}

static mt_status choose_fibres(making *m)
{
    const mt_mesh *mesh = &m->heart->mesh;
    const bool placeholders = mesh->fibre && mt_info_fibres_alike(mesh);
    if (mesh->fibre && (!placeholders || !m->heart->has_anatomy)) {
        mt_decision("fibres", "from the file%s", placeholders ? ", uniform" : "");
        return MT_OK;
    }
    if (!m->heart->has_anatomy) {
        mt_decision("fibres", "none, as the anatomy is unknown; isotropic conductivity, the transverse one");
        return MT_OK;
    }
    MT_SCRATCH(scratch);
    MT_TRY(mt_fail_in(m->asked->path[0], make_fibres(scratch, m)));
    mt_decision("fibres", "by rule, from %g degrees at the endocardium to %g at the epicardium%s",
        mt_fibres_rule_default.endo_deg, mt_fibres_rule_default.epi_deg,
        placeholders ? "; the uniform fibres of the file are ignored" : "");
    return MT_OK;
}

/* Reads the files, and uses their mesh or fills their surface. */
static mt_status make_mesh(making *m)
{
    MT_SCRATCH(arena);
    mt_mesh *parts;
    MT_ALLOC(arena, parts, m->asked->n);
    mt_progress_stage("reading the files");
    for (size_t k = 0; k < m->asked->n; k++)
        MT_TRY(read_one(m->asked->n == 1 ? arena_of(m) : arena, m, m->asked->path[k], &parts[k]));
    mt_progress_stage(NULL);
    m->heart->mesh = parts[0];
    if (parts[0].n_elements > 0) return take_mesh(arena, m);
    return fill(arena, m, parts);
}

mt_status mt_heart_mesh_make(const mt_heart_request *asked, mt_refining *refining, mt_heart_mesh *heart)
{
    making m = {.asked = asked, .refining = refining, .heart = heart};
    *heart = (mt_heart_mesh){.has_anatomy = false};
    MT_TRY(make_mesh(&m));
    MT_TRY(refine(&m));
    return choose_fibres(&m);
}
