/*
 * Objects with reference counts, sorted lists, and the ring of events. An event holds references to
 * both versions of its object, so compaction frees what no list and no watch uses.
 */
#include "sandbox/store.h"

#include <stdlib.h>

#include "base/map.h"

static void *must_alloc(void *p)
{
	if (!p)
		abort();
	return p;
}

static struct sb_object *object_new(struct str key, struct str text, uint64_t rv)
{
	struct sb_object *o = must_alloc(malloc(sizeof(*o) + key.n + text.n + 1));
	char *p = (char *)(o + 1);

	memcpy(p, key.p, key.n);
	memcpy(p + key.n, text.p, text.n);
	p[key.n + text.n] = '\0';
	*o = (struct sb_object){
		.refs = 1,
		.rv = rv,
		.key = { p, key.n },
		.text = { p + key.n, text.n },
	};
	return o;
}

void object_drop(struct sb_object *o)
{
	if (o && --o->refs == 0)
		free(o);
}

struct sb_object *object_keep(struct sb_object *o)
{
	if (o)
		o->refs++;
	return o;
}

/* ---- events -------------------------------------------------------------- */

void store_init(struct store *s, size_t events_max, size_t bytes_max)
{
	*s = (struct store){ .cap = events_max, .bytes_max = bytes_max };
	s->events = must_alloc(calloc(events_max, sizeof(*s->events)));
}

static size_t event_bytes(const struct sb_event *e)
{
	return e->now->text.n + (e->before ? e->before->text.n : 0);
}

static void forget_oldest(struct store *s)
{
	struct sb_event *e = &s->events[s->head];

	s->compacted = e->rv;
	s->bytes -= event_bytes(e);
	object_drop(e->now);
	object_drop(e->before);
	s->head = (s->head + 1) & (s->cap - 1);
	s->n--;
}

void store_compact(struct store *s)
{
	while (s->n)
		forget_oldest(s);
	s->compacted = s->rv;
}

void store_begin(struct store *s, uint64_t rv)
{
	s->rv = rv;
	store_compact(s);
}

void store_free(struct store *s)
{
	store_compact(s);
	free(s->events);
	s->events = NULL;
}

static void record_event(struct store *s, struct sb_event e)
{
	s->rv = e.rv;
	if (s->changed)
		s->changed(s->ctx, &e);
	while (s->n == s->cap || (s->n && s->bytes + event_bytes(&e) > s->bytes_max))
		forget_oldest(s);
	(void)object_keep(e.now);
	(void)object_keep(e.before);
	s->events[(s->head + s->n++) & (s->cap - 1)] = e;
	s->bytes += event_bytes(&e);
}

const struct sb_event *store_event(const struct store *s, size_t index)
{
	return index < s->n ? &s->events[(s->head + index) & (s->cap - 1)] : NULL;
}

bool store_after(const struct store *s, uint64_t rv, size_t *index)
{
	size_t lo = 0, hi = s->n;

	if (rv < s->compacted)
		return false;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (store_event(s, mid)->rv <= rv)
			lo = mid + 1;
		else
			hi = mid;
	}
	*index = lo;
	return true;
}

/* ---- lists --------------------------------------------------------------- */

size_t store_seek(const struct sb_list *l, struct str key)
{
	size_t lo = 0, hi = l->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (str_cmp(l->v[mid]->key, key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct sb_object *store_get(const struct sb_list *l, struct str key)
{
	size_t i = store_seek(l, key);

	return i < l->n && str_eq(l->v[i]->key, key) ? l->v[i] : NULL;
}

static int by_key(const void *x, const void *y)
{
	return str_cmp((*(struct sb_object *const *)x)->key, (*(struct sb_object *const *)y)->key);
}

bool store_past(struct arena *a, const struct store *s, const struct sb_list *l, uint64_t rv,
		struct sb_list *out)
{
	const struct sb_event *e;
	struct map changed;
	size_t i;

	if (!store_after(s, rv, &i))
		return false;
	/* the first event after rv has the earlier version of each object */
	map_init(&changed, a);
	for (; (e = store_event(s, i)); i++)
		if (e->list == l && !map_find(&changed, e->now->key))
			(void)map_put(&changed, e->now->key, e->before);
	*out = *l;
	if (!changed.n)
		return true;
	out->n = 0;
	out->v = arena_array(a, l->n + changed.n, sizeof(struct sb_object *));
	for (i = 0; i < l->n; i++)
		if (!map_find(&changed, l->v[i]->key))
			out->v[out->n++] = l->v[i];
	for (i = 0; i < changed.n; i++)
		if (changed.v[i].value)
			out->v[out->n++] = changed.v[i].value;
	if (out->n)
		qsort(out->v, out->n, sizeof(struct sb_object *), by_key);
	return true;
}

/* The slot of key; a new key gets a new slot. */
static struct sb_object **place_of(struct sb_list *l, struct str key)
{
	size_t i = store_seek(l, key);

	if (i < l->n && str_eq(l->v[i]->key, key))
		return &l->v[i];
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 16;
		l->v = must_alloc(realloc(l->v, l->cap * sizeof(struct sb_object *)));
	}
	memmove(l->v + i + 1, l->v + i, (l->n++ - i) * sizeof(struct sb_object *));
	l->v[i] = NULL;
	return &l->v[i];
}

struct sb_object *store_put(struct store *s, struct sb_list *l, struct str key, struct str text)
{
	struct sb_object *o = object_new(key, text, s->rv + 1);
	struct sb_object **at = place_of(l, o->key), *before = *at;

	*at = o;
	record_event(s, (struct sb_event){
				.rv = o->rv,
				.change = before ? SB_MODIFIED : SB_ADDED,
				.list = l,
				.now = o,
				.before = before,
			});
	object_drop(before);
	return o;
}

void store_delete(struct store *s, struct sb_list *l, struct str key, struct str text)
{
	size_t i = store_seek(l, key);
	struct sb_object *before = l->v[i];
	struct sb_object *last = object_new(before->key, text, s->rv + 1);

	memmove(l->v + i, l->v + i + 1, (--l->n - i) * sizeof(struct sb_object *));
	record_event(s, (struct sb_event){
				.rv = last->rv,
				.change = SB_DELETED,
				.list = l,
				.now = last,
				.before = before,
			});
	object_drop(last);
	object_drop(before);
}

void store_restore(struct store *s, struct sb_list *l, struct str key, struct str text, uint64_t rv)
{
	struct sb_object *o = object_new(key, text, rv);
	struct sb_object **at = place_of(l, o->key);

	object_drop(*at);
	*at = o;
	if (rv > s->rv)
		s->rv = s->compacted = rv;
}

void store_forget(struct store *s, struct sb_list *l, struct str key, uint64_t rv)
{
	size_t i = store_seek(l, key);

	object_drop(l->v[i]);
	memmove(l->v + i, l->v + i + 1, (--l->n - i) * sizeof(struct sb_object *));
	if (rv > s->rv)
		s->rv = s->compacted = rv;
}

void list_free(struct sb_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		object_drop(l->v[i]);
	free(l->v);
	*l = (struct sb_list){ 0 };
}
