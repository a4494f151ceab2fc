/*
 * A tree of templates: finds directories in it and renders what they hold.
 *
 * What templates see does not depend on the role, so each is rendered once and the
 * result serves every role (common/ is part of each). Only the pull secret differs
 * between calls: a template that reads it is rendered once with it and once without.
 */
#include <stdlib.h>

#include "template_parts.h"

/* ---- paths --------------------------------------------------------------- */

/* Sorts a directory and its contents before other names with the same prefix. */
static int path_cmp(struct str x, struct str y)
{
	size_t n = x.n < y.n ? x.n : y.n;

	for (size_t i = 0; i < n; i++) {
		int p = x.p[i] == '/' ? 0 : (unsigned char)x.p[i] + 1;
		int q = y.p[i] == '/' ? 0 : (unsigned char)y.p[i] + 1;

		if (p != q)
			return p - q;
	}
	return (x.n > y.n) - (x.n < y.n);
}

static int by_path(const void *x, const void *y)
{
	return path_cmp(((const struct entry *)x)->path, ((const struct entry *)y)->path);
}

static bool is_sorted(const struct forest *f)
{
	for (size_t i = 1; i < f->n; i++)
		if (by_path(&f->v[i - 1], &f->v[i]) > 0)
			return false;
	return true;
}

void forest_init(struct forest *f)
{
	const struct template_tree *tree = f->in.tree;

	for (int i = 0; i < SECRECIES; i++)
		map_init(&f->folded[i], f->a);
	f->v = arena_array(f->a, tree->n, sizeof(*f->v));
	for (size_t i = 0; i < tree->n; i++)
		f->v[f->n++] = (struct entry){ .path = tree->v[i].path, .text = tree->v[i].text };
	if (!is_sorted(f))
		qsort(f->v, f->n, sizeof(*f->v), by_path);
}

/* The first entry that does not sort before path. */
static size_t find(const struct forest *f, struct str path)
{
	size_t lo = 0, hi = f->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (path_cmp(f->v[mid].path, path) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

int forest_has(const struct forest *f, struct str dir)
{
	struct str bare = str_sub(dir, 0, dir.n - 1);
	size_t i = find(f, bare);

	if (i < f->n && str_eq(f->v[i].path, bare))
		return err_set(f->err, ERR_INVALID,
			       "expected template directory, \"%.*s/%.*s\" is "
			       "not a directory",
			       STRF(f->in.tree->dir), STRF(bare));
	return i < f->n && str_starts(f->v[i].path, dir);
}

struct strs forest_subdirs(const struct forest *f, struct str dir)
{
	struct strs out = { 0 };

	for (size_t i = find(f, dir); i < f->n; i++) {
		struct str below, name, rest;

		if (!str_starts(f->v[i].path, dir))
			break;
		below = str_from(f->v[i].path, dir.n);
		if (!str_cut(below, '/', &name, &rest))
			continue;
		if (!out.n || !str_eq(out.v[out.n - 1], name))
			VEC_PUSH(f->a, &out, name);
	}
	return out;
}

/* ---- what is rendered ---------------------------------------------------- */

static int render(struct forest *f, struct entry *e)
{
	const char *name = str_fmt(f->a, "%.*s/%.*s", STRF(f->in.tree->dir), STRF(e->path)).p;
	struct rendering *r = ARENA_NEW(f->a, struct rendering);
	int rc;

	(void)template_data_secret_read(&f->data);
	rc = template_render(f->a, &f->data, name, e->text, &r->text, f->err);
	if (rc < 0)
		return rc;
	if (!str_trim(r->text).n)
		r->text = S("");
	if (template_data_secret_read(&f->data))
		e->made[f->secrecy] = r;
	else
		e->made[WITHOUT_SECRET] = e->made[WITH_SECRET] = r;
	return 0;
}

static struct str base_name(struct str path)
{
	return str_from(path, (size_t)(str_rchr(path, '/') + 1));
}

/* Collects all templates below dir; the last one of a name wins, an empty one removes it. */
static int collect(struct forest *f, struct str dir, struct map *out)
{
	int rc = forest_has(f, dir);

	if (rc <= 0)
		return rc;
	for (size_t i = find(f, dir); i < f->n; i++) {
		struct entry *e = &f->v[i];
		struct str name = base_name(e->path);

		if (!str_starts(e->path, dir))
			break;
		if (!name.n)
			continue; /* a directory */
		if (!e->text.n) {
			(void)map_put(out, name, NULL);
			continue;
		}
		if (!e->made[f->secrecy])
			rc = render(f, e);
		if (rc < 0)
			return rc;
		f->secret_read |= e->made[WITHOUT_SECRET] != e->made[WITH_SECRET];
		if (e->made[f->secrecy]->text.n)
			(void)map_put(out, name, e->made[f->secrecy]);
	}
	return 0;
}

int forest_collect(struct forest *f, struct str dir, struct map *parts)
{
	static const char *const names[PARTS] = { "files", "units", "extensions" };

	for (size_t i = 0; i < f->n_layers; i++) {
		struct str layer = str_fmt(f->a, "%.*s%.*s/", STRF(dir), STRF(f->layers[i]));
		int rc = forest_has(f, layer);

		for (int p = 0; p < PARTS && rc > 0; p++) {
			int rc2 = collect(f, str_fmt(f->a, "%.*s%s/", STRF(layer), names[p]),
					  &parts[p]);

			if (rc2 < 0)
				rc = rc2;
		}
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int by_key(const void *x, const void *y)
{
	return str_cmp(((const struct map_entry *)x)->key, ((const struct map_entry *)y)->key);
}

size_t forest_sorted(struct arena *a, const struct map *m, struct map_entry **out)
{
	struct map_entry *v = arena_array(a, m->n, sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].value)
			v[n++] = m->v[i];
	if (n > 1)
		qsort(v, n, sizeof(*v), by_key);
	*out = v;
	return n;
}
