#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>

#include "solver/diffusion/tissue.h"
#include "tests/app/program.h"

TestSuite(model_import, .init = enter_room, .fini = leave_room);

/* ---- the squid axon of Hodgkin and Huxley (1952), in any units of V and time; with a state that is not steady after some beats */

typedef struct units {
    const char *v, *time;
    double mV, ms; /* one unit of V, and of time */
} units;

static void write_squid(const char *path, units u)
{
    char text[2048];
    (void)snprintf(text, sizeof text,
        "[[model]]\n"
        "membrane.V = %.17g\nsodium.m = 0.053\nsodium.h = 0.596\npotassium.n = 0.318\nleak.memory = 0\n"
        "[engine]\ntime = 0 in [%s] bind time\npace = 0 bind pace\n"
        "[membrane]\nC = 1 [uF/cm^2]\n in [uF/cm^2]\nr = %g\n"
        "dot(V) = -(sodium.i + potassium.i + leak.i - 20 * engine.pace) / C * (r / %g)\n in [%s]\n"
        "v = %g * V\n"
        "[sodium]\nuse membrane.v, membrane.r\ni = g_Na * m^3 * h * (v - 50)\n g_Na = 120\n"
        "dot(m) = r * (0.1 * (v + 40) / (1 - exp(-(v + 40) / 10)) * (1 - m) - 4 * exp(-(v + 65) / 18) * m)\n"
        "dot(h) = r * (0.07 * exp(-(v + 65) / 20) * (1 - h) - h / (1 + exp(-(v + 35) / 10)))\n"
        "[potassium]\nuse membrane.v, membrane.r\ni = 36 * n^4 * (v + 77)\n"
        "dot(n) = r * (0.01 * (v + 55) / (1 - exp(-(v + 55) / 10)) * (1 - n) - 0.125 * exp(-(v + 65) / 80) * "
        "n)\n"
        "[leak]\ni = 0.3 * (membrane.v + 54.4)\n"
        "dot(memory) = membrane.r * (membrane.v - memory) / 5000\n",
        -65 / u.mV, u.time, u.ms, u.mV, u.v, u.mV);
    write_text(path, text);
}

static const units usual = {"mV", "ms", 1, 1};

/* Returns the tables from that of time steps on. */
static const char *results_of(const char *text)
{
    const char *at = strstr(text, "\nTime steps: ");
    cr_assert_not_null(at);
    return at;
}

Test(model_import, volts_and_seconds_give_the_results_of_millivolts_and_milliseconds)
{
    write_squid("a.mmt", usual);
    write_squid("b.mmt", (units){"V", "s", 1000, 1000});
    char *a = works("model import a.mmt --no-tissue --beats 1"),
         *b = works("model import b.mmt --no-tissue --beats 1");
    cr_expect_str_eq(results_of(a), results_of(b));
    cr_expect(strstr(b, "membrane.V") && strstr(b, "-65  mV") && strstr(b, "engine.pace"), "%s", b);
    cr_expect(strstr(a, "\ng_Na    120") && strstr(a, "\n     0.02 ") && !strstr(a, "In the default tissue"),
        "%s", a);
    /* The rate of m at the peak, 42 to 43 mV: alpha + beta. */
    cr_expect(strstr(a, "\nm               0.053        Rush-Larsen            8.2"), "%s", a);
    free(a), free(b);
}

Test(model_import, the_saved_state_is_that_of_pacing_by_the_command_cell)
{
    write_squid("a.mmt", usual);
    free(works("model import a.mmt --no-tissue --beats 3 --save import.yaml"));
    free(works("cell --model a.mmt --bcl 1000 --beats 3 --save cell.yaml"));
    cr_expect(same_file("import.yaml", "cell.yaml"));
    write_text("other.txt", "not a state");
    refuses(3, "other.txt", "model import a.mmt --no-tissue --save other.txt");
    refuses(2, "is the file of the model", "model import a.mmt --no-tissue --force --save a.mmt");
}

/* ---- V and the stimulus */

Test(model_import, a_file_without_v_is_refused_with_its_states_and_accepted_with_its_name)
{
    write_text("a.mmt",
        "[[model]]\nmembrane.phi = -80\nmembrane.m = 0\n[engine]\ntime = 0 in [ms] bind time\n"
        "[membrane]\nk = 0.1\ndot(phi) = -k * (phi + 80) + m\ndot(m) = -k * m\n");
    refuses(2, "name it by --voltage of `myotile model import`; states: phi, m",
        "model import a.mmt --no-tissue");
    refuses(2, "'rho'", "model import a.mmt --no-tissue --voltage rho");
    refuses(2, "has no derivative", "model import a.mmt --no-tissue --voltage k");
    refuses(2, "states: phi, m", "cell --model a.mmt");
    char *table, *said = warnings(&table, "model import a.mmt --no-tissue --beats 1 --voltage phi");
    cr_expect(strstr(table, "membrane.phi"), "%s", table);
    free(said), free(table);
}

static void write_driven(const char *path)
{
    write_text(path, "[[model]]\nmembrane.V = -80\n[engine]\ntime = 0 in [ms] bind time\n[membrane]\n"
                     "dot(V) = -(V + 80) * k + drive\n in [mV]\nk = 0.1\n"
                     "drive = if(engine.time < 2, 20, 0)\n");
}

Test(model_import, time_dependent_equations_are_refused_unless_they_are_the_named_stimulus)
{
    char *table;
    write_driven("a.mmt");
    refuses(2, "the derivative of 'V' depends on time", "model import a.mmt --no-tissue");
    refuses(2, "--stimulus-current", "model import a.mmt --no-tissue");
    char *said =
        warnings(&table, "model import a.mmt --no-tissue --beats 1 --stimulus-current drive --format json");
    cr_expect(strstr(said, "a.mmt: found no action potential"), "%s", said);
    cr_expect(strstr(table, "\"stimulus\": \"membrane.drive\""), "%s", table);
    free(said), free(table);
}

Test(model_import, unit_errors_of_the_file_are_warnings)
{
    char *table;
    write_text("a.mmt", "[[model]]\nmembrane.V = -80\n[engine]\ntime = 0 in [ms] bind time\n[membrane]\n"
                        "k = 0.1 [1/ms]\n in [1/ms]\ndot(V) = -k * (V + 80 [mm])\n in [mV]\n");
    char *said = warnings(&table, "model import a.mmt --no-tissue --beats 1 --format json");
    cr_expect(strstr(said, "warning: a.mmt:8: "), "%s", said);
    cr_expect_eq(json_property(table, "warnings"), 1);
    free(said), free(table);
}

/* ---- time steps */

/* Forward Euler of V' = -150 V is stable up to 0.0133 ms. */
Test(model_import, unstable_time_steps_have_no_error_and_are_not_the_default_of_the_command_cell)
{
    char *table;
    write_text("a.mmt", "[[model]]\nmembrane.V = -80\n[engine]\ntime = 0 in [ms] bind time\n[membrane]\n"
                        "dot(V) = -150 * (V + 80)\n in [mV]\n");
    char *said = warnings(&table, "model import a.mmt --no-tissue --beats 1 --format json");
    cr_expect_eq(json_property(table, "largest_time_step_ms"), 0.01);
    cr_expect(strstr(table, "\"time_step_ms\": 0.02, \"error_mv\": null, \"peak_mv\": null"), "%s", table);
    cr_expect_null(strstr(table, "\"time_step_ms\": 0.01, \"error_mv\": null"), "%s", table);
    free(said), free(table);
    said = warnings(&table, "cell --model a.mmt --end-ms 2");
    cr_expect(strstr(table, "time step 0.01 ms"), "%s", table);
    free(said), free(table);
    refuses(2, "--dt-ms 0.02; allowed: at most 0.01", "cell --model a.mmt --end-ms 2 --dt-ms 0.02");
}

/* ---- in tissue */

/* With v = (V + 80) / 100, v' = -k v (v - a) (v - 1) travels at (1 - 2 a) sqrt(D k / 2). */
Test(model_import, the_cv_of_the_cubic_model_is_its_closed_form)
{
    const double k = 8, a = 0.1;
    write_text("a.mmt", "[[model]]\nmembrane.V = -80\n[engine]\ntime = 0 in [ms] bind time\n[membrane]\n"
                        "v = (V + 80) / 100\ndot(V) = -100 * 8 * v * (v - 0.1) * (v - 1)\n in [mV]\n");
    char *text = works("model import a.mmt --beats 1 --format json");
    const double speed = (1 - 2 * a) * sqrt(mt_tissue_diffusivity_l(&mt_tissue_default) * k / 2);
    cr_expect_float_eq(json_number(text, "succeeds", "cv_along_mm_per_ms"), speed, 0.005 * speed, "%s", text);
    cr_expect(json_number(text, "succeeds", "spreading") >= 0);
    cr_expect(json_number(text, "succeeds", "error_percent") < 10);
    free(text);
}
