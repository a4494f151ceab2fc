#include "mc/node.h"

#include "base/rfc3339.h"

#define FIELD(f) ((uint16_t)offsetof(struct mc_node, f))

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
	{ NODE_CURRENT_CONFIG, FIELD(current_config) },
	{ NODE_DESIRED_CONFIG, FIELD(desired_config) },
	{ NODE_CURRENT_IMAGE, FIELD(current_image) },
	{ NODE_DESIRED_IMAGE, FIELD(desired_image) },
	{ NODE_STATE, FIELD(state) },
	{ NODE_REASON, FIELD(reason) },
	{ NODE_DESIRED_DRAIN, FIELD(desired_drain) },
	{ NODE_APPLIED_DRAIN, FIELD(applied_drain) },
	{ NODE_TOPOLOGY, FIELD(topology) },
	{ NODE_FIRST_PIVOT, FIELD(first_pivot) },
	{ NODE_LABELS_APPLIED, FIELD(labels_applied) },
};

static struct str *field(struct mc_node *n, uint16_t at)
{
	return (struct str *)(void *)((char *)n + at);
}

static void decode_annotations(const struct json *map, struct mc_node *out)
{
	for (size_t i = 0; i < ARRAY_LEN(annotations); i++) {
		const struct json *j = json_member(map, str_of(annotations[i].key));

		if (json_kind(j) == JSON_STRING)
			*field(out, annotations[i].field) = json_text(j);
	}
}

static void decode_conditions(const struct json *list, struct mc_node *out)
{
	for (const struct json *j = json_first(list); j; j = json_next(j)) {
		struct str type = json_str(j, "type");
		struct str status = json_str(j, "status");
		enum node_unready why = NODE_READY;

		if (str_is(type, "Ready") && !str_is(status, "True"))
			why = NODE_NOT_READY;
		else if (str_is(type, "DiskPressure") && !str_is(status, "False"))
			why = NODE_DISK;
		else if (str_is(type, "NetworkUnavailable") && !str_is(status, "False"))
			why = NODE_NETWORK;
		if (why == NODE_READY)
			continue;
		out->unready = why;
		out->unready_status = status;
		return;
	}
}

void node_decode(struct arena *a, const struct json *tree, struct mc_node *out)
{
	const struct json *taints = json_at(tree, "spec.taints");
	struct str phase = json_str(tree, "status.phase");
	struct mc_node n = {
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
		struct buf b;

		buf_init(&b, a);
		json_encode(&b, taints, 0);
		n.taints = buf_str(&b);
	}
	*out = n;
}

size_t node_size(const struct mc_node *n)
{
	size_t size = sizeof(*n);

	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		size += ((const struct str *)(const void *)((const char *)n + fields[i]))->n;
	return size;
}

struct mc_node *node_copy(void *mem, const struct mc_node *n)
{
	struct mc_node *out = mem;
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

struct str node_unready_text(struct arena *a, const struct mc_node *n)
{
	static const char *const names[] = {
		[NODE_NOT_READY] = "NotReady",
		[NODE_DISK] = "OutOfDisk",
		[NODE_NETWORK] = "NetworkUnavailable",
	};

	if (n->unready != NODE_READY)
		return str_fmt(a, "node %.*s is reporting %s=%.*s", STRF(n->name),
			       names[n->unready], STRF(n->unready_status));
	if (n->unschedulable)
		return str_fmt(a, "node %.*s is reporting Unschedulable", STRF(n->name));
	return S("");
}

bool node_ready(const struct mc_node *n)
{
	return n->unready == NODE_READY && !n->unschedulable;
}

bool node_done(const struct mc_node *n)
{
	if (!n->current_config.n || !str_eq(n->current_config, n->desired_config))
		return false;
	if ((n->desired_image.p || n->current_image.p) &&
	    (!n->desired_image.n || !str_eq(n->desired_image, n->current_image)))
		return false;
	return str_is(n->state, "Done");
}

bool node_degraded(const struct mc_node *n)
{
	return str_is(n->state, "Degraded") || str_is(n->state, "Unreconcilable");
}

bool node_failing(const struct mc_node *n)
{
	return !str_eq(n->current_config, n->desired_config) && node_degraded(n);
}

bool node_unavailable(const struct mc_node *n)
{
	return !node_ready(n) || (!node_done(n) && !node_failing(n));
}

bool node_windows(const struct mc_node *n)
{
	struct str os;

	return labels_get(n->labels, S("kubernetes.io/os"), &os) && str_is(os, "windows");
}

bool node_managed(const struct mc_node *n)
{
	return n->current_config.n && !node_windows(n);
}

bool node_is_master(const struct mc_node *n)
{
	struct str v;

	return labels_get(n->labels, S(NODE_MASTER), &v);
}
