/* SPDX-License-Identifier: MIT */
/* The progress line, on a terminal of our own. */
#define _XOPEN_SOURCE 700 /* posix_openpt */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/show.h"
#include "desk.h"

/* All that the program says to a terminal `columns` wide. */
static void watch(struct tt_buf *b, unsigned short columns,
                  const char *const argv[])
{
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave, status;
    char chunk[4096];
    ssize_t n;
    pid_t pid;

    assert_true(master >= 0);
    assert_int_equal(setenv("NO_COLOR", "1", 1), 0);
    assert_int_equal(grantpt(master), 0);
    assert_int_equal(unlockpt(master), 0);
    slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(slave >= 0);
    assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
    pid = tutti_start(argv, slave, slave);
    close(slave);
    tt_buf_init(b, 1 << 24);
    while ((n = read(master, chunk, sizeof(chunk))) > 0 ||
           (n < 0 && errno == EINTR)) /* EIO: nobody writes any more */
        tt_buf_add(b, chunk, n > 0 ? (size_t)n : 0);
    tt_buf_char(b, '\0');
    assert_false(b->failed);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    close(master);
}

/* Each drawing is "\r ... ESC [ K": none may wrap. Returns how many contain
 * `word`. */
static size_t drawings(const struct tt_buf *b, const char *word, size_t columns)
{
    static const char end[] = "\033[K";
    const char *p = b->data;
    size_t n = 0;

    while ((p = strchr(p, '\r')) != NULL) {
        const char *stop = strstr(p, end), *next = strchr(p + 1, '\r');
        char line[1024] = "";

        p++;
        if (!stop || (next && next < stop) || *p == '\n' || stop - p >= 1024)
            continue;
        memcpy(line, p, (size_t)(stop - p));
        assert_true(tt_show_width(line) < columns);
        n += strstr(line, word) != NULL;
    }
    return n;
}

static void counters_are_shown_and_fit(void **state)
{
    const char *const argv[] = {
        "run",           EXAMPLES "water-tank/scenario-variable.json",
        "--until",       "15",
        "--real-time=5", "-o",
        at("out.csv"),   NULL};
    static const char *const word[] = {" % ",          " of 15 s", " rejected",
                                       "real time x5", " left",    "h="};
    struct tt_buf b;

    (void)state;
    watch(&b, 80, argv);
    for (size_t i = 0; i < sizeof(word) / sizeof(*word); i++)
        if (!drawings(&b, word[i], 80))
            fail_msg("no '%s' in\n%s", word[i], b.data);
    tt_buf_fini(&b);
    watch(&b, 132, argv);
    assert_true(drawings(&b, "steps/s", 132) > 0);
    tt_buf_fini(&b);
}

static void what_does_not_fit_is_left_out(void **state)
{
    const char *const argv[] = {
        "run", UNITS "misbehave.fmu", "--until",     "1.5",
        "-o",  at("out.csv"),         "--real-time", NULL};
    struct tt_buf b;

    (void)state;
    watch(&b, 30, argv);
    assert_true(drawings(&b, "t=", 30) > 0);
    assert_int_equal(drawings(&b, "steps/s", 30), 0);
    tt_buf_fini(&b);
    watch(&b, 9, argv); /* not even the time */
    assert_int_equal(drawings(&b, "t=", 9), 0);
    tt_buf_fini(&b);
}

static void lateness_is_shown(void **state)
{
    const char *const argv[] = {"run",
                                UNITS "misbehave.fmu",
                                "--set",
                                "what=8",
                                "--set",
                                "when=0",
                                "--set",
                                "amount=0.1",
                                "--until",
                                "1",
                                "--real-time=10",
                                "-o",
                                at("out.csv"),
                                NULL};
    struct tt_buf b;

    (void)state;
    watch(&b, 100, argv);
    assert_true(drawings(&b, " s late at x10", 100) > 0);
    tt_buf_fini(&b);
}

static void repeated_steps_state_how_often(void **state)
{
    const char *const argv[] = {"run",
                                EXAMPLES
                                "double-mass-spring-damper/scenario.json",
                                "--iterate",
                                "3",
                                "--until",
                                "10",
                                "-o",
                                at("out.csv"),
                                "--real-time=10",
                                NULL};
    struct tt_buf b;

    (void)state;
    watch(&b, 100, argv);
    assert_true(drawings(&b, " 3 turns/step", 100) > 0);
    tt_buf_fini(&b);
}

static void no_terminal_no_line(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", UNITS "misbehave.fmu", "--until", "0.4", "--real-time",
          "-o", at("out.csv"));
    assert_null(strchr(s.err.data, '\r'));
    output_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_are_shown_and_fit),
        cmocka_unit_test(what_does_not_fit_is_left_out),
        cmocka_unit_test(lateness_is_shown),
        cmocka_unit_test(repeated_steps_state_how_often),
        cmocka_unit_test(no_terminal_no_line),
    };

    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
