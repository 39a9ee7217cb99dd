/* SPDX-License-Identifier: MIT */
/* Every type the kit has: each output repeats the input of its type. */
#include <string.h>

#include "tutti_kit.h"

struct alltypes {
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
    char text_in[64], text_out[64];
    int32_t mode_in, mode_out;
    double vector_in[3], vector_out[3];
    int32_t matrix_in[2][3], matrix_out[2][3];
};

static const char *const modes[] = {"off", "idle", "on", NULL};
static const double vector_start[3] = {1, 2, 3};
static const int32_t matrix_start[2][3] = {{1, 2, 3}, {4, 5, 6}};

#define PAIR(member, type, ...)                                                \
    TUTTI_VAR(struct alltypes, member##_in, type, TUTTI_INPUT, __VA_ARGS__),   \
        TUTTI_VAR(struct alltypes, member##_out, type, TUTTI_OUTPUT,           \
                  .depends = #member "_in")

static const struct tutti_var vars[] = {
    PAIR(f64, TUTTI_FLOAT64, .start = 0.5),
    PAIR(f32, TUTTI_FLOAT32, .start = 0.25),
    PAIR(i8, TUTTI_INT8, .start = -8),
    PAIR(u8, TUTTI_UINT8, .start = 8),
    PAIR(i16, TUTTI_INT16, .start = -16),
    PAIR(u16, TUTTI_UINT16, .start = 16),
    PAIR(i32, TUTTI_INT32, .start = -32),
    PAIR(u32, TUTTI_UINT32, .start = 32),
    PAIR(i64, TUTTI_INT64, .start = -64),
    PAIR(u64, TUTTI_UINT64, .start = 64),
    PAIR(bool, TUTTI_BOOLEAN, .start = 1),
    PAIR(text, TUTTI_STRING, .text = "start"),
    TUTTI_VAR(struct alltypes, mode_in, TUTTI_ENUM, TUTTI_INPUT, .items = modes,
              .type_name = "Mode", .start = 2),
    TUTTI_VAR(struct alltypes, mode_out, TUTTI_ENUM, TUTTI_OUTPUT,
              .items = modes, .type_name = "Mode", .depends = "mode_in"),
    TUTTI_VAR(struct alltypes, vector_in, TUTTI_FLOAT64, TUTTI_INPUT,
              .dim = {3}, .starts = vector_start),
    TUTTI_VAR(struct alltypes, vector_out, TUTTI_FLOAT64, TUTTI_OUTPUT,
              .dim = {3}, .depends = "vector_in"),
    TUTTI_VAR(struct alltypes, matrix_in, TUTTI_INT32, TUTTI_INPUT,
              .dim = {2, 3}, .starts = matrix_start),
    TUTTI_VAR(struct alltypes, matrix_out, TUTTI_INT32, TUTTI_OUTPUT,
              .dim = {2, 3}, .depends = "matrix_in"),
};

static void outputs(void *model, double t)
{
    struct alltypes *m = model;

    (void)t;
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
    m->mode_out = m->mode_in;
    memcpy(m->text_out, m->text_in, sizeof(m->text_in));
    memcpy(m->vector_out, m->vector_in, sizeof(m->vector_in));
    memcpy(m->matrix_out, m->matrix_in, sizeof(m->matrix_in));
}

const struct tutti_model tutti_model = {
    .name = "alltypes",
    .size = sizeof(struct alltypes),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .outputs = outputs,
    .stop_time = 1,
    .step_size = 0.1,
};
