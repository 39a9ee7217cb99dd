/* SPDX-License-Identifier: MIT */
#include "text/archive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <zip.h>

#include "base/mem.h"
#include "sys/file.h"
#include "text/test_zip.h"

#define LINK 0120777u
#define FIFO 0010666u

static tt_err err;

static enum tt_code open_zip(tt_archive **a, struct raw_zip *z)
{
    raw_end(z);
    err.msg[0] = '\0';
    return tt_archive_open_memory(a, "x.fmu", z->out.data, z->out.len, &err);
}

/* Opening a zip with these entries fails with that message. */
static void refuse(const struct raw_entry *e, size_t n, const char *message)
{
    struct raw_zip z;
    tt_archive *a = NULL;

    raw_begin(&z);
    for (size_t i = 0; i < n; i++)
        raw_add(&z, e[i]);
    assert_int_not_equal(open_zip(&a, &z), TT_OK);
    assert_string_equal(err.msg, message);
    assert_null(a);
    raw_drop(&z);
}

static void refuse_name(const char *name, const char *message)
{
    struct raw_entry e = {.name = name, .data = "x"};

    refuse(&e, 1, message);
}

static void files_are_listed_sorted_and_read(void **state)
{
    struct raw_zip z;
    tt_archive *a = NULL;
    struct tt_buf b;

    (void)state;
    raw_begin(&z);
    raw_add(&z, (struct raw_entry){.name = "resources/"});
    raw_add(&z, (struct raw_entry){.name = "resources/r\xc3\xa4 um.txt",
                                   .data = "hello",
                                   .mode = 0100644});
    raw_add(&z, (struct raw_entry){.name = "./a//b.txt", .data = "two"});
    raw_add(&z,
            (struct raw_entry){.name = "modelDescription.xml", .data = "<x/>"});
    assert_int_equal(open_zip(&a, &z), TT_OK);
    assert_int_equal(tt_archive_is_dir(a), 0);
    assert_string_equal(tt_archive_path(a), "x.fmu");
    assert_int_equal(tt_archive_count(a), 3);
    assert_string_equal(tt_archive_name(a, 0), "a/b.txt");
    assert_string_equal(tt_archive_name(a, 1), "modelDescription.xml");
    assert_string_equal(tt_archive_name(a, 2), "resources/r\xc3\xa4 um.txt");
    assert_true(tt_archive_has(a, "a/b.txt"));
    assert_false(tt_archive_has(a, "./a//b.txt"));
    assert_int_equal(tt_archive_findings(a)->n, 0);

    tt_buf_init(&b, 100);
    assert_int_equal(tt_archive_read(a, "resources/r\xc3\xa4 um.txt", &b, &err),
                     TT_OK);
    assert_string_equal(b.data, "hello");
    assert_int_equal(tt_archive_read(a, "nope", &b, &err), TT_EINPUT);
    assert_string_equal(err.msg, "x.fmu: has no 'nope'");
    tt_buf_fini(&b);
    tt_archive_close(a);
    raw_drop(&z);
}

static void a_buffer_too_small_is_an_error(void **state)
{
    struct raw_zip z;
    tt_archive *a = NULL;
    struct tt_buf b;

    (void)state;
    raw_begin(&z);
    raw_add(&z, (struct raw_entry){.name = "a", .data = "0123456789"});
    assert_int_equal(open_zip(&a, &z), TT_OK);
    tt_buf_init(&b, 5);
    assert_int_equal(tt_archive_read(a, "a", &b, &err), TT_EINPUT);
    assert_string_equal(err.msg, "larger than 5 bytes");
    tt_buf_fini(&b);
    tt_archive_close(a);
    raw_drop(&z);
}

static void unpacking_makes_a_folder_that_close_removes(void **state)
{
    struct raw_zip z;
    tt_archive *a = NULL;
    const char *dir, *again;
    char *kept, *file;
    struct tt_buf b;

    (void)state;
    raw_begin(&z);
    raw_add(&z,
            (struct raw_entry){.name = "sub dir/\xc3\xbc.txt", .data = "deep"});
    raw_add(&z, (struct raw_entry){.name = "empty"});
    assert_int_equal(open_zip(&a, &z), TT_OK);
    assert_int_equal(tt_archive_unpack(a, &dir, &err), TT_OK);
    assert_int_equal(dir[0], '/');
    file = tt_path_join(dir, "sub dir/\xc3\xbc.txt");
    tt_buf_init(&b, 100);
    assert_int_equal(tt_file_read(&b, file, &err), TT_OK);
    assert_string_equal(b.data, "deep");
    tt_free(file);
    file = tt_path_join(dir, "resources");
    assert_true(tt_file_is_dir(file));
    tt_free(file);
    assert_int_equal(tt_archive_unpack(a, &again, &err), TT_OK);
    assert_ptr_equal(dir, again);
    kept = tt_strdup(dir);
    tt_archive_close(a);
    assert_false(tt_file_exists(kept));
    tt_free(kept);
    tt_buf_fini(&b);
    raw_drop(&z);
}

static void a_folder_is_an_archive_too(void **state)
{
    char *dir, *file, *sub;
    tt_archive *a = NULL;
    const char *where;
    struct tt_buf b;

    (void)state;
    assert_int_equal(tt_dir_temp(&dir, &err), TT_OK);
    sub = tt_path_join(dir, "binaries/linux64");
    assert_int_equal(tt_dir_make(sub, &err), TT_OK);
    file = tt_path_join(sub, "m.so");
    assert_int_equal(tt_file_write(file, "so", 2, &err), TT_OK);
    tt_free(file);
    file = tt_path_join(dir, "modelDescription.xml");
    assert_int_equal(tt_file_write(file, "<x/>", 4, &err), TT_OK);

    assert_int_equal(tt_archive_open(&a, dir, &err), TT_OK);
    assert_true(tt_archive_is_dir(a));
    assert_int_equal(tt_archive_count(a), 2);
    assert_string_equal(tt_archive_name(a, 0), "binaries/linux64/m.so");
    tt_buf_init(&b, 100);
    assert_int_equal(tt_archive_read(a, "modelDescription.xml", &b, &err),
                     TT_OK);
    assert_string_equal(b.data, "<x/>");
    assert_int_equal(tt_archive_unpack(a, &where, &err), TT_OK);
    assert_string_equal(where, dir);
    tt_archive_close(a);
    assert_true(tt_file_exists(file)); /* it is not ours to remove */
    assert_int_equal(tt_dir_remove(dir, &err), TT_OK);
    tt_buf_fini(&b);
    tt_free(sub);
    tt_free(file);
    tt_free(dir);
}

static void names_that_leave_the_archive_are_refused(void **state)
{
    char name[1100], message[200];

    (void)state;
    refuse_name("/etc/passwd",
                "x.fmu: entry '/etc/passwd' is an absolute path");
    refuse_name("C:/windows", "x.fmu: entry 'C:/windows' is an absolute path");
    refuse_name("../evil", "x.fmu: entry '../evil' leaves the archive by '..'");
    refuse_name("a/../../evil",
                "x.fmu: entry 'a/../../evil' leaves the archive by '..'");
    refuse_name("a/..", "x.fmu: entry 'a/..' leaves the archive by '..'");
    refuse_name("a\\..\\evil",
                "x.fmu: entry 'a/../evil' leaves the archive by '..'");
    refuse_name("\\evil", "x.fmu: entry '/evil' is an absolute path");
    refuse_name("c:\\evil", "x.fmu: entry 'c:/evil' is an absolute path");
    refuse_name("a\nb",
                "x.fmu: entry 'a?b' has a control character in its name");
    memset(name, 'n', sizeof(name));
    name[1001] = '\0';
    (void)snprintf(message, sizeof(message),
                   "x.fmu: entry '%.96s...' has a name longer than 1000 bytes",
                   name);
    refuse_name(name, message);
    for (int i = 0; i < 65; i++)
        memcpy(name + 2 * i, "d/", 3);
    name[130] = 'f';
    name[131] = '\0';
    (void)snprintf(message, sizeof(message),
                   "x.fmu: entry '%.96s...' is in more than 64 folders", name);
    refuse_name(name, message);
}

static void a_nul_does_not_cut_a_name_short(void **state)
{
    struct raw_zip z;
    tt_archive *a = NULL;

    (void)state;
    raw_begin(&z);
    raw_add(&z,
            (struct raw_entry){.name = "a.txt\0.so", .name_n = 9, .data = "x"});
    assert_int_equal(open_zip(&a, &z), TT_OK);
    assert_string_equal(tt_archive_name(a, 0), "a.txt .so");
    tt_archive_close(a);
    raw_drop(&z);
}

static void links_and_devices_are_refused(void **state)
{
    struct raw_entry link = {.name = "l", .data = "/etc", .mode = LINK};
    struct raw_entry fifo = {.name = "f", .mode = FIFO};

    (void)state;
    refuse(&link, 1, "x.fmu: entry 'l' is a link or a device");
    refuse(&fifo, 1, "x.fmu: entry 'f' is a link or a device");
}

static void encrypted_entries_are_refused(void **state)
{
    struct raw_entry e = {.name = "a", .data = "secret", .flags = 1};

    (void)state;
    refuse(&e, 1, "x.fmu: entry 'a' is encrypted");
}

/* As a tool of Windows may pack it. */
static void backslashes_are_slashes(void **state)
{
    struct raw_zip z;
    tt_archive *a = NULL;
    struct tt_buf b;

    (void)state;
    raw_begin(&z);
    raw_add(&z, (struct raw_entry){.name = "binaries\\win64\\"});
    raw_add(&z, (struct raw_entry){.name = "binaries\\win64\\m.dll",
                                   .data = "dll"});
    assert_int_equal(open_zip(&a, &z), TT_OK);
    assert_int_equal(tt_archive_count(a), 1);
    assert_string_equal(tt_archive_name(a, 0), "binaries/win64/m.dll");
    assert_int_equal(tt_archive_findings(a)->n, 1);
    assert_string_equal(tt_archive_findings(a)->item[0].rule, "ZIP-BACKSLASH");
    assert_string_equal(tt_archive_findings(a)->item[0].text,
                        "entry 'binaries\\win64\\' has backslashes in its "
                        "name, which are taken as slashes");
    tt_buf_init(&b, 100);
    assert_int_equal(tt_archive_read(a, "binaries/win64/m.dll", &b, &err),
                     TT_OK);
    assert_string_equal(b.data, "dll");
    tt_buf_fini(&b);
    tt_archive_close(a);
    raw_drop(&z);
    refuse((struct raw_entry[]){{.name = "binaries/m.so", .data = "1"},
                                {.name = "binaries\\m.so", .data = "2"}},
           2, "x.fmu: entry 'binaries/m.so' is there twice");
}

static void a_second_harmless_file_is_a_warning(void **state)
{
    struct raw_zip z;
    tt_archive *a = NULL;
    struct tt_buf b;

    (void)state;
    raw_begin(&z);
    raw_add(&z, (struct raw_entry){.name = "d/a", .data = "first"});
    raw_add(&z, (struct raw_entry){.name = "d//a", .data = "second"});
    assert_int_equal(open_zip(&a, &z), TT_OK);
    assert_int_equal(tt_archive_count(a), 1);
    assert_int_equal(tt_archive_findings(a)->n, 1);
    assert_string_equal(tt_archive_findings(a)->item[0].rule, "ZIP-DUPLICATE");
    assert_string_equal(tt_archive_findings(a)->item[0].text,
                        "entry 'd/a' is there twice; the first one counts");
    tt_buf_init(&b, 100);
    assert_int_equal(tt_archive_read(a, "d/a", &b, &err), TT_OK);
    assert_string_equal(b.data, "first");
    tt_buf_fini(&b);
    tt_archive_close(a);
    raw_drop(&z);
}

static void a_second_description_or_binary_is_refused(void **state)
{
    struct raw_entry md[] = {{.name = "modelDescription.xml", .data = "1"},
                             {.name = "./modelDescription.xml", .data = "2"}};
    struct raw_entry so[] = {{.name = "binaries/linux64/a.so", .data = "1"},
                             {.name = "binaries/linux64/a.so", .data = "2"}};

    (void)state;
    refuse(md, 2, "x.fmu: entry 'modelDescription.xml' is there twice");
    refuse(so, 2, "x.fmu: entry 'binaries/linux64/a.so' is there twice");
}

static void a_claim_of_too_many_bytes_is_refused(void **state)
{
    struct raw_entry e = {.name = "a", .data = "x", .claim = 0xC0000000u};

    (void)state;
    refuse(&e, 1,
           "x.fmu: entry 'a' claims 3221225472 bytes; 2147483648 are allowed "
           "for one entry, 4294967296 for all");
}

static void an_entry_makes_no_more_than_it_claims(void **state)
{
    struct raw_entry e = {.name = "a", .data = "twelve bytes", .claim = 11};
    struct raw_zip z;
    tt_archive *a = NULL;
    struct tt_buf b;

    (void)state;
    raw_begin(&z);
    raw_add(&z, e);
    assert_int_equal(open_zip(&a, &z), TT_OK);
    tt_buf_init(&b, 100);
    assert_int_equal(tt_archive_read(a, "a", &b, &err), TT_EINPUT);
    assert_string_equal(err.msg, "x.fmu: entry 'a' inflates to more than the "
                                 "11 bytes it claims");
    assert_int_equal(b.len, 0);
    tt_buf_fini(&b);
    tt_archive_close(a);
    raw_drop(&z);
}

static void too_many_entries_are_refused(void **state)
{
    struct raw_zip z;
    tt_archive *a = NULL;
    char name[16];

    (void)state;
    raw_begin(&z);
    for (int i = 0; i <= 100000; i++) {
        (void)snprintf(name, sizeof(name), "%d", i);
        raw_add(&z, (struct raw_entry){.name = name});
    }
    assert_int_equal(open_zip(&a, &z), TT_EINPUT);
    assert_string_equal(err.msg, "x.fmu: more than 100000 entries");
    raw_drop(&z);
}

static void odd_compression_methods_are_noted(void **state)
{
    struct raw_zip z;
    tt_archive *a = NULL;
    struct tt_buf b;

    (void)state;
    raw_begin(&z);
    raw_add(&z, (struct raw_entry){.name = "a", .data = "x", .method = 77});
    assert_int_equal(open_zip(&a, &z), TT_OK);
    assert_string_equal(tt_archive_findings(a)->item[0].rule, "ZIP-METHOD");
    tt_buf_init(&b, 10);
    assert_int_equal(tt_archive_read(a, "a", &b, &err), TT_EINPUT);
    assert_string_equal(
        err.msg, "x.fmu: entry 'a' cannot be read: Compression method not "
                 "supported");
    tt_buf_fini(&b);
    tt_archive_close(a);
    raw_drop(&z);
}

static void a_wrong_checksum_is_an_error(void **state)
{
    struct raw_zip z;
    tt_archive *a = NULL;
    const char *dir;
    struct tt_buf b;

    (void)state;
    raw_begin(&z);
    raw_add(&z, (struct raw_entry){.name = "a", .data = "xyz", .bad_crc = 1});
    assert_int_equal(open_zip(&a, &z), TT_OK);
    tt_buf_init(&b, 10);
    assert_int_equal(tt_archive_read(a, "a", &b, &err), TT_EINPUT);
    assert_string_equal(err.msg, "x.fmu: entry 'a' cannot be read: CRC error");
    assert_int_equal(tt_archive_unpack(a, &dir, &err), TT_EINPUT);
    assert_string_equal(err.msg, "unpacking x.fmu: x.fmu: entry 'a' cannot be "
                                 "read: CRC error");
    tt_buf_fini(&b);
    tt_archive_close(a);
    raw_drop(&z);
}

static void what_is_no_zip_is_named(void **state)
{
    struct raw_zip z;
    tt_archive *a = NULL;
    char *dir, *file;
    char message[500];

    (void)state;
    assert_int_equal(
        tt_archive_open_memory(&a, "x.fmu", "no zip at all", 13, &err),
        TT_EINPUT);
    assert_string_equal(err.msg,
                        "x.fmu: not a readable zip archive: Not a zip archive");
    assert_int_equal(tt_archive_open_memory(&a, "x.fmu", "", 0, &err),
                     TT_EINPUT);
    assert_string_equal(err.msg, "x.fmu: the file is empty");
    raw_begin(&z);
    raw_add(&z, (struct raw_entry){.name = "a", .data = "0123456789"});
    raw_end(&z);
    for (size_t n = 0; n < z.out.len; n++) /* truncated anywhere */
        assert_int_not_equal(
            tt_archive_open_memory(&a, "x.fmu", z.out.data, n, &err), TT_OK);
    assert_int_equal(tt_archive_open(&a, "/nonexistent/x.fmu", &err),
                     TT_EINPUT);
    assert_string_equal(err.msg, "/nonexistent/x.fmu: no such file or folder");

    assert_int_equal(tt_dir_temp(&dir, &err), TT_OK);
    file = tt_path_join(dir, "y.fmu");
    assert_int_equal(tt_file_write(file, "garbage", 7, &err), TT_OK);
    assert_int_equal(tt_archive_open(&a, file, &err), TT_EINPUT);
    (void)snprintf(message, sizeof(message),
                   "%s: not a readable zip archive: Not a zip archive", file);
    assert_string_equal(err.msg, message);
    assert_null(a);
    assert_int_equal(tt_dir_remove(dir, &err), TT_OK);
    tt_free(file);
    tt_free(dir);
    raw_drop(&z);
}

/* 40 MB of zeros, deflated by libzip. */
static void write_bomb(const char *path)
{
    size_t n = (size_t)40 << 20;
    char *zeros = tt_zalloc(n, 1);
    zip_t *z = zip_open(path, ZIP_CREATE, NULL);
    zip_int64_t i;

    assert_non_null(zeros);
    assert_non_null(z);
    i = zip_file_add(z, "bomb", zip_source_buffer(z, zeros, n, 0), 0);
    assert_true(i >= 0);
    assert_int_equal(
        zip_set_file_compression(z, (zip_uint64_t)i, ZIP_CM_DEFLATE, 9), 0);
    assert_int_equal(zip_close(z), 0);
    tt_free(zeros);
}

static void a_zip_bomb_is_stopped_while_inflating(void **state)
{
    char *dir, *file;
    char message[500];
    tt_archive *a = NULL;
    struct tt_buf b;

    (void)state;
    assert_int_equal(tt_dir_temp(&dir, &err), TT_OK);
    file = tt_path_join(dir, "bomb.fmu");
    write_bomb(file);
    assert_int_equal(tt_archive_open(&a, file, &err), TT_OK);
    tt_buf_init(&b, (size_t)100 << 20);
    assert_int_equal(tt_archive_read(a, "bomb", &b, &err), TT_EINPUT);
    (void)snprintf(message, sizeof(message),
                   "%s: entry 'bomb' inflates to more than 1000 times its size "
                   "(a zip bomb?)",
                   file);
    assert_string_equal(err.msg, message);
    tt_archive_close(a);
    assert_int_equal(tt_dir_remove(dir, &err), TT_OK);
    tt_buf_fini(&b);
    tt_free(file);
    tt_free(dir);
}

/* What was read is not read again, and the archive has it. */
static void what_is_kept_is_unpacked(void **state)
{
    struct raw_zip z;
    tt_archive *a = NULL;
    const char *dir;
    struct tt_buf b;
    char *file;

    (void)state;
    raw_begin(&z);
    raw_add(&z, (struct raw_entry){.name = "a", .data = "packed"});
    raw_add(&z, (struct raw_entry){.name = "b", .data = "other"});
    assert_int_equal(open_zip(&a, &z), TT_OK);
    tt_buf_init(&b, 100);
    tt_buf_str(&b, "kept");
    tt_archive_keep(a, "a", &b);
    assert_null(b.data);
    assert_int_equal(tt_archive_unpack(a, &dir, &err), TT_OK);
    file = tt_path_join(dir, "a");
    assert_int_equal(tt_file_read(&b, file, &err), TT_OK);
    tt_free(file);
    file = tt_path_join(dir, "b");
    assert_int_equal(tt_file_read(&b, file, &err), TT_OK);
    assert_string_equal(b.data, "keptother");
    tt_free(file);
    tt_archive_keep(a, "a", &b); /* too late: there is nothing to unpack */
    assert_string_equal(b.data, "keptother");
    tt_buf_fini(&b);
    tt_archive_close(a);
    raw_drop(&z);
}

static void a_file_that_is_also_a_folder_fails_to_unpack(void **state)
{
    struct raw_zip z;
    tt_archive *a = NULL;
    const char *dir;

    (void)state;
    raw_begin(&z);
    raw_add(&z, (struct raw_entry){.name = "a", .data = "file"});
    raw_add(&z, (struct raw_entry){.name = "a/b", .data = "below"});
    assert_int_equal(open_zip(&a, &z), TT_OK);
    assert_int_not_equal(tt_archive_unpack(a, &dir, &err), TT_OK);
    assert_non_null(strstr(err.msg, "unpacking x.fmu: "));
    tt_archive_close(a);
    raw_drop(&z);
}

/* Nothing is lost when the n-th allocation fails. */
static void running_out_of_memory_is_reported(void **state)
{
    struct raw_zip z;
    tt_archive *a = NULL;
    const char *dir;
    enum tt_code rc = TT_ENOMEM;

    (void)state;
    raw_begin(&z);
    raw_add(&z, (struct raw_entry){.name = "d/a", .data = "1"});
    raw_add(&z, (struct raw_entry){.name = "d/a", .data = "2"});
    raw_end(&z);
    for (uint64_t n = 1; rc != TT_OK; n++) {
        assert_true(n < 200);
        tt_mem_fail_after(n);
        rc = tt_archive_open_memory(&a, "x", z.out.data, z.out.len, &err);
        if (rc == TT_OK) {
            rc = tt_archive_unpack(a, &dir, &err);
            tt_mem_fail_after(0);
            tt_archive_close(a);
        }
        tt_mem_fail_after(0);
        if (rc != TT_OK)
            assert_int_equal(rc, TT_ENOMEM);
    }
    raw_drop(&z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_listed_sorted_and_read),
        cmocka_unit_test(a_buffer_too_small_is_an_error),
        cmocka_unit_test(unpacking_makes_a_folder_that_close_removes),
        cmocka_unit_test(a_folder_is_an_archive_too),
        cmocka_unit_test(names_that_leave_the_archive_are_refused),
        cmocka_unit_test(a_nul_does_not_cut_a_name_short),
        cmocka_unit_test(links_and_devices_are_refused),
        cmocka_unit_test(encrypted_entries_are_refused),
        cmocka_unit_test(backslashes_are_slashes),
        cmocka_unit_test(a_second_harmless_file_is_a_warning),
        cmocka_unit_test(a_second_description_or_binary_is_refused),
        cmocka_unit_test(a_claim_of_too_many_bytes_is_refused),
        cmocka_unit_test(an_entry_makes_no_more_than_it_claims),
        cmocka_unit_test(too_many_entries_are_refused),
        cmocka_unit_test(odd_compression_methods_are_noted),
        cmocka_unit_test(a_wrong_checksum_is_an_error),
        cmocka_unit_test(what_is_no_zip_is_named),
        cmocka_unit_test(a_zip_bomb_is_stopped_while_inflating),
        cmocka_unit_test(what_is_kept_is_unpacked),
        cmocka_unit_test(a_file_that_is_also_a_folder_fails_to_unpack),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
