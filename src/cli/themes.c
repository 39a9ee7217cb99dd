/* SPDX-License-Identifier: MIT */
#include "cli/themes.h"

#include <string.h>

static const struct theme {
    const char *title;
    const char *options; /* each between spaces */
} themes[] = {
    {"what to simulate",
     " set until start base only-base variant nested input dialect resume "},
    {"how instances take turns",
     " step master score order sequence iterate acceleration rollback rates "},
    {"inputs within a step", " approximation substeps "},
    {"how instances are used",
     " interface integrator tolerance no-together no-event-mode no-stop-time "},
    {"how good it is",
     " error-control step-tolerance stability assess event-shift "},
    {"results",
     " output sample record record-intermediate events microsteps trace "
     "checkpoint every report title plot "},
    {"what is printed", " quiet verbose strict json profile "},
    {"time and machine",
     " real-time overrun control threads isolate deadline costs no-child "
     "token-file tls-ca "},
    {"what instances may do",
     " sandbox allow-write allow-network memory-limit file-limit cpu-limit "},
    {"options", " "},
};
#define N_THEMES (sizeof(themes) / sizeof(*themes))

const char *tt_theme_title(size_t i)
{
    return i < N_THEMES ? themes[i].title : NULL;
}

static int lists(const char *options, const char *name)
{
    size_t n = strlen(name);

    for (const char *p = options; (p = strstr(p, name)) != NULL; p += n)
        if (p[-1] == ' ' && p[n] == ' ')
            return 1;
    return 0;
}

size_t tt_theme_of(const char *option)
{
    size_t i = 0;

    while (i + 1 < N_THEMES && !lists(themes[i].options, option))
        i++;
    return i;
}
