/*
 * json_split: splits JSON while its bytes arrive, so that only one object is held at a
 * time: the items of a list, or the values of a stream.
 */
#ifndef DATA_JSON_SPLIT_H
#define DATA_JSON_SPLIT_H

#include "base/err.h"

enum split_mode {
	SPLIT_ITEMS, /* elements of the top object's member "items" */
	SPLIT_VALUES, /* values one after the other, as in watches */
};

struct json_split {
	enum split_mode mode;
	size_t max; /* limits: bytes of one item, and of everything that is not an item */
	/* The text of one item, valid during the call. A negative result ends the split. */
	int (*on_item)(void *ctx, struct str text, struct err *err);
	void *ctx;
	/* ---- its own ---- */
	struct arena a;
	struct buf item, rest;
	size_t depth, item_depth; /* item_depth 0: not in one */
	bool in_string, escaped, in_items, value_seen;
	char key[8]; /* the last string at depth 1, when short */
	size_t key_n;
};

void split_init(struct json_split *s, enum split_mode mode, size_t max,
		int (*on_item)(void *ctx, struct str text, struct err *err), void *ctx);

/* ERR_LIMIT when something is too large, ERR_INVALID when it is not JSON, or the result
 * of on_item. */
int split_feed(struct json_split *s, struct str part, struct err *err);

/* True when the input ended between values. */
bool split_between(const struct json_split *s);

/* SPLIT_ITEMS: the list without its items. */
struct str split_rest(const struct json_split *s);

void split_free(struct json_split *s);

#endif
