/*
 * terminal: text from anywhere, made fit for a terminal or a log.
 *
 * Names, messages and contents come from dumps and servers that may be hostile.
 * A terminal obeys control characters; it must only show them.
 */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include "base/buf.h"

/*
 * The text with everything that a terminal obeys written out: "\x1b", "\r",
 * "\u202e". Line feeds and tabs stay. Written out are the other control
 * characters (also U+0080 to U+009F), bytes that are no UTF-8, and characters that
 * turn the direction of what follows. Gives text itself when there are none.
 */
struct str terminal_safe(struct arena *a, struct str text);

/* The same, but the colours that this program writes itself stay. Texts that are
 * put between them need terminal_safe of their own. */
struct str terminal_safe_but_colours(struct arena *a, struct str text);

#define TERMINAL_BOLD "\x1b[1m"
#define TERMINAL_RED "\x1b[31m"
#define TERMINAL_GREEN "\x1b[32m"
#define TERMINAL_CYAN "\x1b[36m"
#define TERMINAL_OFF "\x1b[0m"

#endif
