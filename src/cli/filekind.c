/* SPDX-License-Identifier: MIT */
#include "cli/filekind.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "sys/file.h"
#include "text/archive.h"

#define HEAD_MAX 65536u

/* What stands at the beginning of a file. */
struct head {
    char data[HEAD_MAX + 1];
    size_t n;
};

static int begins(const struct head *h, const char *magic, size_t n)
{
    return h->n >= n && memcmp(h->data, magic, n) == 0;
}

static int ends_with(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);

    return n > m && strcasecmp(path + n - m, end) == 0;
}

/* --- kinds ---------------------------------------------------------------- */

#define FMU_HAS "modelDescription.xml"
#define SSP_HAS "SystemStructure.ssd"
#define OSP_HAS "OspSystemStructure.xml"

static int has_file(const char *dir, const char *name)
{
    char *path = tt_path_join(dir, name);
    int there = path && tt_file_exists(path);

    tt_free(path);
    return there;
}

static enum tt_filekind kind_of_folder(const char *path)
{
    if (has_file(path, FMU_HAS))
        return TT_FILE_FMU;
    if (has_file(path, OSP_HAS))
        return TT_FILE_OSP;
    return has_file(path, SSP_HAS) ? TT_FILE_SSP : TT_FILE_OTHER;
}

/* A package may have variants only: which one is for its reader to ask. */
static int has_variant(const tt_archive *a)
{
    for (size_t i = 0; i < tt_archive_count(a); i++)
        if (!strchr(tt_archive_name(a, i), '/') &&
            tt_path_ends(tt_archive_name(a, i), ".ssd"))
            return 1;
    return 0;
}

static enum tt_filekind kind_of_zip(const char *path)
{
    tt_archive *a = NULL;
    enum tt_filekind kind = TT_FILE_ZIP;

    if (tt_archive_open(&a, path, NULL) != TT_OK)
        return TT_FILE_OTHER; /* broken; opening it states how */
    if (tt_archive_has(a, FMU_HAS))
        kind = TT_FILE_FMU;
    else if (has_variant(a))
        kind = TT_FILE_SSP;
    tt_archive_close(a);
    return kind;
}

/* MAT v4 has no magic word but a plausible header: type, rows, columns, whether
 * it is complex, length of the name; MAT v5 and 7.3 state it. */
static int is_mat(const struct head *h)
{
    uint32_t field[5];

    if (begins(h, "MATLAB ", 7))
        return 1;
    if (h->n < sizeof(field) + 2)
        return 0;
    memcpy(field, h->data, sizeof(field));
    return field[0] <= 51 && field[3] <= 1 && field[4] > 1 && field[4] <= 64 &&
           isalpha((unsigned char)h->data[sizeof(field)]) &&
           memchr(h->data + sizeof(field), '\0', h->n - sizeof(field)) != NULL;
}

#define SEPARATORS ",;\t\r\n"

/* Names with separators, and numbers in the next line; or time comes first. */
static int is_csv(const char *text)
{
    size_t n = strcspn(text, "\r\n");
    const char *next = text + n + strspn(text + n, "\r\n");
    double t;

    if (strncasecmp(text + (*text == '"'), "time", 4) == 0)
        return 1;
    return strcspn(text, SEPARATORS) < n &&
           tt_num_parse_n(next, strcspn(next, SEPARATORS), &t) == 0;
}

static int is_json(const char *text)
{
    const char *next = *text ? text + 1 + strspn(text + 1, " \t\r\n") : text;

    return *text == '[' || (*text == '{' && (*next == '"' || *next == '}'));
}

static enum tt_filekind kind_of_text(const struct head *h)
{
    const char *text = h->data;

    if (begins(h, "\xEF\xBB\xBF", 3))
        text += 3;
    text += strspn(text, " \t\r\n");
    if (is_json(text))
        return strstr(text, "\"fmus\"") ? TT_FILE_SCENARIO : TT_FILE_JSON;
    if (*text == '<' && strstr(text, "OspSystemStructure"))
        return TT_FILE_OSP;
    if (*text == '<')
        return strstr(text, "SystemStructureDescription") ? TT_FILE_SSP
                                                          : TT_FILE_XML;
    return is_csv(text) ? TT_FILE_CSV : TT_FILE_OTHER;
}

static enum tt_filekind kind_of(const struct head *h, const char *path)
{
    if (begins(h, "PK\3\4", 4) || begins(h, "PK\5\6", 4))
        return kind_of_zip(path);
    if (begins(h,
               "\x7f"
               "ELF",
               4))
        return TT_FILE_ELF;
    if (begins(h, "MZ", 2) && memchr(h->data, '\0', h->n))
        return TT_FILE_DLL;
    if (begins(h, "\x89HDF\r\n\x1a\n", 8))
        return TT_FILE_H5;
    if (is_mat(h))
        return TT_FILE_MAT;
    return memchr(h->data, '\0', h->n) ? TT_FILE_OTHER : kind_of_text(h);
}

static enum tt_filekind look_at(const char *path)
{
    struct head h;

    if (tt_file_is_dir(path))
        return kind_of_folder(path);
    h.n = tt_file_head(path, h.data, HEAD_MAX);
    h.data[h.n] = '\0';
    return h.n ? kind_of(&h, path) : TT_FILE_OTHER;
}

/* --- words ---------------------------------------------------------------- */

/* `hint` states what to use instead, the path after each "@". */
struct words {
    enum tt_filekind kind;
    const char *what, *hint;
};

static const struct words words[] = {
    {TT_FILE_FMU, "an FMU",
     "'tutti info @' shows what is in it, 'tutti run @' simulates it"},
    {TT_FILE_SCENARIO, "a scenario",
     "'tutti check @' shows what is in it, 'tutti run @' simulates it"},
    {TT_FILE_JSON, "a JSON text", "a scenario has 'fmus'"},
    {TT_FILE_CSV, "a table (CSV)",
     "'tutti results @' shows what is in it, 'tutti plot @' draws it"},
    {TT_FILE_MAT, "a table (MAT)",
     "'tutti results @' shows what is in it, 'tutti plot @' draws it"},
    {TT_FILE_H5, "a table (HDF5)",
     "'tutti results @' shows what is in it, 'tutti plot @' draws it"},
    {TT_FILE_SSP, "a system structure (SSP)",
     "'tutti check @' shows what is in it, 'tutti run @' simulates it"},
    {TT_FILE_OSP, "a system structure (OSP)",
     "'tutti check @' shows what is in it, 'tutti run @' simulates it"},
    {TT_FILE_ZIP, "a zip archive without modelDescription.xml",
     "if FMUs are in it, unpack it"},
    {TT_FILE_XML, "an XML text",
     "an FMU is given as its .fmu file, or as the folder it was unpacked to"},
    {TT_FILE_ELF, "a library or program (ELF)",
     "give the FMU it belongs to, a zip file with modelDescription.xml"},
    {TT_FILE_DLL, "a library or program of Windows",
     "give the FMU it belongs to, a zip file with modelDescription.xml"},
};

static const struct words *words_of(enum tt_filekind kind)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (words[i].kind == kind)
            return &words[i];
    return NULL;
}

static enum tt_code refuse(const struct words *w, const char *path,
                           const char *wanted, tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, TT_ERR_MAX);
    for (const char *p = w->hint; *p; p++) {
        if (*p == '@')
            tt_buf_str(&b, path);
        else
            tt_buf_char(&b, *p);
    }
    rc = tt_fail(err, TT_EINPUT, "%s: %s, not %s; %s", path, w->what, wanted,
                 b.data ? b.data : "");
    tt_buf_fini(&b);
    return rc;
}

/* Tables, and FMUs where a scenario would do too, are recognised by the ending
 * of their names. NULL: it is right, or does not matter. */
static const char *ending_of(enum tt_filekind kind, unsigned taken,
                             const char *path)
{
    if (kind == TT_FILE_FMU && (taken & TT_FILE_SCENARIO) &&
        !tt_file_is_dir(path) && !ends_with(path, ".fmu"))
        return ".fmu";
    if (kind == TT_FILE_MAT && !ends_with(path, ".mat"))
        return ".mat";
    if (kind == TT_FILE_H5 && !ends_with(path, ".h5") &&
        !ends_with(path, ".hdf5"))
        return ".h5";
    return NULL;
}

static enum tt_code expect(const char *path, unsigned taken, const char *wanted,
                           tt_err *err)
{
    enum tt_filekind kind = look_at(path);
    const struct words *w = words_of(kind);
    const char *ending = ending_of(kind, taken, path);

    if (!w)
        return TT_OK;
    if (!(kind & taken))
        return refuse(w, path, wanted, err);
    if (ending)
        return tt_fail(err, TT_EINPUT,
                       "%s: %s by its content; call it so that its name ends "
                       "in %s",
                       path, w->what, ending);
    return TT_OK;
}

enum tt_code tt_filekind_expect(const struct tt_words *files, unsigned taken,
                                const char *wanted, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (size_t i = 0; rc == TT_OK && i < files->n; i++)
        rc = expect(files->word[i], taken, wanted, err);
    return rc;
}

enum tt_code tt_filekind_over(const char *path, unsigned may, tt_err *err)
{
    enum tt_filekind kind = look_at(path);
    const struct words *w = words_of(kind);

    if (!w || (kind & may) || tt_file_is_dir(path))
        return TT_OK;
    return tt_fail(err, TT_EINPUT,
                   "%s: %s, which would be written over; give another name",
                   path, w->what);
}

enum tt_code tt_filekind_new(const char *path, int force, tt_err *err)
{
    return force || !tt_file_exists(path)
               ? TT_OK
               : tt_fail(err, TT_EINPUT, "%s exists; --force overwrites it",
                         path);
}

#define AT(member) offsetof(struct tt_new_fmu, member)
const struct tt_opt tt_new_fmu_opts[] = {
    TT_OPT_TEXT("-o, --output FILE.fmu", output, "where to write"),
    TT_OPT_FORCE,
    TT_OPT_FLAG("-q, --quiet", quiet, "print warnings and errors only"),
    {0},
};

enum tt_code tt_new_fmu_check(const struct tt_new_fmu *a, tt_err *err)
{
    if (!a->output)
        return tt_fail(err, TT_EINPUT, "missing -o FILE.fmu");
    if (!tt_path_ends(a->output, ".fmu"))
        return tt_fail(err, TT_EINPUT, "%s: an FMU's name ends in .fmu",
                       a->output);
    return tt_filekind_new(a->output, a->force, err);
}
