/*
 * manifests: what -f, -R and --base name, read into a set of objects.
 */
#ifndef APPLETS_MANIFESTS_H
#define APPLETS_MANIFESTS_H

#include "applet.h"
#include "mc/load.h"

/* Nothing in a cluster comes near this; it bounds what a mistake can cost. */
#define MANIFEST_MAX ((size_t)64 << 20)

/*
 * Reads files, folders (their files in order of name; with recursive also what
 * is below; of a must-gather the right folders are found) and "-". Standard input
 * is read for "-" only, never because there are no paths: that is ERR_INVALID.
 * Sets r->err: "file:line:column: object: problem". ERR_NOTFOUND when one of the
 * paths has no manifest.
 */
int manifests_load(struct run *r, const struct strs *paths, bool recursive, struct mc_set *set);

/* -f and -R, for every command that takes manifests. */
#define MANIFEST_FLAGS(type)                                                                     \
	{ .name = "filename",                                                                    \
	  .letter = 'f',                                                                         \
	  .kind = FLAG_STRS,                                                                     \
	  .offset = offsetof(type, files),                                                       \
	  .value = "PATH",                                                                       \
	  .help = "a manifest, a directory of them, or - for standard input; may be repeated" }, \
	{                                                                                        \
		.name = "recursive", .letter = 'R', .kind = FLAG_BOOL,                           \
		.offset = offsetof(type, recursive), .help = "also what is in directories below" \
	}

#endif
