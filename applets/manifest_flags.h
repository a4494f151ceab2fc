/*
 * manifest_flags: -f and -R, for every command that reads manifests.
 */
#ifndef APPLETS_MANIFEST_FLAGS_H
#define APPLETS_MANIFEST_FLAGS_H

#include "base/flag.h"
#include "io/manifests.h"

/* type has the members files (struct strs) and recursive (bool). */
#define MANIFEST_FLAGS(type)                                                                    \
	{ .texts = FLAG_TEXT(                                                                   \
		  "filename", "PATH",                                                           \
		  "a manifest, a directory of them, or - for standard input; may be repeated"), \
	  .letter = 'f',                                                                        \
	  .kind = FLAG_STRS,                                                                    \
	  .offset = offsetof(type, files) },                                                    \
	{                                                                                       \
		.texts = FLAG_TEXT("recursive", "", "also read subdirectories"), .letter = 'R', \
		.kind = FLAG_BOOL, .offset = offsetof(type, recursive)                          \
	}

#endif
