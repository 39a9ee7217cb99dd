/* SPDX-License-Identifier: MIT */
#ifndef TT_EXPORT_COMPILE_IMPL_H
#define TT_EXPORT_COMPILE_IMPL_H

/* The parts of compiling: which sources (compile_sources.c), the compiler in
 * its sandbox (compile_run.c), the FMU (compile.c). */

#include <stddef.h>

#include "base/mem.h"
#include "export/compile.h"
#include "fmi/fmu.h"

#define TT_COMPILE_MAX 20000 /* sources, definitions, libraries: each */

struct tt_word_list {
    const char **word; /* owned array; the words are the arena's */
    size_t n, cap;
};

/* Sources that are compiled alike. */
struct tt_source_set {
    const char *language;     /* "C99", "C++11", or NULL */
    struct tt_word_list file; /* below sources/ */
    struct tt_word_list flag; /* -D..., -I... */
};

/* What becomes one library. */
struct tt_sources {
    tt_arena *arena; /* owned */
    const char *identifier;
    struct tt_source_set *set; /* owned */
    size_t n_set, cap_set;
    struct tt_word_list library; /* -l... */
};

/* For the interface i of the FMU. fini accepts what a failed read left. */
TT_NODISCARD enum tt_code tt_sources_read(struct tt_sources *s, tt_fmu *fmu,
                                          const struct tt_md_interface *i,
                                          const struct tt_log *log,
                                          tt_err *err);
void tt_sources_fini(struct tt_sources *s);

/* A compiler, and where it works. */
struct tt_workshop {
    const char *fmu;     /* the FMU's path, for messages */
    const char *dir;     /* where it is unpacked */
    const char *work;    /* a folder of its own */
    const char *headers; /* FMI's */
    int folder;          /* the FMU is one, not an archive */
    char *cc, *cxx;      /* owned: found in $PATH; cxx NULL: not needed yet */
    const struct tt_log *log;
};

/* Look a compiler up. */
TT_NODISCARD enum tt_code tt_workshop_find(char **path, const char *name,
                                           tt_err *err);
/* Compile all of s and link it; *library is owned by the caller. */
TT_NODISCARD enum tt_code tt_workshop_build(struct tt_workshop *w,
                                            const struct tt_sources *s,
                                            char **library, tt_err *err);

/* The headers of FMI. */
struct tt_header {
    const char *name; /* NULL ends the table */
    const char *hash;
    const unsigned char *data;
    size_t n;
};
extern const struct tt_header tt_headers[];

#endif
