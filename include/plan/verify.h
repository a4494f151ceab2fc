/*
 * verify: what a config says must be on a node's disk, and whether it is.
 */
#ifndef PLAN_VERIFY_H
#define PLAN_VERIFY_H

#include "mc/current.h"

enum verify_kind {
	VERIFY_FILE, /* contents and mode */
	VERIFY_EMPTY_DROPIN, /* not there, or empty */
	VERIFY_MASK, /* a link to /dev/null */
	VERIFY_ENABLED, /* enabled or not */
};

struct verify_item {
	enum verify_kind kind;
	struct str path; /* of VERIFY_ENABLED the unit's name */
	struct str data;
	/* The file of it, where its contents are packed: they are not in data,
	 * and of this size. */
	const struct ign_obj *packed;
	uint64_t size;
	int64_t mode; /* as the config has it */
	bool enabled;
};

struct verify_items {
	struct verify_item *v;
	size_t n, cap;
};

/*
 * All of a config, in upstream's order; what others write is left out.
 * ERR_INVALID with upstream's text for what cannot be compared.
 */
int verify_items(struct arena *a, const struct mc_current *c, struct verify_items *out,
		 struct err *err);

/* What was found. */
struct verify_seen {
	bool absent;
	struct str problem; /* why it could not be looked at or read; or "" */
	unsigned mode; /* st_mode */
	struct str data;
	bool same; /* of a packed one: the contents are as they should be */
	struct str link; /* of VERIFY_MASK: where the path leads */
	struct str state; /* of VERIFY_ENABLED: what systemd says */
};

/* "" when it is as it should be, else upstream's words. */
struct str verify_text(struct arena *a, const struct verify_item *i, const struct verify_seen *s);

/* What upstream says before such a text. */
struct str verify_prefix(struct arena *a, struct str config, struct str image);

#endif
