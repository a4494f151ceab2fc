/*
 * MachineConfigNodes. The conditions are written in upstream's order, and a step that
 * was reported already is not written again.
 */
#include "mc/mcn.h"

#define FIELD(f) ((uint16_t)offsetof(struct mcn, f))

static const uint16_t fields[] = {
	FIELD(name),	FIELD(pool),	      FIELD(spec_desired),
	FIELD(desired), FIELD(desired_image), FIELD(degraded_message),
};

/* FNV-1a: only detects changes. */
static uint64_t sum(uint64_t h, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 1099511628211u;
	return h ^ s.n;
}

static void decode_conditions(const struct json *list, struct mcn *out)
{
	for (const struct json *j = json_first(list); j; j = json_next(j)) {
		struct str type = json_str(j, "type");
		struct str status = json_str(j, "status");
		struct str message = json_str(j, "message");

		out->any = true;
		out->conditions = sum(sum(sum(out->conditions, type), status), message);
		out->conditions = sum(out->conditions, json_str(j, "reason"));
		out->conditions = sum(out->conditions, json_str(j, "lastTransitionTime"));
		if (!str_is(status, "True"))
			continue;
		if (str_is(type, "Updated") && !out->degraded)
			out->updated = true;
		if (str_is(type, "NodeDegraded") && !out->degraded) {
			out->degraded = true;
			out->degraded_message = message;
		}
	}
}

void mcn_decode(const struct json *tree, struct mcn *out)
{
	struct mcn m = {
		.name = json_str(tree, "metadata.name"),
		.pool = json_str(tree, "spec.pool.name"),
		.spec_desired = json_str(tree, "spec.configVersion.desired"),
		.desired = json_str(tree, "status.configVersion.desired"),
		.desired_image = json_str(tree, "status.configImage.desiredImage"),
		.pinned = true,
	};
	const struct json *sets = json_at(tree, "status.pinnedImageSets");

	decode_conditions(json_at(tree, "status.conditions"), &m);
	for (const struct json *j = json_first(sets); j; j = json_next(j)) {
		int64_t want = json_i64(j, "desiredGeneration", 0);

		if (want <= 0 || json_i64(j, "currentGeneration", 0) != want)
			m.pinned = false;
	}
	*out = m;
}

size_t mcn_size(const struct mcn *m)
{
	size_t size = sizeof(*m);

	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		size += ((const struct str *)(const void *)((const char *)m + fields[i]))->n;
	return size;
}

struct mcn *mcn_copy(void *mem, const struct mcn *m)
{
	struct mcn *out = mem;
	char *at = (char *)mem + sizeof(*m);

	*out = *m;
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		struct str *s = (struct str *)(void *)((char *)out + fields[i]);

		if (s->n)
			memcpy(at, s->p, s->n);
		s->p = at;
		at += s->n;
	}
	return out;
}

/* ---- reporting ----------------------------------------------------------- */

/* '+': only with gate ImageModeStatusReporting; '-': only without it; the rest always. */
static const char types[] = "UpdatePrepared\0UpdateExecuted\0UpdatePostActionComplete\0"
			    "UpdateComplete\0Resumed\0Drained\0-AppliedFilesAndOS\0+AppliedFiles\0"
			    "+AppliedOSImage\0Cordoned\0RebootedNode\0Updated\0Uncordoned\0"
			    "+ImagePulledFromRegistry\0NodeDegraded\0PinnedImageSetsDegraded\0"
			    "PinnedImageSetsProgressing\0";

static bool singleton(struct str type)
{
	return str_is(type, "PinnedImageSetsDegraded") ||
	       str_is(type, "PinnedImageSetsProgressing");
}

/* Adds the missing conditions: all, or those with one of the marks. */
static void fill_conditions(struct arena *a, const char *marks, struct str now,
			    struct conditions *list)
{
	for (const char *p = types; *p; p += strlen(p) + 1) {
		bool marked = *p == '+' || *p == '-';
		struct condition c = { .type = str_of(p + marked),
				       .status = CONDITION_FALSE,
				       .reason = S("NotYetOccurred"),
				       .time = now };

		if (!strchr(marks, marked ? *p : ' ') || conditions_find(list, c.type))
			continue;
		c.message = str_fmt(a,
				    "This node has not yet entered the %.*s "
				    "phase",
				    STRF(c.type));
		VEC_PUSH(a, list, c);
	}
}

/* The message of a step after the update has finished. */
static struct str past(struct arena *a, const struct json *mcn, struct str said)
{
	struct str want = json_str(mcn, "spec.configImage.desiredImage");
	struct str have = json_str(mcn, "status.configImage.currentImage");

	if (str_eq(want, have))
		want = json_str(mcn, "spec.configVersion.desired");
	else if (!want.n)
		want = S("disable image mode");
	return str_fmt(a, "Action during update to %.*s: %.*s", STRF(want), STRF(said));
}

/*
 * Sets the two conditions. False when the parent is unchanged. An Updated that is True stays True
 * here: upstream's source seems to intend otherwise, but it overwrites its own change.
 */
static bool set_conditions(struct arena *a, const struct mcn_in *in, const struct mcn_report *r,
			   struct str now, struct conditions *list)
{
	bool reset = str_is(r->parent.type, "Updated");
	bool parent = false, child = !r->child.type.n;

	for (size_t i = 0; i < list->n; i++) {
		struct condition *c = &list->v[i];

		if (str_is(c->type, "Updated") && str_is(c->status, "True") && !reset)
			continue;
		if (r->child.type.n && str_eq(c->type, r->child.type)) {
			child = true;
			*c = r->child;
			c->time = now;
		} else if (str_eq(c->type, r->parent.type)) {
			if (str_eq(c->status, r->parent.status) &&
			    str_eq(c->message, r->parent.message) && !singleton(c->type))
				return false;
			parent = true;
			*c = r->parent;
			c->time = now;
		} else if (reset && !str_is(c->status, "False")) {
			c->status = CONDITION_FALSE;
			c->time = now;
			c->message = past(a, in->mcn, c->message);
		}
	}
	if (!child) {
		VEC_PUSH(a, list, r->child);
		list->v[list->n - 1].time = now;
	}
	if (!parent) {
		VEC_PUSH(a, list, r->parent);
		list->v[list->n - 1].time = now;
	}
	return true;
}

static struct json *status_of(struct arena *a, const struct mcn_in *in, const struct mcn_report *r,
			      const struct conditions *list)
{
	struct json *s = json_new(a, JSON_OBJECT), *v;
	const struct knode *n = in->node;
	struct str desired = S(MCN_NOT_YET_SET);
	bool prepared = str_is(r->parent.type, "UpdatePrepared");
	const struct json *sets = in->sets ? in->sets : json_at(in->mcn, "status.pinnedImageSets");

	if (prepared ? str_is(r->parent.status, "True") : n->desired_config.n > 0)
		desired = n->desired_config;
	json_add(s, S("conditions"), conditions_json(a, list, false));
	if (in->mcn)
		json_add(s, S("observedGeneration"),
			 json_new_i64(a, json_i64(in->mcn, "metadata.generation", 0) + 1));
	v = json_add_object(a, s, "configVersion");
	if (n->current_config.n)
		json_add_str(a, v, "current", n->current_config);
	json_add_str(a, v, "desired", desired);
	if (in->image_mode && (n->current_image.n || n->desired_image.n)) {
		v = json_add_object(a, s, "configImage");
		if (n->current_image.n)
			json_add_str(a, v, "currentImage", n->current_image);
		if (n->desired_image.n)
			json_add_str(a, v, "desiredImage", n->desired_image);
	}
	if (json_len(sets))
		json_add(s, S("pinnedImageSets"), json_clone(a, sets));
	return s;
}

static struct json *head(struct arena *a, struct str name)
{
	return mc_object_new(a, API_MC, "MachineConfigNode", NULL, name);
}

struct json *mcn_spec(struct arena *a, const struct knode *n, struct str pool)
{
	struct json *j = head(a, n->name);
	struct json *spec = json_add_object(a, j, "spec");

	json_add_str(a, json_add_object(a, spec, "configVersion"), "desired",
		     n->desired_config.n ? n->desired_config : S(MCN_NOT_YET_SET));
	json_add_str(a, json_add_object(a, spec, "node"), "name", n->name);
	json_add_str(a, json_add_object(a, spec, "pool"), "name", pool);
	return j;
}

struct json *mcn_new(struct arena *a, const struct knode *n, struct str pool)
{
	struct json *j = mcn_spec(a, n, pool), *list, *ref;

	if (!n->uid.n)
		return j;
	list = json_new(a, JSON_ARRAY);
	ref = json_new(a, JSON_OBJECT);
	json_add_str(a, ref, "apiVersion", S("v1"));
	json_add_str(a, ref, "kind", S("Node"));
	json_add_str(a, ref, "name", n->name);
	json_add_str(a, ref, "uid", n->uid);
	json_push(list, ref);
	json_add(json_at(j, "metadata"), S("ownerReferences"), list);
	return j;
}

struct json *mcn_report(struct arena *a, const struct mcn_in *in, const struct mcn_report *r,
			bool *create, struct json **after)
{
	struct conditions list = conditions_of(a, json_at(in->mcn, "status.conditions"));
	struct str now = condition_time(a, in->now);
	struct json *status, *out;

	*create = !in->mcn;
	if (!list.n) {
		VEC_PUSH(a, &list, r->parent);
		list.v[0].time = now;
		if (r->child.type.n) {
			VEC_PUSH(a, &list, r->child);
			list.v[1].time = now;
		}
		fill_conditions(a, in->image_mode ? " +" : " -", now, &list);
	} else if (!set_conditions(a, in, r, now, &list)) {
		return NULL;
	}
	status = status_of(a, in, r, &list);
	if (!in->mcn) {
		if (in->node->provisioning)
			return NULL;
		out = mcn_new(a, in->node, in->pool);
		json_add(out, S("status"), status);
		*after = json_clone(a, out);
		return out;
	}
	out = head(a, in->node->name);
	json_add(out, S("status"), status);
	*after = json_clone(a, in->mcn);
	json_set(*after, S("status"), json_clone(a, status));
	return out;
}

struct json *mcn_migrate(struct arena *a, const struct json *mcn, struct instant now)
{
	struct conditions old = conditions_of(a, json_at(mcn, "status.conditions"));
	struct conditions list = { 0 };
	struct json *out, *status;

	for (size_t i = 0; i < old.n; i++)
		if (!str_is(old.v[i].type, "AppliedFilesAndOS"))
			VEC_PUSH(a, &list, old.v[i]);
	fill_conditions(a, "+", condition_time(a, now), &list);
	if (list.n == old.n && conditions_find(&old, S("AppliedFiles")) &&
	    !conditions_find(&old, S("AppliedFilesAndOS")))
		return NULL;
	out = json_clone(a, mcn);
	status = json_at(out, "status");
	if (json_kind(status) != JSON_OBJECT)
		status = json_add_object(a, out, "status");
	json_set(status, S("conditions"), conditions_json(a, &list, false));
	return out;
}
