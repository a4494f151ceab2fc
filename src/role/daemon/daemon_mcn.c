/*
 * daemon_mcn: reports the update's progress in the MachineConfigNode, best effort: a report that
 * fails is logged, and nothing waits for it. Each report is computed from the object that the
 * one before left, so they are sent one at a time.
 */
#include <stdlib.h>

#include "daemon_own.h"
#include "io/clock.h"
#include "io/repeat.h"
#include "mc/changes.h"
#include "mc/mcn.h"
#include "mc/mcp.h"

#define NODES PATH_MC "machineconfignodes"
#define INSTALLED "/etc/mcs-machine-config-content.json"
#define INSTALLED_MAX ((size_t)64 << 20)
#define MANAGER FIELD_MANAGER "&force=true"

struct reporting {
	struct reporting *next;
	struct arena a;
	struct mcn_report report;
	struct str changes; /* report these irreconcilable changes instead; or "" */
	const struct json *sets;
	bool spec;
	bool absent; /* there is no object yet */
};

static void next_report(struct daemon *d);

/* ---- the pool ------------------------------------------------------------ */

int daemon_pools(struct daemon *d, struct arena *a, struct mcp_of_node *out, struct err *err)
{
	struct kube_item *const *items;
	size_t n = kube_cache_all(d->caches.pools, &items);
	struct knode node;
	struct mcp_list pools = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct kube_tree *t = items[i]->value;
		struct mcp *p = arena_alloc(a, sizeof(*p));
		struct err ignored = ERR_INIT(a);

		(void)mcp_read(a, t->tree, p, &ignored);
		VEC_PUSH(a, &pools, p);
	}
	knode_decode(a, daemon_node(d), &node);
	return mcp_of_node(&pools, &node, out, err);
}

int daemon_pool(struct daemon *d, struct arena *a, struct str *name, bool *pinned, struct err *err)
{
	struct mcp_of_node of = { 0 };
	int rc = daemon_pools(d, a, &of, err);

	*name = rc == 0 && of.n ? of.v[0]->meta.name : S(MCN_NOT_YET_SET);
	*pinned = false;
	for (size_t i = 0; rc == 0 && i < of.n; i++)
		*pinned = *pinned || json_first(json_at(of.v[i]->tree, "spec.pinnedImageSets"));
	return rc;
}

/* ---- sending ------------------------------------------------------------- */

static void forget(struct reporting *r)
{
	arena_free(&r->a);
	free(r);
}

static void sent(struct daemon *d)
{
	struct reporting *r = d->mcn.first;

	d->mcn.first = r->next;
	forget(r);
	arena_free(&d->mcn.a);
	d->mcn.sending = false;
	next_report(d);
}

static void send(struct daemon *d, const char *method, const char *part, const struct json *body,
		 void (*done)(struct kube_call *, const struct kube_answer *))
{
	struct arena *a = &d->mcn.a;
	bool apply = *method == 'P' && method[1] == 'A';
	struct buf b;

	buf_init(&b, a);
	if (body)
		json_encode(&b, body, 0);
	d->mcn.call =
		(struct kube_call){ .method = method,
				    .path = *method == 'P' && method[1] == 'O'
						    ? S(NODES)
						    : str_fmt(a, NODES "/%.*s%s%s", STRF(d->name),
							      part, apply ? "?" MANAGER : ""),
				    .type = apply ? "application/apply-patch+yaml" : NULL,
				    .body = buf_str(&b),
				    .done = done,
				    .ctx = d };
	kube_start(d->kube, &d->mcn.call);
}

static void ended(struct kube_call *c, const struct kube_answer *ans)
{
	if (ans->rc < 0)
		log_again(LOG_ERROR, S("mcn"), "Error applying MCN: %.*s", STRF(ans->message));
	else
		(void)log_over(S("mcn"));
	sent(c->ctx);
}

static void status_sent(struct kube_call *c, const struct kube_answer *ans)
{
	struct daemon *d = c->ctx;
	struct arena *a = &d->mcn.a;
	struct err err = ERR_INIT(a);
	struct knode node;
	struct str pool;
	bool pinned;

	if (!d->mcn.first->spec || ans->rc < 0 || daemon_pool(d, a, &pool, &pinned, &err) < 0) {
		ended(c, ans);
		return;
	}
	knode_decode(a, daemon_node(d), &node);
	send(d, "PATCH", "",
	     d->mcn.first->absent ? mcn_new(a, &node, pool) : mcn_spec(a, &node, pool), ended);
}

static void no_changes(const char *what, struct str why)
{
	log_error("Error updating MCN with the irreconcilable report %s%.*s", what, STRF(why));
}

static void changes_sent(struct kube_call *c, const struct kube_answer *ans)
{
	struct daemon *d = c->ctx;

	if (ans->rc < 0)
		no_changes(str_fmt(&d->mcn.a,
				   "failed to update the %.*s node status with "
				   "the latest irreconcilable differences: ",
				   STRF(d->name))
				   .p,
			   ans->message);
	sent(d);
}

/* The server refuses an empty list: it is removed instead. */
static void put_changes(struct daemon *d, struct json *mcn)
{
	const struct str key = S("irreconcilableChanges");
	struct arena *a = &d->mcn.a;
	struct err err = ERR_INIT(a);
	struct json *list = NULL, *status = json_at(mcn, "status");

	(void)json_parse(a, d->mcn.first->changes, NULL, &list, &err);
	if (!mcn)
		no_changes("", str_fmt(a,
				       "MCN for %.*s node does not exits. Skipping "
				       "irreconcilable differences reporting",
				       STRF(d->name)));
	if (!mcn || (json_len(list) ? json_eq(json_member(status, key), list)
				    : !json_member(status, key))) {
		sent(d);
		return;
	}
	if (!status)
		status = json_add_object(a, mcn, "status");
	if (json_len(list))
		json_set(status, key, list);
	else
		(void)json_remove(status, key);
	send(d, "PUT", "/status?" FIELD_MANAGER, mcn, changes_sent);
}

static void got(struct kube_call *c, const struct kube_answer *ans)
{
	struct daemon *d = c->ctx;
	struct arena *a = &d->mcn.a;
	struct err err = ERR_INIT(a);
	struct json *mcn = NULL, *body, *after;
	struct knode node;
	struct mcn_in in = { .node = &node, .image_mode = d->gates.image_mode };
	bool create, pinned;

	if ((ans->rc < 0 && ans->rc != -ERR_NOTFOUND) ||
	    (ans->rc == 0 && json_parse(a, str_dup(a, ans->body), NULL, &mcn, &err) < 0) ||
	    daemon_pool(d, a, &in.pool, &pinned, &err) < 0) {
		log_again(LOG_ERROR, S("mcn"), "error getting existing MCN: %.*s",
			  STRF(err.msg.n ? err.msg : ans->message));
		sent(d);
		return;
	}
	if (d->mcn.first->changes.n) {
		put_changes(d, mcn);
		return;
	}
	knode_decode(a, daemon_node(d), &node);
	in.mcn = mcn;
	in.sets = d->mcn.first->sets;
	in.now.sec = clock_wall_s();
	body = mcn_report(a, &in, &d->mcn.first->report, &create, &after);
	d->mcn.first->absent = !mcn && !body;
	if (!body)
		status_sent(c, &(struct kube_answer){ 0 });
	else if (create)
		send(d, "POST", "", body, status_sent);
	else
		send(d, "PATCH", "/status", body, status_sent);
}

static void next_report(struct daemon *d)
{
	if (d->mcn.sending || !d->mcn.first)
		return;
	d->mcn.sending = true;
	send(d, "GET", "", NULL, got);
}

/* ---- reports ------------------------------------------------------------- */

static struct str status_text(char c)
{
	return c == 'T' ? CONDITION_TRUE : c == 'F' ? CONDITION_FALSE : CONDITION_UNKNOWN;
}

static struct reporting *add_report(struct daemon *d)
{
	struct reporting **at = &d->mcn.first;

	while (*at)
		at = &(*at)->next;
	*at = calloc(1, sizeof(**at));
	if (!*at)
		abort();
	return *at;
}

void daemon_report_changes(struct daemon *d)
{
	struct arena *a = &d->turn;
	struct err err = ERR_INIT(a);
	struct mc_current was;
	struct reporting *r;
	struct str text;
	struct buf b;

	if (!d->gates.irreconcilable)
		return;
	if (tree_read(a, &d->node->tree, INSTALLED, INSTALLED_MAX, &text, &err) < 0 ||
	    mc_current_parse(a, text, &was, &err) < 0) {
		log_v(2, "%.*s", STRF(err.msg));
		no_changes("error generating the irreconcilable differences "
			   "list of changes. ",
			   S("cannot locate and read the install-time "
			     "configuration"));
		return;
	}
	buf_init(&b, a);
	json_encode(&b, mc_changes(a, was.spec.config, d->update.to.spec.config), 0);
	r = add_report(d);
	r->changes = str_dup(&r->a, buf_str(&b));
	next_report(d);
}

void daemon_report(struct daemon *d, const struct daemon_report *in)
{
	struct reporting *r;
	struct str key = str_fmt(&d->turn, "%s%c%.*s", in->type, in->status, STRF(in->text));

	if (!in->sets.n && str_eq(key, d->mcn.last))
		return;
	arena_free(&d->mcn.kept);
	d->mcn.last = str_dup(&d->mcn.kept, key);
	r = add_report(d);
	r->spec = in->spec;
	if (in->sets.n) {
		struct err err = ERR_INIT(&r->a);
		struct json *sets = NULL;

		(void)json_parse(&r->a, str_dup(&r->a, in->sets), NULL, &sets, &err);
		r->sets = sets;
	}
	r->report.parent =
		(struct condition){ .type = str_of(in->type),
				    .status = status_text(in->status),
				    .reason = str_dup(&r->a,
						      str_of(in->reason ? in->reason : in->type)),
				    .message = str_dup(&r->a, in->text) };
	if (in->child)
		r->report.child =
			(struct condition){ .type = str_dup(&r->a, str_of(in->child)),
					    .status = status_text(in->child_status),
					    .reason = str_fmt(&r->a, "%s%s", in->type, in->child),
					    .message = str_dup(&r->a, in->child_text) };
	next_report(d);
}

void daemon_report_end(struct daemon *d)
{
	if (d->mcn.sending)
		kube_cancel(&d->mcn.call);
	for (struct reporting *r = d->mcn.first, *next; r; r = next) {
		next = r->next;
		forget(r);
	}
	arena_free(&d->mcn.a);
	arena_free(&d->mcn.kept);
}
