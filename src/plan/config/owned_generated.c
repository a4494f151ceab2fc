/*
 * Generated MachineConfigs: writes them where they differ and deletes those of other
 * versions and older names.
 */
#include "mc/generated.h"
#include "plan/apply.h"
#include "plan/owned.h"

const struct mc *generated_find(const struct mc_list *mcs, struct str name)
{
	for (size_t i = 0; i < mcs->n; i++)
		if (str_eq(mcs->v[i]->meta.name, name))
			return mcs->v[i];
	return NULL;
}

static bool empty(const struct json *j)
{
	return json_kind(j) == JSON_NULL ||
	       (json_kind(j) != JSON_STRING && json_kind(j) != JSON_NUMBER &&
		json_kind(j) != JSON_BOOL && !json_len(j));
}

/* Copies the member at key; false when both are equal. */
static bool take(struct arena *a, struct json *to, const struct json *from, const char *key)
{
	const struct json *is = json_member(to, str_of(key));
	const struct json *want = json_member(from, str_of(key));

	if (json_eq(is, want) || (empty(is) && empty(want)))
		return false;
	if (want)
		json_set(to, str_of(key), json_clone(a, want));
	else
		json_remove(to, str_of(key));
	return true;
}

bool generated_write(struct arena *a, const struct mc_list *mcs, const struct mc *mc,
		     struct str reason, struct actions *out)
{
	const struct mc *now = generated_find(mcs, mc->meta.name);
	const struct json *want = mc->doc.tree;
	struct json *j, *meta, *spec;
	bool changed;

	if (!now) {
		(void)apply_mc(a, NULL, want, reason, out);
		out->v[out->n - 1].mc = mc;
		return true;
	}
	j = json_clone(a, now->doc.tree);
	meta = json_at(j, "metadata");
	spec = json_at(j, "spec");
	if (!spec) {
		spec = json_new(a, JSON_OBJECT);
		json_set(j, S("spec"), spec);
	}
	changed = take(a, meta, json_at(want, "metadata"), "annotations");
	if (json_at(want, "metadata.ownerReferences"))
		changed |= take(a, meta, json_at(want, "metadata"), "ownerReferences");
	changed |= take(a, spec, json_at(want, "spec"), "config");
	if (json_len(json_at(want, "spec.kernelArguments")))
		changed |= take(a, spec, json_at(want, "spec"), "kernelArguments");
	if (!changed)
		return false;
	mc_add_zeros(a, spec);
	apply_replace(a, "machineconfigs", j, "", reason, out);
	return true;
}

static void delete_mc(struct arena *a, struct str name, struct str reason, struct actions *out)
{
	action_add(a, out, ACTION_DELETE, action_path(a, "machineconfigs", name), S(""), reason);
}

void generated_retire(struct arena *a, const struct mc_list *mcs, const char *prefix,
		      const struct mcp *pool, const char *what, struct actions *out)
{
	struct str old = str_fmt(a, "%s-%.*s-%.*s-%s", prefix, STRF(pool->meta.name),
				 STRF(pool->meta.uid), what);

	if (pool->meta.uid.n && generated_find(mcs, old))
		delete_mc(a, old, S("it has a new name now"), out);
}

/* Only if it was not written since: another writer may need it. */
static void delete_as_seen(struct arena *a, const struct mc_meta *m, struct str reason,
			   struct actions *out)
{
	struct json *options = json_new(a, JSON_OBJECT);

	delete_mc(a, m->name, reason, out);
	json_add_str(a, options, "apiVersion", S(API_CORE));
	json_add_str(a, options, "kind", S("DeleteOptions"));
	json_add_str(a, json_make(a, options, "preconditions"), "resourceVersion", m->version);
	out->v[out->n - 1].body = json_format(a, options, 0);
}

void generated_cleanup(struct arena *a, const struct owned_view *in, const char *prefix,
		       const char *what, struct actions *out)
{
	struct str part = str_fmt(a, "generated-%s", what);

	for (size_t i = 0; i < in->mcs->n; i++) {
		const struct mc_meta *m = &in->mcs->v[i]->meta;
		struct str path = action_path(a, "machineconfigs", m->name);
		bool written = false;

		/* this plan's own writes carry this version */
		for (size_t k = 0; k < out->n; k++)
			written |= out->v[k].kind == ACTION_REPLACE && str_eq(out->v[k].path, path);
		if (written || str_find(m->name, part) < 0 ||
		    !str_starts(m->name, str_of(prefix)) ||
		    str_eq(mc_annotation(m, ANNO_BY_CONTROLLER), in->hash) ||
		    owned_by_turn(a, in, in->mcs->v[i]))
			continue;
		delete_as_seen(a, m, S("made by another version"), out);
	}
}

bool pool_built_in(const struct mcp *pool)
{
	const struct json *label = json_member(pool->meta.labels, S(LABEL_BUILT_IN));

	/* the label has an empty value */
	return label && !json_text(label).n;
}
