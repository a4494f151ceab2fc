/*
 * Nodes in about a kilobyte. A copy is one block of memory: the struct, then every
 * string it points to.
 */
#include "mc/knode.h"

#include "base/rfc3339.h"

#define FIELD(f) ((uint16_t)offsetof(struct knode, f))

/* Every string of the struct, for copying. */
static const uint16_t fields[] = {
	FIELD(name),	       FIELD(uid),
	FIELD(version),	       FIELD(current_config),
	FIELD(desired_config), FIELD(current_image),
	FIELD(desired_image),  FIELD(state),
	FIELD(reason),	       FIELD(desired_drain),
	FIELD(applied_drain),  FIELD(topology),
	FIELD(first_pivot),    FIELD(labels_applied),
	FIELD(unready_status), FIELD(taints),
	FIELD(labels.bytes),
};

static const struct {
	const char *key;
	uint16_t field;
} annotations[] = {
	{ ANNO_CURRENT_CONFIG, FIELD(current_config) },
	{ ANNO_DESIRED_CONFIG, FIELD(desired_config) },
	{ ANNO_CURRENT_IMAGE, FIELD(current_image) },
	{ ANNO_DESIRED_IMAGE, FIELD(desired_image) },
	{ ANNO_STATE, FIELD(state) },
	{ ANNO_REASON, FIELD(reason) },
	{ ANNO_DESIRED_DRAIN, FIELD(desired_drain) },
	{ ANNO_APPLIED_DRAIN, FIELD(applied_drain) },
	{ ANNO_TOPOLOGY, FIELD(topology) },
	{ ANNO_FIRST_PIVOT, FIELD(first_pivot) },
	{ ANNO_LABELS_APPLIED, FIELD(labels_applied) },
};

static struct str *field(struct knode *n, uint16_t at)
{
	return (struct str *)(void *)((char *)n + at);
}

static void decode_annotations(const struct json *map, struct knode *out)
{
	for (size_t i = 0; i < ARRAY_LEN(annotations); i++) {
		const struct json *j = json_member(map, str_of(annotations[i].key));

		if (json_kind(j) == JSON_STRING)
			*field(out, annotations[i].field) = json_text(j);
	}
}

static void decode_conditions(const struct json *list, struct knode *out)
{
	for (const struct json *j = json_first(list); j; j = json_next(j)) {
		struct str type = json_str(j, "type");
		struct str status = json_str(j, "status");
		enum knode_unready why = KNODE_READY;

		if (str_is(type, "Ready") && !str_is(status, "True"))
			why = KNODE_NOT_READY;
		else if (str_is(type, "DiskPressure") && !str_is(status, "False"))
			why = KNODE_DISK;
		else if (str_is(type, "NetworkUnavailable") && !str_is(status, "False"))
			why = KNODE_NETWORK;
		if (why == KNODE_READY)
			continue;
		out->unready = why;
		out->unready_status = status;
		return;
	}
}

void knode_decode(struct arena *a, const struct json *tree, struct knode *out)
{
	const struct json *taints = json_at(tree, "spec.taints");
	struct str phase = json_str(tree, "status.phase");
	struct knode n = {
		.name = json_str(tree, "metadata.name"),
		.uid = json_str(tree, "metadata.uid"),
		.version = json_str(tree, "metadata.resourceVersion"),
		.labels = labels_pack(a, json_at(tree, "metadata.labels")),
		.unschedulable = json_bool(tree, "spec.unschedulable", false),
		.deleting = json_at(tree, "metadata.deletionTimestamp") != NULL,
		.provisioning = str_is(phase, "Pending") || str_is(phase, "Provisioning"),
	};
	struct instant created = { 0 };

	if (rfc3339_parse(json_str(tree, "metadata.creationTimestamp"), &created))
		n.created = created.sec;
	decode_annotations(json_at(tree, "metadata.annotations"), &n);
	decode_conditions(json_at(tree, "status.conditions"), &n);
	if (json_len(taints)) {
		n.taints = json_format(a, taints, 0);
	}
	*out = n;
}

size_t knode_size(const struct knode *n)
{
	size_t size = sizeof(*n);

	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		size += ((const struct str *)(const void *)((const char *)n + fields[i]))->n;
	return size;
}

struct knode *knode_copy(void *mem, const struct knode *n)
{
	struct knode *out = mem;
	char *at = (char *)mem + sizeof(*n);

	*out = *n;
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		struct str *s = field(out, fields[i]);

		if (!s->p)
			continue;
		if (s->n)
			memcpy(at, s->p, s->n);
		s->p = at;
		at += s->n;
	}
	return out;
}

struct str knode_unready_text(struct arena *a, const struct knode *n)
{
	static const char *const names[] = {
		[KNODE_NOT_READY] = "NotReady",
		[KNODE_DISK] = "OutOfDisk",
		[KNODE_NETWORK] = "NetworkUnavailable",
	};

	if (n->unready != KNODE_READY)
		return str_fmt(a, "node %.*s is reporting %s=%.*s", STRF(n->name),
			       names[n->unready], STRF(n->unready_status));
	if (n->unschedulable)
		return str_fmt(a, "node %.*s is reporting Unschedulable", STRF(n->name));
	return S("");
}

bool knode_ready(const struct knode *n)
{
	return n->unready == KNODE_READY && !n->unschedulable;
}

bool knode_done(const struct knode *n)
{
	if (!n->current_config.n || !str_eq(n->current_config, n->desired_config))
		return false;
	if ((n->desired_image.p || n->current_image.p) &&
	    (!n->desired_image.n || !str_eq(n->desired_image, n->current_image)))
		return false;
	return str_is(n->state, "Done");
}

bool knode_degraded(const struct knode *n)
{
	return str_is(n->state, "Degraded") || str_is(n->state, "Unreconcilable");
}

bool knode_failing(const struct knode *n)
{
	return !str_eq(n->current_config, n->desired_config) && knode_degraded(n);
}

bool knode_unavailable(const struct knode *n)
{
	return !knode_ready(n) || (!knode_done(n) && !knode_failing(n));
}

bool knode_windows(const struct knode *n)
{
	struct str os;

	return labels_get(n->labels, S(LABEL_OS), &os) && str_is(os, "windows");
}

bool knode_managed(const struct knode *n)
{
	return n->current_config.n && !knode_windows(n);
}

bool knode_is_master(const struct knode *n)
{
	struct str v;

	return labels_get(n->labels, S(LABEL_MASTER), &v);
}
