/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_CLOCK_H
#define TT_SYS_CLOCK_H

#include <stdint.h>

uint64_t tt_clock_ns(void);     /* monotonic; for intervals only */
uint64_t tt_clock_cpu_ns(void); /* CPU time of this process */
/* Sleep until tt_clock_ns() is `ns` or later; a signal wakes us before. */
void tt_clock_sleep_until(uint64_t ns);
/* Wall clock now as "2026-01-31 14:05:09" local time, into out[20+1]. */
void tt_clock_text(char *out, unsigned size);

/* Wall clock, ms since 1970, UTC; it may leap. */
uint64_t tt_clock_wall_ms(void);
/* Such a time as "2026-01-31T14:05:09.250Z". */
#define TT_CLOCK_ISO_SIZE 32u
void tt_clock_iso(uint64_t wall_ms, char out[TT_CLOCK_ISO_SIZE]);

/* Is this descriptor a terminal, and how wide (0 when unknown)? */
int tt_tty_is(int fd);
int tt_tty_width(int fd);

#endif
