/*
 * Watches: each keeps a position in the ring of events and builds its own events from it, so a slow
 * client costs no memory. An object can enter or leave the selection of a watch, which changes the
 * type of the event.
 */
#include "sandbox/watch.h"

#include <stdlib.h>

/* ---- events -------------------------------------------------------------- */

static void add_event(struct sb_watch *w, struct buf *out, const char *type, struct json *object)
{
	struct arena tmp = ARENA_INIT;
	struct sb_reply reply = { 0 };
	struct sb_call c = w->call;

	c.a = &tmp;
	c.out = &reply;
	w->request.now = w->sb->now;
	sb_answer(&c, 200, object);
	/* only the first table has column definitions */
	w->call.no_headers = true;
	buf_addf(out, "{\"type\":\"%s\",\"object\":%.*s}\n", type, STRF(str_trim(reply.body)));
	arena_free(&tmp);
}

static void add_expired(struct sb_watch *w, struct buf *out)
{
	struct arena tmp = ARENA_INIT;
	const struct store *s = &w->sb->store;
	struct sb_reply reply;

	reply_status(&tmp, &reply, 410, "Expired",
		     str_fmt(&tmp, "too old resource version: %llu (%llu)",
			     (unsigned long long)w->rv, (unsigned long long)s->compacted + 1));
	buf_addf(out, "{\"type\":\"ERROR\",\"object\":%.*s}\n", STRF(str_trim(reply.body)));
	arena_free(&tmp);
	w->over = true;
}

static bool in_view(const struct sb_watch *w, const struct sb_object *o)
{
	return !w->prefix.n || str_starts(o->key, w->prefix);
}

/* Whether the stored text can be sent unchanged; most can. */
static bool as_stored(struct sb_watch *w, const struct sb_object *o)
{
	struct arena tmp = ARENA_INIT;
	struct str version = kinds_api_version(&tmp, w->request.kind, w->request.version);
	struct str head = str_fmt(&tmp, "{\"apiVersion\":\"%.*s\"", STRF(version));
	/* "as=" requests a table or only metadata */
	bool same = str_find(w->request.accept, S("as=")) < 0 && str_starts(o->text, head);

	arena_free(&tmp);
	return same;
}

/* Appends an event as this client sees it: an object may enter or leave the selection. */
static void tell_event(struct sb_watch *w, struct buf *out, const struct sb_event *e)
{
	static const char *const names[] = { "ADDED", "MODIFIED", "DELETED" };
	struct arena tmp = ARENA_INIT;
	struct json *now, *before;
	bool is = e->change != SB_DELETED, was = e->before != NULL;
	enum sb_change change;

	if (!filter_any(&w->filter) && as_stored(w, e->now)) {
		buf_addf(out, "{\"type\":\"%s\",\"object\":%.*s}\n", names[e->change],
			 STRF(e->now->text));
		return;
	}
	if (!filter_may_match(&w->filter, e->now->text) &&
	    (!was || !filter_may_match(&w->filter, e->before->text)))
		return;
	now = sb_tree(&tmp, e->now);
	if (filter_any(&w->filter)) {
		before = was ? sb_tree(&tmp, e->before) : NULL;
		is = is && filter_matches(&w->filter, now);
		was = was && filter_matches(&w->filter, before);
		if (was && !is && e->change != SB_DELETED) {
			json_set(sb_meta(&tmp, before), S("resourceVersion"),
				 json_new_str(&tmp,
					      str_fmt(&tmp, "%llu", (unsigned long long)e->rv)));
			now = before;
		}
	}
	if (is || was) {
		change = !was ? SB_ADDED : is ? SB_MODIFIED : SB_DELETED;
		add_event(w, out, names[change], now);
	}
	arena_free(&tmp);
}

/* Appends the objects that existed when the watch began. */
static void tell_initial(struct sb_watch *w, struct buf *out, size_t max)
{
	size_t from = out->n;

	while (w->told < w->initial.n && out->n - from < max) {
		struct arena tmp = ARENA_INIT;
		struct sb_object *o = w->initial.v[w->told++];
		struct json *tree = sb_tree(&tmp, o);

		if (filter_matches(&w->filter, tree))
			add_event(w, out, "ADDED", tree);
		object_drop(o);
		arena_free(&tmp);
	}
}

bool watch_next(struct sb_watch *w, struct buf *out, size_t max)
{
	const struct sb_event *e;
	size_t i, from = out->n;

	if (w->over)
		return false;
	tell_initial(w, out, max);
	if (w->told < w->initial.n)
		return true;
	/* there are no events from before the kind was defined; a watch from a future version waits
	 * for that version, as in kube-apiserver */
	if (w->rv < w->request.kind->since || !store_after(&w->sb->store, w->rv, &i)) {
		add_expired(w, out);
		return true;
	}
	for (; out->n - from < max && (e = store_event(&w->sb->store, i)); i++) {
		w->rv = e->rv;
		if (e->list == &w->request.kind->objects && in_view(w, e->now))
			tell_event(w, out, e);
	}
	w->over = w->request.kind->until && w->rv >= w->request.kind->until;
	return out->n > from;
}

void watch_bookmark(struct sb_watch *w, struct buf *out)
{
	const struct sb_kind *k = w->request.kind;
	AUTO(arena) struct arena tmp = ARENA_INIT;

	if (!w->bookmarks || w->over || w->told < w->initial.n || w->rv > w->sb->store.rv)
		return;
	buf_addf(out,
		 "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"%.*s\","
		 "\"apiVersion\":\"%.*s\",\"metadata\":{\"resourceVersion\":"
		 "\"%llu\",\"creationTimestamp\":null}}}\n",
		 STRF(k->kind), STRF(kinds_api_version(&tmp, k, w->request.version)),
		 (unsigned long long)w->rv);
}

/* ---- start and end ------------------------------------------------------- */

/* Copies what w needs of the request. */
static void keep_request(struct sb_watch *w, const struct sb_call *c)
{
	struct arena *a = &w->arena;

	w->version = str_dup(a, c->r->version->name);
	w->request = (struct sb_request){
		.verb = SB_WATCH,
		.kind = c->r->kind,
		.version = c->r->version,
		.ns = str_dup(a, c->r->ns),
		.accept = str_dup(a, c->r->accept),
		.query = str_dup(a, c->r->query),
		.name = str_dup(a, c->r->name),
	};
	w->call = (struct sb_call){ .sb = c->sb, .a = a, .r = &w->request, .out = &w->reply };
}

static struct sb_watch *watch_new(struct sb_call *c, uint64_t rv)
{
	struct sb_watch *w = calloc(1, sizeof(*w));

	if (!w)
		abort();
	w->sb = c->sb;
	keep_request(w, c);
	if (c->r->ns.n)
		w->prefix = str_fmt(&w->arena, "%.*s/", STRF(c->r->ns));
	w->rv = rv ? rv : c->sb->store.rv;
	c->r->kind->watches++;
	w->next = c->sb->watches;
	c->sb->watches = w;
	return w;
}

void sb_watch(struct sb_call *c)
{
	struct sb_filter filter;
	struct sb_watch *w;
	int64_t limit, timeout;
	uint64_t rv;

	if (!options_number(c, "timeoutSeconds", &timeout) || !options_number(c, "limit", &limit) ||
	    !request_filter(c->a, c->r, &filter, c->out) || !options_list(c) ||
	    !options_version(c, &rv))
		return;
	w = watch_new(c, rv);
	/* the filter views the request: parse it again from our copy */
	w->request.params = NULL;
	w->request.verb = SB_WATCH;
	request_reparse(&w->arena, &w->request);
	(void)request_filter(&w->arena, &w->request, &w->filter, &w->reply);
	w->bookmarks = request_flag(c->r, "allowWatchBookmarks");
	w->timeout_s = timeout;
	for (size_t i = 0; rv == 0 && i < c->r->kind->objects.n; i++)
		if (in_view(w, c->r->kind->objects.v[i]))
			VEC_PUSH(&w->arena, &w->initial, object_keep(c->r->kind->objects.v[i]));
	*c->out = (struct sb_reply){ .code = 200, .type = "application/json", .watch = w };
}

void watch_free(struct sb_watch *w)
{
	struct sb_watch **at = &w->sb->watches;

	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	w->request.kind->watches--;
	while (w->told < w->initial.n)
		object_drop(w->initial.v[w->told++]);
	arena_free(&w->arena);
	free(w);
}

void watch_redefine(struct sandbox *s, const struct sb_kind *k)
{
	for (struct sb_watch *w = s->watches; w; w = w->next) {
		if (w->request.kind != k)
			continue;
		if (!kinds_find(&s->kinds, k->group, w->version, k->plural, &w->request.version))
			w->over = true;
		w->call.no_headers = false;
	}
}
