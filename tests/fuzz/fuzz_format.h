/* SPDX-License-Identifier: MIT */
#ifndef TT_FUZZ_FORMAT_H
#define TT_FUZZ_FORMAT_H

/* Reading a scenario of another format must survive any bytes. Build with clang
 * -fsanitize=fuzzer,address,undefined. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "formats/formats.h"
#include "sys/file.h"
#include "sys/temp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct tt_temp temp;

static void remove_folder(void)
{
    tt_temp_close(&temp);
}

/* The bytes as a file of this name, in a folder of its own. */
static void read_as(const char *name, const uint8_t *data, size_t size)
{
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    tt_scenario *s = NULL;
    char *path;
    tt_err err;

    if (!temp.path) {
        if (tt_temp_open(&temp, &err) != TT_OK || atexit(remove_folder) != 0)
            return;
    }
    path = tt_path_join(temp.path, name);
    o.base = temp.path;
    o.only_base = 1;
    if (path && tt_file_write(path, data, size, &err) == TT_OK &&
        tt_format_open(&s, (const char *const *)&path, 1, NULL, &o, NULL,
                       &err) == TT_OK)
        tt_scenario_free(s);
    tt_free(path);
}

#endif
