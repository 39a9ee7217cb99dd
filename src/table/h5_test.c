/* SPDX-License-Identifier: MIT */
/* HDF5 files that state more than they hold, or lead elsewhere. What we write
 * ourselves is read in results/h5_test.c. */
#include "table/h5.h"

#include <hdf5.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "sys/file.h"
#include "sys/temp.h"
#include "table/table.h"

static struct tt_temp folder;
static char path[512], other[512];

static int make_folder(void **state)
{
    (void)state;
    assert_int_equal(tt_temp_open(&folder, NULL), TT_OK);
    snprintf(path, sizeof(path), "%s/a.h5", folder.path);
    snprintf(other, sizeof(other), "%s/b.h5", folder.path);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    tt_temp_close(&folder);
    return 0;
}

/* A dataset of `rows` zeros of that type, none of which is in the file. */
static hid_t make_set(hid_t file, const char *name, hid_t type, hsize_t rows)
{
    hsize_t chunk = 1, most = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(1, &rows, &most);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    hid_t set;

    H5Pset_chunk(how, 1, &chunk);
    set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Pclose(how);
    H5Sclose(space);
    return set;
}

static hid_t make_file(const char *name, hsize_t rows)
{
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);

    assert_true(file >= 0);
    H5Dclose(make_set(file, "time", H5T_NATIVE_DOUBLE, rows));
    return file;
}

static hid_t text_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);

    assert_true(type >= 0 && H5Tset_size(type, size) >= 0);
    return type;
}

static void expect_refused(hid_t file, const char *words)
{
    char want[1024];
    tt_table *t = NULL;
    tt_err err = {0};

    H5Fclose(file);
    snprintf(want, sizeof(want), "%s: %s", path, words);
    assert_int_equal(tt_table_load(&t, path, &err), TT_EINPUT);
    assert_string_equal(err.msg, want);
    assert_null(t);
}

static void more_rows_than_the_limit_are_refused(void **state)
{
    (void)state;
    expect_refused(make_file(path, (hsize_t)1 << 40),
                   "1099511627776 rows of 1 columns are more than the limit "
                   "of 134217728 values");
}

static void longer_texts_than_the_limit_are_refused(void **state)
{
    hid_t file = make_file(path, 3), type = text_type((size_t)1 << 30);

    (void)state;
    H5Dclose(make_set(file, "x", type, 3));
    H5Tclose(type);
    expect_refused(file, "'x' is no dataset of 3 numbers or texts");
}

static void what_is_no_dataset_of_as_many_is_refused(void **state)
{
    hid_t file = make_file(path, 3);

    (void)state;
    H5Gclose(H5Gcreate2(file, "x", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    expect_refused(file, "'x' is no dataset of 3 numbers or texts");
    file = make_file(path, 3);
    H5Dclose(make_set(file, "x", H5T_NATIVE_DOUBLE, 4));
    expect_refused(file, "'x' is no dataset of 3 numbers or texts");
    file = make_file(path, 3);
    H5Dclose(make_set(file, "x", H5T_STD_REF_OBJ, 3));
    expect_refused(file, "'x' is no dataset of 3 numbers or texts");
}

/* The name of column x, which the file states to be n texts of that size. */
static void expect_name(hsize_t n, size_t size, const char *want)
{
    static char texts[1 << 16];
    hid_t file = make_file(path, 3), type = text_type(size);
    hid_t set = make_set(file, "x", H5T_NATIVE_DOUBLE, 3);
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t a = H5Acreate2(set, "name", type, space, H5P_DEFAULT, H5P_DEFAULT);
    tt_table *t = NULL;
    tt_err err = {0};

    assert_true(n * size <= sizeof(texts));
    memset(texts, 'y', sizeof(texts));
    assert_true(H5Awrite(a, type, texts) >= 0);
    H5Aclose(a);
    H5Sclose(space);
    H5Dclose(set);
    H5Tclose(type);
    H5Fclose(file);
    if (tt_table_load(&t, path, &err) != TT_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(tt_table_columns(t), 1);
    assert_string_equal(tt_table_name(t, 0), want);
    tt_table_free(t);
}

static void a_name_is_one_text_of_moderate_size(void **state)
{
    (void)state;
    expect_name(1, 4, "yyyy");
    expect_name(0, 4, "x");
    expect_name(1000, 60, "x");
    expect_name(1, 5000, "x");
}

static void a_link_to_another_file_is_not_followed(void **state)
{
    hid_t file = make_file(other, 3);

    (void)state;
    H5Fclose(file);
    file = make_file(path, 3);
    assert_true(H5Lcreate_external(other, "/time", file, "x", H5P_DEFAULT,
                                   H5P_DEFAULT) >= 0);
    expect_refused(file, "'x' is no dataset of 3 numbers or texts");
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Lcreate_external(other, "/time", file, "time", H5P_DEFAULT,
                                   H5P_DEFAULT) >= 0);
    expect_refused(file, "there is no dataset 'time' of one dimension");
}

static void values_in_another_file_are_not_read(void **state)
{
    hsize_t rows = 3;
    hid_t file = make_file(path, rows);
    hid_t space = H5Screate_simple(1, &rows, NULL);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);

    (void)state;
    assert_int_equal(tt_file_write(other, "a secret of 24 bytes ...", 24, NULL),
                     TT_OK);
    H5Pset_external(how, other, 0, 24);
    H5Dclose(H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how,
                        H5P_DEFAULT));
    H5Pclose(how);
    expect_refused(file, "'x' is no dataset of 3 numbers or texts");

    H5Fclose(make_file(other, rows));
    file = make_file(path, rows);
    how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_virtual(how, space, other, "/time", space);
    H5Dclose(H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how,
                        H5P_DEFAULT));
    H5Pclose(how);
    H5Sclose(space);
    expect_refused(file, "'x' is no dataset of 3 numbers or texts");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_rows_than_the_limit_are_refused),
        cmocka_unit_test(longer_texts_than_the_limit_are_refused),
        cmocka_unit_test(what_is_no_dataset_of_as_many_is_refused),
        cmocka_unit_test(a_name_is_one_text_of_moderate_size),
        cmocka_unit_test(a_link_to_another_file_is_not_followed),
        cmocka_unit_test(values_in_another_file_are_not_read),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
