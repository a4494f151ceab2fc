/*
 * Evictions: deletes a pod unless that violates a disruption budget. A budget is evaluated by its
 * current pods: a pod is healthy if it is Ready, as for the disruption controller.
 */
#include "sandbox/sandbox.h"

static bool is_ready(const struct json *pod)
{
	const struct json *c = json_first(json_at(pod, "status.conditions"));

	for (; c; c = json_next(c))
		if (str_is(json_str(c, "type"), "Ready"))
			return str_is(json_str(c, "status"), "True");
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
	int64_t healthy, needed, allowed;
	bool known; /* its status is of the current generation */
};

static bool selects_pod(struct arena *a, const struct json *pdb, const struct json *pod)
{
	struct selector sel;
	struct err err = ERR_INIT(a);
	const struct json *j = json_at(pdb, "spec.selector");

	if (!j || selector_make(a, j, &sel, &err) < 0)
		return false;
	return selector_matches(&sel, json_at(pod, "metadata.labels"));
}

/* Computes the status as the disruption controller does. */
static void count_pods(struct sb_call *c, const struct json *pdb, struct budget *b)
{
	const struct json *min = json_at(pdb, "spec.minAvailable");
	const struct json *max = json_at(pdb, "spec.maxUnavailable");
	struct str prefix = str_fmt(c->a, "%.*s/", STRF(c->r->ns));
	const struct sb_list *all = &c->r->kind->objects;
	int64_t total = 0;

	b->healthy = 0;
	for (size_t i = store_seek(all, prefix); i < all->n && str_starts(all->v[i]->key, prefix);
	     i++) {
		const struct json *pod = sb_tree(c->a, all->v[i]);

		if (!selects_pod(c->a, pdb, pod))
			continue;
		total++;
		b->healthy += is_ready(pod) && !json_at(pod, "metadata.deletionTimestamp");
	}
	b->needed = min ? amount(min, total) : max ? total - amount(max, total) : 0;
	b->allowed = b->healthy > b->needed ? b->healthy - b->needed : 0;
	b->known = true;
}

/* The budget by its status, or by the pods where there are controllers. */
static void judge_budget(struct sb_call *c, const struct json *pdb, struct budget *b)
{
	*b = (struct budget){
		.name = json_str(pdb, "metadata.name"),
		.healthy = json_i64(pdb, "status.currentHealthy", 0),
		.needed = json_i64(pdb, "status.desiredHealthy", 0),
		.allowed = json_i64(pdb, "status.disruptionsAllowed", 0),
		.known = json_i64(pdb, "status.observedGeneration", 0) >=
			 json_i64(pdb, "metadata.generation", 0),
	};
	if (c->sb->collect)
		count_pods(c, pdb, b);
}

static void refuse_eviction(struct sb_call *c, const struct budget *b)
{
	struct json *j, *details, *list, *cause;
	struct err err = ERR_INIT(c->a);
	struct str why =
		b->known ? str_fmt(c->a,
				   "The disruption budget %.*s needs %lld "
				   "healthy pods and has %lld currently",
				   STRF(b->name), (long long)b->needed, (long long)b->healthy)
			 : str_fmt(c->a,
				   "The disruption budget %.*s is still being "
				   "processed by the server.",
				   STRF(b->name));

	reply_status(c->a, c->out, 429, "TooManyRequests",
		     S("Cannot evict pod as it would violate the pod's "
		       "disruption budget."));
	if (json_parse(c->a, c->out->body, NULL, &j, &err) < 0)
		return;
	details = json_new(c->a, JSON_OBJECT);
	list = json_new(c->a, JSON_ARRAY);
	cause = json_new(c->a, JSON_OBJECT);
	json_add(cause, S("reason"), json_new_str(c->a, S("DisruptionBudget")));
	json_add(cause, S("message"), json_new_str(c->a, why));
	json_push(list, cause);
	json_add(details, S("causes"), list);
	if (!b->known)
		json_add(details, S("retryAfterSeconds"), json_new_i64(c->a, 10));
	json_set(j, S("details"), details);
	reply_json(c->a, c->out, 429, j);
}

/* Decrements the allowed disruptions and records the pod in disruptedPods. */
static void spend_disruption(struct sb_call *c, struct sb_kind *k, struct json *pdb)
{
	struct json *status = json_member(pdb, S("status")), *pods;

	if (c->sb->collect || request_param(c->r, "dryRun").n)
		return;
	json_set(status, S("disruptionsAllowed"),
		 json_new_i64(c->a, json_i64(status, "disruptionsAllowed", 0) - 1));
	pods = json_member(status, S("disruptedPods"));
	if (!pods) {
		pods = json_new(c->a, JSON_OBJECT);
		json_add(status, S("disruptedPods"), pods);
	}
	sb_set_time(c->a, pods, c->r->name, c->r->now);
	sb_store(c->sb, c->a, k, request_key(c->a, c->r, json_str(pdb, "metadata.name")), pdb);
}

/* Finished and pending pods can be evicted regardless of budgets. */
static bool free_to_go(const struct json *pod)
{
	struct str phase = json_str(pod, "status.phase");

	return str_is(phase, "Succeeded") || str_is(phase, "Failed") || str_is(phase, "Pending") ||
	       json_at(pod, "metadata.deletionTimestamp");
}

/* False, answered, when a budget does not allow it. */
static bool is_allowed(struct sb_call *c, const struct json *pod)
{
	struct sb_kind *k = kinds_of(&c->sb->kinds, S("policy"), S("poddisruptionbudgets"));
	struct str prefix = str_fmt(c->a, "%.*s/", STRF(c->r->ns));
	struct json *found = NULL;
	struct budget b;

	for (size_t i = store_seek(&k->objects, prefix);
	     i < k->objects.n && str_starts(k->objects.v[i]->key, prefix); i++) {
		struct json *pdb = sb_tree(c->a, k->objects.v[i]);

		if (!selects_pod(c->a, pdb, pod))
			continue;
		if (found) {
			reply_status(c->a, c->out, 500, "",
				     S("This pod has more than one "
				       "PodDisruptionBudget, which the "
				       "eviction subresource does not "
				       "support."));
			return false;
		}
		found = pdb;
	}
	if (!found)
		return true;
	judge_budget(c, found, &b);
	/* the eviction of a pod that is not ready does not reduce the healthy pods */
	if (!is_ready(pod) && b.healthy >= b.needed && b.needed > 0)
		return true;
	if (!b.known || b.allowed == 0) {
		refuse_eviction(c, &b);
		return false;
	}
	spend_disruption(c, k, found);
	return true;
}

void sb_evict(struct sb_call *c)
{
	struct str key = request_key(c->a, c->r, c->r->name);
	struct sb_object *o = store_get(&c->r->kind->objects, key);
	struct err err = ERR_INIT(c->a);
	struct json *body = NULL, *pod;

	if (json_parse(c->a, c->r->body, NULL, &body, &err) < 0 || json_kind(body) != JSON_OBJECT) {
		reply_bad(c->a, c->out, "the eviction is not JSON: %.*s", STRF(err.msg));
		return;
	}
	if (json_at(body, "metadata.name") &&
	    !str_eq(json_str(body, "metadata.name"), c->r->name)) {
		reply_bad(c->a, c->out, "name in URL does not match name in Eviction object");
		return;
	}
	if (!o) {
		reply_not_found(c->a, c->out, request_subject(c->r));
		return;
	}
	pod = sb_tree(c->a, o);
	if (!free_to_go(pod) && !is_allowed(c, pod))
		return;
	if (!request_param(c->r, "dryRun").n)
		(void)sb_remove(c->sb, c->a, c->r->kind, key, pod, json_at(body, "deleteOptions"),
				c->r->now);
	body = json_new(c->a, JSON_OBJECT);
	json_add(body, S("kind"), json_new_str(c->a, S("Status")));
	json_add(body, S("apiVersion"), json_new_str(c->a, S("v1")));
	json_add(body, S("metadata"), json_new(c->a, JSON_OBJECT));
	json_add(body, S("status"), json_new_str(c->a, S("Success")));
	json_add(body, S("code"), json_new_i64(c->a, 201));
	reply_json(c->a, c->out, 201, body);
}
