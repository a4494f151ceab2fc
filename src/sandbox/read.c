/*
 * GET of one object, and lists: versions, pages, tables, metadata only. Items of a list are copied
 * as text; an object is parsed only if a selector or the requested form needs it.
 */
#include "sandbox/sandbox.h"

/* The resourceVersion of a list, which must not be in the future. */
static bool version_param(struct sb_call *c, uint64_t *out)
{
	if (!options_version(c, out))
		return false;
	if (*out <= c->sb->store.rv)
		return true;
	reply_status(c->a, c->out, 504, "Timeout",
		     str_fmt(c->a, "Too large resource version: %llu, current: %llu",
			     (unsigned long long)*out, (unsigned long long)c->sb->store.rv));
	return false;
}

/* ---- lists --------------------------------------------------------------- */

struct listing {
	struct sb_filter filter;
	struct sb_list all; /* the objects of the kind at version rv */
	size_t first, end; /* the range of indices in all */
	int64_t limit;
	uint64_t rv;
	struct str next; /* the key after which the next page starts */
	size_t remaining;
};

static void range(struct sb_call *c, struct listing *l, struct str after)
{
	const struct sb_list *all = &l->all;
	struct str from = S("");

	l->end = all->n;
	if (c->r->ns.n) {
		from = str_fmt(c->a, "%.*s/", STRF(c->r->ns));
		/* '0' is the character after '/' */
		l->end = store_seek(all, str_fmt(c->a, "%.*s0", STRF(c->r->ns)));
	}
	if (after.n)
		from = str_fmt(c->a, "%.*s%c", STRF(after), 0);
	l->first = store_seek(all, from);
}

/* Appends the text of an object in the requested version. */
static void add_item(struct sb_call *c, struct buf *b, const struct sb_object *o, struct json *tree)
{
	struct arena tmp = ARENA_INIT;
	const struct sb_kind *k = c->r->kind;
	struct str version = kinds_api_version(&tmp, k, c->r->version);
	struct str head = str_fmt(&tmp,
				  "{\"apiVersion\":\"%.*s\",\"kind\":"
				  "\"%.*s\",",
				  STRF(version), STRF(k->kind));

	/* items of built-in kinds omit kind and apiVersion, which most texts begin with */
	if (!(k->traits & SB_CUSTOM) && str_starts(o->text, head)) {
		buf_addc(b, '{');
		buf_add(b, str_from(o->text, head.n));
		arena_free(&tmp);
		return;
	}
	if (!tree)
		tree = sb_tree(&tmp, o);
	if (k->traits & SB_CUSTOM) {
		json_set(tree, S("apiVersion"), json_new_str(&tmp, version));
	} else {
		(void)json_remove(tree, S("apiVersion"));
		(void)json_remove(tree, S("kind"));
	}
	json_encode(b, tree, JSON_SORTED);
	arena_free(&tmp);
}

static void items(struct sb_call *c, struct listing *l, struct buf *b)
{
	const struct sb_list *all = &l->all;
	bool any = filter_any(&l->filter);
	int64_t n = 0;

	for (size_t i = l->first; i < l->end; i++) {
		struct arena tmp = ARENA_INIT;
		struct json *tree;

		if (!filter_may_match(&l->filter, all->v[i]->text))
			continue;
		tree = any ? sb_tree(&tmp, all->v[i]) : NULL;
		if (any && !filter_matches(&l->filter, tree)) {
			arena_free(&tmp);
			continue;
		}
		if (l->limit > 0 && n == l->limit) {
			l->remaining = l->end - i;
			arena_free(&tmp);
			return;
		}
		buf_addz(b, n++ ? "," : "");
		add_item(c, b, all->v[i], tree);
		l->next = all->v[i]->key;
		arena_free(&tmp);
	}
	l->next = S("");
}

static void list_answer(struct sb_call *c, struct listing *l)
{
	struct buf b, objects;

	buf_init(&objects, c->a);
	items(c, l, &objects);
	buf_init(&b, c->a);
	buf_addf(&b,
		 "{\"kind\":\"%.*s\",\"apiVersion\":\"%.*s\",\"metadata\":{"
		 "\"resourceVersion\":\"%llu\"",
		 STRF(c->r->kind->list_kind),
		 STRF(kinds_api_version(c->a, c->r->kind, c->r->version)),
		 (unsigned long long)l->rv);
	if (l->next.n) {
		buf_addf(&b, ",\"continue\":\"%.*s\"",
			 STRF(page_token(c, l->next, (int64_t)l->rv)));
		if (!filter_any(&l->filter))
			buf_addf(&b, ",\"remainingItemCount\":%zu", l->remaining);
	}
	if (!l->next.n && c->r->kind->traits & SB_CUSTOM)
		buf_addz(&b, ",\"continue\":\"\"");
	buf_addz(&b, "},\"items\":[");
	buf_add(&b, buf_str(&objects));
	buf_addz(&b, "]}\n");
	*c->out = (struct sb_reply){ .code = 200, .type = "application/json", .body = buf_str(&b) };
}

static bool wants_partial(struct str accept)
{
	return str_find(accept, S("as=PartialObjectMetadata")) >= 0;
}

/* Reduces an object to a PartialObjectMetadata. */
static void reduce_object(struct arena *a, struct json *object, struct str version)
{
	struct json *next;

	for (struct json *m = json_first(object); m; m = next) {
		next = json_next(m);
		if (!str_is(json_key(m), "metadata"))
			json_detach(object, m);
	}
	json_add(object, S("kind"), json_new_str(a, S("PartialObjectMetadata")));
	json_add(object, S("apiVersion"), json_new_str(a, version));
}

bool sb_partial(struct sb_call *c, struct json *object, struct json *list)
{
	bool beta = str_find(c->r->accept, S("v=v1beta1")) >= 0;
	struct str version = beta ? S("meta.k8s.io/v1beta1") : S("meta.k8s.io/v1");

	if (!wants_partial(c->r->accept))
		return false;
	for (struct json *o = json_first(json_at(list, "items")); o; o = json_next(o))
		reduce_object(c->a, o, version);
	if (list) {
		json_set(list, S("kind"), json_new_str(c->a, S("PartialObjectMetadataList")));
		json_set(list, S("apiVersion"), json_new_str(c->a, version));
	} else {
		/* the caller's object stays complete */
		object = json_clone(c->a, object);
		reduce_object(c->a, object, version);
	}
	reply_json(c->a, c->out, 200, list ? list : object);
	return true;
}

static void read_list(struct sb_call *c)
{
	struct listing l = { 0 };
	struct str after = S(""), how;
	uint64_t rv = 0;
	int64_t timeout;

	if (!options_number(c, "timeoutSeconds", &timeout) ||
	    !options_number(c, "limit", &l.limit) ||
	    !request_filter(c->a, c->r, &l.filter, c->out) || !options_list(c) ||
	    !version_param(c, &rv))
		return;
	if (!page_begin(c, &after, &l.rv))
		return;
	if (after.n && rv) {
		reply_bad(c->a, c->out,
			  "specifying resource version is not allowed when "
			  "using continue");
		return;
	}
	/* a page of an explicit version is exact */
	how = request_param(c->r, "resourceVersionMatch");
	if (str_is(how, "Exact") || (!how.n && l.limit > 0 && rv))
		l.rv = rv;
	if (!l.rv)
		l.rv = c->sb->store.rv;
	if (!store_past(c->a, &c->sb->store, &c->r->kind->objects, l.rv, &l.all)) {
		reply_status(c->a, c->out, 410, "Expired",
			     S("The resourceVersion for the provided list is "
			       "too old."));
		return;
	}
	range(c, &l, after);
	list_answer(c, &l);
	if (sb_wants_table(c->r->accept) || wants_partial(c->r->accept)) {
		struct err err = ERR_INIT(c->a);
		struct json *list = NULL;

		(void)json_parse(c->a, c->out->body, NULL, &list, &err);
		if (!sb_table(c, NULL, list))
			(void)sb_partial(c, NULL, list);
	}
}

static void read_one(struct sb_call *c)
{
	struct sb_object *o = store_get(&c->r->kind->objects, request_key(c->a, c->r, c->r->name));
	uint64_t rv;

	if (!version_param(c, &rv))
		return;
	if (!o) {
		reply_not_found(c->a, c->out, request_subject(c->r));
		return;
	}
	sb_answer(c, 200, sb_tree(c->a, o));
}

void sb_read(struct sb_call *c)
{
	if (c->r->verb == SB_GET)
		read_one(c);
	else
		read_list(c);
}

void sb_answer(struct sb_call *c, int code, struct json *object)
{
	struct str version = kinds_api_version(c->a, c->r->kind, c->r->version);

	if (str_is(c->r->sub, "scale")) {
		reply_json(c->a, c->out, code, sb_scale(c, object));
		return;
	}
	json_set(object, S("apiVersion"), json_new_str(c->a, version));
	json_set(object, S("kind"), json_new_str(c->a, c->r->kind->kind));
	if (!sb_table(c, object, NULL) && !sb_partial(c, object, NULL))
		reply_json(c->a, c->out, code, object);
	c->out->code = code;
}
