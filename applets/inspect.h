/*
 * inspect: what mcoctl cat, files and blame have in common.
 */
#ifndef APPLETS_INSPECT_H
#define APPLETS_INSPECT_H

#include "live.h"
#include "mcoctl.h"
#include "view/parts.h"

struct inspect_opts {
	struct strs files;
	bool recursive, secrets, no_headers;
	struct str output;
	struct kube_flags kube;
};

/* -o and --no-headers, for the commands that print tables of parts. */
#define PARTS_FLAGS                                                  \
	OUTPUT_FLAG(struct inspect_opts, "table|json|yaml"),         \
	{                                                            \
		.name = "no-headers", .kind = FLAG_BOOL,             \
		.offset = offsetof(struct inspect_opts, no_headers), \
		.help = "print a table without its headings"         \
	}

void inspect_defaults(void *opts);

/* What the words of a command name. */
struct inspect {
	struct str config; /* a name, TYPE/NAME or a file */
	struct str part; /* of that config; "" when none is named */
};

/* CONFIG:/PATH, CONFIG [PART], and TYPE NAME in the place of CONFIG. */
int inspect_words(struct run *r, struct inspect *out);

struct inspected {
	struct mc_set set;
	struct named_config config; /* sources: what it came from */
	bool exact; /* it is what the sources make now */
};

/*
 * Loads the config: a pool, a MachineConfig or a Node among the -f manifests, or
 * a file of its own, or else a name in the cluster. A pool that cannot be rendered
 * has its last config, and standard error says so.
 */
int inspect_load(struct run *r, const struct inspect_opts *o, struct str config,
		 struct inspected *out);

/* Its parts and where they come from. What cannot be told is on standard error. */
void inspect_origins(struct run *r, const struct inspected *in, struct mc_origins *out);

/* Prints parts in the format that was asked for; table prints one. */
int inspect_print(struct run *r, const struct inspect_opts *o, struct parts_view *v,
		  void (*table)(struct buf *b, struct arena *a, const struct parts_view *v));

#endif
