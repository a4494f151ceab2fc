/*
 * The files of a bootstrap: reading the manifests, writing what is made of them.
 *
 * Messages are worded as Go words system errors, because upstream's installer shows them.
 */
#include "io/bootstrap_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/codec.h"
#include "io/file.h"
#include "io/manifests.h"

/* ---- reading ------------------------------------------------------------- */

static int by_name(const struct dirent **x, const struct dirent **y)
{
	return strcmp((*x)->d_name, (*y)->d_name);
}

static int not_dots(const struct dirent *e)
{
	return strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
}

/* The text of errno as Go has it: "no such file or directory". */
static struct str errno_text(struct arena *a)
{
	char *text = arena_dup(a, strerror(errno), strlen(strerror(errno)));

	if (text[0] >= 'A' && text[0] <= 'Z')
		text[0] = (char)(text[0] + ('a' - 'A'));
	return str_of(text);
}

static int lower_errno(const char *call, const char *path, struct err *err)
{
	return err_set(err, ERR_SYS, "%s %s: %s", call, path, errno_text(err->a).p);
}

int bootstrap_file_read(struct arena *a, const char *path, struct str *out, struct err *err)
{
	if (access(path, R_OK) < 0)
		return lower_errno("open", path, err);
	return file_read(a, path, MANIFEST_MAX, out, err);
}

static bool is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The directory as Go's filepath cleans it: it starts every path in messages. */
static const char *clean(struct arena *a, struct str dir)
{
	while (str_starts(dir, S("./")) && dir.n > 2)
		dir = str_from(dir, 2);
	while (dir.n > 1 && dir.p[dir.n - 1] == '/')
		dir.n--;
	return str_z(a, dir);
}

int bootstrap_dir_read(struct arena *a, struct str dir, struct bootstrap_files *out,
		       struct err *err)
{
	const char *d = str_z(a, dir), *base = clean(a, dir);
	struct dirent **list = NULL;
	int n = scandir(d, &list, not_dots, by_name), rc = 0;
	struct buf quoted;

	buf_init(&quoted, a);
	go_quote(&quoted, dir);
	if (n < 0) {
		(void)lower_errno("open", d, err);
		return err_wrap(err, "failed to read dir %s", quoted.p);
	}
	for (int i = 0; i < n; i++) {
		struct bootstrap_file f = { .path = str_fmt(a, "%s/%s", base, list[i]->d_name) };

		if (rc == 0 && !is_dir(f.path.p)) {
			rc = bootstrap_file_read(a, f.path.p, &f.text, err);
			VEC_PUSH(a, out, f);
		}
		free(list[i]);
	}
	free(list);
	return rc;
}

void bootstrap_source_read(struct arena *a, struct str path, struct operator_source *out)
{
	struct err err = ERR_INIT(a);
	const char *z = str_z(a, path);
	struct stat st;

	*out = (struct operator_source){ .path = path };
	if (!path.n)
		return;
	out->unknown = stat(z, &st) < 0;
	if (!out->unknown && file_read(a, z, MANIFEST_MAX, &out->text, &err) >= 0)
		return;
	out->missing = errno == ENOENT;
	out->problem = err.code == ERR_LIMIT ? err.msg : errno_text(a);
}

/* ---- writing ------------------------------------------------------------- */

static int make_dir(char *path, mode_t mode, struct err *err)
{
	for (char *p = path + 1;; p++) {
		char c = *p;

		if (c != '/' && c != '\0')
			continue;
		*p = '\0';
		if (mkdir(path, mode) < 0 && !is_dir(path)) {
			errno = errno == EEXIST ? ENOTDIR : errno;
			return lower_errno("mkdir", path, err);
		}
		*p = c;
		if (c == '\0')
			return 0;
	}
}

/* The name of file number i in the staging directory. */
static const char *staged(struct arena *a, const char *stage, size_t i)
{
	return str_fmt(a, "%s/%zu", stage, i).p;
}

static int write_file(const char *path, struct str text, mode_t mode, struct err *err)
{
	AUTO(fd) int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);

	if (fd < 0)
		return lower_errno("open", path, err);
	return file_write_fd(fd, text, path, err);
}

static int write_all(struct arena *a, const char *stage, const struct bootstrap_files *files,
		     mode_t mode, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < files->n; i++)
		rc = write_file(staged(a, stage, i), files->v[i].text, mode, err);
	return rc;
}

static int move_all(struct arena *a, const char *stage, const char *dest,
		    const struct bootstrap_files *files, mode_t mode, struct err *err)
{
	struct str made = S("");
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < files->n; i++) {
		struct str path = str_fmt(a, "%s/%.*s", dest, STRF(files->v[i].path));
		struct str dir = str_sub(path, 0, (size_t)str_rchr(path, '/'));

		if (!str_eq(dir, made))
			rc = make_dir(str_z(a, dir), mode, err);
		made = dir;
		if (rc == 0 && rename(staged(a, stage, i), path.p) < 0)
			rc = lower_errno("rename", path.p, err);
	}
	return rc;
}

int bootstrap_dir_write(struct arena *a, struct str dest, const struct bootstrap_files *files,
			struct bootstrap_modes modes, struct err *err)
{
	char *dir = str_z(a, dest);
	char *stage = str_z(a, str_fmt(a, "%s/.bootstrap-XXXXXX", dir));
	int rc = make_dir(dir, modes.dir, err);

	if (rc < 0)
		return rc;
	if (!mkdtemp(stage))
		return lower_errno("mkdir", stage, err);
	rc = write_all(a, stage, files, modes.file, err);
	if (rc == 0)
		rc = move_all(a, stage, dir, files, modes.dir, err);
	for (size_t i = 0; rc < 0 && i < files->n; i++)
		(void)unlink(staged(a, stage, i));
	(void)rmdir(stage);
	return rc;
}
