/* SPDX-License-Identifier: MIT */
#ifndef TT_TABLE_MAT_H
#define TT_TABLE_MAT_H

/* What reader and writer of MAT v4 files agree on beyond the layout of Modelica
 * tools: MAT has no columns of text, so these hold the number of a line of the
 * matrix `texts`, from 1, and their description begins with this. */
#define TT_MAT_TEXT "line of texts: "

#endif
