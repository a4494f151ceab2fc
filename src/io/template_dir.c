/*
 * Trees of templates on disk. Each directory is opened once, and its files relative
 * to it. The type of a file comes from readdir; stat is called only for links and on
 * file systems that do not report types.
 *
 * Directories are read in order of name, which is the order that plan/template
 * needs.
 */
#include "io/template_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file.h"

#define FILE_MAX ((size_t)1 << 20)
#define TOTAL_MAX ((size_t)32 << 20)
#define FILES_MAX 20000
#define DEPTH_MAX 20

struct walk {
	struct arena *a;
	struct template_tree *tree;
	size_t total;
	struct err *err;
};

/* Joins as Go's path.Join: without a leading "./" and a trailing '/'. */
static struct str clean(struct arena *a, const char *dir)
{
	struct str s = str_of(dir);

	while (str_starts(s, S("./")) && s.n > 2)
		s = str_from(s, 2);
	while (s.n > 1 && s.p[s.n - 1] == '/')
		s.n--;
	return str_dup(a, s);
}

/* path: on disk; the path in the tree is a part of it. */
static int add(struct walk *w, struct str path, struct str text)
{
	struct template_file f = { str_from(path, w->tree->dir.n + 1), text };

	w->total += text.n;
	if (w->tree->n >= FILES_MAX || w->total > TOTAL_MAX)
		return err_set(w->err, ERR_LIMIT,
			       "%.*s has more than %d files or %zu MiB: it does "
			       "not look like a tree of templates",
			       STRF(w->tree->dir), FILES_MAX, TOTAL_MAX >> 20);
	VEC_PUSH(w->a, w->tree, f);
	return 0;
}

/* A name in a directory, and its type as readdir has it. */
struct child {
	const char *name;
	unsigned char type;
};

struct children {
	struct child *v;
	size_t n, cap;
};

static int by_name(const void *x, const void *y)
{
	return strcmp(((const struct child *)x)->name, ((const struct child *)y)->name);
}

static void list_children(struct arena *a, DIR *d, struct children *out)
{
	struct dirent *e;

	while ((e = readdir(d)) != NULL) {
		struct child c = { .type = e->d_type };

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		c.name = arena_dup(a, e->d_name, strlen(e->d_name));
		VEC_PUSH(a, out, c);
	}
	if (out->n > 1)
		qsort(out->v, out->n, sizeof(*out->v), by_name);
}

/* DT_DIR, DT_REG for a file or a link to one; anything else is not read. */
static int type_of(struct walk *w, int dir, const struct child *c, const char *path,
		   unsigned char *out)
{
	struct stat st;

	*out = c->type;
	if (*out == DT_UNKNOWN) {
		if (fstatat(dir, c->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return err_sys(w->err, "%s", path);
		*out = IFTODT(st.st_mode);
	}
	if (*out == DT_LNK) {
		if (fstatat(dir, c->name, &st, 0) < 0)
			return err_sys(w->err, "%s", path);
		if (S_ISREG(st.st_mode))
			*out = DT_REG;
	}
	return 0;
}

static int read_template(struct walk *w, int dir, const char *name, struct str path)
{
	AUTO(fd) int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct str text;
	int rc;

	if (fd < 0)
		return err_sys(w->err, "open %s", path.p);
	rc = file_read_fd(w->a, fd, path.p, FILE_MAX, &text, w->err);
	return rc < 0 ? rc : add(w, path, text);
}

static int walk_dir(struct walk *w, int at, const char *name, struct str path, int depth);

static int visit(struct walk *w, int dir, struct str parent, const struct child *c, int depth)
{
	size_t n = strlen(c->name);
	char *z = arena_alloc(w->a, parent.n + n + 2);
	struct str path = { z, parent.n + n };
	unsigned char type;
	int rc;

	memcpy(z, parent.p, parent.n);
	memcpy(z + parent.n, c->name, n);
	rc = type_of(w, dir, c, z, &type);
	if (rc == 0 && type == DT_REG)
		return read_template(w, dir, c->name, path);
	if (rc < 0 || type != DT_DIR)
		return rc; /* reading a pipe could block */
	z[path.n++] = '/';
	rc = add(w, path, S(""));
	return rc < 0 ? rc : walk_dir(w, dir, c->name, path, depth + 1);
}

/* name: of the directory in at; path: on disk, with a trailing '/'. */
static int walk_dir(struct walk *w, int at, const char *name, struct str path, int depth)
{
	struct children list = { 0 };
	int fd, rc = 0;
	DIR *d;

	if (depth > DEPTH_MAX)
		return err_set(w->err, ERR_LIMIT, "%s: more than %d levels deep", path.p,
			       DEPTH_MAX);
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(w->err, "open %.*s", STRF(depth ? path : w->tree->dir));
	d = fdopendir(fd);
	if (!d) {
		(void)close(fd);
		return err_sys(w->err, "open %s", path.p);
	}
	list_children(w->a, d, &list);
	for (size_t i = 0; rc == 0 && i < list.n; i++)
		rc = visit(w, fd, path, &list.v[i], depth);
	(void)closedir(d);
	return rc;
}

int template_dir_read(struct arena *a, const char *dir, struct template_tree *out, struct err *err)
{
	struct template_tree tree = { .dir = clean(a, dir) };
	struct walk w = { .a = a, .tree = &tree, .err = err };
	int rc = walk_dir(&w, AT_FDCWD, str_z(a, tree.dir), str_fmt(a, "%.*s/", STRF(tree.dir)), 0);

	if (rc < 0) {
		struct str at = tree.dir;

		/* upstream's words for the tree itself */
		if (!tree.n)
			return err_wrap(err, "failed to read dir \"%.*s\"", STRF(at));
		return rc;
	}
	*out = tree;
	return 0;
}

/* ---- writing ------------------------------------------------------------- */

static int make_dirs(char *path, struct err *err)
{
	for (char *p = path + 1; *p; p++) {
		int rc;

		if (*p != '/')
			continue;
		*p = '\0';
		rc = mkdir(path, 0755);
		*p = '/';
		if (rc < 0 && errno != EEXIST)
			return err_sys(err, "create directories of %s", path);
	}
	return 0;
}

static bool is_empty(const char *dir)
{
	struct dirent **list = NULL;
	int n = scandir(dir, &list, NULL, NULL);

	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
	return n <= 2; /* . and .., or it does not exist */
}

int template_dir_write(struct arena *a, const struct template_tree *tree, const char *dir,
		       struct err *err)
{
	if (!is_empty(dir))
		return err_set(err, ERR_INVALID, "%s is not empty: give a new directory", dir);
	for (size_t i = 0; i < tree->n; i++) {
		const struct template_file *f = &tree->v[i];
		char *path = str_z(a, str_fmt(a, "%s/%.*s", dir, STRF(f->path)));
		int rc = make_dirs(path, err);

		if (rc == 0 && !str_ends(f->path, S("/")))
			rc = file_replace(path, f->text, 0644, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* The built-in tree is used only on request: its MachineConfigs differ from upstream's,
 * and nodes would lose files. */
int template_dir_named(struct arena *a, struct str name, struct template_tree *out, struct err *err)
{
	const char *dir = name.n ? str_z(a, name) : TEMPLATES_DIR;

	if (str_is(name, TEMPLATES_BUILTIN)) {
		template_builtin(a, out);
		return 0;
	}
	if (!name.n && access(dir, F_OK) < 0)
		return err_set(err, ERR_NOTFOUND,
			       "there are no templates in " TEMPLATES_DIR
			       ": mount those of upstream's image there, name another "
			       "directory with --templates=DIR, or give "
			       "--templates=" TEMPLATES_BUILTIN " for the built-in "
			       "ones (platforms None and BareMetal)");
	return template_dir_read(a, dir, out, err);
}
