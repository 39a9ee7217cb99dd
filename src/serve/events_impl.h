/* SPDX-License-Identifier: MIT */
#ifndef TT_SERVE_EVENTS_IMPL_H
#define TT_SERVE_EVENTS_IMPL_H

/* Events as the API shows them: a list for each column of theirs. */

#include <stdint.h>

#include "base/buf.h"
#include "table/rows.h"

#define TT_EVENT_COLUMNS 5

struct tt_event_page {
    struct tt_buf column[TT_EVENT_COLUMNS]; /* members of a JSON array */
    uint64_t n;
};

void tt_event_page_init(struct tt_event_page *p);
void tt_event_page_fini(struct tt_event_page *p);
/* A row of which tt_events_choose() has chosen the columns. */
void tt_event_page_add(struct tt_event_page *p, const struct tt_row *row);
/* Members of a JSON object, each with a comma behind. */
void tt_event_page_put(struct tt_buf *b, const struct tt_event_page *p);

TT_NODISCARD enum tt_code tt_events_choose(tt_rows *rows, tt_err *err);

#endif
