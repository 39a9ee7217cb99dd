/* SPDX-License-Identifier: MIT */
#include "score/testing.h"

#include <stdbool.h>
#include <string.h>

#define EVALUATES                                                              \
    {                                                                          \
        .evaluates = TT_EVAL_ALWAYS, .save = 1, .variable_step = 1             \
    }

static void pair_outputs(const struct tt_mock_view *v)
{
    *tt_mock_f64(v, 1) = v->x[0];
    *tt_mock_f64(v, 2) = 2 * *tt_mock_f64(v, 0);
}

static void pair_derivative(const struct tt_mock_view *v, double *dx)
{
    dx[0] = *tt_mock_f64(v, 0);
}

static const struct tt_mock_port pair_port[] = {
    {.name = "u", .causality = TT_CAUS_INPUT},
    {.name = "y", .causality = TT_CAUS_OUTPUT, .deps = ""},
    {.name = "z", .causality = TT_CAUS_OUTPUT, .deps = "u"},
};

const struct tt_mock_spec tt_testing_pair = {
    .model = "pair",
    .port = pair_port,
    .n_port = 3,
    .caps = EVALUATES,
    .behaviour = {.n_x = 1,
                  .derivative = pair_derivative,
                  .outputs = pair_outputs},
};

static void sum_outputs(const struct tt_mock_view *v)
{
    *tt_mock_f64(v, 2) = *tt_mock_f64(v, 0) + *tt_mock_f64(v, 1);
}

static const struct tt_mock_port sum_port[] = {
    {.name = "a", .causality = TT_CAUS_INPUT},
    {.name = "b", .causality = TT_CAUS_INPUT},
    {.name = "w", .causality = TT_CAUS_OUTPUT, .deps = "a,b"},
};

const struct tt_mock_spec tt_testing_sum = {
    .model = "sum",
    .port = sum_port,
    .n_port = 3,
    .caps = EVALUATES,
    .behaviour = {.outputs = sum_outputs},
};

static void blurred_outputs(const struct tt_mock_view *v)
{
    *tt_mock_f64(v, 1) = *tt_mock_f64(v, 0) / 4 + 1;
}

static const struct tt_mock_port blurred_port[] = {
    {.name = "u", .causality = TT_CAUS_INPUT},
    {.name = "y", .causality = TT_CAUS_OUTPUT, .deps = NULL},
};

const struct tt_mock_spec tt_testing_blurred = {
    .model = "blurred",
    .port = blurred_port,
    .n_port = 2,
    .caps = EVALUATES,
    .behaviour = {.outputs = blurred_outputs},
};

static void twice_outputs(const struct tt_mock_view *v)
{
    *tt_mock_f64(v, 2) = *tt_mock_f64(v, 0) / 2;
    *tt_mock_f64(v, 3) = *tt_mock_f64(v, 1) / 2;
}

static const struct tt_mock_port twice_port[] = {
    {.name = "u1", .causality = TT_CAUS_INPUT},
    {.name = "u2", .causality = TT_CAUS_INPUT},
    {.name = "y1", .causality = TT_CAUS_OUTPUT, .deps = NULL},
    {.name = "y2", .causality = TT_CAUS_OUTPUT, .deps = NULL},
};

const struct tt_mock_spec tt_testing_twice_blurred = {
    .model = "twice blurred",
    .port = twice_port,
    .n_port = 4,
    .caps = EVALUATES,
    .behaviour = {.outputs = twice_outputs},
};

static void mixed_outputs(const struct tt_mock_view *v)
{
    static const size_t size[] = {sizeof(double), sizeof(int32_t), sizeof(bool),
                                  sizeof(int64_t), sizeof(struct tt_text)};

    for (int i = 0; i < 5; i++)
        memcpy(v->value[5 + i], v->value[i], size[i]);
}

static const struct tt_mock_port mixed_port[] = {
    {.name = "u", .causality = TT_CAUS_INPUT},
    {.name = "ui", .type = TT_I32, .causality = TT_CAUS_INPUT},
    {.name = "ub", .type = TT_BOOL, .causality = TT_CAUS_INPUT},
    {.name = "ue", .type = TT_ENUM64, .causality = TT_CAUS_INPUT},
    {.name = "us", .type = TT_TEXT, .causality = TT_CAUS_INPUT},
    {.name = "y", .causality = TT_CAUS_OUTPUT, .deps = "u"},
    {.name = "yi", .type = TT_I32, .causality = TT_CAUS_OUTPUT, .deps = "ui"},
    {.name = "yb", .type = TT_BOOL, .causality = TT_CAUS_OUTPUT, .deps = "ub"},
    {.name = "ye",
     .type = TT_ENUM64,
     .causality = TT_CAUS_OUTPUT,
     .deps = "ue"},
    {.name = "ys", .type = TT_TEXT, .causality = TT_CAUS_OUTPUT, .deps = "us"},
};

const struct tt_mock_spec tt_testing_mixed = {
    .model = "mixed",
    .port = mixed_port,
    .n_port = 10,
    .caps = EVALUATES,
    .behaviour = {.outputs = mixed_outputs},
};

void tt_testing_section(const tt_score *s, enum tt_section section,
                        struct tt_buf *out)
{
    uint32_t first = s->section[section].first;

    for (uint32_t i = 0; i < s->section[section].n; i++) {
        tt_buf_str(out, i ? "; " : "");
        tt_score_op_text(s, first + i, out);
    }
}
