/*
 * The status of the ClusterOperator after a pass.
 *
 * Conditions stay where they are in the list; lastTransitionTime changes only with the status. At
 * the end of a sync Available is set before the versions, so it names those of the sync before.
 */
#include "op_status.h"

#include "mc/object.h"

#define AVAILABLE S("Available")

/* A status that is being changed. */
struct change {
	struct arena *a;
	const struct operator_view *in;
	struct conditions conditions;
	const struct json *versions;
};

/* ---- parts of a status --------------------------------------------------- */

static void set(struct change *c, struct str type, struct str status, struct str reason,
		struct str message)
{
	struct condition new = { type, status, reason, message, condition_time(c->a, c->in->now) };

	for (size_t i = 0; i < c->conditions.n; i++) {
		struct condition *old = &c->conditions.v[i];

		if (!str_eq(old->type, type))
			continue;
		if (str_eq(old->status, status))
			new.time = old->time;
		*old = new;
		return;
	}
	VEC_PUSH(c->a, &c->conditions, new);
}

struct json *op_versions(struct arena *a, const struct operator_view *in)
{
	const struct str rows[][2] = { { S("operator"), in->release },
				       { S("operator-image"), in->image } };
	struct json *list = json_new(a, JSON_ARRAY);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct json *j = json_new(a, JSON_OBJECT);

		json_add_str(a, j, "name", rows[i][0]);
		json_add_str(a, j, "version", rows[i][1]);
		json_push(list, j);
	}
	return list;
}

struct str op_versions_text(struct arena *a, const struct json *list)
{
	struct buf b;

	buf_init(&b, a);
	buf_addc(&b, '[');
	for (const struct json *j = json_first(list); j; j = json_next(j))
		buf_addf(&b, "%s{%.*s %.*s}", j == json_first(list) ? "" : " ",
			 STRF(json_str(j, "name")), STRF(json_str(j, "version")));
	buf_addc(&b, ']');
	return buf_str(&b);
}

static struct str version_of(const struct json *list, const char *name)
{
	for (const struct json *j = json_first(list); j; j = json_next(j))
		if (str_is(json_str(j, "name"), name))
			return json_str(j, "version");
	return S("");
}

bool op_versions_ours(const struct operator_view *in, const struct json *list)
{
	return json_len(list) == 2 && str_eq(version_of(list, "operator"), in->release) &&
	       str_eq(version_of(list, "operator-image"), in->image);
}

/* "group resource name": must-gather collects these. */
static const char related_first[] =
	" namespaces " NS_MCO "\n" GROUP_MC " machineconfigpools master\n" GROUP_MC
	" machineconfigpools worker\n" GROUP_MC " controllerconfigs " NAME_CONTROLLER
	"\n" GROUP_OPERATOR " machineconfigurations ";
static const char related_later[] =
	" namespaces " NS_MCO "\n" GROUP_MC " machineconfigpools \n" GROUP_MC
	" controllerconfigs \n" GROUP_MC " kubeletconfigs \n" GROUP_MC
	" containerruntimeconfigs \n" GROUP_MC " machineconfigs \n" GROUP_OPERATOR
	" machineconfigurations \n nodes \n namespaces openshift-kni-infra\n"
	" namespaces openshift-openstack-infra\n namespaces openshift-ovirt-infra\n"
	" namespaces openshift-vsphere-infra\n namespaces openshift-nutanix-infra\n"
	" namespaces openshift-cloud-platform-infra";

static struct json *related_json(struct arena *a, const char *rows)
{
	struct json *list = json_new(a, JSON_ARRAY);
	struct str rest = str_of(rows), line, group, resource, name;

	while (str_line(&rest, &line)) {
		struct json *j = json_new(a, JSON_OBJECT);

		(void)str_cut(line, ' ', &group, &line);
		(void)str_cut(line, ' ', &resource, &name);
		json_add_str(a, j, "group", group);
		json_add_str(a, j, "name", name);
		json_add_str(a, j, "resource", resource);
		json_push(list, j);
	}
	return list;
}

static struct json *extension_json(struct arena *a, const struct operator_view *in,
				   struct str last_error)
{
	struct json *j = json_new(a, JSON_OBJECT);
	const struct json *const *pools;
	size_t n = in->list(in, OPERATOR_POOLS, a, &pools);

	if (last_error.n)
		json_add_str(a, j, "lastSyncError", last_error);
	for (size_t i = 0; i < n; i++)
		json_add(j, json_str(pools[i], "metadata.name"),
			 json_new_str(a, operator_pool_text(a, pools[i])));
	return j;
}

/* ---- conditions ---------------------------------------------------------- */

static void set_progressing(struct change *c)
{
	bool ours = op_versions_ours(c->in, c->versions);
	const char *text = !ours	     ? "Working towards"
			   : c->in->bring_up ? "Cluster is bootstrapping"
					     : "Cluster version is";

	set(c, OP_PROGRESSING, ours && !c->in->bring_up ? CONDITION_FALSE : CONDITION_TRUE, S(""),
	    str_fmt(c->a, "%s %.*s", text, STRF(c->in->release)));
}

static void set_failed(struct change *c, enum operator_step at, struct str error)
{
	bool progressing = conditions_true(&c->conditions, "Progressing");
	const char *text = progressing ? "Unable to apply" : "Error while reconciling";
	const char *message = op_versions_ours(c->in, c->versions)
				      ? "Failed to resync %.*s because: %.*s"
				      : "Unable to apply %.*s: %.*s";

	set(c, OP_PROGRESSING, progressing ? CONDITION_TRUE : CONDITION_FALSE, S(""),
	    str_fmt(c->a, "%s %.*s", text, STRF(c->in->release)));
	set(c, OP_DEGRADED, CONDITION_TRUE, str_fmt(c->a, "%sFailed", operator_step_name(at)),
	    str_fmt(c->a, message, STRF(c->in->release), STRF(error)));
}

bool op_outlived(const struct condition *d, enum operator_step at)
{
	struct str name = d ? d->reason : S("");

	if (!d || str_eq(d->status, CONDITION_FALSE) || !str_ends(name, S("Failed")))
		return false;
	name.n -= S("Failed").n;
	for (int i = 0; i < (int)at; i++)
		if (str_is(name, operator_step_name(i)))
			return true;
	return false;
}

static void set_upgradeable(struct change *c)
{
	struct condition u = operator_upgradeable(c->a, c->in);

	set(c, u.type, u.status, u.reason, u.message);
}

/* What the end of a sync sets, whether it failed or not. */
static void set_ended(struct change *c)
{
	struct str found = operator_evaluations(c->a, c->in);

	set(c, AVAILABLE, CONDITION_TRUE, OP_AS_EXPECTED,
	    str_fmt(c->a, "Cluster has deployed %.*s", STRF(op_versions_text(c->a, c->versions))));
	if (!conditions_true(&c->conditions, "Progressing") ||
	    !conditions_true(&c->conditions, "Degraded"))
		c->versions = op_versions(c->a, c->in);
	set_upgradeable(c);
	set(c, S("EvaluationConditionsDetected"), found.n ? CONDITION_TRUE : CONDITION_FALSE,
	    found.n ? found : OP_AS_EXPECTED, S(""));
}

/* ---- the whole ----------------------------------------------------------- */

static struct json *status_with(struct change *c, const struct json *live, const char *related,
				struct json *extension)
{
	struct json *j = json_kind(live) == JSON_OBJECT ? json_clone(c->a, live)
							: json_new(c->a, JSON_OBJECT);

	json_set(j, S("conditions"), conditions_json(c->a, &c->conditions, true));
	if (c->versions)
		json_set(j, S("versions"), json_clone(c->a, c->versions));
	if (related)
		json_set(j, S("relatedObjects"), related_json(c->a, related));
	if (extension)
		json_set(j, S("extension"), extension);
	return j;
}

struct json *operator_status_next(struct arena *a, const struct operator_view *in,
				  const struct json *live, const struct operator_outcome *o)
{
	struct change c = { a, in, conditions_of(a, json_at(live, "conditions")),
			    json_at(live, "versions") };
	bool clear = !o->held.n && op_outlived(conditions_find(&c.conditions, OP_DEGRADED), o->at);
	const char *related = NULL;

	set_progressing(&c);
	switch (o->pass) {
	case OPERATOR_PASS_GOES_ON:
		if (!clear)
			return live ? json_clone(a, live) : json_new(a, JSON_OBJECT);
		break;
	case OPERATOR_PASS_WAITS:
		if (o->held.n)
			set_failed(&c, OPERATOR_MACHINE_CONFIGURATION, o->held);
		set_upgradeable(&c);
		break;
	case OPERATOR_PASS_FAILED:
		set_failed(&c, o->at, o->text);
		clear = false;
		break;
	case OPERATOR_PASS_DONE:
		clear = true;
		break;
	}
	if (clear)
		set(&c, OP_DEGRADED, CONDITION_FALSE, S(""), S(""));
	if (o->pass == OPERATOR_PASS_FAILED || o->pass == OPERATOR_PASS_DONE) {
		set_ended(&c);
		related = related_later;
	}
	return status_with(&c, live, related,
			   extension_json(a, in, o->pass == OPERATOR_PASS_WAITS ? o->text : S("")));
}

struct json *op_status_first(struct arena *a, const struct operator_view *in)
{
	struct change c = { .a = a, .in = in, .versions = op_versions(a, in) };

	set(&c, AVAILABLE, CONDITION_FALSE, S(""), S(""));
	set(&c, OP_PROGRESSING, CONDITION_FALSE, S(""), S(""));
	set(&c, OP_DEGRADED, CONDITION_FALSE, S(""), S(""));
	set(&c, S("Upgradeable"), CONDITION_UNKNOWN, S("NoData"), S(""));
	set(&c, S("EvaluationConditionsDetected"), CONDITION_FALSE, OP_AS_EXPECTED, S(""));
	return status_with(&c, NULL, related_first, NULL);
}
