#include "app/heart/heart_case.h"

#include <math.h>
#include <string.h>

#include "data/core/progress.h"
#include "data/core/axes.h"
#include "data/core/number.h"
#include "data/core/vec3.h"
#include "data/yaml/yaml_write.h"
#include "solver/tissue/arrival.h"

#define RADIUS_MM 6
#define DURATION_MS 2
#define STRENGTH_UA_MM3 50
#define MARGIN 1.5    /* factor on the expected activation time */
#define MARGIN_MORE 2 /* same, if the delay may be larger than expected */
#define DETOUR 1.15   /* excess of path lengths along edges */
#define ROUNDED_MS 10 /* granularity of the end */
#define NETWORK_MS 80 /* from the His bundle to the farthest junctions, with their delay */
#define FRAMES 40     /* maximum frames of V until full activation */

/* With a conduction system. On a mesh of 0.7 mm with voltages at the vertices, junctions of 1 mm and 2 kOhm excite the nearest vertex, but
 * the tissue around most of those in thin walls 10 to 50 ms later; these ones excite it within 3 ms. */
#define NETWORK_MS_MM 0.29
#define NETWORK_FIBRES 3000
#define JUNCTION_KOHM 1
#define JUNCTION_MM 2
#define TRANSVERSE_MS_MM 0.03 /* intracellular; the benchmark's tissue has a transverse CV of 0.22 mm/ms */

/* ---- the stimulus ---- */

/* Finds the centre of the vertices and the direction of their largest variance. */
static void find_long_axis(const mt_mesh *mesh, double middle_mm[3], double axis[3])
{
    double a[3][3] = {{0}}, axes[3][3];
    int longest = 0;
    for (int k = 0; k < 3; k++) middle_mm[k] = 0;
    for (size_t v = 0; v < 3 * mesh->n_vertices; v++)
        middle_mm[v % 3] += mesh->xyz_mm[v] / (double)mesh->n_vertices;
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        double from[3];
        mt_minus3(mesh->xyz_mm + 3 * v, middle_mm, from);
        for (int k = 0; k < 9; k++) a[k / 3][k % 3] += from[k / 3] * from[k % 3];
    }
    mt_axes_find(a, axes);
    for (int k = 1; k < 3; k++)
        if (a[k][k] > a[longest][longest]) longest = k;
    for (int k = 0; k < 3; k++) axis[k] = axes[k][longest];
}

/* Finds the centroid of the element at the lower end of the axis, by z. */
static void find_lower_end(const mt_mesh *mesh, double end_mm[3])
{
    double middle_mm[3], axis[3], farthest = -INFINITY;
    find_long_axis(mesh, middle_mm, axis);
    const double down = axis[2] > 0 ? -1 : 1;
    for (size_t c = 0; c < mesh->n_elements; c++) {
        double x[3];
        mt_mesh_centroid(mesh, c, x);
        const double far = down * mt_dot3(x, axis);
        if (far <= farthest) continue;
        farthest = far;
        for (int k = 0; k < 3; k++) end_mm[k] = x[k];
    }
}

/* Chooses a sphere with a radius of 6 mm, or of two element sizes if that is larger. */
static void choose_sphere(mt_heart_case *c)
{
    const mt_heart_mesh *heart = c->heart;
    mt_region *region = &c->site[0].region;
    double at_mm[3];
    *region = mt_region_empty;
    region->radius_mm = fmax(RADIUS_MM, ceil(2 * heart->size.length_mm));
    c->n_sites = 1;
    if (heart->has_anatomy) {
        region->at = "apex";
        for (int k = 0; k < 3; k++) at_mm[k] = heart->mesh.xyz_mm[3 * heart->landmarks.apex + (size_t)k];
    } else {
        find_lower_end(&heart->mesh, at_mm);
        for (int k = 0; k < 3; k++) /* rounded as in the case */
            region->centre_mm[k] = at_mm[k] = round(at_mm[k] * 100) / 100;
    }
    mt_decision("stimulus", "%s (%.1f, %.1f, %.1f) mm, radius %g mm, for %d ms",
        heart->has_anatomy ? "apex at" : "lower end of the longest axis, at", at_mm[0], at_mm[1], at_mm[2],
        region->radius_mm, DURATION_MS);
}

static void choose_stimuli(mt_heart_case *c)
{
    if (c->network) {
        mt_decision("stimulus", "upper end of the His bundle, for 1 ms");
        return;
    }
    if (!c->beat || !c->heart->has_anatomy) {
        choose_sphere(c);
        return;
    }
    c->n_sites = mt_heart_sites_find(c->heart, c->site);
    mt_decision("stimuli",
        "%zu early endocardial activation sites of the human heart (Durrer et al. 1970), radius %g mm, for "
        "%d ms",
        c->n_sites, c->site[0].region.radius_mm, DURATION_MS);
    mt_decision("endocardium", "CV is doubled to a depth of %.1f mm, in place of a Purkinje network",
        mt_heart_endocardium_mm(c->heart));
}

/* ---- the cells ---- */

static void choose_cells(const mt_heart_case *c)
{
    if (!c->beat) return;
    if (!c->heart->has_anatomy) {
        mt_decision("cells", "all epicardial, without gradient, as the anatomy is unknown");
        return;
    }
    mt_decision("cells", c->heart->mesh.layer ? "M cells in the endocardial layer, epicardial cells elsewhere"
                                              : "all epicardial, as the mesh has no transmural layers");
    mt_decision("gradient", "apical g_Ks %g times basal g_Ks (Szentadrassy et al. 2005, Okada et al. 2011)",
        MT_HEART_APEX_GKS);
}

/* ---- the end, and the ECG ---- */

/* Lists the places that are activated first: the sites, or with a conduction system the endocardia. */
static size_t find_first(const mt_heart_case *c, mt_region first[MT_HEART_SITES])
{
    static const char *const endocardium[] = {"lv_endocardium", "rv_endocardium"};
    for (size_t k = 0; k < c->n_sites; k++) first[k] = c->site[k].region;
    if (!c->network) return c->n_sites;
    for (size_t k = 0; k < 2; k++) {
        first[k] = mt_region_empty;
        first[k].surface = endocardium[k];
    }
    return c->heart->has_rv ? 2 : 1;
}

/* Returns the elements of these places, with duplicates if they overlap. */
static mt_status find_stimulated(mt_arena *scratch, mt_heart_case *c, size_t *n, uint32_t **elements)
{
    const mt_mesh *mesh = &c->heart->mesh;
    mt_region first[MT_HEART_SITES];
    uint32_t *of_place[MT_HEART_SITES];
    size_t n_of_place[MT_HEART_SITES];
    const size_t n_places = find_first(c, first);
    *n = 0;
    for (size_t k = 0; k < n_places; k++) {
        MT_TRY(mt_region_check(&first[k]));
        MT_TRY(mt_region_elements(scratch, &first[k], mesh, &n_of_place[k], &of_place[k]));
        *n += n_of_place[k];
    }
    MT_ALLOC(scratch, *elements, *n);
    for (size_t k = 0, at = 0; k < n_places; at += n_of_place[k++])
        memcpy(*elements + at, of_place[k], n_of_place[k] * sizeof **elements);
    return MT_OK;
}

static mt_status choose_end(mt_arena *scratch, mt_heart_case *c)
{
    const mt_heart_mesh *heart = c->heart;
    uint32_t *elements;
    size_t n;
    MT_TRY(find_stimulated(scratch, c, &n, &elements));
    MT_TRY(mt_arrival_latest(
        &heart->mesh, n, elements, MT_ARRIVAL_ALONG_MM_MS, MT_ARRIVAL_ACROSS_MM_MS, &c->expected_ms));
    c->expected_ms *= (1 + heart->late_percent / 100) / DETOUR;
    if (c->network) c->expected_ms += NETWORK_MS;
    if (c->beat) {
        c->end_ms = ROUNDED_MS * ceil((c->expected_ms + MT_HEART_BEAT_MS) / ROUNDED_MS);
        mt_decision(
            "end", "at %g ms, %d ms after the expected end of activation", c->end_ms, MT_HEART_BEAT_MS);
        return MT_OK;
    }
    c->end_ms = ROUNDED_MS *
                (1 + ceil((heart->beyond_measured ? MARGIN_MORE : MARGIN) * c->expected_ms / ROUNDED_MS));
    mt_decision("end",
        "when all reachable tissue is activated, expected at about %.0f ms; at %g ms at the latest",
        c->expected_ms, c->end_ms);
    return MT_OK;
}

static void choose_electrodes(mt_heart_case *c)
{
    const mt_heart_mesh *heart = c->heart;
    mt_status status = MT_OK;
    if (c->scanner_axes || heart->has_anatomy)
        status = mt_chest_electrodes(&heart->mesh, c->scanner_axes ? NULL : &heart->landmarks, c->electrode);
    else
        status =
            mt_fail(MT_INPUT, "the orientation of the heart in the chest is unknown without its anatomy");
    c->n_electrodes = status == MT_OK ? MT_CHEST_ELECTRODES : 0;
    if (status == MT_OK)
        mt_decision("ecg", "twelve leads, with the electrode positions of an adult chest%s",
            c->scanner_axes ? " in the axes of the scanner" : "");
    else
        mt_decision("ecg", "none: %s", mt_message());
}

mt_status mt_heart_case_choose(
    const char *title, const char *mesh, const mt_heart_mesh *heart, mt_heart_case *c)
{
    MT_SCRATCH(scratch);
    *c = (mt_heart_case){.beat = c->beat,
        .accuracy_percent = c->accuracy_percent,
        .network = c->network,
        .scanner_axes = c->scanner_axes,
        .title = title,
        .mesh = mesh,
        .heart = heart};
    choose_stimuli(c);
    choose_cells(c);
    MT_TRY(choose_end(scratch, c));
    choose_electrodes(c);
    return MT_OK;
}

/* ---- the text of the case ---- */

static void write_number(FILE *to, const char *key, double value, const char *remark)
{
    char number[MT_NUMBER_SIZE];
    mt_number_text(value, number);
    const int n = fprintf(to, "  %s: %s", key, number);
    if (remark[0]) (void)fprintf(to, "%*s # %s", n < 33 ? 33 - n : 1, "", remark);
    (void)fputc('\n', to);
}

static void write_tissue(FILE *to, const mt_heart_case *c)
{
    const mt_heart_mesh *heart = c->heart;
    const mt_medium *t = &heart->tissue;
    const bool faster = c->network && heart->mesh.fibre;
    (void)fprintf(to, "tissue: # S/m = mS/mm, %s\n",
        heart->mesh.fibre ? "benchmark of Niederer et al. 2011"
                          : "isotropic, as there are no fibres: transverse values of the benchmark of "
                            "Niederer et al. 2011");
    write_number(to, "intracellular_l_mS_mm", t->intracellular_l_mS_mm, "longitudinal");
    write_number(to, "intracellular_t_mS_mm", faster ? TRANSVERSE_MS_MM : t->intracellular_t_mS_mm,
        faster ? "transverse, for a CV of 0.28 mm/ms (benchmark: 0.019)" : "transverse");
    write_number(to, "extracellular_l_mS_mm", t->extracellular_l_mS_mm, "");
    write_number(to, "extracellular_t_mS_mm", t->extracellular_t_mS_mm, "");
    write_number(to, "chi_per_mm", t->chi_per_mm, "surface-to-volume ratio");
    write_number(to, "cm_uF_mm2", t->cm_uF_mm2, "membrane capacitance");
}

static void write_site(FILE *to, const mt_heart_case *c, const mt_heart_site *site)
{
    const mt_region *r = &site->region;
    (void)fputs("  - ", to);
    if (r->surface[0])
        (void)fprintf(to, "surface: %s\n    depth_mm: %g\n    centre_mm: [%g, %g, %g]\n    start_ms: %g\n",
            r->surface, r->depth_mm, r->centre_mm[0], r->centre_mm[1], r->centre_mm[2], site->start_ms);
    else if (c->heart->has_anatomy)
        (void)fprintf(to, "at: apex # of the left ventricle\n");
    else
        (void)fprintf(to,
            "centre_mm: [%g, %g, %g] # lower end of the longest axis, as the anatomy is unknown\n",
            r->centre_mm[0], r->centre_mm[1], r->centre_mm[2]);
    write_number(to, "  radius_mm", r->radius_mm, "");
    write_number(to, "  duration_ms", DURATION_MS, "");
    write_number(to, "  strength_uA_mm3", STRENGTH_UA_MM3, "as in the benchmark");
}

static void write_network(FILE *to, const mt_heart_case *c)
{
    (void)fprintf(to,
        "network: # Purkinje fibres; block: [{kind: left_bundle}] is a left bundle branch block\n  file: ");
    mt_yaml_write_text(to, c->network);
    (void)fputc('\n', to);
    write_number(to, "conductivity_mS_mm", NETWORK_MS_MM, "CV of 2 mm/ms");
    write_number(to, "fibres", NETWORK_FIBRES, "each end stands for some 25 mm2 of endocardium");
    (void)fprintf(to,
        "  junction: {resistance_kOhm: %d, radius_mm: %d} # excites the tissue around each end\n",
        JUNCTION_KOHM, JUNCTION_MM);
    (void)fprintf(to, "  stimuli:\n    - node: 0 # upper end of the His bundle\n");
}

static void write_stimuli(FILE *to, const mt_heart_case *c)
{
    if (c->network) {
        write_network(to, c);
        return;
    }
    (void)fprintf(to, "stimuli: # data/cases/README.md describes other sites\n");
    for (size_t k = 0; k < c->n_sites; k++) write_site(to, c, &c->site[k]);
}

/* Writes cell type, regions and gradients; the last two only for a complete beat. */
static void write_cells(FILE *to, const mt_heart_case *c)
{
    static const char *const surface[] = {"lv_endocardium", "rv_endocardium"};
    (void)fprintf(to,
        "cell:\n  type: epi%s\n"
        "  stepping: multirate # cells with slowly changing V are evaluated less often: half the run time\n"
        "  evaluation: tabulated # of functions of V; as accurate as single precision. exact: for backend "
        "ipu\n",
        c->beat ? "" : " # in the entire wall");
    if (!c->beat || !c->heart->has_anatomy) return;
    if (c->heart->mesh.layer || !c->network) (void)fprintf(to, "regions:\n");
    if (c->heart->mesh.layer)
        (void)fprintf(
            to, "  - {layer: endo, type: mid} # M cells in the endocardial layer (Okada et al. 2011)\n");
    for (int k = 0; !c->network && k < (c->heart->has_rv ? 2 : 1); k++)
        (void)fprintf(to, "  - {surface: %s, depth_mm: %.1f, conductivity_factor: 4} # doubles CV\n",
            surface[k], mt_heart_endocardium_mm(c->heart));
    (void)fprintf(to,
        "gradients: # more I_Ks at the apex (Szentadrassy et al. 2005)\n"
        "  - {parameter: g_Ks, along: apex_to_base, first: %g, last: 1}\n",
        MT_HEART_APEX_GKS);
}

static void write_time(FILE *to, const mt_heart_case *c)
{
    char expected[64];
    if (c->beat) {
        (void)fprintf(to, "time:\n  dt_ms: 0.05\n");
        write_number(to, "end_ms", c->end_ms, "through repolarisation");
        (void)fprintf(to, "output:\n  maps: [activation, conduction_velocity, repolarisation, apd]\n");
        return;
    }
    (void)snprintf(expected, sizeof expected, "latest end; expected at %.0f ms", c->expected_ms);
    (void)fprintf(to, "time:\n  dt_ms: 0.02\n  until: activated # all reachable tissue\n");
    write_number(to, "end_ms", c->end_ms, expected);
    (void)fprintf(to, "output:\n  maps: [activation, conduction_velocity]\n");
}

static void write_diffusion(FILE *to, const mt_heart_case *c)
{
    (void)fprintf(to, "diffusion:\n"
                      "  discretisation: auto # voltages at the vertices (a fifth of the time) if accurate "
                      "enough; or elements, nodes\n");
    write_number(to, "accuracy_percent", c->accuracy_percent, "allowed CV error; only with auto");
}

static void write_electrodes(FILE *to, const mt_heart_case *c)
{
    (void)fprintf(to, "ecg:\n  every_ms: 1\nelectrodes: # on an adult chest; %s\n",
        c->scanner_axes ? "x is left, y posterior, z superior"
                        : "solver/outputs/chest.h describes the orientation of the heart");
    for (size_t e = 0; e < c->n_electrodes; e++) {
        const double *x = c->electrode[e].at_mm;
        (void)fprintf(
            to, "  - {name: %s, at_mm: [%.1f, %.1f, %.1f]}\n", c->electrode[e].name, x[0], x[1], x[2]);
    }
}

/* Writes the frames of V, at intervals of integer ms. */
static void write_series(FILE *to, const mt_heart_case *c)
{
    const double shown_ms = c->beat ? c->end_ms : c->expected_ms, every_ms = fmax(1, ceil(shown_ms / FRAMES)),
                 frames = 1 + floor(shown_ms / every_ms);
    (void)fprintf(to,
        "series: # frames of V: about %.0f MB, a fifth with voltages at the vertices, plus the mesh\n  "
        "every_ms: %g\n",
        ceil(frames * (double)c->heart->mesh.n_elements * sizeof(float) / 1e6), every_ms);
}

void mt_heart_case_write(FILE *to, const mt_heart_case *c, const char *run_again)
{
    char late[160], size[MT_ELEMENT_SIZE_TEXT];
    mt_element_size_text(&c->heart->size, size);
    (void)snprintf(late, sizeof late, "element size %s; CV error: activation times about %.0f %% late%s",
        size, c->heart->late_percent, c->heart->beyond_measured ? " or more; propagation may fail" : "");
    (void)fprintf(
        to, "# Written by myotile heart. To run it again after changes:\n#   %s\ntitle: ", run_again);
    mt_yaml_write_text(to, c->title);
    (void)fprintf(to, "\nmesh: # %s\n  file: ", late);
    mt_yaml_write_text(to, c->mesh);
    (void)fputc('\n', to);
    write_tissue(to, c);
    write_diffusion(to, c);
    write_cells(to, c);
    write_time(to, c);
    write_series(to, c);
    write_stimuli(to, c);
    if (c->n_electrodes > 0) write_electrodes(to, c);
    (void)fprintf(
        to, "machine:\n  backend: cpu # this computer; ipu: the emulated IPU system, with its cycles\n");
}
