/*
 * Stamps of files, from one stat(2) each.
 */
#include "io/stamp.h"

#include "io/clock.h"

/* File times advance by the kernel's tick, 10 ms at most. */
#define SETTLED_MS 100

void stamp_take(const char *path, struct stamp *out)
{
	struct instant now;
	struct stat st;
	int64_t age;

	*out = (struct stamp){ .settled = true };
	if (stat(path, &st) < 0)
		return;
	out->there = true;
	out->dev = st.st_dev;
	out->ino = st.st_ino;
	out->size = st.st_size;
	out->mtime = st.st_mtim;
	out->ctime = st.st_ctim;
	now = clock_wall();
	age = (now.sec - st.st_ctim.tv_sec) * 1000 + (now.nsec - st.st_ctim.tv_nsec) / 1000000;
	out->settled = age > SETTLED_MS;
}

static bool same_time(struct timespec x, struct timespec y)
{
	return x.tv_sec == y.tv_sec && x.tv_nsec == y.tv_nsec;
}

bool stamp_same(const struct stamp *x, const struct stamp *y)
{
	return x->there == y->there && x->dev == y->dev && x->ino == y->ino && x->size == y->size &&
	       same_time(x->mtime, y->mtime) && same_time(x->ctime, y->ctime);
}

bool stamp_holds(const char *path, const struct stamp *s)
{
	struct stamp now;

	if (!s->settled)
		return false;
	stamp_take(path, &now);
	return stamp_same(&now, s);
}
