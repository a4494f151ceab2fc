#include "base/codec.h"
#include "sandbox/sandbox.h"

/* A watch's and a list's resourceVersion; false when it is no number. */
static bool version_param(struct sb_call *c, uint64_t *out)
{
	struct str rv = request_param(c->r, "resourceVersion");
	int64_t n = 0;

	if (rv.n && (!str_to_i64(rv, &n) || n < 0)) {
		struct sb_causes causes = { 0 };
		struct buf b;

		buf_init(&b, c->a);
		go_quote(&b, rv);
		cause_text(c->a, &causes, S("resourceVersion"), rv,
			   str_z(c->a, str_fmt(c->a,
					       "strconv.ParseUint: parsing "
					       "%.*s: invalid syntax",
					       STRF(buf_str(&b)))));
		reply_status(c->a, c->out, 500, "",
			     str_fmt(c->a, "resourceVersion: %.*s",
				     STRF(causes.v[0].message)));
		return false;
	}
	if ((uint64_t)n > c->sb->store.rv) {
		reply_status(c->a, c->out, 504, "Timeout",
			     str_fmt(c->a,
				     "Too large resource version: %lld, "
				     "current: %llu",
				     (long long)n,
				     (unsigned long long)c->sb->store.rv));
		return false;
	}
	*out = (uint64_t)n;
	return true;
}

/* ---- pages ------------------------------------------------------------------- */

/* A page's token: the version the list was begun at, and the last key. */
struct token {
	uint64_t rv;
	struct str key;
};

static struct str token_text(struct arena *a, struct token t)
{
	struct buf b;

	buf_init(&b, a);
	base64_add(&b, str_fmt(a, "%llu:%.*s", (unsigned long long)t.rv,
			       STRF(t.key)));
	return buf_str(&b);
}

static bool token_parse(struct sb_call *c, struct str text, struct token *out)
{
	struct err err = ERR_INIT(c->a);
	struct str plain, rv;
	int64_t n;

	if (base64_decode(c->a, text, &plain, &err) < 0 ||
	    !str_cut(plain, ':', &rv, &out->key) || !str_to_i64(rv, &n)) {
		reply_bad(c->a, c->out,
			  "continue key is not valid: illegal base64 data at "
			  "input byte 4");
		return false;
	}
	out->rv = (uint64_t)n;
	if (out->rv < c->sb->store.compacted) {
		reply_status(c->a, c->out, 410, "Expired",
			     S("The provided continue parameter is too old to "
			       "display a consistent list result. You can "
			       "start a new list without the continue "
			       "parameter, or use the continue token in this "
			       "response to retrieve the remainder of the "
			       "results. Continuing with the provided token "
			       "results in an inconsistent list - objects that "
			       "were created, modified, or deleted between the "
			       "time the first chunk was returned and now may "
			       "show up in the list."));
		return false;
	}
	return true;
}

/* ---- lists ------------------------------------------------------------------- */

struct listing {
	struct sb_filter filter;
	size_t first, end; /* of the kind's objects */
	int64_t limit;
	uint64_t rv;
	struct str next; /* key after which the next page goes on */
	size_t remaining;
};

static void range(struct sb_call *c, struct listing *l, struct str after)
{
	const struct sb_list *all = &c->r->kind->objects;
	struct str from = S("");

	l->end = all->n;
	if (c->r->ns.n) {
		from = str_fmt(c->a, "%.*s/", STRF(c->r->ns));
		/* '0' follows '/'. */
		l->end =
			store_seek(all, str_fmt(c->a, "%.*s0", STRF(c->r->ns)));
	}
	if (after.n)
		from = str_fmt(c->a, "%.*s%c", STRF(after), 0);
	l->first = store_seek(all, from);
}

/* Appends the text of an object in the version asked for. */
static void add_item(struct sb_call *c, struct buf *b,
		     const struct sb_object *o, struct json *tree)
{
	struct arena tmp = ARENA_INIT;
	const struct sb_kind *k = c->r->kind;
	struct str version = kinds_api_version(&tmp, k, c->r->version);
	struct str head = str_fmt(&tmp,
				  "{\"apiVersion\":\"%.*s\",\"kind\":"
				  "\"%.*s\",",
				  STRF(version), STRF(k->kind));

	/* Built-in kinds are not named in each item; most begin with it. */
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
	const struct sb_list *all = &c->r->kind->objects;
	bool any = filter_any(&l->filter);
	int64_t n = 0;

	for (size_t i = l->first; i < l->end; i++) {
		struct arena tmp = ARENA_INIT;
		struct json *tree = any ? sb_tree(&tmp, all->v[i]) : NULL;

		if (any && !filter_matches(&l->filter, tree)) {
			arena_free(&tmp);
			continue;
		}
		if (l->limit && n == l->limit) {
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
			 STRF(token_text(c->a,
					 (struct token){ l->rv, l->next })));
		if (!filter_any(&l->filter))
			buf_addf(&b, ",\"remainingItemCount\":%zu",
				 l->remaining);
	}
	if (!l->next.n && c->r->kind->traits & SB_CUSTOM)
		buf_addz(&b, ",\"continue\":\"\"");
	buf_addz(&b, "},\"items\":[");
	buf_add(&b, buf_str(&objects));
	buf_addz(&b, "]}\n");
	*c->out = (struct sb_reply){ .code = 200,
				     .type = "application/json",
				     .body = buf_str(&b) };
}

static bool limit_param(struct sb_call *c, int64_t *limit)
{
	struct str text = request_param(c->r, "limit");

	*limit = 0;
	if (text.n && (!str_to_i64(text, limit) || *limit < 0)) {
		reply_bad(c->a, c->out, "limit: not a positive number: %.*s",
			  STRF(text));
		return false;
	}
	return true;
}

static void read_list(struct sb_call *c)
{
	struct listing l = { .rv = c->sb->store.rv };
	struct token t = { 0 };
	struct str next = request_param(c->r, "continue");
	uint64_t rv = 0;

	if (!request_filter(c->a, c->r, &l.filter, c->out) ||
	    !limit_param(c, &l.limit) || !version_param(c, &rv))
		return;
	/* What was changed since the first page shows in the later ones: the
	 * version stays the first one's, so a watch from it misses nothing. */
	if (next.n && !token_parse(c, next, &t))
		return;
	if (next.n)
		l.rv = t.rv;
	range(c, &l, t.key);
	list_answer(c, &l);
	if (sb_wants_table(c->r->accept)) {
		struct err err = ERR_INIT(c->a);
		struct json *list = NULL;

		(void)json_parse(c->a, c->out->body, NULL, &list, &err);
		(void)sb_table(c, NULL, list);
	}
}

static void read_one(struct sb_call *c)
{
	struct sb_object *o = store_get(&c->r->kind->objects,
					request_key(c->a, c->r, c->r->name));
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

	json_set(object, S("apiVersion"), json_new_str(c->a, version));
	json_set(object, S("kind"), json_new_str(c->a, c->r->kind->kind));
	if (!sb_table(c, object, NULL))
		reply_json(c->a, c->out, code, object);
	c->out->code = code;
}
