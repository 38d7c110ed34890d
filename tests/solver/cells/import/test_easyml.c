#include <criterion/criterion.h>

#include "solver/cells/import/easyml.h"
#include "tests/solver/cells/import/small_model.h"

TestSuite(easyml, .init = enter, .fini = leave_all);

#define HEAD "V; .external(Vm); .nodal();\nIion; .external();\nV_init = -80;\n"

static void read_text(const char *text) { read_model(mt_easyml_read, text); }

Test(easyml, the_voltage_changes_by_minus_iion)
{
    read_text("Vm; .nodal(); .external(); .lookup(-100, 100, 0.05);\n"
              "Itot; .external(Iion);\n"
              "Vm_init = -80; # mV\n"
              "Itot = g*(Vm - E); /* a\n comment */\n"
              "group { g = 0.5; E; } .param();\n"
              "E = -20; // mV\n");
    check_rate("Vm", 30);
    check_value("Vm", -80);
    cr_assert_str_eq(variable_of("Vm")->label, "membrane_voltage");
    cr_assert_str_eq(variable_of("Vm")->unit_text, "mV");
    cr_assert(variable_of("Vm")->unit.known);
    cr_assert_eq(variable_of("g")->kind, MT_VARIABLE_PARAMETER);
    cr_assert_eq(variable_of("E")->line, 7);
    cr_assert_str_eq(model->format, "EasyML");
    for (size_t k = 0; k < model->n; k++)
        if (k != index_of("Vm")) cr_assert_null(model->variable[k].label);
}

Test(easyml, derivatives_have_two_names_and_can_be_used)
{
    read_text(HEAD "diff_c = -2*c; c_init = 3;\n"
                   "d_k_dt = diff_c*k; k_init = 5;\n"
                   "Iion = d_k_dt + k_init;");
    check_rate("c", -6);
    check_rate("k", -30);
    check_rate("V", 30 - 5);
    size_t index;
    cr_assert(mt_equations_find(model, "diff_c", &index));
    cr_assert(!mt_equations_find(model, "c_init", &index));
}

/* Gates with each pair of names; the last one has no initial value. */
static const char gates[] = HEAD "Iion = m*h*k*(V - 40);\n"
                                 "a_m = exp(V/100); b_m = 2; m_init = 0.1;\n"
                                 "alpha_h = 3; beta_h = 1 + expm1(V/50); h_init = 0.2;\n"
                                 "tau_k = 4; k_inf = 1/(1 + exp(-(V + 70)/10));\n";

Test(easyml, gates_follow_from_their_rates)
{
    read_text(gates);
    const double k = 1 / (1 + exp(1.)), alpha_m = exp(-0.8), beta_h = 1 + expm1(-1.6);
    check_rate("m", alpha_m * 0.9 - 2 * 0.1);
    check_rate("h", 3 * 0.8 - beta_h * 0.2);
    check_rate("k", 0);
    check_value("k", k);
    check_rate("V", -0.1 * 0.2 * k * -120);
}

Test(easyml, a_gate_starts_in_its_steady_state)
{
    read_text(HEAD "Iion = m + n + shift;\n"
                   "a_m = -V; b_m = n*10;\n"       /* n: a state */
                   "tau_n = 1; n_inf = shift*2;\n" /* shift: a formula of V */
                   "shift = V/100;");
    check_value("n", -1.6);
    check_value("m", 80 / (80 - 16.));
    check_rate("m", 80 * (1 - 80 / 64.) + 16 * 80 / 64.);
}

Test(easyml, an_own_derivative_replaces_that_of_a_gate)
{
    read_text(HEAD "Iion = x; tau_x = 2; x_inf = 3; diff_x = 7;");
    check_rate("x", 7);
    check_value("x", 3);
}

Test(easyml, names_like_rates_are_no_gate_unless_the_base_is_used)
{
    size_t index;
    read_text(HEAD "a_1 = 2; b_1 = 3; tau_q = 4; q_inf = 5; q;\nIion = a_1*b_1 + tau_q*q_inf;");
    check_rate("V", -26);
    cr_assert(!mt_equations_find(model, "q", &index));
}

Test(easyml, tau_and_inf_are_preferred_with_a_warning)
{
    read_text(HEAD "Iion = x; tau_x = 2; x_inf = 3; a_x = 1; b_x = 1; x_init = 1;");
    check_rate("x", 1);
    cr_assert_eq(model->n_warnings, 1);
    cr_assert(strstr(model->warning[0], "`x` has alpha and beta, and tau and inf; tau and inf are used"));
}

Test(easyml, branches_become_selections)
{
    static const char text[] =
        HEAD "diff_x = 0; x_init = %d;\n"
             "b = 100;\n"
             "if (x == 1 and not (x > 1)) { a = 10; b = 200; c = 1; }\n"
             "elif (x < 3 || x >= 9) { c = 2; a = 20;\n"
             "  if (x == 2) { a += 5; } }\n"
             "elif (x == 3) { a = 30; if (b > 100) { c = 3; } else { c = 4; } b -= 1; }\n"
             "else { a = x > 4 ? x == 5 ? 50 : 60 : 40; c = 5; }\n"
             "if (x == 4) { c *= 10; }\n"
             "Iion = a; e = b; f = c;";
    static const double expected[][3] = {
        {10, 200, 1}, {25, 100, 2}, {30, 99, 4}, {40, 100, 50}, {50, 100, 5}, {60, 100, 5}};
    for (int x = 1; x <= 6; x++) {
        char one[1024];
        (void)snprintf(one, sizeof one, text, x);
        read_text(one);
        check_rate("V", -expected[x - 1][0]);
        check_value("e", expected[x - 1][1]);
        check_value("f", expected[x - 1][2]);
    }
}

Test(easyml, variables_can_be_updated)
{
    read_text(HEAD "if (V > 1) { } Iion = 1; Iion += 2*V; Iion -= 3; Iion *= 4; Iion /= 8;");
    check_rate("V", -((1 - 160 - 3) * 4 / 8.));
}

Test(easyml, functions_of_c_are_known)
{
    read_text(HEAD "Iion = pow(2, 3) + fabs(V) + square(3) + cube(2) + log(exp(1)) + sqrt(16) + -V/2;");
    check_rate("V", -(8 + 80 + 9 + 8 + 1 + 4 + 40));
}

Test(easyml, markup_sets_units_and_flags)
{
    read_text(HEAD "group { I; J = 2; if (t > 1) { k = 1; } else { k = 2; } } .units(uA/cm^2) .trace();\n"
                   "type = ENDO; .flag(EPI, MCELL, ENDO); .param(); .lb(0);\n"
                   "I = (type == EPI) ? 1 : (type == ENDO) ? 2 : 3; .units( mS ); .method(cvode);\n"
                   "Iion = I + J + k;");
    check_rate("V", -6);
    check_value("type", 2);
    cr_assert_str_eq(variable_of("J")->unit_text, "uA/cm^2");
    cr_assert_str_eq(variable_of("k")->unit_text, "uA/cm^2");
    cr_assert_float_eq(variable_of("k")->unit.factor, 0.01, 1e-12);
    cr_assert_str_eq(variable_of("I")->unit_text, "mS");
    cr_assert_str_eq(variable_of("type")->unit_text, "");
    cr_assert_eq(variable_of("t")->kind, MT_VARIABLE_TIME);
    cr_assert_str_eq(variable_of("t")->unit_text, "ms");
    cr_assert_geq(model->n_warnings, 1);
    cr_assert(strstr(model->warning[0], ":5: .lb is ignored: variables are not bounded"));
}

Test(easyml, a_variable_without_equation_is_a_parameter)
{
    read_text(HEAD "Ke; .external(); .nodal(); Ke_init = 5.4; y_init = V/2;\nIion = Ke + y; Iion_init = 1;");
    check_rate("V", -5.4 + 40);
    cr_assert_eq(variable_of("Ke")->kind, MT_VARIABLE_PARAMETER);
    cr_assert_eq(model->n_warnings, 1);
    cr_assert(strstr(model->warning[0], "an initial value of `Iion` is ignored: it has no derivative"));
}

Test(easyml, the_voltage_can_have_its_own_derivative)
{
    read_text("V; .external(Vm);\nV_init = 1; diff_V = -2*V;");
    check_rate("V", -2);
    cr_assert_str_eq(variable_of("V")->label, "membrane_voltage");
}

Test(easyml, no_memory_is_an_error)
{
    check_memory(mt_easyml_read, gates);
    check_memory(
        mt_easyml_read, HEAD "if (V > 0) { a = 1; } else { a = 2; } type = X; .flag(X, Y);\nIion = a*type;");
}

Test(easyml, errors_name_line_and_word)
{
    static const refused cases[] = {
        {"", ": no variable is the membrane voltage; expected a declaration such as `V; .external(Vm);`"},
        {"V; .external(Vm);\n", ":1:1: Iion, the current of the membrane, is not assigned"},
        {"V; .external(Vm);\nIion = V;", ":1: V has a derivative but no initial value"},
        {"V; .external(Vm);\nU; .external(Vm);", ":2:1: a second variable is .external(Vm)"},
        {HEAD "diff_V = 1;\nIion = 2;",
            ":4:1: the membrane voltage has a derivative, and Iion has a value; expected one of them"},
        {HEAD "Iion = x;", ":4:8: unknown name `x`, expected a variable in scope"},
        {HEAD "x; .external();\nIion = x;", ":5:8: the external variable `x` has neither an equation nor an "
                                            "initial value (_init); plug-ins are not "
                                            "supported"},
        {HEAD "Iion = dt;", ":4:8: the time step `dt` is not supported in equations"},
        {HEAD "Iion = 1;\nIion = 2;", ":5:1: `Iion` is assigned again; its first assignment is in line 4"},
        {HEAD "if (V > 0) { a = 1; a = 2; } Iion = 0;",
            ":4:21: `a` is assigned again; its first assignment is in line 4"},
        {HEAD "a = 1; if (V > 0) { a = 2; }\na = 3; Iion = 0;",
            ":5:1: `a` is assigned again; its first assignment is in line 4"},
        {HEAD "Iion += 1;", ":4:1: `Iion` has no value that could be changed here"},
        {HEAD "Iion = Iion + 1;", ":4: a value depends on itself: Iion; supported are ordinary differential "
                                  "equations"},
        {HEAD "\nif (V > 0) { Iion = 1; }", ":5:1: `Iion` is not assigned in all branches of this `if` (with "
                                            "`else`), and has no value before it"},
        {HEAD "\nif (V > 0) { Iion = 1; } elif (V < 0) { a = 1; } else { Iion = 3; a = 2; }",
            ":5:1: `Iion` is not assigned in all branches of this `if` (with `else`), and has no value "
            "before it"},
        {HEAD "x = 1; .store();",
            ":4:9: found `store`, expected external, units, flag, param, nodal, regional, "
            "trace, lookup, method, lb or ub after `.`"},
        {".param();", ":1:1: found `.`, expected a variable before a markup"},
        {HEAD "diff_x = 1; x = 2; Iion = 0;",
            ":4:13: `x` has a value and a derivative; it can have one of them"},
        {HEAD "diff_x = 1;\nd_x_dt = 2;", ":5:1: `d_x_dt` is a second derivative of this variable"},
        {HEAD "y = 1; .flag(A);\nA = 2; Iion = 0;", ":5:1: `A` is a value of .flag; it cannot be assigned"},
        {HEAD "y = 1; .flag(A, 2);", ":4:17: found `2`, expected a name or `)`"},
        {HEAD "Iion = 1 2;", ":4:10: found `2`, expected `;` after a statement"},
        {HEAD "Iion 1;", ":4:6: found `1`, expected `=`, `+=` or `;` after the name of a variable"},
        {HEAD "Iion = V[1];", ":4:9: found `[`, expected `;` after a statement"},
        {HEAD "I_Na *= sv->j; Iion = 0;", ":4:9: unknown name `sv`, expected a variable in scope"},
        {HEAD "if V > 0 { Iion = 1; }", ":4:4: found `V`, expected `(` after if or elif"},
        {HEAD "if (V > 0 { Iion = 1; }", ":4:11: found `{`, expected `)` after a condition"},
        {HEAD "group { Iion = 1;",
            ":4:18: found the end of the text, expected `}` after the statements of a group or "
            "branch"},
        {HEAD "Iion = 1; }", ":4:11: found `}`, expected a statement"},
        {HEAD "x; .units(mV",
            ":4:13: found the end of the text, expected `)` after the arguments of a markup"},
        {HEAD "/* Iion", ":4:1: found a comment without end"},
        {HEAD "Iion = x + y; tau_x = 1; x_inf = y; tau_y = 1; y_inf = x;",
            ":4: the initial value of x is not a finite number: it depends on a state or on time"},
    };
    check_refused(mt_easyml_read, cases, sizeof cases / sizeof *cases);
}

Test(easyml, deep_nesting_is_refused)
{
    char text[512] = "";
    for (int k = 0; k < 33; k++) strcat(text, "group {");
    const refused deep = {text, ":1:231: found `{`, expected at most 32 nested groups and ifs"};
    check_refused(mt_easyml_read, &deep, 1);
    *text = 0;
    strcat(text, "x;");
    for (int k = 0; k < 65; k++) strcat(text, ".lb()");
    const refused many = {text, ":1:323: found `.`, expected at most 64 markups of a statement"};
    check_refused(mt_easyml_read, &many, 1);
}
