/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_TEST_LOCALE_H
#define TT_BASE_TEST_LOCALE_H

/* For tests: put the process under a locale that writes 1,5 for 1.5. Where
 * none is installed, one is compiled with localedef. Include first, because it
 * asks for more than POSIX (nftw). */

#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif

#include <ftw.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEST_LOCALE "de_DE.UTF-8"

static inline int test_locale_is_comma(void)
{
    return strcmp(localeconv()->decimal_point, ",") == 0;
}

static inline int test_locale_unlink(const char *path, const struct stat *st,
                                     int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static inline void test_locale_compile(const char *path)
{
    pid_t pid = fork();

    if (pid == 0) {
        execlp("localedef", "localedef", "--no-archive", "--quiet", "-i",
               "de_DE", "-f", "UTF-8", path, (char *)NULL);
        _exit(127);
    }
    if (pid > 0)
        waitpid(pid, NULL, 0);
}

/* 1 when the locale is set; 0 when there is none, which the caller reports. */
static inline int test_locale_enter(void)
{
    char dir[] = "/tmp/tutti-locale-XXXXXX", path[64];

    if (setlocale(LC_ALL, TEST_LOCALE))
        return test_locale_is_comma();
    if (!mkdtemp(dir))
        return 0;
    snprintf(path, sizeof(path), "%s/%s", dir, TEST_LOCALE);
    test_locale_compile(path);
    setenv("LOCPATH", dir, 1);
    if (!setlocale(LC_ALL, TEST_LOCALE))
        setlocale(LC_ALL, "C");
    nftw(dir, test_locale_unlink, 8, FTW_DEPTH | FTW_PHYS);
    return test_locale_is_comma();
}

/* The same, for whole programs: a test that cannot run has failed. */
static inline void test_locale_need(void)
{
    if (test_locale_enter())
        return;
    fprintf(stderr, "there is no comma locale and none could be made\n");
    exit(1);
}

#endif
