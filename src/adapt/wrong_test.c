/* SPDX-License-Identifier: MIT */
/* Wrong programs, each with its whole message, behind the path. */
#include "adapt/test_adapt.h"

struct wrong {
    const char *text, *message;
};
static const struct wrong wrong[] = {
    {"", "1:1: expected 'semantic', found the end"},
    {"semantic", "1:9: expected 'adaptation', found the end"},
    {"semantic adaption A a for inner fmu Gain g at \"gain\" ",
     "1:10: expected 'adaptation', found 'adaption'"},
    {"semantic adaptation A a ",
     "1:25: expected 'for inner fmu', found the end"},
    {"import Other semantic adaptation A a for inner fmu Gain g at \"gain\" ",
     "1:1: 'import' is not supported: a file has one adaptation, and names its "
     "inner units"},
    {"module M", "1:1: 'module' is not supported: a file has one adaptation, "
                 "and names its inner units"},
    {"fmu T n at \"x.fmu\"", "1:1: 'fmu' is not supported: a file has one "
                             "adaptation, and names its inner units"},
    {"semantic adaptation A a for fmu g",
     "1:29: 'for fmu', which refers to another module, is not supported: write "
     "'for inner fmu ... at \"FILE\"'"},
    {"semantic adaptation reactive delayed A a for inner fmu Gain g at "
     "\"gain\" ",
     "1:40: expected 'for inner fmu', found 'a'"},
    {"semantic adaptation A a for inner fmu Gain g",
     "1:45: expected 'at', found the end"},
    {"semantic adaptation A a for inner fmu Gain g at gain",
     "1:49: expected the location of the inner unit in quotes, found 'gain'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" for inner fmu "
     "Gain g at \"gain\" ",
     "1:70: there are two inner units 'g'"},
    {"semantic adaptation A a for inner fmu Gain a at \"gain\"",
     "1:39: an inner unit is named as the adaptation, 'a'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" with g.y -> h.u",
     "1:61: there is no input 'h.u'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" with g.z -> g.u",
     "1:61: there is no output 'g.z'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" with g.u -> g.y",
     "1:61: there is no output 'g.u'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" with g -> g.u",
     "1:61: expected a port of an inner unit, as in 'tank.level', found 'g'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" with g.y -> g.u "
     "with g.y -> g.u",
     "1:77: 'g.u' is connected twice"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" with g.y -> g.u",
     "1:21: the inner units depend on each other in a circle: there is no "
     "order to step them in, so control rules are needed"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" with input "
     "ports w",
     "1:73: inner unit 'g' has no input 'w'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" with param kk "
     ":= "
     "1;",
     "1:67: inner unit 'g' has no parameter 'kk'; did you mean 'k'?"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" with param u := "
     "1;",
     "1:67: inner unit 'g' has no parameter 'u'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" with param k := "
     "-x;",
     "1:73: expected a number, 'true' or 'false', found 'x'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" with input "
     "ports u, u",
     "1:76: there are two ports 'g.u'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" with output "
     "ports yy",
     "1:74: inner unit 'g' has no output 'yy'; did you mean 'y'?"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" input ports u "
     "-> g.w",
     "1:68: input 'u' of the adaptation is not bound to 'g.u', which would "
     "have the same name: bind it, or give it another one"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" input ports u, "
     "u",
     "1:71: there are two inputs 'u'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" input ports t",
     "1:68: 't' is of the language and cannot name a port"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" input ports "
     "String u",
     "1:68: texts are not supported"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" input ports u "
     "\"alias\"",
     "1:70: aliases of ports are not supported"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" input ports v "
     "(m -> g.u",
     "1:70: a '(' lacks its ')'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" output ports w",
     "1:69: output 'w' is never set: bind it, or assign it in an out rule"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" output ports y "
     "<- g.u",
     "1:74: there is no inner output 'g.u'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" with output "
     "ports y (m) output ports w (kg) <- g.y",
     "1:93: the units 'm' and 'kg' do not fit"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" with output "
     "ports y (furlong) output ports w (m) <- g.y",
     "1:99: there is no way from the unit 'furlong' to 'm': one of them is not "
     "known"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" output ports "
     "Bool w <- g.y",
     "1:79: 'w' and 'g.y' are not of one type"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" input ports "
     "Bool u -> g.u",
     "1:78: 'u' and 'g.u' are not of one type"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" param P",
     "1:63: expected ':=', found the end"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" param P := ;",
     "1:67: expected an expression, found ';'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" param P := Q;",
     "1:67: there is no variable 'Q'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" param P := 1, P "
     ":= 2;",
     "1:70: 'P' is a parameter already"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" param P := t;",
     "1:67: 't' is of the language: it cannot be read in a first value"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" param P := "
     "\"x\";",
     "1:67: texts are not supported"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" param Bool P := "
     "1;",
     "1:67: 'P' is a Boolean, and what it is given is a number"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" what",
     "1:56: expected 'input', 'output', 'param', 'control', 'in', 'out' or "
     "'derivatives', "
     "found 'what'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" successive "
     "substitution starts at p",
     "1:56: the clause 'successive' is not supported in a file: write control "
     "rules"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" delay at u",
     "1:56: the clause 'delay' is not supported in a file: write control "
     "rules"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" multiply rate "
     "10 times",
     "1:56: the clause 'multiply' is not supported in a file: write control "
     "rules"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules "
     "triggered by u",
     "1:70: control rules 'triggered' are not supported: write them out, in "
     "braces"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "return H; } control rules { return H; }",
     "1:92: there are control rules already"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" in rules with "
     "crossing { }",
     "1:65: settings of rules (crossing, hold) are not supported"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "do_step(g, t, H); }",
     "1:21: the control rules must end with 'return', and the length of the "
     "step that was made"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "return do_step(g, t); }",
     "1:79: 'do_step' takes 3 arguments, not 2"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "return do_step(f, t, H); }",
     "1:87: there is no inner unit 'f'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "return do_step(gg, t, H); }",
     "1:87: there is no inner unit 'gg'; did you mean 'g'?"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "retrun H; }",
     "1:72: 'retrun' is no statement: 'do_step', 'save_state', 'rollback', "
     "'reinitialise', 'warn' and 'fail' can be called"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "return H }",
     "1:81: expected ';', found '}'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "return (H; }",
     "1:79: a '(' lacks its ')'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "return h; }",
     "1:79: 'h' is of the language: it cannot be read in control rules"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "return dt; }",
     "1:79: 'dt' is of the language: it cannot be read in control rules"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "return true; }",
     "1:79: expected a number, found a Boolean"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "var x := do_stepp(g, t, H); return x; }",
     "1:81: there is no function 'do_stepp'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "break; return H; }",
     "1:72: 'break' is not in a loop"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "return H; return H; }",
     "1:82: this is never reached"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "for (var k in 0 .. 2000000) { do_step(g, t, H/2); } return H; }",
     "1:72: more than 1000000 turns of loops"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "var n := 3; for (var k in 0 .. n) { } return H; }",
     "1:103: 'n' is a variable: it cannot be read in the bound of a loop"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "if H > 1 { } return H; }",
     "1:75: expected '(' behind 'if', found 'H'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "if (H) { } return H; }",
     "1:75: expected a Boolean, found a number"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "if (H > 1) { return H; } }",
     "1:21: the control rules must end with 'return', and the length of the "
     "step that was made"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "x := 1; return H; }",
     "1:72: there is no variable 'x'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "a.y := 1; return H; }",
     "1:72: 'a.y' is an output: it cannot be assigned in control rules"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "g.y := 1; return H; }",
     "1:72: 'g.y' is an output of an inner unit: it cannot be assigned in "
     "control rules"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "g.u := true; return H; }",
     "1:72: 'g.u' is a number, and what it is given is a Boolean"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "var x := 1; var x := 2; return x; }",
     "1:84: 'x' is a variable already"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "var x := save_state(g); return H; }",
     "1:81: 'save_state' has no value"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "discard(1); return H; }",
     "1:72: 'discard' is not supported"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "var e := elapsed(g); return H; }",
     "1:81: 'elapsed' is not supported"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "foo(g); return H; }",
     "1:72: 'foo' is no statement: 'do_step', 'save_state', 'rollback', "
     "'reinitialise', 'warn' and 'fail' can be called"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "var x := is_close(1, 2, 3); return H; }",
     "1:81: 'is_close' takes 4 arguments, not 3"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "var x := g.u[prev]; return H; }",
     "1:84: the past of a signal, '[prev]', is not supported: keep it in a "
     "variable"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "if (t >! H) { } return H; }",
     "1:78: '>!' is not supported"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "{ } return H; }",
     "1:72: expected a statement, found '{'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "return sine(H); }",
     "1:79: there is no function 'sine'; did you mean 'sin'?"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "return \"x\"; }",
     "1:79: texts are not supported"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" control rules { "
     "if (H > 0) { } else return H; return H; }",
     "1:92: expected '{' or 'if' behind 'else', found 'return'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" in var s := "
     "0.0; in rules { true -> { g.u := 1; } --> {  }; }",
     "1:94: 'g.u' is an input of an inner unit: it cannot be assigned in the "
     "first part of an in rule"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" in var s := "
     "0.0; in rules { true -> {  } --> { s := 1; }; }",
     "1:103: 's' is an in variable: it cannot be assigned in the second part "
     "of an in rule"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" in var s := "
     "0.0; in rules { true -> {  } --> { g.u := a.y; }; }",
     "1:110: 'a.y' is an output: it cannot be read in the second part of an in "
     "rule"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" in var s := "
     "0.0; in rules { 1 -> {  } --> {  }; }",
     "1:84: expected a Boolean, found a number"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" in var s := "
     "0.0; in rules { false -> {  } --> {  }; }",
     "1:84: this rule never applies"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" in var s := "
     "0.0; in rules { true -> { s := H; } --> {  }; }",
     "1:99: 'H' is of the language: it cannot be read in the first part of an "
     "in rule"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" in var s := "
     "0.0; in rules { true -> { do_step(g, t, H); } --> {  }; }",
     "1:94: 'do_step' can only be used in control rules"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" in var s := "
     "0.0; in rules { true -> { return 1; } --> {  }; }",
     "1:94: 'return' can only be used in control rules"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" in var s := "
     "0.0; in rules { true -> { s := ss; } --> {  }; }",
     "1:99: there is no variable 'ss'; did you mean 's'?"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" in var s := "
     "0.0; in rules { true -> { s := true; } --> {  }; }",
     "1:94: 's' is a number, and what it is given is a Boolean"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" output ports y "
     "out var o := 0.0; out rules { true -> { y := 1; } --> { y := o; }; }",
     "1:111: 'y' is an output: it cannot be assigned in the first part of an "
     "out rule"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" output ports y "
     "out var o := 0.0; out rules { true -> {  } --> { o := 1; y := o; }; }",
     "1:120: 'o' is an out variable: it cannot be assigned in the second part "
     "of an out rule"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" output ports y "
     "out var o := 0.0; out rules { g.yy > 1 -> {  } --> { y := o; }; }",
     "1:101: there is no variable 'g.yy'; did you mean 'g.y'?"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" output ports y "
     "out var o := 0.0; out rules { true -> { o := g.y; } } --> { y := o; }; }",
     "1:123: expected '-->', found '}'"},
    {"semantic adaptation reactive moore A a for inner fmu Gain g at \"gain\" "
     "input ports v -> g.u output ports y out rules { true -> { } --> { y := "
     "a.v; }; }",
     "1:142: 'a' is moore: its outputs cannot follow the input 'v' at once"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" with input "
     "ports u (m) input ports v (s) in rules { true -> { } --> { g.u := v; }; "
     "}",
     "1:126: 'g.u' is in m, and what it is given is not: convert it, as in "
     "x[m]"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" in rules { true "
     "-> { ",
     "1:75: a '{' lacks its '}'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" /* no end",
     "1:56: a comment lacks its closing '*/'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain",
     "1:49: a text lacks its closing '\"'"},
    {"semantic adaptation A a for inner fmu Gain g at \"gain\" param P := 1 $ "
     "2;",
     "1:69: a character that is not of the language"},
    {SA "A a " GAIN "control rules { reinitialise(g, 3, 1); return H; }",
     "1:88: expected the name of a variable, found '3'"},
    {SA "A a " GAIN "control rules { reinitialise(g, kk, 1); return H; }",
     "1:88: 'g' has no real variable 'kk'; did you mean 'k'?"},
    {SA "A a " GAIN "control rules { reinitialise(g, k); return H; }",
     "1:72: 'reinitialise' takes an inner unit, and at most 16 pairs of a "
     "variable and its value"},
    {SA "A a " GAIN "control rules { reinitialise(); return H; }",
     "1:72: 'reinitialise' takes an inner unit, and at most 16 pairs of a "
     "variable and its value"},
    {SA "A a " GAIN "control rules { reinitialise(f); return H; }",
     "1:85: there is no inner unit 'f'"},
    {SA "A a " GAIN "control rules { reinitialise(g, k, true); return H; }",
     "1:91: expected a number, found a Boolean"},
    {SA "A a " GAIN "control rules { var x := reinitialise(g); return H; }",
     "1:81: 'reinitialise' has no value"},
    {SA "A a " GAIN "control rules { warn(3); return H; }",
     "1:77: 'warn' takes a text in quotes"},
    {SA "A a " GAIN "control rules { fail(g); return H; }",
     "1:77: 'fail' takes a text in quotes"},
    {SA "A a " GAIN "control rules { fail(\"a\", \"b\"); return H; }",
     "1:72: 'fail' takes 1 argument, not 2"},
    {SA "A a " GAIN "control rules { var x := warn(\"a\"); return H; }",
     "1:81: 'warn' has no value"},
    {SA "A a " GAIN "control rules { do_step(g, t, H) + 1; return H; }",
     "1:89: expected ';' behind the call of 'do_step'"},
    {SA "A a " GAIN "control rules { may_reject := true; return H; }",
     "1:72: 'may_reject' is of the language: it cannot be assigned in control "
     "rules"},
    {SA "A a " GAIN "control rules { var x := get_next_time_step(); "
        "return H; }",
     "1:81: 'get_next_time_step' takes 1 argument, not 0"},
    {SA "A a " GAIN "control rules { get_next_time_step(g); return H; }",
     "1:72: 'get_next_time_step' is no statement: 'do_step', 'save_state', "
     "'rollback', 'reinitialise', 'warn' and 'fail' can be called"},
    {SA "A a " GAIN "out var o := 0.0; out rules { otherwise -> { } --> { }; }",
     "1:86: 'otherwise' needs a rule before it"},
    {SA "A a " GAIN "out var o := g.y;",
     "1:69: 'g.y' is an output of an inner unit: it cannot be read in a first "
     "value"},
    {SA "A a " GAIN "in var i := a.u;",
     "1:68: 'a.u' is an input: it cannot be read in a first value"},
    {SA "A a " GAIN "output ports y derivatives by difference",
     "1:86: expected 'differences', found 'difference'"},
    {SA "A a " GAIN "derivatives by differences of 0",
     "1:86: expected a time greater than 0, found '0'"},
    {SA "A a " GAIN "derivatives by differences of -1",
     "1:86: expected a time greater than 0, found '-'"},
    {SA "A a " GAIN "input ports v := x -> g.u",
     "1:73: expected a number, 'true' or 'false', found 'x'"},
    {SA "A a " GAIN "input ports v := true -> g.u",
     "1:73: 'v' is a number, and what it is given is a Boolean"},
    {SA "A a " GAIN "input ports 3",
     "1:68: expected the name of a port, found '3'"},
    {SA "A a for inner fmu Poor p at \"poor\" control rules { "
        "save_state(p); return H; }",
     "1:72: 'p' cannot save its state, so that 'save_state' is not possible"},
    {SA "A a for inner fmu Poor p at \"poor\" control rules { "
        "rollback(p); return H; }",
     "1:72: 'p' cannot save its state, so that 'rollback' is not possible"},
    {SA "A a for inner fmu Poor p at \"poor\" control rules { "
        "reinitialise(p); return H; }",
     "1:72: 'p' cannot give its state as bytes, so that 'reinitialise' is not "
     "possible"},
    {SA "A a for inner fmu Poor p at \"poor\" derivatives by differences",
     "1:21: derivatives by differences need steps that are taken back, and 'p' "
     "cannot save its state"},
    {SA "A a for inner fmu Clock c at \"tutti:clock: 1/3\"",
     "1:39: inner unit 'c' has clocks, and an adaptation has none"},
};

static void each_is_refused_with_its_message(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        tt_unit_type *t = NULL;
        tt_err why = {.msg = ""};
        const char *found;

        if (open_program(&t, wrong[i].text, &why) == TT_OK)
            fail_msg("taken: %s", wrong[i].text);
        found = strstr(why.msg, "test.sa:");
        assert_non_null(found);
        assert_string_equal(found + strlen("test.sa:"), wrong[i].message);
    }
}

/* What only a step shows. */
static const struct wrong late[] = {
    {SA "A a " GAIN "control rules { do_step(g, t + 1, H); return H; }",
     "1:72: do_step from t=1: the inner unit stands at t=0"},
    {SA "A a " GAIN "control rules { do_step(g, t, H - H); return H; }",
     "1:72: do_step by 0: a step is longer than 0"},
    {SA "A a " GAIN "control rules { rollback(g); return H; }",
     "1:72: rollback without a state that was saved in this step"},
    {SA "A a " GAIN "param N := 2e6; control rules { "
        "for (var k in 0 .. N) { } return H; }",
     "1:88: more than 1000000 turns of loops in a step"},
    {SA "A a " GAIN "control rules { fail(\"enough\"); return H; }",
     "1:72: enough"},
    {SA "A a " GAIN "control rules { return -H; }",
     "the control rules returned -1: the length of a step is wanted, longer "
     "than 0"},
};

static void each_fails_in_its_step(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(late) / sizeof(late[0]); i++) {
        const struct tt_step s = {.to = 1};
        tt_unit_type *t = NULL;
        tt_err why = {.msg = ""};
        struct tt_stepped r;
        const char *found;
        tt_unit *u;

        assert_ok(open_program(&t, late[i].text, err));
        u = make_unit(t, "a");
        get_ready(u, 0);
        assert_int_not_equal(tt_unit_step(u, &s, &r, &why), TT_OK);
        found = strstr(why.msg, "test.sa:");
        found = found ? found + strlen("test.sa:") : strstr(why.msg, "the con");
        assert_non_null(found);
        assert_string_equal(found, late[i].message);
        tt_unit_free(u);
        t->kind->close(t);
    }
}

static void an_adaptation_is_not_in_itself(void **state)
{
    tt_unit_type *t = NULL;
    tt_err why = {.msg = ""};
    const char *found;

    (void)state;
    assert_int_equal(
        open_program(&t, SA "A a for inner fmu B b at \"test.sa\"", &why),
        TT_EINPUT);
    found = strstr(why.msg, "inner unit 'b': ");
    assert_non_null(found);
    assert_string_equal(strstr(found, "test.sa:"),
                        "test.sa: an adaptation contains itself");
}

/* Cannot save its state. */
static int setup(void **state)
{
    static struct tt_mock_spec poor;

    poor = tt_mock_gain;
    poor.model = "poor";
    poor.caps.save = poor.caps.serialise = 0;
    tt_mock_register("poor", &poor);
    return test_setup(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fails_in_its_step),
        cmocka_unit_test(an_adaptation_is_not_in_itself),
        cmocka_unit_test(each_is_refused_with_its_message),
    };

    return cmocka_run_group_tests(tests, setup, test_teardown);
}
