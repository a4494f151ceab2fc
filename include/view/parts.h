/*
 * parts: the parts of a config and their MachineConfigs, as tables and as JSON.
 */
#ifndef VIEW_PARTS_H
#define VIEW_PARTS_H

#include "mc/origin.h"

struct parts_view {
	struct str config; /* the name of the config */
	const struct mc_origins *origins;
	bool no_headers;
};

/* A line per part: mode, size, and the MachineConfigs that set it. */
void parts_files(struct buf *b, struct arena *a, const struct parts_view *v);

/* A line per MachineConfig that sets a part, in the order of merging. */
void parts_blame(struct buf *b, struct arena *a, const struct parts_view *v);

/* The data of both tables as JSON. */
struct json *parts_json(struct arena *a, const struct parts_view *v);

#endif
