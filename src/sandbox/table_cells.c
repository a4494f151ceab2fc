/*
 * Computed cells of the tables of built-in kinds, by code: see table.c for the columns.
 */
#include "sandbox/table.h"

#include <stdlib.h>

#include "base/rfc3339.h"

/* ---- times --------------------------------------------------------------- */

/* The first and last time of an event, from the old or the new fields. */
static struct str event_age(struct sb_call *c, const struct json *o, bool last)
{
	struct str t = json_str(o, "firstTimestamp");

	if (!t.n)
		t = json_str(o, "eventTime");
	if (last && json_str(o, "lastTimestamp").n)
		t = json_str(o, "lastTimestamp");
	if (last && json_at(o, "series"))
		t = json_str(o, "series.lastObservedTime");
	return cell_age(c->a, t, c->r->now);
}

static struct str job_duration(struct sb_call *c, const struct json *o)
{
	struct instant from, to = { .sec = c->r->now };

	if (!rfc3339_parse(json_str(o, "status.startTime"), &from))
		return S("");
	(void)rfc3339_parse(json_str(o, "status.completionTime"), &to);
	return cell_duration(c->a, to.sec - from.sec);
}

/* ---- lists --------------------------------------------------------------- */

static int by_text(const void *x, const void *y)
{
	return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

/* Sorted, without duplicates, joined; "<none>" when empty. */
static struct str join_set(struct arena *a, struct strs *set)
{
	struct buf b;

	if (!set->n)
		return S("<none>");
	qsort(set->v, set->n, sizeof(set->v[0]), by_text);
	buf_init(&b, a);
	for (size_t i = 0; i < set->n; i++)
		if (i == 0 || !str_eq(set->v[i], set->v[i - 1])) {
			buf_addz(&b, i ? "," : "");
			buf_add(&b, set->v[i]);
		}
	return buf_str(&b);
}

static struct str node_roles(struct arena *a, const struct json *node)
{
	const struct str prefix = S("node-role.kubernetes.io/");
	const struct json *m = json_first(json_at(node, "metadata.labels"));
	struct strs roles = { 0 };

	for (; m; m = json_next(m)) {
		struct str role = S("");

		if (str_starts(json_key(m), prefix))
			role = str_from(json_key(m), prefix.n);
		else if (str_is(json_key(m), "kubernetes.io/role"))
			role = json_text(m);
		if (role.n)
			VEC_PUSH(a, &roles, role);
	}
	return join_set(a, &roles);
}

static struct str labels_text(struct arena *a, const struct json *labels)
{
	struct strs all = { 0 };

	for (const struct json *m = json_first(labels); m; m = json_next(m))
		VEC_PUSH(a, &all, str_fmt(a, "%.*s=%.*s", STRF(json_key(m)), STRF(json_text(m))));
	return join_set(a, &all);
}

static struct str label_selector(struct arena *a, const struct json *o)
{
	struct selector sel;
	struct err err = ERR_INIT(a);

	if (selector_make(a, json_at(o, "spec.selector"), &sel, &err) < 0)
		return S("<error>");
	return sel.n ? selector_text(a, &sel) : S("<none>");
}

static void add_part(struct buf *b, const char *with, struct str part)
{
	if (b->n)
		buf_addz(b, with);
	buf_add(b, part);
}

/* One member of each container. */
static struct str containers(struct arena *a, const struct json *o, struct str member)
{
	struct buf b;

	buf_init(&b, a);
	for (const struct json *m = json_first(json_at(o, "spec.template.spec.containers")); m;
	     m = json_next(m))
		add_part(&b, ",", json_text(json_member(m, member)));
	return buf_str(&b);
}

static struct str subjects(struct arena *a, const struct json *o, struct str kind)
{
	struct buf b;

	buf_init(&b, a);
	for (const struct json *m = json_first(json_at(o, "subjects")); m; m = json_next(m)) {
		struct str name = json_str(m, "name");

		if (!str_eq(json_str(m, "kind"), kind))
			continue;
		if (str_is(kind, "ServiceAccount"))
			name = str_fmt(a, "%.*s/%.*s", STRF(json_str(m, "namespace")), STRF(name));
		add_part(&b, ", ", name);
	}
	return buf_str(&b);
}

static struct str service_ports(struct arena *a, const struct json *o)
{
	struct buf b;

	buf_init(&b, a);
	for (const struct json *m = json_first(json_at(o, "spec.ports")); m; m = json_next(m)) {
		int64_t node = json_i64(m, "nodePort", 0);

		buf_addf(&b, "%s%lld", b.n ? "," : "", (long long)json_i64(m, "port", 0));
		if (node > 0)
			buf_addf(&b, ":%lld", (long long)node);
		buf_addf(&b, "/%.*s", STRF(json_str(m, "protocol")));
	}
	return b.n ? buf_str(&b) : S("<none>");
}

static struct str service_ip(struct arena *a, const struct json *o)
{
	struct str type = json_str(o, "spec.type");
	bool balanced = str_is(type, "LoadBalancer");
	struct buf b;

	if (str_is(type, "ExternalName"))
		return json_str(o, "spec.externalName");
	buf_init(&b, a);
	for (const struct json *m = json_first(json_at(o, "status.loadBalancer.ingress"));
	     m && balanced; m = json_next(m))
		add_part(&b, ",", json_str_or(m, "ip", json_str(m, "hostname")));
	for (const struct json *m = json_first(json_at(o, "spec.externalIPs")); m; m = json_next(m))
		add_part(&b, ",", json_text(m));
	return b.n ? buf_str(&b) : balanced ? S("<pending>") : S("<none>");
}

/* ---- states -------------------------------------------------------------- */

static struct str node_status(struct arena *a, const struct json *node)
{
	const struct json *c = json_first(json_at(node, "status.conditions"));
	const char *ready = "Unknown";

	for (; c; c = json_next(c))
		if (str_is(json_str(c, "type"), "Ready"))
			ready = str_is(json_str(c, "status"), "True") ? "Ready" : "NotReady";
	return str_fmt(a, "%s%s", ready,
		       json_bool(node, "spec.unschedulable", false) ? ",SchedulingDisabled" : "");
}

static struct str readiness(struct arena *a, const struct json *pod)
{
	const struct json *gates = json_at(pod, "spec.readinessGates");
	size_t met = 0;

	for (const struct json *g = json_first(gates); g; g = json_next(g))
		met += cell_condition(pod, json_str(g, "conditionType"));
	return json_len(gates) ? str_fmt(a, "%zu/%zu", met, json_len(gates)) : S("<none>");
}

static struct str job_state(const struct json *o)
{
	return cell_condition(o, S("Complete"))		  ? S("Complete")
	       : cell_condition(o, S("Failed"))		  ? S("Failed")
	       : json_at(o, "metadata.deletionTimestamp") ? S("Terminating")
	       : cell_condition(o, S("Suspended"))	  ? S("Suspended")
							  : S("Running");
}

static struct str completions(struct arena *a, const struct json *job)
{
	int64_t want = json_i64(job, "spec.completions", -1);
	int64_t at_once = json_i64(job, "spec.parallelism", 0);
	struct buf b;

	buf_init(&b, a);
	buf_addf(&b, "%lld/%lld", (long long)json_i64(job, "status.succeeded", 0),
		 (long long)(want < 0 ? 1 : want));
	if (want < 0 && at_once > 1)
		buf_addf(&b, " of %lld", (long long)at_once);
	return buf_str(&b);
}

/* ---- events -------------------------------------------------------------- */

static struct str event_object(struct arena *a, const struct json *o)
{
	struct str kind = json_str(o, "involvedObject.kind");
	struct str name = json_str(o, "involvedObject.name");
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < kind.n; i++)
		buf_addc(&b, kind.p[i] >= 'A' && kind.p[i] <= 'Z' ? (char)(kind.p[i] - 'A' + 'a')
								  : kind.p[i]);
	if (name.n)
		buf_addf(&b, "/%.*s", STRF(name));
	return buf_str(&b);
}

static struct str event_source(struct arena *a, const struct json *o)
{
	struct str who = json_str_or(o, "source.component", json_str(o, "reportingComponent"));
	struct str where = json_str_or(o, "source.host", json_str(o, "reportingInstance"));

	return where.n ? str_fmt(a, "%.*s, %.*s", STRF(who), STRF(where)) : who;
}

/* ---- by code ------------------------------------------------------------- */

struct str cell_text(struct sb_call *c, const struct json *o, struct str code)
{
	struct arena *a = c->a;
	struct str of = str_from(code, 1);
	struct cell_pod pod;

	switch (code.p[0]) {
	case 'a':
		return cell_age(a, json_str(o, "metadata.creationTimestamp"), c->r->now);
	case 's':
	case 'f':
		return event_age(c, o, code.p[0] == 's');
	case 'o':
		return event_object(a, o);
	case 'S':
		return event_source(a, o);
	case 'm':
		return str_trim(json_str(o, "message"));
	case 'n':
		return node_status(a, o);
	case 'r':
		return node_roles(a, o);
	case 'p':
		return cell_pod(a, o).reason;
	case 'y':
		pod = cell_pod(a, o);
		return str_fmt(a, "%zu/%zu", pod.ready, json_len(json_at(o, "spec.containers")));
	case 'g':
		return readiness(a, o);
	case 'l':
		return labels_text(a, cell_find(a, o, of));
	case 'L':
		return label_selector(a, o);
	case 'C':
		return containers(a, o, of);
	case 'j':
		return completions(a, o);
	case 'J':
		return job_state(o);
	case 'R':
		return str_fmt(a, "%lld", (long long)cell_pod(a, o).restarts);
	case 'D':
		return job_duration(c, o);
	case 'x':
		return service_ip(a, o);
	case 'P':
		return service_ports(a, o);
	case 'u':
		return subjects(a, o, of);
	default: /* b */
		return str_fmt(a, "%.*s/%.*s", STRF(json_str(o, "roleRef.kind")),
			       STRF(json_str(o, "roleRef.name")));
	}
}

int64_t cell_number(struct sb_call *c, const struct json *o, struct str code)
{
	int64_t n;

	switch (code.p[0]) {
	case 'd':
		return (int64_t)(json_len(json_at(o, "data")) + json_len(json_at(o, "binaryData")));
	case 'N':
		return (int64_t)json_len(cell_find(c->a, o, str_from(code, 1)));
	default: /* c */
		n = json_at(o, "series") ? json_i64(o, "series.count", 0) : json_i64(o, "count", 0);
		return n ? n : 1;
	}
}
