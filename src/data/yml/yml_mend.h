/*
 * yml_mend: texts that upstream's reader accepts and libyaml refuses or reads differently.
 *
 *	"it\'s"		the escape stands for '
 *	[a:, b]		within a plain scalar a colon before , [ ] { } is text
 *	!tag, x		a tag may have , [ and ]
 *
 * libyaml parses a copy in which one byte replaces each byte that it refuses, so that offsets stay
 * the same; the value of a node is restored after it has been parsed.
 */
#ifndef DATA_YML_MEND_H
#define DATA_YML_MEND_H

#include "yml_node.h"

struct yml_mended {
	size_t at;
	char stand_in; /* the byte in the value */
	char real; /* the byte to restore */
};

struct yml_mend {
	struct arena *a;
	struct str text;
	char *copy; /* for libyaml; NULL: text */
	struct {
		struct yml_mended *v;
		size_t n, cap;
	} mended; /* by offset */
	size_t tries;
};

/*
 * libyaml has refused the copy: problem is its message, with the offsets of the fault and of the
 * start of the scalar. True: the copy has been changed, parse it again.
 */
bool yml_mend_fault(struct yml_mend *m, struct str problem, size_t scalar, size_t at);

/* A node with a tag, in a flow collection. True as above. */
bool yml_mend_tag(struct yml_mend *m, const struct yml_node *n);

/* Restores the bytes of the text in a scalar's value, which the caller owns. */
void yml_mend_restore(const struct yml_mend *m, const struct yml_node *n, char *value);

/* The offset of an escape that upstream refuses, in a double-quoted scalar; or end. */
size_t yml_mend_bad_escape(struct str text, size_t start, size_t end);

/* The offset of a %YAML directive before the first document with a version other than 1.1; or
 * the end of the text. */
size_t yml_mend_bad_version(struct str text);

#endif
