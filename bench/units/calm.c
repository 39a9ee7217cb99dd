/* SPDX-License-Identifier: MIT */
/* Has event mode as well, and no event. */
#define TICKS false
#include "ticking.c"
