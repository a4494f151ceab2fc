/*
 * terminal: makes text from outside safe for a terminal or a log.
 *
 * Names, messages and contents come from dumps and servers that may be hostile. A
 * terminal obeys control characters; it must only show them.
 */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include "base/buf.h"

/*
 * The text with everything that a terminal obeys escaped: "\x1b", "\r", "\u202e". Line
 * feeds and tabs stay. Escaped are the other control characters (also U+0080 to
 * U+009F), bytes that are not UTF-8, and characters that change the direction of text.
 * Returns text itself when there are none.
 */
struct str terminal_safe(struct arena *a, struct str text);

/* The same, but keeps the colours that this program writes. Text from outside must pass
 * terminal_safe before it is put between them. */
struct str terminal_safe_but_colours(struct arena *a, struct str text);

#define TERMINAL_BOLD "\x1b[1m"
#define TERMINAL_RED "\x1b[31m"
#define TERMINAL_GREEN "\x1b[32m"
#define TERMINAL_CYAN "\x1b[36m"
#define TERMINAL_OFF "\x1b[0m"

#endif
