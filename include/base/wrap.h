/*
 * wrap: text broken into lines that fit a terminal.
 */
#ifndef BASE_WRAP_H
#define BASE_WRAP_H

#include "base/buf.h"

/*
 * Appends the words of text and a line feed. Lines have at most width columns; the
 * first has `at` columns already, the others start with `indent` spaces. Breaks at
 * spaces and line feeds only, and not inside [ ]: a longer word stays whole.
 */
void wrap_add(struct buf *b, struct str text, size_t at, size_t indent, size_t width);

/*
 * Appends paragraphs, which blank lines separate. Lines that begin with a space
 * stay as they are.
 */
void wrap_paragraphs(struct buf *b, struct str text, size_t width);

#endif
