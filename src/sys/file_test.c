/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sys/file.h"

/* Each test has a fresh folder; *state is its path. */
static int enter(void **state)
{
    char *dir = NULL;

    if (tt_dir_temp(&dir, NULL) != TT_OK)
        return -1;
    *state = dir;
    return 0;
}

static int leave(void **state)
{
    enum tt_code rc = tt_dir_remove(*state, NULL);
    int gone = !tt_file_exists(*state);

    tt_free(*state);
    return rc == TT_OK && gone ? 0 : -1;
}

static char *in(void **state, const char *name)
{
    char *path = tt_path_join(*state, name);

    assert_non_null(path);
    return path;
}

static void check_content(const char *path, const char *want)
{
    struct tt_buf b;

    tt_buf_init(&b, 1 << 20);
    tt_buf_str(&b, "");
    assert_int_equal(tt_file_read(&b, path, NULL), TT_OK);
    assert_string_equal(b.data, want);
    tt_buf_fini(&b);
}

static enum tt_code count(void *ctx, const char *name, tt_err *err)
{
    (void)name;
    (void)err;
    ++*(int *)ctx;
    return TT_OK;
}

static int entries(const char *dir)
{
    int n = 0;

    assert_int_equal(tt_dir_list(dir, count, &n, NULL), TT_OK);
    return n;
}

/* The message must be `before`, the path, `after`. */
static void check_message(const tt_err *err, const char *before,
                          const char *path, const char *after)
{
    char want[TT_ERR_MAX];

    snprintf(want, sizeof(want), "%s%s%s", before, path, after);
    assert_string_equal(err->msg, want);
}

/* --- whole files ------------------------------------------------------- */

static void a_file_reads_back_as_written(void **state)
{
    static char big[200000];
    char *path = in(state, "a file");
    struct tt_buf b;

    for (size_t i = 0; i < sizeof(big); i++)
        big[i] = (char)(i * 7);
    assert_int_equal(tt_file_write(path, big, sizeof(big), NULL), TT_OK);
    tt_buf_init(&b, sizeof(big) + 1);
    tt_buf_char(&b, '>');
    assert_int_equal(tt_file_read(&b, path, NULL), TT_OK);
    assert_int_equal(b.len, sizeof(big) + 1);
    assert_memory_equal(b.data + 1, big, sizeof(big));
    tt_buf_fini(&b);
    tt_free(path);
}

static void writing_replaces_and_leaves_nothing_beside(void **state)
{
    char *path = in(state, "x");

    assert_int_equal(tt_file_write(path, "a longer text", 13, NULL), TT_OK);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(tt_file_write(path, "short", 5, NULL), TT_OK);
    check_content(path, "short");
    assert_int_equal(entries(*state), 1);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    assert_int_equal(tt_file_write(path, "", 0, NULL), TT_OK);
    check_content(path, "");
    tt_free(path);
}

static void writing_through_a_link_keeps_the_link(void **state)
{
    char *path = in(state, "real"), *link = in(state, "link");
    struct stat st;

    assert_int_equal(tt_file_write(path, "1", 1, NULL), TT_OK);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(tt_file_write(link, "2", 1, NULL), TT_OK);
    check_content(path, "2");
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    tt_free(path);
    tt_free(link);
}

static void replacing_follows_no_link(void **state)
{
    char *path = in(state, "real"), *link = in(state, "link");

    assert_int_equal(tt_file_write(path, "old", 3, NULL), TT_OK);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(tt_file_replace(link, "new", 3, NULL), TT_OK);
    check_content(link, "new");
    check_content(path, "old");
    tt_free(path);
    tt_free(link);
}

static void plain_files_are_no_links_pipes_or_folders(void **state)
{
    char *path = in(state, "plain"), *other = in(state, "other");
    struct tt_buf b;
    uint64_t size;
    int fd;

    tt_buf_init(&b, 4);
    assert_int_equal(tt_file_open_plain(path, &size), -1);
    assert_int_equal(tt_file_write(path, "four", 4, NULL), TT_OK);
    fd = tt_file_open_plain(path, &size);
    assert_true(fd >= 0 && size == 4);
    close(fd);
    assert_int_equal(tt_file_read_plain(&b, path, NULL), TT_OK);
    assert_string_equal(b.data, "four");
    assert_int_equal(tt_file_read_plain(&b, path, NULL), TT_EINPUT);
    assert_int_equal(symlink(path, other), 0);
    assert_int_equal(tt_file_open_plain(other, &size), -1);
    assert_int_equal(unlink(other), 0);
    assert_int_equal(mkfifo(other, 0600), 0);
    assert_int_equal(tt_file_open_plain(other, &size), -1); /* does not wait */
    assert_int_equal(tt_file_read_plain(&b, other, NULL), TT_EINPUT);
    assert_int_equal(tt_file_open_plain(*state, &size), -1);
    tt_buf_fini(&b);
    tt_free(path);
    tt_free(other);
}

static void devices_are_written_in_place(void **state)
{
    (void)state;
    assert_int_equal(tt_file_write("/dev/null", "x", 1, NULL), TT_OK);
    assert_true(tt_file_exists("/dev/null"));
}

static void a_missing_file_is_bad_input(void **state)
{
    char *path = in(state, "none");
    struct tt_buf b;
    tt_err err = {0};

    tt_buf_init(&b, 10);
    assert_int_equal(tt_file_read(&b, path, &err), TT_EINPUT);
    check_message(&err, "cannot read ", path, ": No such file or directory");
    assert_int_equal(tt_file_read(&b, *state, &err), TT_EINPUT);
    check_message(&err, "cannot read ", *state, ": Is a directory");
    tt_buf_fini(&b);
    tt_free(path);
}

static void a_file_beyond_the_limit_is_refused(void **state)
{
    char *path = in(state, "big");
    struct tt_buf b;
    tt_err err = {0};

    assert_int_equal(tt_file_write(path, "0123456789", 10, NULL), TT_OK);
    tt_buf_init(&b, 9);
    assert_int_equal(tt_file_read(&b, path, &err), TT_EINPUT);
    check_message(&err, "cannot read ", path,
                  ": larger than the limit of 9 bytes");
    tt_buf_fini(&b);
    tt_free(path);
}

static void check_not_plain(const char *path, const char *before,
                            const char *after)
{
    struct tt_buf b;
    tt_err err;

    tt_buf_init(&b, 100);
    assert_int_not_equal(tt_file_read_plain(&b, path, &err), TT_OK);
    check_message(&err, before, path, after);
    tt_buf_fini(&b);
}

/* A pipe without a writer would make us wait for ever. */
static void only_plain_files_are_read_from_outside(void **state)
{
    char *file = in(state, "file"), *link = in(state, "link");
    char *pipe = in(state, "pipe");
    struct tt_buf b;

    assert_int_equal(tt_file_write(file, "x", 1, NULL), TT_OK);
    assert_int_equal(symlink(file, link), 0);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    tt_buf_init(&b, 100);
    assert_int_equal(tt_file_read_plain(&b, file, NULL), TT_OK);
    assert_string_equal(b.data, "x");
    tt_buf_fini(&b);
    check_not_plain(link, "cannot read ",
                    ": Too many levels of symbolic links");
    check_not_plain(pipe, "cannot read ", ": not a regular file");
    check_not_plain(*state, "cannot read ", ": not a regular file");
    tt_free(file);
    tt_free(link);
    tt_free(pipe);
}

static void a_failed_write_keeps_the_old_file(void **state)
{
    char *path = in(state, "x"), *lost = in(state, "none/x");
    tt_err err = {0};

    assert_int_equal(tt_file_write(path, "old", 3, NULL), TT_OK);
    tt_mem_fail_after(1);
    assert_int_equal(tt_file_write(path, "new", 3, &err), TT_ENOMEM);
    check_message(&err, "cannot write ", path, ": Cannot allocate memory");
    check_content(path, "old");
    assert_int_equal(tt_file_write(lost, "new", 3, &err), TT_EINPUT);
    check_message(&err, "cannot write ", lost, ": No such file or directory");
    assert_int_equal(entries(*state), 1);
    tt_free(path);
    tt_free(lost);
}

/* --- output ------------------------------------------------------------ */

static void output_is_complete_after_each_write(void **state)
{
    char *path = in(state, "out");
    tt_out *out = NULL;

    assert_int_equal(tt_file_write(path, "old text", 8, NULL), TT_OK);
    assert_int_equal(tt_out_open(&out, path, NULL), TT_OK);
    check_content(path, "");
    assert_int_equal(tt_out_write(out, "one,", 4, NULL), TT_OK);
    assert_int_equal(tt_out_write(out, "two", 3, NULL), TT_OK);
    check_content(path, "one,two");
    assert_int_equal(tt_out_close(out, NULL), TT_OK);
    assert_int_equal(tt_out_close(NULL, NULL), TT_OK);
    tt_free(path);
}

static void a_full_disk_is_reported(void **state)
{
    tt_out *out = NULL;
    tt_err err = {0};

    (void)state;
    assert_int_equal(tt_out_open(&out, "/dev/full", NULL), TT_OK);
    assert_int_equal(tt_out_write(out, "x", 1, &err), TT_EIO);
    assert_string_equal(err.msg,
                        "cannot write /dev/full: No space left on device");
    assert_int_equal(tt_out_close(out, NULL), TT_OK);
    assert_int_equal(tt_file_write("/dev/full", "x", 1, &err), TT_EIO);
    assert_string_equal(err.msg,
                        "cannot write /dev/full: No space left on device");
}

static void output_to_a_folder_is_refused(void **state)
{
    tt_out *out = NULL;
    tt_err err = {0};

    assert_int_equal(tt_out_open(&out, *state, &err), TT_EINPUT);
    assert_null(out);
    check_message(&err, "cannot write ", *state, ": Is a directory");
}

/* --- folders ----------------------------------------------------------- */

static void folders_are_made_with_their_parents(void **state)
{
    char *path = in(state, "a/b//c/"), *file = in(state, "a/f"),
         *below = in(state, "a/f/g");
    tt_err err = {0};

    assert_int_equal(tt_dir_make(path, NULL), TT_OK);
    assert_true(tt_file_is_dir(path));
    assert_int_equal(tt_dir_make(path, NULL), TT_OK);
    assert_int_equal(tt_file_write(file, "", 0, NULL), TT_OK);
    assert_false(tt_file_is_dir(file));
    assert_int_equal(tt_dir_make(below, &err), TT_EIO);
    check_message(&err, "cannot make folder ", file, ": File exists");
    tt_free(path);
    tt_free(file);
    tt_free(below);
}

static void temporary_folders_are_private_and_new(void **state)
{
    char *other = NULL;
    struct stat st;

    assert_int_equal(stat(*state, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(tt_dir_temp(&other, NULL), TT_OK);
    assert_string_not_equal(other, *state);
    assert_int_equal(tt_dir_remove(other, NULL), TT_OK);
    tt_free(other);
}

static void temporary_folders_follow_tmpdir(void **state)
{
    char *path = NULL, *none = in(state, "none");
    tt_err err = {0};

    setenv("TMPDIR", *state, 1);
    assert_int_equal(tt_dir_temp(&path, NULL), TT_OK);
    assert_memory_equal(path, *state, strlen(*state));
    setenv("TMPDIR", none, 1);
    assert_int_equal(tt_dir_temp(&path, &err), TT_EINPUT);
    check_message(&err, "cannot make a temporary folder in ", none,
                  ": No such file or directory");
    unsetenv("TMPDIR");
    tt_free(path);
    tt_free(none);
}

static enum tt_code collect(void *ctx, const char *name, tt_err *err)
{
    struct tt_buf *b = ctx;

    tt_buf_fmt(b, "%s;", name);
    return strcmp(name, "stop") == 0 ? tt_fail(err, TT_ESTOPPED, "enough")
                                     : TT_OK;
}

static void folders_list_in_sorted_order(void **state)
{
    static const char *const name[] = {"b", "a", ".hidden", "B", "a1"};
    struct tt_buf b;
    tt_err err = {0};

    for (size_t i = 0; i < 5; i++) {
        char *path = in(state, name[i]);

        assert_int_equal(tt_file_write(path, "", 0, NULL), TT_OK);
        tt_free(path);
    }
    tt_buf_init(&b, 1000);
    assert_int_equal(tt_dir_list(*state, collect, &b, &err), TT_OK);
    assert_string_equal(b.data, ".hidden;B;a;a1;b;");
    tt_buf_fini(&b);
    assert_int_equal(tt_dir_list("/nowhere", collect, &b, &err), TT_EINPUT);
    assert_string_equal(err.msg,
                        "cannot list /nowhere: No such file or directory");
}

static void listing_stops_when_the_callback_fails(void **state)
{
    static const char *const name[] = {"a", "stop", "z"};
    struct tt_buf b;
    tt_err err = {0};

    for (size_t i = 0; i < 3; i++) {
        char *path = in(state, name[i]);

        assert_int_equal(tt_file_write(path, "", 0, NULL), TT_OK);
        tt_free(path);
    }
    tt_buf_init(&b, 1000);
    assert_int_equal(tt_dir_list(*state, collect, &b, &err), TT_ESTOPPED);
    assert_string_equal(err.msg, "enough");
    assert_string_equal(b.data, "a;stop;");
    tt_buf_fini(&b);
}

static void folders_are_measured_without_links(void **state)
{
    char *deep = in(state, "a/b"), *file = in(state, "a/b/file");
    char *other = in(state, "other"), *link = in(state, "link");

    assert_int_equal(tt_dir_size(deep, 100), 0); /* not there */
    assert_int_equal(tt_dir_make(deep, NULL), TT_OK);
    assert_int_equal(tt_file_write(file, "12345", 5, NULL), TT_OK);
    assert_int_equal(tt_file_write(other, "123", 3, NULL), TT_OK);
    assert_int_equal(symlink(file, link), 0);
    assert_int_equal(tt_dir_size(*state, 100), 8);
    assert_true(tt_dir_size(*state, 1) > 1);
    tt_free(deep);
    tt_free(file);
    tt_free(other);
    tt_free(link);
}

static void removing_takes_all_but_follows_no_link(void **state)
{
    char *deep = in(state, "tree/a/b"), *file = in(state, "tree/a/b/f"),
         *kept = in(state, "kept"), *link = in(state, "tree/link"),
         *locked = in(state, "tree/a"), *tree = in(state, "tree");

    assert_int_equal(tt_dir_make(deep, NULL), TT_OK);
    assert_int_equal(tt_dir_make(kept, NULL), TT_OK);
    assert_int_equal(tt_file_write(file, "x", 1, NULL), TT_OK);
    assert_int_equal(symlink(kept, link), 0);
    assert_int_equal(chmod(locked, 0500), 0);
    assert_int_equal(tt_dir_remove(tree, NULL), TT_OK);
    assert_false(tt_file_exists(tree));
    assert_true(tt_file_is_dir(kept));
    assert_int_equal(tt_dir_remove(tree, NULL), TT_OK); /* missing is fine */
    tt_free(deep);
    tt_free(file);
    tt_free(kept);
    tt_free(link);
    tt_free(locked);
    tt_free(tree);
}

/* --- paths ------------------------------------------------------------- */

static void check_text(char *owned, const char *want)
{
    assert_string_equal(owned, want);
    tt_free(owned);
}

static void paths_join_and_split_as_text(void **state)
{
    (void)state;
    check_text(tt_path_join("a", "b"), "a/b");
    check_text(tt_path_join("a/", "b"), "a/b");
    check_text(tt_path_join("a", "/b"), "/b");
    check_text(tt_path_join("", "b"), "b");
    check_text(tt_path_join(NULL, "b"), "b");
    check_text(tt_path_join("/", "b"), "/b");
    check_text(tt_path_dir("a/b"), "a");
    check_text(tt_path_dir("a//b"), "a");
    check_text(tt_path_dir("b"), ".");
    check_text(tt_path_dir("/b"), "/");
    check_text(tt_path_dir("//b"), "/");
    check_text(tt_path_dir("/a/b/c"), "/a/b");
    assert_string_equal(tt_path_base("a/b.fmu"), "b.fmu");
    assert_string_equal(tt_path_base("b.fmu"), "b.fmu");
    assert_string_equal(tt_path_base("a/"), "");
}

static void below_a_folder_is_what_links_lead_to(void **state)
{
    char *deep = in(state, "a/b"), *dir = in(state, "a");
    char *file = in(state, "a/b/x"), *up = in(state, "a/b/../../y");
    char *link = in(state, "a/out"), *through = in(state, "a/out/x");
    char *odd = in(state, "ab"), *lost = in(state, "a/lost");

    assert_int_equal(tt_dir_make(deep, NULL), TT_OK);
    assert_int_equal(tt_dir_make(odd, NULL), TT_OK);
    assert_int_equal(symlink("..", link), 0);
    assert_int_equal(symlink("../nowhere", lost), 0);
    assert_true(tt_path_is_below(deep, dir));
    assert_true(tt_path_is_below(file, dir)); /* not there yet */
    assert_false(tt_path_is_below(dir, dir));
    assert_false(tt_path_is_below(odd, dir));
    assert_false(tt_path_is_below(up, dir));
    assert_false(tt_path_is_below(link, dir));
    assert_false(tt_path_is_below(through, dir));
    assert_false(tt_path_is_below(lost, dir));
    assert_int_equal(tt_file_write(file, "", 0, NULL), TT_OK);
    assert_true(tt_path_is_below(file, dir));
    assert_false(tt_path_is_below("/etc/passwd", dir));
    tt_free(deep);
    tt_free(dir);
    tt_free(file);
    tt_free(up);
    tt_free(link);
    tt_free(through);
    tt_free(odd);
    tt_free(lost);
}

static void relative_paths_count_from_the_working_directory(void **state)
{
    char cwd[4096];
    char *want;

    (void)state;
    assert_non_null(getcwd(cwd, sizeof(cwd)));
    want = tt_path_join(cwd, "x/y");
    check_text(tt_path_absolute("x/y"), want);
    check_text(tt_path_absolute("/x"), "/x");
    tt_free(want);
}

static void nearest(void **state, const char *wrong, const char *meant)
{
    char *path = in(state, wrong), *want = meant ? in(state, meant) : NULL;
    char *is = tt_file_nearest(path);

    if (meant)
        assert_string_equal(is, want);
    else
        assert_null(is);
    tt_free(path);
    tt_free(want);
    tt_free(is);
}

static void the_neighbour_that_was_meant_is_found(void **state)
{
    char *a = in(state, "scenario.json"), *b = in(state, "pump.fmu");

    assert_int_equal(tt_file_write(a, "", 0, NULL), TT_OK);
    assert_int_equal(tt_file_write(b, "", 0, NULL), TT_OK);
    nearest(state, "scenaro.json", "scenario.json");
    nearest(state, "Scenario.json", "scenario.json");
    nearest(state, "pump", "pump.fmu");
    nearest(state, "valve.fmu", NULL);
    nearest(state, "nowhere/pump.fmu", NULL);
    tt_free(a);
    tt_free(b);
}

/* FIPS 180-4: "abc", and nothing. */
static void a_file_is_named_by_its_content(void **state)
{
    char *path = in(state, "abc"), hex[TT_SHA256_HEX];
    tt_err err;

    assert_int_equal(tt_file_write(path, "abc", 3, NULL), TT_OK);
    assert_int_equal(tt_file_sha256(path, hex, NULL), TT_OK);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223"
                             "b00361a396177a9cb410ff61f20015ad");
    assert_int_equal(tt_file_write(path, "", 0, NULL), TT_OK);
    assert_int_equal(tt_file_sha256(path, hex, NULL), TT_OK);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb924"
                             "27ae41e4649b934ca495991b7852b855");
    assert_int_equal(tt_file_sha256(*state, hex, &err), TT_EINPUT);
    tt_free(path);
}

static void expect_cache(const char *xdg, const char *home, const char *want)
{
    char *is;

    assert_int_equal(setenv("XDG_CACHE_HOME", xdg, 1), 0);
    assert_int_equal(setenv("HOME", home, 1), 0);
    is = tt_dir_cache();
    if (want)
        assert_string_equal(is, want);
    else
        assert_null(is);
    tt_free(is);
}

static void the_cache_is_where_the_user_places_it(void **state)
{
    (void)state;
    expect_cache("/x/cache", "/home/u", "/x/cache");
    expect_cache("", "/home/u", "/home/u/.cache");
    expect_cache("relative", "/home/u", "/home/u/.cache");
    expect_cache("", "", NULL);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_neighbour_that_was_meant_is_found),
        TEST(a_file_is_named_by_its_content),
        TEST(the_cache_is_where_the_user_places_it),
        TEST(a_file_reads_back_as_written),
        TEST(writing_replaces_and_leaves_nothing_beside),
        TEST(writing_through_a_link_keeps_the_link),
        TEST(replacing_follows_no_link),
        TEST(plain_files_are_no_links_pipes_or_folders),
        TEST(devices_are_written_in_place),
        TEST(a_missing_file_is_bad_input),
        TEST(a_file_beyond_the_limit_is_refused),
        TEST(only_plain_files_are_read_from_outside),
        TEST(a_failed_write_keeps_the_old_file),
        TEST(output_is_complete_after_each_write),
        TEST(a_full_disk_is_reported),
        TEST(output_to_a_folder_is_refused),
        TEST(folders_are_made_with_their_parents),
        TEST(temporary_folders_are_private_and_new),
        TEST(temporary_folders_follow_tmpdir),
        TEST(folders_list_in_sorted_order),
        TEST(listing_stops_when_the_callback_fails),
        TEST(folders_are_measured_without_links),
        TEST(removing_takes_all_but_follows_no_link),
        TEST(paths_join_and_split_as_text),
        TEST(below_a_folder_is_what_links_lead_to),
        TEST(relative_paths_count_from_the_working_directory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
