/*
 * op_manifests: the texts, packed at build time by test/tools/templates.sh, and the objects that
 * they describe.
 *
 * Values are put into the strings of a parsed document, not into its text, so that no value needs
 * quoting.
 */
#include "base/buf.h"
#include "data/docs.h"
#include "data/packed.h"
#include "mc/api.h"
#include "packed_manifests.h"
#include "plan/operator_manifests.h"

void operator_manifests(struct arena *a, struct operator_file *out)
{
	/* the files are sorted by name */
	static const enum operator_component order[COMPONENTS] = {
		COMPONENT_CONTROLLER,
		COMPONENT_DAEMON,
		COMPONENT_SERVER,
		COMPONENT_OS_BUILDER,
	};
	struct str rest = PACKED(a, packed_manifests);
	struct operator_file f;

	for (size_t i = 0; i < COMPONENTS && packed_next(&rest, &f.name, &f.text); i++)
		out[order[i]] = f;
}

/* ---- values -------------------------------------------------------------- */

static struct str *value_of(const struct operator_values *v, struct str name)
{
	static const struct {
		char name[22];
		unsigned char at;
	} values[] = {
#define X(field) { #field, offsetof(struct operator_values, field) },
		OPERATOR_VALUES(X)
#undef X
	};

	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		if (str_is(name, values[i].name))
			return (struct str *)((char *)v + values[i].at);
	return NULL;
}

bool operator_value_set(struct operator_values *v, struct str name, struct str value)
{
	struct str *to = value_of(v, name);

	if (to)
		*to = value;
	return to;
}

static struct str expand(struct arena *a, const struct operator_values *v, struct str text)
{
	struct buf b;
	ptrdiff_t at;

	buf_init(&b, a);
	while ((at = str_find(text, S("${"))) >= 0) {
		struct str name, after;
		const struct str *value;

		if (!str_cut(str_from(text, (size_t)at + 2), '}', &name, &after))
			break;
		value = value_of(v, name); /* the texts name no others */
		buf_add(&b, str_sub(text, 0, value->p ? (size_t)at : text.n - after.n));
		buf_add(&b, *value);
		text = after;
	}
	buf_add(&b, text);
	return buf_str(&b);
}

static void expand_tree(struct arena *a, const struct operator_values *v, struct json *j)
{
	struct json *next;

	for (struct json *m = json_first(j); m; m = next) {
		next = json_next(m);
		if (json_kind(m) != JSON_STRING)
			expand_tree(a, v, m);
		else if (str_find(json_text(m), S("${")) >= 0)
			json_replace(j, m, json_new_str(a, expand(a, v, json_text(m))));
	}
}

/* ---- the pods ------------------------------------------------------------ */

/* Removes the elements of a list, from m on, whose member has an empty string. */
static void remove_empty(struct json *list, struct json *m, const char *member)
{
	struct json *next;

	for (; m; m = next) {
		const struct json *value = json_at(m, member);

		next = json_next(m);
		if (json_kind(value) == JSON_STRING && !json_text(value).n)
			json_detach(list, m);
	}
}

static bool is_mounted(const struct json *pod, struct str volume)
{
	for (const struct json *c = json_first(json_at(pod, "containers")); c; c = json_next(c))
		for (const struct json *m = json_first(json_at(c, "volumeMounts")); m;
		     m = json_next(m))
			if (str_eq(json_str(m, "name"), volume))
				return true;
	return false;
}

static void remove_unmounted(struct json *pod)
{
	struct json *list = json_at(pod, "volumes"), *next;

	for (struct json *v = json_first(list); v; v = next) {
		next = json_next(v);
		if (!is_mounted(pod, json_str(v, "name")))
			json_detach(list, v);
	}
}

/* A control plane outside of OpenShift: the label is another one, and its value differs. The
 * controller gets the flag of a cluster that is not OpenShift. */
static void leave_openshift(struct arena *a, struct json *pod)
{
	static const char term[] =
		"{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{"
		"\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"" LABEL_CONTROL_PLANE
		"\",\"operator\":\"Exists\"}]},{\"matchExpressions\":[{\"key\":\"" LABEL_MASTER
		"\",\"operator\":\"Exists\"}]}]}}}";
	static const char tolerate[] = "{\"key\":\"" LABEL_CONTROL_PLANE
				       "\",\"operator\":\"Exists\",\"effect\":\"NoSchedule\"}";
	struct err err = ERR_INIT(a);
	struct json *j = json_first(json_at(pod, "containers"));

	if (str_is(json_str(j, "name"), NAME_CONTROLLER))
		json_push(json_at(j, "args"), json_new_str(a, S("--standalone")));
	if (!json_remove(json_at(pod, "nodeSelector"), S(LABEL_MASTER)))
		return;
	json_remove(pod, S("nodeSelector"));
	if (json_parse(a, str_of(term), NULL, &j, &err) == 0)
		json_add(pod, S("affinity"), j);
	if (json_parse(a, str_of(tolerate), NULL, &j, &err) == 0)
		json_push(json_at(pod, "tolerations"), j);
}

static void fit_pod(struct arena *a, const struct operator_values *v, struct json *pod)
{
	struct json *containers = json_at(pod, "containers");

	if (!json_first(containers))
		return;
	/* The first container is the component. On OpenShift images.json names all images: the server
	 * refuses a container whose image is missing, as upstream's. */
	if (v->standalone)
		remove_empty(containers, json_next(json_first(containers)), "image");
	for (struct json *c = json_first(containers); c; c = json_next(c)) {
		struct json *env = json_at(c, "env");

		remove_empty(env, json_first(env), "value");
		if (!json_first(env))
			json_remove(c, S("env"));
	}
	remove_unmounted(pod);
	if (v->standalone)
		leave_openshift(a, pod);
}

/* ---- the objects --------------------------------------------------------- */

/* Takes the gate off the object; true when it is on, or when there is none. A policy whose
 * parameter is of a kind that the server does not have denies every request: standalone has none. */
static bool is_wanted(struct arena *a, const struct operator_values *v, struct json *object)
{
	struct json *meta = json_at(object, "metadata"), *annotations;
	const struct json *gate;

	if (v->standalone &&
	    (json_at(object, "spec.paramKind") || json_at(object, "spec.paramRef")))
		return false;
	annotations = json_at(meta, "annotations");
	gate = json_member(annotations, S(ANNO_FEATURE_GATE));
	if (!gate)
		return true;
	json_remove(meta, S("annotations"));
	return v->gates && mc_gate(v->gates, str_z(a, json_text(gate)));
}

void operator_objects(struct arena *a, const struct operator_file *file,
		      const struct operator_values *v, struct operator_objects *out)
{
	struct err err = ERR_INIT(a);
	struct docs docs = { 0 };

	/* the texts are valid by construction */
	(void)docs_parse(a, file->text, &docs, NULL, &err);
	for (size_t i = 0; i < docs.n; i++) {
		struct json *object = docs.v[i].tree;

		if (!is_wanted(a, v, object))
			continue;
		expand_tree(a, v, object);
		fit_pod(a, v, json_at(object, "spec.template.spec"));
		VEC_PUSH(a, out, object);
	}
}
