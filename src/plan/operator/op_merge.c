/*
 * op_merge: upstream's merge of a desired object into the live one, by kind.
 *
 * Two values are the same when they differ only in what the API server adds: members with zero
 * values, and two defaults with other values. The manifests state all other defaults of what is
 * replaced as a whole.
 */
#include "op_merge.h"

#include "mc/api.h"
#include "op_apply.h"
#include "plan/apply.h"

/* ---- comparison ---------------------------------------------------------- */

static bool is_zero(const struct json *j)
{
	switch (json_kind(j)) {
	case JSON_NULL:
		return true;
	case JSON_BOOL:
		return !json_is_true(j);
	case JSON_NUMBER:
		return str_is(json_text(j), "0");
	case JSON_STRING:
		return !json_text(j).n;
	case JSON_ARRAY:
	case JSON_OBJECT:
		break;
	}
	return !json_first(j);
}

/* A member of live that the server adds where it is absent. */
static bool is_default(const struct json *live, const struct json *member)
{
	if (str_is(json_key(member), "terminationMessagePath"))
		return str_is(json_text(member), "/dev/termination-log");
	/* of a pod on its node's network, by servers before 1.28 */
	if (str_is(json_key(member), "hostPort"))
		return json_eq(member, json_member(live, S("containerPort")));
	return is_zero(member);
}

/* more: live may have other members, too. */
static bool same(const struct json *desired, const struct json *live, bool more)
{
	const struct json *d = json_first(desired), *l = json_first(live);
	enum json_kind kind = json_kind(desired);

	if (is_zero(desired) && is_zero(live))
		return true;
	if (kind != json_kind(live))
		return false;
	if (kind != JSON_OBJECT && kind != JSON_ARRAY)
		return json_eq(desired, live);
	if (kind == JSON_ARRAY) {
		for (; d && l && same(d, l, more); d = json_next(d))
			l = json_next(l);
		return !d && !l;
	}
	for (; d; d = json_next(d))
		if (!same(d, json_member(live, json_key(d)), more))
			return false;
	for (; l && !more; l = json_next(l))
		if (!json_member(desired, json_key(l)) && !is_default(live, l))
			return false;
	return true;
}

bool operator_same(const struct json *desired, const struct json *live)
{
	return same(desired, live, false);
}

/* ---- parts --------------------------------------------------------------- */

/* Sets a member to desired's, or removes it when desired has none. */
static bool set(struct arena *a, struct json *to, const struct json *desired, struct str key)
{
	const struct json *want = json_member(desired, key);

	if (operator_same(want, json_member(to, key)))
		return false;
	if (want)
		json_set(to, key, json_clone(a, want));
	else
		json_remove(to, key);
	return true;
}

/* Sets each member of desired; others stay. */
static bool set_all(struct arena *a, struct json *to, const struct json *desired)
{
	bool changed = false;

	for (const struct json *d = json_first(desired); d; d = json_next(d))
		changed |= set(a, to, desired, json_key(d));
	return changed;
}

/* Sets each element of desired, found by its member id; others stay. */
static bool set_elements(struct arena *a, struct json *to, const struct json *desired,
			 const char *id)
{
	bool changed = false;

	for (const struct json *d = json_first(desired); d; d = json_next(d)) {
		struct json *old = json_first(to);

		while (old && !str_eq(json_str(old, id), json_str(d, id)))
			old = json_next(old);
		if (old && operator_same(d, old))
			continue;
		if (old)
			json_replace(to, old, json_clone(a, d));
		else
			json_push(to, json_clone(a, d));
		changed = true;
	}
	return changed;
}

static struct json *list_of(struct arena *a, struct json *parent, struct str key)
{
	struct json *j = json_member(parent, key);

	if (json_kind(j) == JSON_ARRAY)
		return j;
	j = json_new(a, JSON_ARRAY);
	json_set(parent, key, j);
	return j;
}

/* ---- kinds --------------------------------------------------------------- */

static bool merge_pod(struct arena *a, struct json *pod, const struct json *desired)
{
	bool changed = false;

	for (const struct json *d = json_first(desired); d; d = json_next(d)) {
		struct str key = json_key(d);

		if (str_is(key, "volumes"))
			changed |= set_elements(a, list_of(a, pod, key), d, "name");
		else if (str_is(key, "tolerations"))
			changed |= set_elements(a, list_of(a, pod, key), d, "key");
		else if (str_is(key, "nodeSelector"))
			changed |= set_all(a, json_make(a, pod, "nodeSelector"), d);
		else
			changed |= set(a, pod, desired, key);
	}
	return changed;
}

static bool merge_workload(struct arena *a, struct json *object, const struct json *desired)
{
	struct json *spec = json_make(a, object, "spec");
	const struct json *want = json_at(desired, "spec");
	bool changed = set(a, spec, want, S("selector"));

	if (json_at(want, "updateStrategy"))
		changed |= set(a, spec, want, S("updateStrategy"));
	changed |= apply_meta(a, json_make(a, spec, "template.metadata"),
			      json_at(want, "template.metadata"));
	changed |=
		merge_pod(a, json_make(a, spec, "template.spec"), json_at(want, "template.spec"));
	return changed;
}

/* Bytes may become empty; a string that is empty keeps the live value. */
static bool is_bytes(struct str key)
{
	return str_ends(key, S("Data")) || str_is(key, "additionalTrustBundle") ||
	       str_is(key, "internalRegistryPullSecret");
}

static bool merge_config(struct arena *a, struct json *object, const struct json *desired)
{
	struct json *spec = json_make(a, object, "spec");
	const struct json *want = json_at(desired, "spec");
	bool changed = false;

	for (const struct json *d = json_first(want); d; d = json_next(d)) {
		struct str key = json_key(d);

		if (str_is(key, "images"))
			changed |= set_all(a, json_make(a, spec, "images"), d);
		/* They have the resourceVersion of their object, so nothing that is removed from
		 * it goes unseen; and the server adds defaults to them, as to that object. */
		else if ((str_is(key, "infra") || str_is(key, "dns")) &&
			 same(d, json_member(spec, key), true))
			continue;
		else if (json_kind(d) != JSON_STRING || json_text(d).n || is_bytes(key))
			changed |= set(a, spec, want, key);
	}
	return changed;
}

/* A member that the server does not let change differs. */
static bool needs_new(enum operator_kind kind, const struct json *live, const struct json *desired)
{
	const char *part = "roleRef";

	if (kind == OPERATOR_SECRETS || kind == OPERATOR_SECRETS_MACHINE_API)
		part = "type";
	return !operator_same(json_at(desired, part), json_at(live, part));
}

static bool merge_parts(struct arena *a, enum operator_kind kind, struct json *j,
			const struct json *desired)
{
	static const char *const replaced[] = { "rules", "subjects" };
	bool changed = false;

	switch (kind) {
	case OPERATOR_DAEMON_SETS:
	case OPERATOR_DEPLOYMENTS:
		return merge_workload(a, j, desired);
	case OPERATOR_CONTROLLER_CONFIGS:
		return merge_config(a, j, desired);
	case OPERATOR_POLICIES:
	case OPERATOR_POLICY_BINDINGS:
		return set(a, j, desired, S("spec"));
	case OPERATOR_CONFIG_MAPS:
	case OPERATOR_CONFIG_MAPS_MANAGED:
		changed = set(a, j, desired, S("data"));
		return set(a, j, desired, S("binaryData")) || changed;
	case OPERATOR_SECRETS:
	case OPERATOR_SECRETS_MACHINE_API:
		if (str_is(json_str(desired, "type"), SECRET_ACCOUNT_TOKEN))
			return set_all(a, json_make(a, j, "data"), json_at(desired, "data"));
		return set(a, j, desired, S("data"));
	default:
		for (size_t i = 0; i < ARRAY_LEN(replaced); i++)
			if (json_at(desired, replaced[i]))
				changed |= set(a, j, desired, str_of(replaced[i]));
		return changed;
	}
}

const struct json *operator_merge(struct arena *a, enum operator_kind kind, const struct json *live,
				  const struct json *desired)
{
	struct json *j;
	bool changed;

	if (needs_new(kind, live, desired))
		return NULL;
	j = json_clone(a, live);
	changed = apply_meta(a, json_make(a, j, "metadata"), json_at(desired, "metadata"));
	changed |= merge_parts(a, kind, j, desired);
	return changed ? j : live;
}
