/*
 * parts: the parts of a config and where they come from, as tables and as JSON.
 */
#ifndef VIEW_PARTS_H
#define VIEW_PARTS_H

#include "mc/origin.h"

struct parts_view {
	struct str config; /* the name of the config */
	const struct mc_origins *origins;
	bool no_headers;
};

/* A line per part: mode, size, and which MachineConfigs it comes from. */
void parts_files(struct buf *b, struct arena *a, const struct parts_view *v);

/* A line per MachineConfig that sets a part, in the order they are merged. */
void parts_blame(struct buf *b, struct arena *a, const struct parts_view *v);

/* All of both. */
struct json *parts_json(struct arena *a, const struct parts_view *v);

#endif
