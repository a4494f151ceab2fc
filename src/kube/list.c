/*
 * A list is read in pages of 100, all of one version of the collection. When the server has
 * compacted that version, the continue token is refused (410), and the list is read again in
 * one response, which cannot expire.
 */
#include "kube/list.h"

#include "data/json_split.h"

#define PAGE 100
#define OBJECT_MAX ((size_t)12 << 20)

struct listing {
	const struct kube_list *l;
	struct json_split split;
	struct arena a; /* of next */
	struct str next; /* the continue token, or "" */
	struct err *err;
	int rc;
	bool over;
};

static int on_item(void *ctx, struct str text, struct err *err)
{
	struct listing *g = ctx;

	return g->l->item(g->l->ctx, text, err);
}

static int page_done(struct listing *g)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct json *head = NULL;
	int rc;

	if (!split_between(&g->split))
		return err_set(g->err, ERR_AGAIN, "the response ends inside the list");
	rc = json_parse(&a, split_rest(&g->split), NULL, &head, g->err);
	if (rc < 0)
		return rc;
	arena_free(&g->a);
	g->next = str_dup(&g->a, json_str(head, "metadata.continue"));
	return g->l->page(g->l->ctx, head, g->err);
}

static void on_part(struct kube_call *call, struct str part)
{
	struct listing *g = call->ctx;

	g->rc = split_feed(&g->split, part, g->err);
	if (g->rc == 0)
		return;
	g->over = true;
	kube_cancel(call);
}

static void on_done(struct kube_call *call, const struct kube_answer *ans)
{
	struct listing *g = call->ctx;

	g->over = true;
	g->rc = ans->rc < 0 ? err_set(g->err, err_code(ans->rc), "%.*s", STRF(ans->message))
			    : page_done(g);
}

static int get_page(struct kube *k, struct listing *g, unsigned limit)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct kube_call c = { .method = "GET",
			       .body_max = SIZE_MAX / 2,
			       .on_part = on_part,
			       .done = on_done,
			       .ctx = g };
	struct buf b;
	int rc = 0;

	buf_init(&b, &a);
	buf_addf(&b, "%s?limit=%u", g->l->path, limit);
	if (g->next.n) {
		buf_addz(&b, "&continue=");
		kube_escape(&b, g->next);
	}
	c.path = buf_str(&b);
	split_init(&g->split, SPLIT_ITEMS, OBJECT_MAX, on_item, g);
	g->over = false;
	kube_start(k, &c);
	while (!g->over && rc == 0)
		rc = loop_turn(kube_loop(k), -1, g->err);
	if (!g->over)
		kube_cancel(&c);
	split_free(&g->split);
	return rc < 0 ? rc : g->rc;
}

static int get_pages(struct kube *k, struct listing *g, unsigned limit)
{
	int rc;

	g->next = S("");
	do
		rc = get_page(k, g, limit);
	while (rc == 0 && g->next.n);
	return rc;
}

int kube_list(struct kube *k, const struct kube_list *l, struct err *err)
{
	struct listing g = { .l = l, .err = err };
	int rc = get_pages(k, &g, PAGE);

	if (rc == -ERR_GONE) {
		l->restart(l->ctx);
		*err = (struct err){ .a = err->a };
		rc = get_pages(k, &g, 0);
	}
	arena_free(&g.a);
	return rc;
}
