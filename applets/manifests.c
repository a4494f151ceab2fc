#include "manifests.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "io/file.h"

#define DEPTH_MAX 16

static int load_path(struct run *r, const char *path, bool recursive, unsigned depth,
		     struct mc_set *set);

/*
 * The first fault by its line, and how many more there are. Loading stops at one
 * that need not be the first, since it decodes members in the order of their names.
 */
static int refuse(struct run *r, const char *path, struct str text, const struct mc_fault *fault)
{
	struct mc_review review = { 0 };
	struct mc_set set = { .review = &review };
	struct err ignored = ERR_INIT(r->a);
	struct mc_fault f = *fault, unused;
	struct str more = S("");

	(void)mc_load(r->a, str_of(path), text, &set, &unused, &ignored);
	for (size_t i = 0; i < review.faults.n; i++) {
		const struct mc_fault *x = &review.faults.v[i];

		if (x->line < f.line || (x->line == f.line && x->col < f.col))
			f = *x;
	}
	if (review.faults.n > 1)
		more = str_fmt(r->a, "; and %zu more: mcoctl validate -f %s lists them",
			       review.faults.n - 1, path);
	return err_set(&r->err, ERR_INVALID, "%s:%zu:%zu: %.*s%s%.*s%.*s", path, f.line, f.col,
		       STRF(f.object), f.object.n ? ": " : "", STRF(f.problem), STRF(more));
}

static int load_file(struct run *r, const char *path, struct mc_set *set)
{
	struct mc_fault f = { 0 };
	struct str text;
	int rc = file_read(r->a, path, MANIFEST_MAX, &text, &r->err);

	if (rc < 0 && set->review) {
		VEC_PUSH(r->a, &set->review->unread, r->err.msg);
		set->objects++;
		return 0;
	}
	if (rc < 0)
		return rc;
	rc = mc_load(r->a, str_of(path), text, set, &f, &r->err);
	if (rc == -ERR_INVALID)
		return refuse(r, path, text, &f);
	return rc < 0 ? err_wrap(&r->err, "%s", path) : 0;
}

static int by_name(const struct dirent **x, const struct dirent **y)
{
	return strcmp((*x)->d_name, (*y)->d_name);
}

static int not_hidden(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* Where a must-gather keeps what we read, below one of its image folders. */
static const char gathered[] = "cluster-scoped-resources/machineconfiguration.openshift.io";

/* As kubectl takes them from folders. */
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

/* The folder of a must-gather at path, or one level below; or NULL. */
static const char *must_gather(struct run *r, const char *path)
{
	const char *at = str_fmt(r->a, "%s/%s", path, gathered).p;
	struct dirent **list = NULL;
	const char *found = is_dir(at) ? at : NULL;
	int n = scandir(path, &list, not_hidden, by_name);

	for (int i = 0; i < n; i++) {
		at = str_fmt(r->a, "%s/%s/%s", path, list[i]->d_name, gathered).p;
		if (!found && is_dir(at))
			found = at;
		free(list[i]);
	}
	free(list);
	return found;
}

static int load_dir(struct run *r, const char *path, bool recursive, unsigned depth,
		    struct mc_set *set)
{
	struct dirent **list = NULL;
	int n = scandir(path, &list, not_hidden, by_name), rc = 0;

	if (n < 0)
		return err_sys(&r->err, "open %s", path);
	for (int i = 0; i < n; i++) {
		const char *p = str_fmt(r->a, "%s/%s", path, list[i]->d_name).p;

		if (rc == 0 && (is_dir(p) ? recursive : is_manifest(list[i]->d_name)))
			rc = load_path(r, p, recursive, depth + 1, set);
		free(list[i]);
	}
	free(list);
	return rc;
}

/* The folder that must_gather found, and those beside it that count. */
static int load_gathered(struct run *r, const char *inside, struct mc_set *set)
{
	static const char *const others[] = { "config.openshift.io", "operator.openshift.io",
					      "core/nodes" };
	struct str path = str_of(inside);
	struct str parent = str_sub(path, 0, (size_t)str_rchr(path, '/'));
	int rc = load_dir(r, inside, true, 1, set);

	for (size_t i = 0; rc == 0 && i < 3; i++) {
		const char *p = str_fmt(r->a, "%.*s/%s", STRF(parent), others[i]).p;

		if (is_dir(p))
			rc = load_dir(r, p, true, 1, set);
	}
	return rc;
}

static int load_path(struct run *r, const char *path, bool recursive, unsigned depth,
		     struct mc_set *set)
{
	const char *inside;

	if (depth > DEPTH_MAX)
		return err_set(&r->err, ERR_LIMIT, "%s: directories more than %d levels deep", path,
			       DEPTH_MAX);
	if (strcmp(path, "-") == 0 || !is_dir(path))
		return load_file(r, path, set);
	inside = depth == 0 ? must_gather(r, path) : NULL;
	if (inside)
		return load_gathered(r, inside, set);
	return load_dir(r, path, recursive, depth, set);
}

/* The manifests in the directories below path; those in path itself too if own. */
static size_t count_below(struct run *r, const char *path, bool own, unsigned depth)
{
	struct dirent **list = NULL;
	int n = scandir(path, &list, not_hidden, by_name);
	size_t found = 0;

	for (int i = 0; i < n; i++) {
		const char *p = str_fmt(r->a, "%s/%s", path, list[i]->d_name).p;

		if (!is_dir(p))
			found += own && is_manifest(list[i]->d_name);
		else if (depth < DEPTH_MAX)
			found += count_below(r, p, true, depth + 1);
		free(list[i]);
	}
	free(list);
	return found;
}

/* An answer about nothing would look like one about the manifests. */
static int none_found(struct run *r, const char *path, bool recursive)
{
	size_t below = 0;

	if (strcmp(path, "-") == 0)
		return err_set(&r->err, ERR_NOTFOUND, "no manifests found in standard input");
	if (!recursive && is_dir(path))
		below = count_below(r, path, false, 0);
	if (!below)
		return err_set(&r->err, ERR_NOTFOUND, "no manifests found in %s", path);
	return err_set(&r->err, ERR_NOTFOUND,
		       "no manifests found in %s itself, but %zu in "
		       "directories below it: use -R",
		       path, below);
}

static int load_some(struct run *r, const char *path, bool recursive, struct mc_set *set)
{
	size_t before = set->objects;
	int rc = load_path(r, path, recursive, 0, set);

	return rc == 0 && set->objects == before ? none_found(r, path, recursive) : rc;
}

int manifests_load(struct run *r, const struct strs *paths, bool recursive, struct mc_set *set)
{
	for (size_t i = 0; i < paths->n; i++) {
		int rc = load_some(r, str_z(r->a, paths->v[i]), recursive, set);

		if (rc < 0)
			return rc;
	}
	if (!paths->n)
		return err_set(&r->err, ERR_INVALID,
			       "no manifests given: use -f FILE, -f DIRECTORY "
			       "or -f - for standard input");
	return 0;
}
