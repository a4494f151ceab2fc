/*
 * An external diff program on temporary files.
 *
 * The directory and its files are readable by the caller only and are removed on
 * every path, also after a failed write.
 */
#include "io/external_diff.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/terminal.h"
#include "io/file.h"

static int write_file(struct arena *a, const char *dir, const struct diff_file *f, struct err *err)
{
	const char *to = str_fmt(a, "%s/%.*s", dir, STRF(f->name)).p;
	struct str bytes = f->bytes;
	AUTO(fd)
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_sys(err, "create %s", to);
	/* the program is going to show it */
	if (isatty(STDOUT_FILENO))
		bytes = terminal_safe(a, bytes);
	return file_write_fd(fd, bytes, to, err);
}

static int write_side(struct arena *a, const char *dir, const struct diff_file *v, size_t n,
		      struct err *err)
{
	int rc = 0;

	if (mkdir(dir, 0700) < 0)
		return err_sys(err, "create %s", dir);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = write_file(a, dir, &v[i], err);
	return rc;
}

static void remove_side(const char *path)
{
	DIR *d = opendir(path);

	for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			(void)unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		(void)closedir(d);
	(void)rmdir(path);
}

/* The command split at blanks, then both directories. */
static char **arguments(struct arena *a, const char *command, const char *live, const char *merged)
{
	struct str rest = str_of(command), word;
	VEC(char *) argv = { 0 };

	while (str_cut(rest, ' ', &word, &rest))
		if (word.n)
			VEC_PUSH(a, &argv, str_z(a, word));
	VEC_PUSH(a, &argv, str_z(a, rest));
	VEC_PUSH(a, &argv, str_z(a, str_of(live)));
	VEC_PUSH(a, &argv, str_z(a, str_of(merged)));
	VEC_PUSH(a, &argv, NULL);
	return argv.v;
}

static int run_program(char **argv, struct err *err)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return err_sys(err, "fork");
	if (pid == 0) {
		(void)execvp(argv[0], argv);
		(void)dprintf(STDERR_FILENO, "Error: run %s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(err, "wait for %s", argv[0]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

int external_diff(struct arena *a, const char *command, const struct diff_files *files,
		  struct err *err)
{
	const char *tmp = getenv("TMPDIR"), *live, *merged;
	char *dir = str_z(a, str_fmt(a, "%s/mco-diff-XXXXXX", tmp && *tmp ? tmp : "/tmp"));
	int rc;

	if (!files->before.n && !files->after.n)
		return 0;
	if (!mkdtemp(dir))
		return err_sys(err, "create %s", dir);
	live = str_fmt(a, "%s/LIVE", dir).p;
	merged = str_fmt(a, "%s/MERGED", dir).p;
	rc = write_side(a, live, files->before.v, files->before.n, err);
	if (rc == 0)
		rc = write_side(a, merged, files->after.v, files->after.n, err);
	if (rc == 0)
		rc = run_program(arguments(a, command, live, merged), err);
	remove_side(live);
	remove_side(merged);
	(void)rmdir(dir);
	return rc;
}
