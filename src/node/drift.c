/*
 * inotify watches directories, not files: a file that is replaced by a rename is then still
 * watched. A watch descriptor can stand for several names of one directory, so d->dirs maps it to
 * all of them.
 */
#include "node/drift.h"

#include <sys/inotify.h>
#include <unistd.h>

#include "plan/install.h"
#include "plan/verify.h"

static int watch(struct drift *d, struct node *n, struct map *dirs, struct str path,
		 struct err *err)
{
	ptrdiff_t slash = str_rchr(path, '/');
	struct str dir, real;
	char *host;
	int wd, rc;

	path = str_dup(&d->a, path);
	if (slash <= 0 || !tree_exists(&n->tree, path.p))
		return 0;
	(void)map_put(&d->paths, path, d);
	dir = str_sub(path, 0, (size_t)slash);
	if (!map_put(dirs, dir, d))
		return 0;
	rc = tree_realpath(&d->a, &n->tree, str_z(&d->a, dir), &real, err);
	if (rc < 0)
		return rc;
	host = tree_host_path(&d->a, &n->tree, real.p);
	wd = inotify_add_watch(d->fd, host,
			       IN_ATTRIB | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MODIFY |
				       IN_MOVE);
	if (wd < 0)
		return err_sys(err, "could not watch %s", host);
	if ((size_t)wd >= d->n_dirs) {
		size_t had = d->n_dirs;

		d->n_dirs = (size_t)wd + 16;
		d->dirs = arena_grow(&d->a, d->dirs, had * sizeof(*d->dirs),
				     d->n_dirs * sizeof(*d->dirs));
		memset(d->dirs + had, 0, (d->n_dirs - had) * sizeof(*d->dirs));
	}
	VEC_PUSH(&d->a, &d->dirs[wd], dir);
	return 0;
}

/* Watches the links in a directory that enable units, and the directory itself: systemctl
 * removes it with its last link and creates it with the next. */
static int watch_links(struct drift *d, struct node *n, struct map *dirs, const struct map *units,
		       struct str dir, struct err *err)
{
	struct strs names = { 0 };
	bool any = false;
	int rc = tree_list(&d->a, &n->tree, dir.p, &names, err);

	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		struct strs *links = map_get(&d->enabled, names.v[i]);
		struct str path;

		if (!map_find(units, names.v[i]))
			continue;
		if (!links) {
			links = arena_alloc(&d->a, sizeof(*links));
			*links = (struct strs){ 0 };
			(void)map_put(&d->enabled, names.v[i], links);
		}
		path = str_fmt(&d->a, "%.*s/%.*s", STRF(dir), STRF(names.v[i]));
		VEC_PUSH(&d->a, links, path);
		rc = watch(d, n, dirs, path, err);
		any = true;
	}
	return rc < 0 || !any ? rc : watch(d, n, dirs, dir, err);
}

static int watch_enabled(struct drift *d, struct node *n, struct map *dirs,
			 const struct verify_items *items, struct err *err)
{
	struct strs names = { 0 };
	struct map units;
	int rc = tree_list(&d->a, &n->tree, TREE_UNITS, &names, err);

	map_init(&units, &d->a);
	for (size_t i = 0; i < items->n; i++)
		if (items->v[i].kind == VERIFY_ENABLED && items->v[i].enabled)
			(void)map_put(&units, str_dup(&d->a, items->v[i].path), d);
	for (size_t i = 0; rc == 0 && units.n && i < names.n; i++)
		if (install_is_links_dir(names.v[i]))
			rc = watch_links(d, n, dirs, &units,
					 str_fmt(&d->a, TREE_UNITS "/%.*s", STRF(names.v[i])), err);
	return rc;
}

int drift_open(struct drift *d, struct node *n, const struct mc_current *c, struct err *err)
{
	/* contents are not kept: only where they are */
	AUTO(arena) struct arena scratch = ARENA_INIT;
	struct verify_items items;
	struct map dirs;
	int rc;

	*d = (struct drift){ .fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK), .a = ARENA_INIT };
	if (d->fd < 0)
		return err_sys(err, "could not start Config Drift Monitor");
	map_init(&d->paths, &d->a);
	map_init(&d->enabled, &d->a);
	map_init(&dirs, &d->a);
	rc = verify_items(&scratch, c, &items, err);
	for (size_t i = 0; rc == 0 && i < items.n; i++)
		if (items.v[i].kind != VERIFY_ENABLED)
			rc = watch(d, n, &dirs, items.v[i].path, err);
	if (rc == 0)
		rc = watch_enabled(d, n, &dirs, &items, err);
	if (rc < 0) {
		drift_close(d);
		return err_wrap(err, "could not start Config Drift Monitor");
	}
	return 0;
}

void drift_close(struct drift *d)
{
	if (d->fd >= 0)
		(void)close(d->fd);
	d->fd = -1;
	arena_free(&d->a);
}

static bool touched(struct drift *d, const struct inotify_event *e)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct strs *dirs;

	if (e->mask & IN_Q_OVERFLOW)
		return true; /* some were lost: look */
	if (e->mask & IN_IGNORED)
		d->stale = true;
	if (e->wd < 0 || (size_t)e->wd >= d->n_dirs || !e->len)
		return false;
	dirs = &d->dirs[e->wd];
	for (size_t i = 0; i < dirs->n; i++)
		if (map_find(&d->paths, str_fmt(&a, "%.*s/%s", STRF(dirs->v[i]), e->name)))
			return true;
	return false;
}

bool drift_read(struct drift *d)
{
	_Alignas(struct inotify_event) char text[8192];
	bool hit = false;
	ssize_t n;

	while ((n = read(d->fd, text, sizeof(text))) > 0) {
		size_t at = 0;

		while (at + sizeof(struct inotify_event) <= (size_t)n) {
			const struct inotify_event *e =
				(const struct inotify_event *)(void *)(text + at);

			at += sizeof(*e) + e->len;
			hit = touched(d, e) || hit;
		}
	}
	return hit;
}
