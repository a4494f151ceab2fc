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

/* As Go joins paths: no "./" before and no '/' behind. */
static struct str clean(struct arena *a, const char *dir)
{
	struct str s = str_of(dir);

	while (str_starts(s, S("./")) && s.n > 2)
		s = str_from(s, 2);
	while (s.n > 1 && s.p[s.n - 1] == '/')
		s.n--;
	return str_dup(a, s);
}

static int add(struct walk *w, struct str path, struct str text)
{
	struct template_file f = { path, text };

	w->total += text.n;
	if (w->tree->n >= FILES_MAX || w->total > TOTAL_MAX)
		return err_set(w->err, ERR_LIMIT,
			       "%.*s has more than %d files or %zu MiB: it does "
			       "not look like a tree of templates",
			       STRF(w->tree->dir), FILES_MAX, TOTAL_MAX >> 20);
	VEC_PUSH(w->a, w->tree, f);
	return 0;
}

/* What is on disk: the tree's directory and the path in it. */
static const char *full(struct walk *w, struct str path)
{
	return str_fmt(w->a, "%.*s/%.*s", STRF(w->tree->dir), STRF(path)).p;
}

static int walk_dir(struct walk *w, struct str below, int depth);

static int visit(struct walk *w, struct str below, const char *name, int depth)
{
	struct str path = str_fmt(w->a, "%.*s%s", STRF(below), name), text;
	const char *z = full(w, path);
	struct stat st;
	int rc;

	if (lstat(z, &st) < 0)
		return err_sys(w->err, "%s", z);
	if (S_ISDIR(st.st_mode)) {
		path = str_fmt(w->a, "%.*s/", STRF(path));
		rc = add(w, path, S(""));
		return rc < 0 ? rc : walk_dir(w, path, depth + 1);
	}
	if (S_ISLNK(st.st_mode) && stat(z, &st) < 0)
		return err_sys(w->err, "%s", z);
	if (!S_ISREG(st.st_mode))
		return 0; /* nothing to read: a pipe would make us wait */
	rc = file_read(w->a, z, FILE_MAX, &text, w->err);
	return rc < 0 ? rc : add(w, path, text);
}

static int walk_dir(struct walk *w, struct str below, int depth)
{
	const char *z = below.n ? full(w, below) : str_z(w->a, w->tree->dir);
	struct dirent *e;
	int rc = 0;
	DIR *d;

	if (depth > DEPTH_MAX)
		return err_set(w->err, ERR_LIMIT, "%s: more than %d levels deep", z, DEPTH_MAX);
	d = opendir(z);
	if (!d)
		return err_sys(w->err, "open %s", z);
	while (rc == 0 && (e = readdir(d)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			rc = visit(w, below, e->d_name, depth);
	(void)closedir(d);
	return rc;
}

int template_dir_read(struct arena *a, const char *dir, struct template_tree *out, struct err *err)
{
	struct template_tree tree = { .dir = clean(a, dir) };
	struct walk w = { .a = a, .tree = &tree, .err = err };
	int rc = walk_dir(&w, S(""), 0);

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
	return n <= 2; /* . and .., or not there */
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
