/*
 * Inside data/yml: texts that upstream's reader takes and libyaml refuses, or
 * takes otherwise.
 *
 *	"it\'s"		the escape stands for '
 *	[a:, b]		within a plain scalar a colon before , [ ] { } is text
 *	!tag, x		a tag may have , [ and ]
 *
 * libyaml reads a copy in which one byte stands in for what it does not take, so
 * that offsets stay the same; when a node has been read, its value is restored.
 */
#ifndef DATA_YML_MEND_H
#define DATA_YML_MEND_H

#include "yml_node.h"

struct yml_mended {
	size_t at;
	char stand_in; /* what the value has there */
	char real; /* what it is to have */
};

struct yml_mend {
	struct arena *a;
	struct str text;
	char *copy; /* what libyaml is to read; NULL: text */
	struct {
		struct yml_mended *v;
		size_t n, cap;
	} mended; /* by offset */
	size_t tries;
};

/*
 * libyaml has refused the copy: its problem, and the offsets where that is and
 * where the scalar begins. True: the copy has been changed, read it again.
 */
bool yml_mend_fault(struct yml_mend *m, struct str problem, size_t scalar, size_t at);

/* A node with a tag, in a flow collection. True as above. */
bool yml_mend_tag(struct yml_mend *m, const struct yml_node *n);

/* Puts what the text has into a scalar's value, which is the caller's to change. */
void yml_mend_restore(const struct yml_mend *m, const struct yml_node *n, char *value);

/* The offset of an escape that upstream does not take, in a double-quoted scalar;
 * or end. */
size_t yml_mend_bad_escape(struct str text, size_t start, size_t end);

/* The offset of a %YAML directive before the first document whose version is not
 * 1.1; or the text's end. */
size_t yml_mend_bad_version(struct str text);

#endif
