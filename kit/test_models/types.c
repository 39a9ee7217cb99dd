/* SPDX-License-Identifier: MIT */
/* A unit with every type: each output repeats the input of its type. */
#include <math.h>
#include <string.h>
#include "tutti_kit.h"

struct types {
    double f64_in, f64_out;
    float f32_in, f32_out;
    int8_t i8_in, i8_out;
    uint8_t u8_in, u8_out;
    int16_t i16_in, i16_out;
    uint16_t u16_in, u16_out;
    int32_t i32_in, i32_out;
    uint32_t u32_in, u32_out;
    int64_t i64_in, i64_out;
    uint64_t u64_in, u64_out;
    bool bool_in, bool_out;
    char text_in[16], text_out[16];
    int32_t mode_in, mode_out;
    double vector_in[3], vector_out[3];
    int32_t matrix_in[2][3], matrix_out[2][3];
    double gain, bias;
    int32_t count;
    double celsius;
};

#define PAIR(member, type)                                                     \
    TUTTI_VAR(struct types, member##_in, type, TUTTI_INPUT, .start = 0),       \
        TUTTI_VAR(struct types, member##_out, type, TUTTI_OUTPUT,              \
                  .depends = #member "_in")

static const char *const modes[] = {"off", "idle & \"warm\"", "on", NULL};
static const double vector_start[3] = {0.1, -2.5e-300, 1e22};
static const int32_t matrix_start[2][3] = {{1, 2, 3}, {4, 5, 6}};
static const uint64_t large = UINT64_MAX;

static const struct tutti_unit units[] = {
    {.name = "furlong", .m = 1, .factor = 201.168},
};

static const struct tutti_var vars[] = {
    PAIR(f64, TUTTI_FLOAT64),
    PAIR(f32, TUTTI_FLOAT32),
    PAIR(i8, TUTTI_INT8),
    PAIR(u8, TUTTI_UINT8),
    PAIR(i16, TUTTI_INT16),
    PAIR(u16, TUTTI_UINT16),
    PAIR(i32, TUTTI_INT32),
    PAIR(u32, TUTTI_UINT32),
    PAIR(i64, TUTTI_INT64),
    TUTTI_VAR(struct types, u64_in, TUTTI_UINT64, TUTTI_INPUT,
              .starts = &large),
    TUTTI_VAR(struct types, u64_out, TUTTI_UINT64, TUTTI_OUTPUT,
              .depends = "u64_in"),
    PAIR(bool, TUTTI_BOOLEAN),
    TUTTI_VAR(struct types, text_in, TUTTI_STRING, TUTTI_INPUT,
              .text = "a<b & \"c\""),
    TUTTI_VAR(struct types, text_out, TUTTI_STRING, TUTTI_OUTPUT,
              .depends = "text_in"),
    TUTTI_VAR(struct types, mode_in, TUTTI_ENUM, TUTTI_INPUT, .items = modes,
              .type_name = "Mode", .start = 2),
    TUTTI_VAR(struct types, mode_out, TUTTI_ENUM, TUTTI_OUTPUT, .items = modes,
              .type_name = "Mode", .depends = "mode_in"),
    TUTTI_VAR(struct types, vector_in, TUTTI_FLOAT64, TUTTI_INPUT, .dim = {3},
              .starts = vector_start, .reactivity = TUTTI_REACTIVE),
    TUTTI_VAR(struct types, vector_out, TUTTI_FLOAT64, TUTTI_OUTPUT, .dim = {3},
              .depends = "vector_in gain"),
    TUTTI_VAR(struct types, matrix_in, TUTTI_INT32, TUTTI_INPUT, .dim = {2, 3},
              .starts = matrix_start, .reactivity = TUTTI_DELAYED),
    TUTTI_VAR(struct types, matrix_out, TUTTI_INT32, TUTTI_OUTPUT,
              .dim = {2, 3}, .depends = "matrix_in"),
    TUTTI_REAL_PARAMETER(struct types, gain, .start = 1, .min = 0,
                         .max = HUGE_VAL, .unit = "furlong",
                         .variability = TUTTI_TUNABLE),
    TUTTI_REAL_PARAMETER(struct types, bias, .name = "offset.bias",
                         .start = 1.0 / 3, .nominal = 1e-7),
    TUTTI_VAR(struct types, count, TUTTI_INT32, TUTTI_OUTPUT, .exact = true,
              .start = 5, .description = "steps, counted up from here"),
    TUTTI_REAL_LOCAL(struct types, celsius, .unit = "degC", .depends = "time"),
};

static void outputs(void *model, double t)
{
    struct types *m = model;

    m->f64_out = m->f64_in;
    m->f32_out = m->f32_in;
    m->i8_out = m->i8_in;
    m->u8_out = m->u8_in;
    m->i16_out = m->i16_in;
    m->u16_out = m->u16_in;
    m->i32_out = m->i32_in;
    m->u32_out = m->u32_in;
    m->i64_out = m->i64_in;
    m->u64_out = m->u64_in;
    m->bool_out = m->bool_in;
    memcpy(m->text_out, m->text_in, sizeof(m->text_out));
    m->mode_out = m->mode_in;
    for (int i = 0; i < 3; i++)
        m->vector_out[i] = m->gain * m->vector_in[i];
    memcpy(m->matrix_out, m->matrix_in, sizeof(m->matrix_out));
    m->celsius = 20 + t;
}

static void after_step(void *model, struct tutti_step *s)
{
    struct types *m = model;

    (void)s;
    m->count++;
}

const struct tutti_model tutti_model = {
    .name = "types",
    .size = sizeof(struct types),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .units = units,
    .n_units = TUTTI_COUNT(units),
    .outputs = outputs,
    .after_step = after_step,
    .propagation_delay = 0.05,
    .shortest_reaction = 0.25,
    .output_frequency = 20,
};
