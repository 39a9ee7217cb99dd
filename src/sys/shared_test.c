/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/shared.h"

enum { MANY = 200, SIZE = 10000 };

/* Lines of /proc/self/maps that can be written and are shared. */
static int shared_maps(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[512], rights[8];
    int n = 0;

    while (f && fgets(line, sizeof(line), f))
        n +=
            sscanf(line, "%*s %7s", rights) == 1 && strcmp(rights, "rw-s") == 0;
    if (f)
        (void)fclose(f);
    return f ? n : -1;
}

static int answer_of_copy(int (*fn)(void *const *p), void *const *p)
{
    int status = 0;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        signal(SIGSEGV, SIG_DFL);
        _exit(fn(p));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int keep_one(void *const *p)
{
    if (tt_shared_leave(p[MANY / 2]) != 0)
        return 2;
    memcpy(p[MANY / 2], "seen", 5);
    return shared_maps() == 1 ? 0 : 1;
}

static int keep_none(void *const *p)
{
    (void)p;
    return tt_shared_leave(NULL) == 0 && shared_maps() == 0 ? 0 : 1;
}

static int touch_another(void *const *p)
{
    if (tt_shared_leave(p[1]) == 0)
        memcpy(p[0], "harm", 5);
    return 0;
}

static void a_copy_has_what_it_keeps_and_nothing_else(void **state)
{
    void *p[MANY];

    (void)state;
    for (int i = 0; i < MANY; i++)
        assert_non_null(p[i] = tt_shared_alloc(SIZE));
    assert_int_equal(answer_of_copy(keep_one, p), 0);
    assert_string_equal(p[MANY / 2], "seen");
    assert_int_equal(answer_of_copy(keep_none, p), 0);
    assert_int_equal(answer_of_copy(touch_another, p), -SIGSEGV);
    for (int i = 0; i < MANY; i++) { /* ours is as it was */
        assert_string_equal(p[i], i == MANY / 2 ? "seen" : "");
        tt_shared_free(p[i], SIZE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_has_what_it_keeps_and_nothing_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
