/*
 * bootstrap_dir: reads the manifests of a bootstrap, and writes the files that it makes.
 */
#ifndef IO_BOOTSTRAP_DIR_H
#define IO_BOOTSTRAP_DIR_H

#include "plan/bootstrap.h"

/* Reads the files of dir, but not the directories in it, in the order of their names. ERR_SYS in
 * Go's words. */
int bootstrap_dir_read(struct arena *a, struct str dir, struct bootstrap_files *out,
		       struct err *err);

/* Reads one file, such as the pull secret. ERR_SYS in Go's words. */
int bootstrap_file_read(struct arena *a, const char *path, struct str *out, struct err *err);

/*
 * Writes files below dest, which is created. A server may be waiting for them: each is replaced atomically by a rename,
 * and none before all of them are written. They are not fsynced: after a power cut
 * the kubelet runs the bootstrap's init container again before the server starts.
 */
int bootstrap_dir_write(struct arena *a, struct str dest, const struct bootstrap_files *files,
			struct err *err);

#endif
