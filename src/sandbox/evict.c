#include "sandbox/sandbox.h"

/*
 * Evictions: a pod goes unless that would break a disruption budget. Budgets
 * are judged by the pods there are: a pod counts as healthy when it is Ready,
 * as it does for the disruption controller.
 */

static bool ready(const struct json *pod)
{
	const struct json *c = json_first(json_at(pod, "status.conditions"));

	for (; c; c = json_next(c))
		if (str_is(json_str(c, "type", S("")), "Ready"))
			return str_is(json_str(c, "status", S("")), "True");
	return false;
}

/* minAvailable or maxUnavailable of total pods; percentages round up. */
static int64_t amount(const struct json *v, int64_t total)
{
	struct str s = json_text(v);
	int64_t n = 0;

	if (str_ends(s, S("%"))) {
		(void)str_to_i64(str_sub(s, 0, s.n - 1), &n);
		return (n * total + 99) / 100;
	}
	(void)str_to_i64(s, &n);
	return n;
}

struct budget {
	struct str name;
	int64_t healthy, needed;
};

static bool selects(struct arena *a, const struct json *pdb,
		    const struct json *pod)
{
	struct selector sel;
	struct err err = ERR_INIT(a);
	const struct json *j = json_at(pdb, "spec.selector");

	if (!j || selector_make(a, j, &sel, &err) < 0)
		return false;
	return selector_matches(&sel, json_at(pod, "metadata.labels"));
}

static void count(struct sb_call *c, const struct json *pdb, struct budget *b)
{
	const struct json *min = json_at(pdb, "spec.minAvailable");
	const struct json *max = json_at(pdb, "spec.maxUnavailable");
	struct str prefix = str_fmt(c->a, "%.*s/", STRF(c->r->ns));
	const struct sb_list *all = &c->r->kind->objects;
	int64_t total = 0;

	for (size_t i = store_seek(all, prefix);
	     i < all->n && str_starts(all->v[i]->key, prefix); i++) {
		const struct json *pod = sb_tree(c->a, all->v[i]);

		if (!selects(c->a, pdb, pod))
			continue;
		total++;
		b->healthy += ready(pod) &&
			      !json_at(pod, "metadata.deletionTimestamp");
	}
	b->name = json_str(pdb, "metadata.name", S(""));
	b->needed = min	  ? amount(min, total)
		    : max ? total - amount(max, total)
			  : 0;
}

static void refuse(struct sb_call *c, const struct budget *b)
{
	struct json *j, *details, *list, *cause;
	struct err err = ERR_INIT(c->a);

	reply_status(c->a, c->out, 429, "TooManyRequests",
		     S("Cannot evict pod as it would violate the pod's "
		       "disruption budget."));
	if (json_parse(c->a, c->out->body, NULL, &j, &err) < 0)
		return;
	details = json_new(c->a, JSON_OBJECT);
	list = json_new(c->a, JSON_ARRAY);
	cause = json_new(c->a, JSON_OBJECT);
	json_add(cause, S("reason"), json_new_str(c->a, S("DisruptionBudget")));
	json_add(cause, S("message"),
		 json_new_str(c->a,
			      str_fmt(c->a,
				      "The disruption budget %.*s needs %lld "
				      "healthy pods and has %lld currently",
				      STRF(b->name), (long long)b->needed,
				      (long long)b->healthy)));
	json_push(list, cause);
	json_add(details, S("causes"), list);
	json_set(j, S("details"), details);
	reply_json(c->a, c->out, 429, j);
}

/* Finished and pending pods go whatever budgets say. */
static bool free_to_go(const struct json *pod)
{
	struct str phase = json_str(pod, "status.phase", S(""));

	return str_is(phase, "Succeeded") || str_is(phase, "Failed") ||
	       str_is(phase, "Pending") ||
	       json_at(pod, "metadata.deletionTimestamp");
}

/* False, answered, when a budget stands in the way. */
static bool allowed(struct sb_call *c, const struct json *pod)
{
	struct sb_kind *k =
		kinds_of(&c->sb->kinds, S("policy"), S("poddisruptionbudgets"));
	struct str prefix = str_fmt(c->a, "%.*s/", STRF(c->r->ns));
	size_t n = 0;

	for (size_t i = store_seek(&k->objects, prefix);
	     i < k->objects.n && str_starts(k->objects.v[i]->key, prefix);
	     i++) {
		const struct json *pdb = sb_tree(c->a, k->objects.v[i]);
		struct budget b = { 0 };

		if (!selects(c->a, pdb, pod))
			continue;
		if (n++) {
			reply_status(c->a, c->out, 500, "InternalError",
				     S("This pod has more than one "
				       "PodDisruptionBudget, which the "
				       "eviction subresource does not "
				       "support."));
			return false;
		}
		count(c, pdb, &b);
		if (b.healthy - ready(pod) < b.needed) {
			refuse(c, &b);
			return false;
		}
	}
	return true;
}

void sb_evict(struct sb_call *c)
{
	struct str key = request_key(c->a, c->r, c->r->name);
	struct sb_object *o = store_get(&c->r->kind->objects, key);
	struct err err = ERR_INIT(c->a);
	struct json *body = NULL, *pod;

	if (json_parse(c->a, c->r->body, NULL, &body, &err) < 0 ||
	    json_kind(body) != JSON_OBJECT) {
		reply_bad(c->a, c->out, "the eviction is no JSON: %.*s",
			  STRF(err.msg));
		return;
	}
	if (!o) {
		reply_not_found(c->a, c->out, request_subject(c->r));
		return;
	}
	pod = sb_tree(c->a, o);
	if (!free_to_go(pod) && !allowed(c, pod))
		return;
	if (!request_param(c->r, "dryRun").n)
		(void)sb_remove(c->sb, c->a, c->r->kind, key, pod,
				json_at(body, "deleteOptions"), c->r->now);
	body = json_new(c->a, JSON_OBJECT);
	json_add(body, S("kind"), json_new_str(c->a, S("Status")));
	json_add(body, S("apiVersion"), json_new_str(c->a, S("v1")));
	json_add(body, S("metadata"), json_new(c->a, JSON_OBJECT));
	json_add(body, S("status"), json_new_str(c->a, S("Success")));
	reply_json(c->a, c->out, 201, body);
}
