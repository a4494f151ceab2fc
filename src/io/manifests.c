/*
 * Manifests from files, directories, must-gathers and standard input.
 *
 * Directories are read in the order of their file names, so that the same tree
 * gives the same set. Depth and sizes are bounded.
 */
#include "io/manifests.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "io/file.h"

#define DEPTH_MAX 16

struct loader {
	struct arena *a;
	struct mc_set *set;
	struct err *err;
	bool recursive;
};

static int load_path(struct loader *l, const char *path, unsigned depth);

/*
 * The first error by its line, and the number of others. Loading stops at an error
 * that may not be the first one, because it decodes members in the order of their names.
 */
static int refuse(struct loader *l, const char *path, struct str text, const struct mc_fault *fault)
{
	struct mc_review review = { 0 };
	struct mc_set set = { .review = &review };
	struct err ignored = ERR_INIT(l->a);
	struct mc_fault f = *fault, unused;
	struct str more = S("");

	(void)mc_load(l->a, str_of(path), text, &set, &unused, &ignored);
	for (size_t i = 0; i < review.faults.n; i++) {
		const struct mc_fault *x = &review.faults.v[i];

		if (x->line < f.line || (x->line == f.line && x->col < f.col))
			f = *x;
	}
	if (review.faults.n > 1)
		more = str_fmt(l->a, "; and %zu more: mcoctl validate -f %s lists them",
			       review.faults.n - 1, path);
	return err_set(l->err, ERR_INVALID, "%s:%zu:%zu: %.*s%s%.*s%.*s", path, f.line, f.col,
		       STRF(f.object), f.object.n ? ": " : "", STRF(f.problem), STRF(more));
}

static int load_file(struct loader *l, const char *path)
{
	struct mc_fault f = { 0 };
	struct str text;
	int rc = file_read(l->a, path, MANIFEST_MAX, &text, l->err);

	if (rc < 0 && l->set->review) {
		VEC_PUSH(l->a, &l->set->review->unread, l->err->msg);
		l->set->objects++;
		return 0;
	}
	if (rc < 0)
		return rc;
	rc = mc_load(l->a, str_of(path), text, l->set, &f, l->err);
	if (rc == -ERR_INVALID)
		return refuse(l, path, text, &f);
	return rc < 0 ? err_wrap(l->err, "%s", path) : 0;
}

static int by_name(const struct dirent **x, const struct dirent **y)
{
	return strcmp((*x)->d_name, (*y)->d_name);
}

static int not_hidden(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* The directories of a must-gather that are read, below one of its image directories. */
static const char gathered[] = "cluster-scoped-resources/" GROUP_MC;

/* The extensions that kubectl reads. */
static bool is_manifest(const char *name)
{
	struct str s = str_of(name);

	return str_ends(s, S(".yaml")) || str_ends(s, S(".yml")) || str_ends(s, S(".json"));
}

static bool is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The directory of a must-gather at path, or one level below; or NULL. */
static const char *must_gather(struct loader *l, const char *path)
{
	const char *at = str_fmt(l->a, "%s/%s", path, gathered).p;
	struct dirent **list = NULL;
	const char *found = is_dir(at) ? at : NULL;
	int n = scandir(path, &list, not_hidden, by_name);

	for (int i = 0; i < n; i++) {
		at = str_fmt(l->a, "%s/%s/%s", path, list[i]->d_name, gathered).p;
		if (!found && is_dir(at))
			found = at;
		free(list[i]);
	}
	free(list);
	return found;
}

static int load_dir(struct loader *l, const char *path, unsigned depth)
{
	struct dirent **list = NULL;
	int n = scandir(path, &list, not_hidden, by_name), rc = 0;

	if (n < 0)
		return err_sys(l->err, "open %s", path);
	for (int i = 0; i < n; i++) {
		const char *p = str_fmt(l->a, "%s/%s", path, list[i]->d_name).p;

		if (rc == 0 && (is_dir(p) ? l->recursive : is_manifest(list[i]->d_name)))
			rc = load_path(l, p, depth + 1);
		free(list[i]);
	}
	free(list);
	return rc;
}

/* The directory that must_gather found, and the relevant ones beside it. */
static int load_gathered(struct loader *l, const char *inside)
{
	static const char *const others[] = { GROUP_CONFIG, GROUP_OPERATOR, "core/nodes" };
	struct str path = str_of(inside);
	struct str parent = str_sub(path, 0, (size_t)str_rchr(path, '/'));
	struct loader deep = *l;
	int rc;

	deep.recursive = true;
	rc = load_dir(&deep, inside, 1);

	for (size_t i = 0; rc == 0 && i < 3; i++) {
		const char *p = str_fmt(l->a, "%.*s/%s", STRF(parent), others[i]).p;

		if (is_dir(p))
			rc = load_dir(&deep, p, 1);
	}
	return rc;
}

static int load_path(struct loader *l, const char *path, unsigned depth)
{
	const char *inside;

	if (depth > DEPTH_MAX)
		return err_set(l->err, ERR_LIMIT, "%s: directories more than %d levels deep", path,
			       DEPTH_MAX);
	if (strcmp(path, "-") == 0 || !is_dir(path))
		return load_file(l, path);
	inside = depth == 0 ? must_gather(l, path) : NULL;
	if (inside)
		return load_gathered(l, inside);
	return load_dir(l, path, depth);
}

/* The manifests in the directories below path; those in path itself too if own. */
static size_t count_below(struct loader *l, const char *path, bool own, unsigned depth)
{
	struct dirent **list = NULL;
	int n = scandir(path, &list, not_hidden, by_name);
	size_t found = 0;

	for (int i = 0; i < n; i++) {
		const char *p = str_fmt(l->a, "%s/%s", path, list[i]->d_name).p;

		if (!is_dir(p))
			found += own && is_manifest(list[i]->d_name);
		else if (depth < DEPTH_MAX)
			found += count_below(l, p, true, depth + 1);
		free(list[i]);
	}
	free(list);
	return found;
}

/* An empty set is an error: its result would look like one about the manifests. */
static int none_found(struct loader *l, const char *path)
{
	size_t below = 0;

	if (strcmp(path, "-") == 0)
		return err_set(l->err, ERR_NOTFOUND, "no manifests found in standard input");
	if (!l->recursive && is_dir(path))
		below = count_below(l, path, false, 0);
	if (!below)
		return err_set(l->err, ERR_NOTFOUND, "no manifests found in %s", path);
	return err_set(l->err, ERR_NOTFOUND,
		       "no manifests found in %s itself, but %zu in "
		       "directories below it: use -R",
		       path, below);
}

static int load_some(struct loader *l, const char *path)
{
	size_t before = l->set->objects;
	int rc = load_path(l, path, 0);

	return rc == 0 && l->set->objects == before ? none_found(l, path) : rc;
}

int manifests_load(struct arena *a, const struct strs *paths, bool recursive, struct mc_set *set,
		   struct err *err)
{
	struct loader l = { .a = a, .set = set, .err = err, .recursive = recursive };

	for (size_t i = 0; i < paths->n; i++) {
		int rc = load_some(&l, str_z(a, paths->v[i]));

		if (rc < 0)
			return rc;
	}
	if (!paths->n)
		return err_set(err, ERR_INVALID,
			       "no manifests given: use -f FILE, -f DIRECTORY "
			       "or -f - for standard input");
	return 0;
}

int manifest_docs(struct arena *a, const char *path, struct str *text, struct docs *out,
		  struct err *err)
{
	struct docs_fault fault = { 0 };
	int rc = file_read(a, path, MANIFEST_MAX, text, err);

	if (rc < 0)
		return rc;
	rc = docs_parse(a, *text, out, &fault, err);
	if (rc == -ERR_INVALID)
		return err_set(err, ERR_INVALID, "%s:%zu:%zu: %.*s", path, fault.line, fault.col,
			       STRF(fault.problem));
	return rc < 0 ? err_wrap(err, "%s", path) : 0;
}
