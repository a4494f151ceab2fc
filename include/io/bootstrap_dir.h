/*
 * bootstrap_dir: reads the manifests of a bootstrap, and writes the files that it makes.
 */
#ifndef IO_BOOTSTRAP_DIR_H
#define IO_BOOTSTRAP_DIR_H

#include <sys/types.h>

#include "plan/operator_bootstrap.h"

/* Reads the files of dir, but not the directories in it, in the order of their names. ERR_SYS in
 * Go's words. */
int bootstrap_dir_read(struct arena *a, struct str dir, struct bootstrap_files *out,
		       struct err *err);

/* Reads one file, such as the pull secret. ERR_SYS in Go's words. */
int bootstrap_file_read(struct arena *a, const char *path, struct str *out, struct err *err);

/* Reads an input of the operator's bootstrap, which decides whether a failure is an error. */
void bootstrap_source_read(struct arena *a, struct str path, struct operator_source *out);

/* As upstream's programs pass them to the kernel: the umask applies. */
struct bootstrap_modes {
	mode_t dir, file;
};

/*
 * Writes files below dest, which is created. A server may be waiting for them: each is replaced
 * atomically by a rename, and none before all of them are written. They are not fsynced: after a
 * power cut the installer, or the kubelet with the bootstrap's init container, runs again.
 */
int bootstrap_dir_write(struct arena *a, struct str dest, const struct bootstrap_files *files,
			struct bootstrap_modes modes, struct err *err);

#endif
