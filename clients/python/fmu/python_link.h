/* SPDX-License-Identifier: MIT */
#ifndef TUTTI_PYTHON_LINK_H
#define TUTTI_PYTHON_LINK_H

/* A Python process that answers requests, at the other end of a socket.
 *
 * A request is an operation (1 byte), the length of its body (4 bytes) and the
 * body; an answer is 0 or 1 (failed; 1 byte), a length and the body, which of a
 * failure is a text. All numbers are as this machine has them. Requests that
 * need no answer wait and go with the next that does. */

#include <stddef.h>
#include <stdint.h>

struct py_bytes {
    char *data;
    size_t n, cap;
    int failed; /* there was no memory */
};

struct py_link {
    int fd, pid;
    struct py_bytes out, in; /* what waits; the body of the last answer */
    char why[1024];          /* how the last request failed */
};

/* Starts `python main.py` in the folder. 0: done. */
int py_link_open(struct py_link *l, const char *folder);
void py_link_close(struct py_link *l);

void py_put(struct py_bytes *b, const void *data, size_t n);
void py_put_text(struct py_bytes *b, const char *text);
/* Of a request; what is put into l->out until py_end is its body. */
size_t py_begin(struct py_link *l, char op);
void py_end(struct py_link *l, size_t began);
/* Sends what waits, and reads the answer to the last request. 0: it is in
 * l->in; 1: the model failed; 2: there is no process any more. */
int py_ask(struct py_link *l);

#endif
