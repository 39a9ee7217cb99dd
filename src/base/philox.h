/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_PHILOX_H
#define TT_BASE_PHILOX_H

/* Random numbers by counting: the n-th of a stream is computed from n and the
 * key of the stream alone, so that a state is one number, and going back and
 * playing in parallel repeat it. Philox4x32-10: Salmon, Moraes, Dror, Shaw,
 * "Parallel random numbers: as easy as 1, 2, 3", SC 2011. */

#include <stdint.h>

void tt_philox(const uint32_t counter[4], const uint32_t key[2],
               uint32_t out[4]);

/* The n-th of a stream, evenly between 0 and 1, neither of them included. */
double tt_philox_uniform(uint64_t n, uint64_t key);

#endif
