/*
 * Which pods are evicted and how: the rules of kubectl drain with --force,
 * --ignore-daemonsets and --delete-emptydir-data, 90 seconds per attempt.
 */
#include "base/codec.h"
#include "base/duration.h"
#include "base/map.h"
#include "drain_parts.h"

#define RETRY_MS 5000

int64_t drain_ms(struct instant t)
{
	return t.sec * 1000 + t.nsec / 1000000;
}

unsigned drain_tag(const struct drain *d, unsigned what)
{
	return d->attempt % (UINT32_MAX / DRAIN_TAGS) * DRAIN_TAGS + what;
}

void drain_take_pods(struct drain *d, const struct drain_view *in)
{
	size_t most = DRAIN_TAGS - DRAIN_TAG_POD;

	d->n_pods = in->n_pods < most ? in->n_pods : most;
	d->pods = arena_array(&d->a, d->n_pods, sizeof(*d->pods));
	for (size_t i = 0; i < d->n_pods; i++) {
		struct drain_pod *p = &d->pods[i];

		p->pod = pod_copy(&d->a, &in->pods[i]);
		if (p->pod.daemonset.n && !p->pod.finished)
			p->state = DRAIN_POD_ASK;
		else if (p->pod.mirror)
			p->state = DRAIN_POD_STAYS;
		else
			p->state = DRAIN_POD_TODO;
	}
}

/* "v1", "v1beta1" */
static bool is_version(struct str v)
{
	if (!str_starts(v, S("v")) || v.n > 16)
		return false;
	for (size_t i = 1; i < v.n; i++)
		if (!(v.p[i] >= '0' && v.p[i] <= '9') && !(v.p[i] >= 'a' && v.p[i] <= 'z'))
			return false;
	return v.n > 1 && v.p[1] >= '1' && v.p[1] <= '9';
}

int drain_eviction_api(struct arena *a, struct str body, struct str *out, struct err *err)
{
	struct json *tree = NULL;
	int rc = json_parse(a, body, NULL, &tree, err);

	if (rc < 0)
		return rc;
	if (!str_is(json_str(tree, "kind"), "APIResourceList"))
		return err_set(err, ERR_INVALID, "not an APIResourceList");
	for (const struct json *j = json_first(json_at(tree, "resources")); j; j = json_next(j)) {
		struct str version = json_str_or(j, "version", S("v1"));

		if (!str_is(json_str(j, "name"), "pods/eviction") ||
		    !str_is(json_str(j, "kind"), "Eviction") ||
		    !str_is(json_str_or(j, "group", S("policy")), "policy") || !is_version(version))
			continue;
		*out = str_fmt(a, "policy/%.*s", STRF(version));
		return 0;
	}
	return err_set(err, ERR_NOTFOUND, "the server does not offer pods/eviction");
}

/* "a", or "[a, b]": as Go prints aggregates of errors. */
struct list {
	struct buf b;
	struct map seen;
	size_t n;
};

static void list_init(struct list *l, struct arena *a)
{
	buf_init(&l->b, a);
	map_init(&l->seen, a);
	l->n = 0;
}

static void list_add(struct list *l, struct str text)
{
	if (!map_put(&l->seen, text, l))
		return;
	buf_addz(&l->b, l->n++ ? ", " : "");
	buf_add(&l->b, text);
}

static struct str list_text(struct arena *a, const struct list *l)
{
	if (l->n < 2)
		return buf_str(&l->b);
	return str_fmt(a, "[%.*s]", STRF(buf_str(&l->b)));
}

/* "cannot delete <why>: ns/a, ns/b", one for each reason. */
static struct str cannot_delete(struct arena *a, const struct drain *d)
{
	struct map by_why;
	struct list l;

	map_init(&by_why, a);
	for (size_t i = 0; i < d->n_pods; i++) {
		const struct drain_pod *p = &d->pods[i];
		struct buf *b;

		if (p->state != DRAIN_POD_FAILED)
			continue;
		b = map_get(&by_why, p->said);
		if (!b) {
			b = ARENA_NEW(a, struct buf);
			buf_init(b, a);
			buf_addf(b, "cannot delete %.*s: ",
				 STRF(p->said.n ? p->said : S("unexpected error")));
			map_put(&by_why, p->said, b);
		} else {
			buf_addz(b, ", ");
		}
		buf_addf(b, "%.*s/%.*s", STRF(p->pod.ns), STRF(p->pod.name));
	}
	list_init(&l, a);
	for (size_t i = 0; i < by_why.n; i++)
		list_add(&l, buf_str(by_why.v[i].value));
	return list_text(a, &l);
}

enum drain_outcome drain_sort_pods(struct arena *a, struct drain *d, struct actions *out,
				   struct str *error)
{
	size_t open = 0;

	for (size_t i = 0; i < d->n_pods; i++) {
		struct drain_pod *p = &d->pods[i];

		if (p->state == DRAIN_POD_ASK) {
			action_add(a, out, ACTION_GET,
				   str_fmt(a,
					   PATH_APPS "namespaces/%.*s/"
						     "daemonsets/%.*s",
					   STRF(p->pod.ns), STRF(p->pod.daemonset)),
				   S(""), S("check the controller of a pod"))
				->tag = drain_tag(d, DRAIN_TAG_POD + (unsigned)i);
			p->state = DRAIN_POD_ASKED;
		}
		open += p->state == DRAIN_POD_ASKED;
	}
	if (open)
		return DRAIN_GOING_ON;
	*error = cannot_delete(a, d);
	return error->n ? DRAIN_FAILED : DRAIN_DONE;
}

static void sorted(struct drain_pod *p, const struct drain_answer *answer)
{
	if (answer->status == 200)
		p->state = DRAIN_POD_STAYS;
	else if (answer->status == 404)
		p->state = p->pod.mirror ? DRAIN_POD_STAYS : DRAIN_POD_TODO;
	else
		p->state = DRAIN_POD_FAILED;
}

static void evicted(struct drain_pod *p, int64_t now, const struct drain_answer *answer)
{
	bool ending = answer->status == 403 && answer->terminating;

	/* a pod in a deleted namespace needs no eviction */
	if ((answer->status >= 200 && answer->status < 300) || (ending && p->pod.deleting)) {
		p->state = DRAIN_POD_LEAVING;
	} else if (answer->status == 404) {
		p->state = DRAIN_POD_GONE;
	} else if (ending || answer->status == 429) {
		p->state = DRAIN_POD_TODO;
		p->due = now + RETRY_MS;
	} else {
		p->state = DRAIN_POD_FAILED;
	}
}

void drain_pod_reply(struct drain *d, struct drain_pod *p, struct instant now,
		     const struct drain_answer *answer)
{
	p->said = str_dup(&d->a, answer->message);
	if (answer->budget.n)
		p->said = str_fmt(&d->a, "%.*s %.*s", STRF(answer->message), STRF(answer->budget));
	if (p->state == DRAIN_POD_ASKED)
		sorted(p, answer);
	else if (p->state == DRAIN_POD_SENT)
		evicted(p, drain_ms(now), answer);
}

static void send(struct arena *a, struct drain *d, size_t i, const struct drain_view *in,
		 struct actions *out)
{
	struct drain_pod *p = &d->pods[i];
	struct str path = str_fmt(a, PATH_CORE "namespaces/%.*s/pods/%.*s/eviction",
				  STRF(p->pod.ns), STRF(p->pod.name));
	struct str reason = str_fmt(a, "node %.*s: %.*s", STRF(in->node->name), STRF(d->wish));
	struct action *act;
	struct json *eviction = json_new(a, JSON_OBJECT), *meta;

	p->state = DRAIN_POD_SENT;
	if (!p->said.n)
		action_log(a, out, "node %.*s: evicting pod %.*s/%.*s", STRF(in->node->name),
			   STRF(p->pod.ns), STRF(p->pod.name));
	json_add_str(a, eviction, "kind", S("Eviction"));
	json_add_str(a, eviction, "apiVersion", in->eviction_api);
	meta = json_make(a, eviction, "metadata");
	json_add_str(a, meta, "name", p->pod.name);
	json_add_str(a, meta, "namespace", p->pod.ns);
	(void)json_make(a, eviction, "deleteOptions");
	act = action_add(a, out, ACTION_EVICT, path, json_format(a, eviction, 0), reason);
	act->tag = drain_tag(d, DRAIN_TAG_POD + (unsigned)i);
	act->fail = ACTION_SHRUG;
}

/* Pods that no longer exist, or have another uid, are gone. */
static void notice_gone(struct arena *a, struct drain *d, const struct drain_view *in,
			struct actions *out)
{
	struct map here;

	map_init(&here, a);
	for (size_t i = 0; i < in->n_pods; i++)
		map_put(&here, in->pods[i].uid, (void *)(uintptr_t)&in->pods[i]);
	for (size_t i = 0; i < d->n_pods; i++) {
		struct drain_pod *p = &d->pods[i];
		const struct mc_pod *now = map_get(&here, p->pod.uid);

		if (now)
			p->pod.deleting = now->deleting;
		if (now || (p->state != DRAIN_POD_LEAVING && p->state != DRAIN_POD_TODO))
			continue;
		p->state = DRAIN_POD_GONE;
		action_log(a, out, "node %.*s: Evicted pod %.*s/%.*s", STRF(in->node->name),
			   STRF(p->pod.ns), STRF(p->pod.name));
	}
}

static int64_t evict_ms(const struct drain_view *in)
{
	return in->evict_ms ? in->evict_ms : DRAIN_EVICT_MS;
}

static void add_timeout(struct buf *b, const struct drain_view *in)
{
	buf_addz(b, ": global timeout reached: ");
	duration_add(b, evict_ms(in) * 1000000);
}

/* Logs a refusal once: the eviction is retried every few seconds. */
static void log_refusal(struct arena *a, struct drain_pod *p, const struct drain_view *in,
			struct actions *out)
{
	struct buf b;

	if (p->state != DRAIN_POD_TODO || !p->said.n || str_eq(p->logged, p->said))
		return;
	p->logged = p->said;
	buf_init(&b, a);
	buf_addf(&b, "node %.*s: error when evicting pods/", STRF(in->node->name));
	go_quote(&b, p->pod.name);
	buf_addz(&b, " -n ");
	go_quote(&b, p->pod.ns);
	buf_addf(&b, " (will retry after 5s): %.*s", STRF(p->said));
	action_log(a, out, "%.*s", STRF(buf_str(&b)))->warning = true;
}

/* The reason for the failure. */
static struct str failure(struct arena *a, const struct drain *d, const struct drain_view *in)
{
	struct list l;

	list_init(&l, a);
	for (size_t i = 0; i < d->n_pods; i++) {
		const struct drain_pod *p = &d->pods[i];
		bool late = p->state == DRAIN_POD_TODO || p->state == DRAIN_POD_SENT;
		struct buf b;

		if (!late && p->state != DRAIN_POD_LEAVING && p->state != DRAIN_POD_FAILED)
			continue;
		buf_init(&b, a);
		buf_addz(&b, p->state == DRAIN_POD_LEAVING ? "error when waiting for pod "
							   : "error when evicting pods/");
		go_quote(&b, p->pod.name);
		buf_addz(&b, p->state == DRAIN_POD_LEAVING ? " in namespace " : " -n ");
		go_quote(&b, p->pod.ns);
		if (p->state == DRAIN_POD_LEAVING)
			buf_addz(&b, " to terminate: context deadline "
				     "exceeded");
		else if (p->state == DRAIN_POD_FAILED)
			buf_addf(&b, ": %.*s", STRF(p->said));
		else if (!in->eviction_api.n)
			buf_addz(&b, ": the server's discovery does not offer "
				     "pods/eviction");
		else
			add_timeout(&b, in);
		list_add(&l, buf_str(&b));
	}
	return list_text(a, &l);
}

enum drain_outcome drain_evict_pods(struct arena *a, struct drain *d, const struct drain_view *in,
				    struct actions *out, struct str *error)
{
	int64_t now = drain_ms(in->now), wake;
	size_t open = 0;

	if (!d->deadline)
		d->deadline = now + evict_ms(in);
	notice_gone(a, d, in, out);
	wake = d->deadline;
	for (size_t i = 0; i < d->n_pods; i++) {
		struct drain_pod *p = &d->pods[i];

		log_refusal(a, p, in, out);
		if (p->state == DRAIN_POD_TODO && now < d->deadline && in->eviction_api.n) {
			if (p->due <= now)
				send(a, d, i, in, out);
			else if (p->due < wake)
				wake = p->due;
		}
		open += p->state == DRAIN_POD_TODO || p->state == DRAIN_POD_SENT ||
			p->state == DRAIN_POD_LEAVING;
	}
	if (open && now < d->deadline) {
		action_requeue(a, out, wake - now, S("pods are leaving"));
		return DRAIN_GOING_ON;
	}
	*error = failure(a, d, in);
	return error->n ? DRAIN_FAILED : DRAIN_DONE;
}
