/*
 * verify: the state of the disk that a config requires, and the comparison with the
 * actual one.
 */
#ifndef PLAN_VERIFY_H
#define PLAN_VERIFY_H

#include "mc/current.h"

enum verify_kind {
	VERIFY_FILE, /* contents and mode */
	VERIFY_EMPTY_DROPIN, /* absent or empty */
	VERIFY_MASK, /* a link to /dev/null */
	VERIFY_ENABLED, /* enabled or not */
};

struct verify_item {
	enum verify_kind kind;
	struct str path; /* for VERIFY_ENABLED the name of the unit */
	struct str data;
	/* The file, where its contents are compressed: data is empty, and this is their size. */
	const struct ign_obj *packed;
	uint64_t size;
	int64_t mode; /* as given in the config */
	bool enabled;
};

struct verify_items {
	struct verify_item *v;
	size_t n, cap;
};

/*
 * All items of a config, in upstream's order, without files that other code writes.
 * ERR_INVALID with upstream's text for what cannot be compared.
 */
int verify_items(struct arena *a, const struct mc_current *c, struct verify_items *out,
		 struct err *err);

/* The state on disk. */
struct verify_seen {
	bool absent;
	struct str problem; /* why it cannot be read, or "" */
	unsigned mode; /* st_mode */
	struct str data;
	bool same; /* compressed contents: they are equal */
	struct str link; /* VERIFY_MASK: target of the link */
	struct str state; /* VERIFY_ENABLED: systemd's state */
};

/* "" when the state is as required, else upstream's message. */
struct str verify_text(struct arena *a, const struct verify_item *i, const struct verify_seen *s);

/* Upstream's prefix of that message. */
struct str verify_prefix(struct arena *a, struct str config, struct str image);

#endif
