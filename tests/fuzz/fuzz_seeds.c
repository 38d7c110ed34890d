/* fuzz_seeds FOLDER: writes the first inputs of the fuzzers as FOLDER/ENDING/NUMBER, where the first file of the input ends in
 * ENDING: small meshes, the cases and machines of data/, ionic models of the tests, values of --set and
 * command lines. */
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/parts.h"
#include "tests/mesh/examples.h"

/* Appends a file, if it exists, to `out` and deletes it. */
static bool append(const char *path, FILE *out)
{
    char bytes[4096];
    FILE *in = fopen(path, "rb");
    if (!in) return errno == ENOENT;
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, in)) > 0;) (void)fwrite(bytes, 1, n, out);
    const bool good = !ferror(in) && !ferror(out);
    (void)fclose(in);
    return unlink(path) == 0 && good;
}

static bool write_seed(const char *root, int number)
{
    const example *e = &examples[number];
    char folder[1024], stem[1100], path[1200];
    (void)snprintf(folder, sizeof folder, "%s/%s", root, e->ending[0] + 1);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) return false;
    (void)snprintf(stem, sizeof stem, "%s/in", folder); /* as in fuzz.c, for names in files */
    (void)snprintf(path, sizeof path, "%s/%d", folder, number);
    FILE *out = e->make(stem) ? fopen(path, "wb") : NULL;
    if (!out) return false;
    bool good = true;
    for (int k = 0; e->ending[k]; k++) {
        (void)snprintf(path, sizeof path, "%s%s", stem, e->ending[k]);
        if (k > 0) (void)fputs(between_parts, out);
        good = append(path, out) && good;
    }
    return fclose(out) == 0 && good;
}

/* ---- inputs other than meshes ---- */

static FILE *begin_seed(const char *root, const char *ending, size_t number)
{
    char path[1200];
    (void)snprintf(path, sizeof path, "%s/%s", root, ending);
    if (mkdir(path, 0777) != 0 && errno != EEXIST) return NULL;
    (void)snprintf(path, sizeof path, "%s/%s/%zu", root, ending, number);
    return fopen(path, "wb");
}

/* Copies each file of this pattern without comments, because mutations of comments find nothing. */
static bool copy_all(const char *root, const char *ending, const char *pattern)
{
    char line[1024];
    glob_t found;
    bool good = glob(pattern, 0, NULL, &found) == 0;
    for (size_t k = 0; good && k < found.gl_pathc; k++) {
        FILE *in = fopen(found.gl_pathv[k], "r"), *out = begin_seed(root, ending, k);
        good = in && out;
        while (good && fgets(line, sizeof line, in))
            if (line[strspn(line, " ")] != '#') good = fputs(line, out) >= 0;
        if (in) (void)fclose(in);
        good = (!out || fclose(out) == 0) && good;
    }
    globfree(&found);
    return good;
}

/* Writes each text of a few lines as a seed, numbered from `first`. */
static bool write_texts(const char *root, const char *ending, size_t first, const char *const *texts)
{
    bool good = true;
    for (size_t k = 0; good && texts[k]; k++) {
        FILE *out = begin_seed(root, ending, first + k);
        good = out && fputs(texts[k], out) >= 0;
        good = out && fclose(out) == 0 && good;
    }
    return good;
}

static const char *const sets[] = {"time.end_ms=20\nmachine.backend=cpu\n", "mesh.slab.edge_mm=0.25",
    "mesh.slab.size_mm=[1, 2, 3]\nmesh.slab={size_mm: [1, 1, 1], edge_mm: 0.5}",
    "mesh.file=heart.hdf\ncell.type=layers", "cell.model=mitchell-schaeffer\ncell.type=standard",
    "stimuli.0.start_ms=5\nstimuli.0.at=apex\nstimuli.0.radius_mm=6",
    "stimuli=[{surface: lv_endocardium, depth_mm: 1, duration_ms: 2, strength_uA_mm3: 50, count: 3, "
    "period_ms: 300}]",
    "points=[{name: \"a b\", at_mm: [0, 0, 0]}]\nline={from_mm: [0, 0, 0], to_mm: [1, 1, 1], points: 5}",
    "machine.partition=saved\nmachine.scheme=budget\nmachine.ranges=7\nmachine.checked=true",
    "title='x\\u00e9 # no remark'", "exchange.sync_cycles=0\nlinks.shape=torus\nname=Mine\ntiles=8",
    "links.shape=list\nlinks.list=[{from: 0, to: 1, lanes: 4}, {from: 1, to: 0, lanes: 4}]\nlinks.direct=0",
    NULL};

static const char *const states[] = {"model: mitchell-schaeffer\ntype: standard\ndt_ms: 0.02\nbcl_ms: "
                                     "400\nbeats: 3\nv_mV: -80\nstates:\n  h: 1\n",
    "model: mitchell-schaeffer\ntype: \"a b\"\nv_mV: -80\nparameters: {tau_in: 0.3}\nstates: {h: 0.5}\n",
    "model: tp06\ntype: epi\nv_mV: -85\nstates: {Xr1: 0, Xr2: 0, Xs: 0, m: 0, h: 0, j: 0, d: 0, f: 0, f2: 0, "
    "fCass: 0, s: 0, r: 0, Ca_i: 1, R_prime: 0, Ca_SR: 1, Ca_ss: 1, Na_i: 1, K_i: 1}\n",
    NULL};

static const char *const words[] = {
    "run\ncase.yaml\n--set\ntime.end_ms=1\n--profile\ntiles\n--trace\n0:10\n--trace-tiles\n0:3",
    "run\n--output\nfolder\ncase.yaml\n--format\njson",
    "mesh\nslab\n--size-mm\n1,2,3\n--edge-mm\n0.5\n-o\nslab.hdf", "mesh\ninfo\nslab.hdf\n--format\ncsv",
    "mesh\nconvert\na.vtk\nb.hdf\n--unit\num\n--repair",
    "mesh\nventricles\n--elements\n10000\n--like\nheart04\n-o\nheart.hdf",
    "mesh\nfibres\nheart.hdf\n-o\nout.hdf\n--endo-deg\n60\n--epi-deg\n-60\n--layers\n0.3,0.4,0.3\n--"
    "tags\nbase=3+4,epi=2",
    "mesh\nfill\nsurface.obj\n--elements\n1000\n-o\nfilled.hdf", "mesh\nrefine\na.hdf\n-o\nb.hdf\n--times\n2",
    "partition\nslab.hdf\n--ipus\n1,4\n--partition\nhierarchical\n--scheme\nexact\n--imbalance\n1.01\n--"
    "set\ntiles=8",
    "partition\nslab.hdf\n--target\ngc2\n--ranges\n5\n--balance-halo\n--check\n--profile\nd\n--picture\np."
    "png",
    "cell\n--type\nepi\n--dt-ms\n0.02\n--end-ms\n500\n--stimulus\n1,1,52\n-o\ntrace.csv", "machine\nlist",
    "cell\n--bcl\n400\n--beats\n3\n--last-beats\n1\n--every-ms\n0.5\n--save\ns.yaml\n--picture\np.png",
    "restitution\n--edge-mm\n0.4\n--family\nkuhn\n--direction\nacross\n--case\ncase.yaml\n--set\ntime.dt_ms="
    "0.05",
    "restitution\n--protocol\ndynamic\n--intervals-ms\n400,300,50\n--start\ns.yaml", "machine\nshow\ngc200",
    "reproduce\ntable1\n--help", "reproduce\ntable2\n--format\njson",
    "reproduce\nfigure3\n--edges-mm\n0.5,0.2\n--gmsh\n--corners\n4\n--backends\nipu,cpu\n--dt-ms\n0.05",
    "reproduce\nfigure5\n--ipus\n1,2\n-o\nf.png",
    "reproduce\nwaves\n--families\nkuhn,gmsh\n--lengths\n0.5,1\n--spreading\n0\n--plain", "--version", "help",
    "mesh", NULL};

/* A model whose only equation has this expression; `n` and `m` are more content of the component and of the model. */
#define CELLML(version, expression, n, m)                                                                    \
    "<model xmlns=\"http://www.cellml.org/cellml/" version                                                   \
    "#\" xmlns:cellml=\"http://www.cellml.org/cellml/1.0#\" name=\"m\"><component name=\"c\"><variable "     \
    "name=\"t\" units=\"second\"/><variable name=\"x\" units=\"volt\" initial_value=\"1\"/>" n               \
    "<math><apply><eq/><apply><diff/><bvar><ci>t</ci></bvar><ci>x</ci></apply>" expression                   \
    "</apply></math></component>" m "</model>"
#define APPLY(operator, operands) "<apply><" operator"/>" operands "</apply>"

static const char *const cellml[] = {
    CELLML("1.0", "<ci>x</ci>",
        "<variable name=\"y\" units=\"u\"/><units name=\"u\"><unit units=\"volt\" prefix=\"milli\" "
        "exponent=\"2\" multiplier=\"3\" offset=\"0\"/></units>",
        "<component name=\"d\"><variable name=\"x\" units=\"mV\"/></component><units name=\"mV\"><unit "
        "units=\"volt\" prefix=\"-3\"/></units><connection><map_components component_1=\"c\" "
        "component_2=\"d\"/>"
        "<map_variables variable_1=\"x\" variable_2=\"x\"/></connection>"),
    CELLML("1.1",
        "<piecewise><piece><cn>1</cn>" APPLY("and", APPLY("lt", "<ci>x</ci><ci>y</ci>") APPLY("not",
                                                        "<true/>")) "</piece><otherwise><pi/></otherwise>"
                                                                    "</piecewise>",
        "<variable name=\"y\" units=\"volt\" initial_value=\"z\"/><variable name=\"z\" units=\"volt\" "
        "initial_value=\"2\"/>",
        ""),
    CELLML("2.0",
        APPLY("plus", APPLY("root", "<degree><cn>3</cn></degree><ci>x</ci>")
                          APPLY("log", "<logbase><cn>2</cn></logbase><ci>x</ci>") APPLY("arcsech",
                              "<ci>x</ci>") "<cn type=\"e-notation\" cellml:units=\"volt\">1<sep/>-5</cn>"
                                            "<cn type=\"rational\">1<sep/>3</cn>"),
        "", "<rdf:Description rdf:about=\"#i\"><is rdf:resource=\"oxford-metadata#l\"/></rdf:Description>"),
    NULL};

static const char *const mmt[] = {
    "[[model]]\nname: m\ndesc: \"\"\"(1999)\n\"\"\"\nf(x, y) = x / (1 + exp(-y * 1 [mV]))\nc.x = -80 + "
    "c.p\nd.m "
    "= 1\n"
    "[c]\nuse d.m as M, d.n\ndot(x) = a + n * f(M, 2) in [mV] label v : text\n    a = 2^-b // 3 % 4\n"
    "        b = if(x < 1 and not (p == 2), 1, x)\n            in [V (0.001)]\np = 3 [mV/ms]\n    desc: "
    "text\n"
    "[d]\ndot(m) = dot(c.x) * \\\n    piecewise(m < 1, 2, m > 3, 4, 5)\nn = log(2, 10) bind "
    "time\n[[protocol]]\n",
    "[[model]]\nc.x = 1\n[c]\ndot(x) = -x # text\n\"\"\"\ntext\n\"\"\"\npace = 0 bind pace\nT = 310 bind t\n",
    NULL};

static const char *const ode[] = {
    "# remark\nparameters(\"A\", \"b\", c = ScalarParam(0.5, unit=\"uF*mm**-2\", description=\"d\"),\n  "
    "g=-2e-1, )\n"
    "states(\"A\", V=ScalarParam(-80, unit=\"mV\"), m=0)\ncomponent(\"A\")\na = exp(-(V + 40)/20) # ms**-1\n"
    "expressions(\"B\", \"C\")\nb = Conditional(And(Lt(V, -40), Ge(time, 3), ), \\\n a/2, 7) # remark\n"
    "dV_dt = (c -\n m)/g # mV\ndm_dt = a*(1 - m)**2 - b*m + dV_dt\n",
    "states(x=1)\ndx_dt = ContinuousConditional(Gt(x, t), 1, Not(Eq(x, 2)), 0.1) + Mod(x, 3) + 5//2 + 7%x\n",
    "parameters(a=1, b=a*2, c='x')\nstates(x=a)\ny = Max(x, pi, 3)\ndx_dt = log(y, 2) + floor(x) + "
    "abs(-x)**-0.5\n",
    NULL};

static const char *const easyml[] = {
    "V; .external(Vm); .nodal(); .lookup(-100, 100, 0.05); .units(mV);\nIion; .external(); # remark\n"
    "group { g = 15; E; type = B; .flag(A, B, C); } .param(); .units(mS/cm^2);\nE = 40; V_init = -86.9;\n"
    "a_m = V < 100 ? 0.9*(V + 42.65)/(1 - exp(-0.22*(V + 42.65))) : 891; // remark\nb_m = 100/(1 + 2.); /* r "
    "*/\n"
    "tau_h = 1; h_inf = 1/(1 + exp(V)); diff_c = -c; c_init = 0.1;\n"
    "if (V > 0 and type == B) { k = 1; } elif (not (V < -40) || c >= 2) { k = 2; } else { k = 3; }\n"
    "Iion = k*g*m*h*(V - E) + fabs(c);",
    "V; .external(Vm);\nd_V_dt = -V*t; V_init = 3; V_init *= 2; x = 1; if (V > 1) { x += 2; if (V > 2) { x = "
    "9; } }",
    "V; .external(Vm); Iion = p + q; p_init = 1; alpha_q = 1; beta_q = V; V_init = q_inf; q_inf = 3; Iion /= "
    "2;",
    NULL};

static bool write_others(const char *root)
{
    enum { FIRST_TEXT = 100 }; /* after the files */
    return copy_all(root, "cellml", MT_MODELS_DIR "/*.cellml") &&
           write_texts(root, "cellml", FIRST_TEXT, cellml) && write_texts(root, "mmt", 0, mmt) &&
           write_texts(root, "ode", 0, ode) && write_texts(root, "model", 0, easyml) &&
           copy_all(root, "yaml", MT_DATA_DIR "/cases/*.yaml") &&
           copy_all(root, "machine", MT_DATA_DIR "/machines/*.yaml") && write_texts(root, "set", 0, sets) &&
           write_texts(root, "words", 0, words) && write_texts(root, "state", 0, states);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fputs("fuzz_seeds FOLDER\n", stderr);
        return 2;
    }
    bool good = mkdir(argv[1], 0777) == 0 || errno == EEXIST;
    for (int k = 0; k < N_EXAMPLES && good; k++) good = write_seed(argv[1], k);
    good = good && write_others(argv[1]);
    if (!good) perror(argv[1]);
    return good ? 0 : 3;
}
