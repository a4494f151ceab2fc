/*
 * format_files: manifests in the exact bytes of upstream's encoders.
 *
 * Paths are files, or "-" for standard input. A format is one of docs_write. Errors name the file,
 * with the position or the number of the document.
 */
#ifndef IO_FORMAT_FILES_H
#define IO_FORMAT_FILES_H

#include "base/err.h"
#include "base/vec.h"

struct formatted {
	const char *path;
	struct str before, after;
};

struct formatted_files {
	struct formatted *v;
	size_t n, cap;
};

/* Adds the documents of all files to out. format "": YAML. */
int format_text(struct arena *a, const struct strs *paths, struct str format, struct buf *out,
		struct err *err);

/* The files whose bytes change. format "": the one that each file has. */
int format_changes(struct arena *a, const struct strs *paths, struct str format,
		   struct formatted_files *out, struct err *err);

/*
 * Replaces each file atomically, and adds a line with its path to written. A file with comments is
 * ERR_INVALID before the first write, unless drop_comments.
 */
int format_write(struct arena *a, const struct formatted_files *list, bool drop_comments,
		 struct buf *written, struct err *err);

#endif
