/*
 * inspect: shared by mcoctl cat, files and blame.
 */
#ifndef APPLETS_INSPECT_H
#define APPLETS_INSPECT_H

#include "mcoctl.h"
#include "view/parts.h"

struct inspect_opts {
	struct strs files;
	bool recursive, secrets, no_headers;
	struct str output;
	struct kube_flags kube;
};

/* -o and --no-headers, for the commands that print tables of parts. */
#define PARTS_FLAGS                                                                         \
	OUTPUT_FLAG(struct inspect_opts, "table|json|yaml"),                                \
	{                                                                                   \
		.texts = FLAG_TEXT("no-headers", "", "print the table without its header"), \
		.kind = FLAG_BOOL, .offset = offsetof(struct inspect_opts, no_headers)      \
	}

void inspect_defaults(void *opts);

/* The arguments of a command. */
struct inspect {
	struct str config; /* a name, TYPE/NAME or a file */
	struct str part; /* of that config; "" when none is named */
};

/* Parses CONFIG:/PATH or CONFIG [PART]; CONFIG may be TYPE NAME. */
int inspect_words(struct run *r, struct inspect *out);

struct inspected {
	struct mc_set set;
	struct named_config config; /* sources: its MachineConfigs */
	bool exact; /* it equals what the sources render to now */
};

/*
 * Loads the config: a pool, a MachineConfig or a Node among the -f manifests, or
 * a file with one config, or else a name in the cluster. For a pool that cannot be
 * rendered it loads the last config, with a warning.
 */
int inspect_load(struct run *r, const struct inspect_opts *o, struct str config,
		 struct inspected *out);

/* The parts of the config and their MachineConfigs. Warns about unknown origins. */
void inspect_origins(struct run *r, const struct inspected *in, struct mc_origins *out);

/* Prints parts in the format of -o; table prints a table. */
int inspect_print(struct run *r, const struct inspect_opts *o, struct parts_view *v,
		  void (*table)(struct buf *b, struct arena *a, const struct parts_view *v));

#endif
