/*
 * Kinds with a pod template: the selector must match the labels of the template and is immutable.
 */
#include "base/codec.h"
#include "sandbox/write.h"

#define JOB_NAME "batch.kubernetes.io/job-name"
#define JOB_UID "batch.kubernetes.io/controller-uid"

static bool is_kind(const struct sb_kind *k, const char *kind)
{
	return str_is(k->kind, kind) && !(k->traits & SB_CUSTOM);
}

/* ---- defaults ------------------------------------------------------------ */

static void label(struct arena *a, struct json *labels, const char *key, struct str value)
{
	if (!json_member(labels, str_of(key)))
		json_add(labels, str_of(key), json_new_str(a, value));
}

/* A new job selects the pods with its uid. */
static void job(struct arena *a, struct json *meta, struct json *spec, bool is_new)
{
	struct json *template = sb_object_in(a, spec, "template");
	struct json *labels;

	if (is_new && !json_bool(spec, "manualSelector", false)) {
		labels = sb_object_in(a, sb_meta(a, template), "labels");
		label(a, labels, "job-name", json_str(meta, "name"));
		label(a, labels, JOB_NAME, json_str(meta, "name"));
		label(a, labels, "controller-uid", json_str(meta, "uid"));
		label(a, labels, JOB_UID, json_str(meta, "uid"));
		label(a, sb_object_in(a, sb_object_in(a, spec, "selector"), "matchLabels"), JOB_UID,
		      json_str(meta, "uid"));
	}
	labels = json_at(template, "metadata.labels");
	if (json_len(labels) && !json_len(json_member(meta, S("labels"))))
		json_set(meta, S("labels"), json_clone(a, labels));
}

void workload_fill(struct sb_call *c, struct json *meta, struct json *held, bool is_new)
{
	const struct sb_kind *k = c->r->kind;
	struct json *spec = sb_object_in(c->a, held, "spec");

	if (is_kind(k, "DaemonSet") && is_new)
		label(c->a, sb_object_in(c->a, meta, "annotations"), SB_TEMPLATE_GENERATION,
		      S("1"));
	if (is_kind(k, "StatefulSet")) {
		struct json *how = sb_object_in(c->a, spec, "updateStrategy");

		/* an explicit type gets no other defaults */
		if (!json_str(how, "type").n)
			(void)sb_object_in(c->a, how, "rollingUpdate");
	}
	if (!is_kind(k, "Job"))
		return;
	if (!json_member(spec, S("completions")) && !json_member(spec, S("parallelism")))
		json_add(spec, S("completions"), json_new_i64(c->a, 1));
	job(c->a, meta, spec, is_new);
}

/* A service keeps the addresses that an update does not name. */
static void keep_address(struct arena *a, struct json *now, const struct json *old)
{
	static const char *const kept[] = { "clusterIP", "clusterIPs" };
	struct json *spec = json_member(now, S("spec"));
	const struct json *was = json_member(old, S("spec"));

	if (json_str(spec, "clusterIP").n || str_is(json_str(spec, "type"), "ExternalName"))
		return;
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		if (json_member(was, str_of(kept[i])))
			json_set(spec, str_of(kept[i]),
				 json_clone(a, json_member(was, str_of(kept[i]))));
}

bool workload_update(struct sb_call *c, struct json *now, const struct json *old)
{
	struct json *meta = sb_meta(c->a, now);
	const struct json *was = json_member(old, S("metadata"));
	struct str text;
	int64_t n = 0;

	if (is_kind(c->r->kind, "Service"))
		keep_address(c->a, now, old);
	if (is_kind(c->r->kind, "Deployment"))
		return !c->r->sub.n && !json_eq(json_member(meta, S("annotations")),
						json_member(was, S("annotations")));
	if (!is_kind(c->r->kind, "DaemonSet"))
		return false;
	text = json_text(
		json_member(json_member(was, S("annotations")), S(SB_TEMPLATE_GENERATION)));
	(void)str_to_i64(text, &n);
	if (!json_eq(json_at(now, "spec.template"), json_at(old, "spec.template")))
		n++;
	json_set(sb_object_in(c->a, meta, "annotations"), S(SB_TEMPLATE_GENERATION),
		 json_new_str(c->a, str_fmt(c->a, "%lld", (long long)n)));
	return false;
}

/* ---- checking ------------------------------------------------------------ */

static void selector(struct arena *a, const struct sb_kind *k, const struct json *object,
		     struct sb_causes *causes)
{
	const struct json *j = json_at(object, "spec.selector");
	const struct json *labels = json_at(object, "spec.template.metadata.labels");
	struct selector sel;
	struct err err = ERR_INIT(a);

	if (json_kind(j) == JSON_NULL)
		j = NULL;
	if (j && selector_make(a, j, &sel, &err) < 0)
		return; /* reported by its own rules */
	if (!j || (sel.n && !selector_matches(&sel, labels)))
		cause_value(a, causes, S("spec.template.metadata.labels"),
			    labels ? labels : json_new(a, JSON_NULL),
			    "`selector` does not match template `labels`");
	if (j && !sel.n && !is_kind(k, "Job"))
		cause_value(a, causes, S("spec.selector"), j,
			    str_z(a, str_fmt(a, "empty selector is invalid for %.*s",
					     STRF(k->singular))));
}

static void restarts(struct arena *a, const struct sb_kind *k, const struct json *object,
		     struct sb_causes *causes)
{
	struct str path = S("spec.template.spec.restartPolicy");
	struct str policy = json_str(object, path.p);
	bool always = str_is(policy, "Always"), is_job = is_kind(k, "Job");

	if (is_job && always)
		cause_required(a, causes, path, "valid values: \"OnFailure\", \"Never\"");
	else if (is_job ? !str_is(policy, "OnFailure") && !str_is(policy, "Never") : !always)
		cause_add(a, causes, "FieldValueNotSupported", path,
			  str_fmt(a,
				  "Unsupported value: \"%.*s\": supported "
				  "values: %s",
				  STRF(policy),
				  is_job ? "\"OnFailure\", \"Never\"" : "\"Always\""));
	if (!is_job && json_at(object, "spec.template.spec."
				       "activeDeadlineSeconds"))
		cause_add(a, causes, "FieldValueForbidden",
			  S("spec.template.spec.activeDeadlineSeconds"),
			  str_fmt(a,
				  "Forbidden: activeDeadlineSeconds in %s is "
				  "not Supported",
				  is_kind(k, "Deployment") ? "ReplicaSet" : str_z(a, k->kind)));
}

/* The counts in the status of a deployment must not exceed the total. */
static void check_counts(struct arena *a, const struct json *status, struct sb_causes *causes)
{
	static const char *const of[] = { "updatedReplicas", "readyReplicas", "availableReplicas",
					  "availableReplicas" };

	for (size_t i = 0; i < 4; i++) {
		int64_t n = json_i64(status, of[i], 0);

		if (n > json_i64(status, i < 3 ? "replicas" : of[1], 0))
			cause_value(a, causes, str_fmt(a, "status.%s", of[i]), json_new_i64(a, n),
				    i < 3 ? "cannot be greater than "
					    "status.replicas"
					  : "cannot be greater than "
					    "readyReplicas");
	}
}

/* The address of a service is immutable. */
static void check_moved(struct arena *a, const struct json *object, const struct json *old,
			struct sb_causes *causes)
{
	struct str was = json_str(old, "spec.clusterIP");
	struct str is = json_str(object, "spec.clusterIP");

	if (was.n && !str_eq(was, is) && !str_is(json_str(object, "spec.type"), "ExternalName"))
		cause_add(a, causes, "FieldValueInvalid", S("spec.clusterIPs[0]"),
			  is.n ? str_fmt(a,
					 "Invalid value: [\"%.*s\"]: "
					 "may not change once set",
					 STRF(is))
			       : S("Invalid value: null: primary "
				   "clusterIP can not be unset"));
}

void workload_check(struct arena *a, const struct sb_kind *k, const struct json *object,
		    const struct json *old, size_t from, struct sb_causes *causes)
{
	const struct json *is = json_at(object, "spec.selector");
	const struct json *was = json_at(old, "spec.selector");
	size_t n;

	if (old && is_kind(k, "Service"))
		check_moved(a, object, old, causes);
	if (!k->type || !json_at(object, "spec.template") || is_kind(k, "ReplicationController"))
		return;
	if (is_kind(k, "Deployment"))
		check_counts(a, json_at(object, "status"), causes);
	selector(a, k, object, causes);
	restarts(a, k, object, causes);
	/* this kind validates an update twice */
	n = causes->n;
	if (old && is_kind(k, "Job"))
		for (size_t i = from; i < n; i++) {
			struct sb_cause again = causes->v[i];

			VEC_PUSH(a, causes, again);
		}
	if (old && !json_eq(is, was))
		cause_value(a, causes, S("spec.selector"), is, "field is immutable");
}
