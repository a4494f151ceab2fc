/*
 * MachineConfigPools. A pool whose node selector is invalid matches no node.
 */
#include "mc/mcp.h"

#include "base/codec.h"

static const struct json *object_or_null(const struct json *j)
{
	return json_kind(j) == JSON_OBJECT ? j : NULL;
}

int mcp_read(struct arena *a, const struct json *tree, struct mcp *out, struct err *err)
{
	const struct json *nodes = json_at(tree, "spec.nodeSelector");
	struct mcp p = {
		.meta = mc_meta_of(tree),
		.tree = tree,
		.selector = object_or_null(json_at(tree, "spec.machineConfigSelector")),
		.os_image_stream = json_str(tree, "spec.osImageStream.name"),
		.target = json_str(tree, "spec.configuration.name"),
		.max_unavailable = json_at(tree, "spec.maxUnavailable"),
		.conditions = conditions_of(a, json_at(tree, "status.conditions")),
		.paused = json_bool(tree, "spec.paused", false),
		.deleting = json_at(tree, "metadata.deletionTimestamp") != NULL,
	};
	int rc = selector_make(a, nodes, &p.nodes, err);

	p.selects_all = rc == 0 && json_kind(nodes) == JSON_OBJECT && !p.nodes.n;
	*out = p;
	return rc < 0 ? err_wrap(err, "invalid label selector") : 0;
}

int mcp_decode(struct arena *a, const struct doc *d, struct mcp *out, struct err *err)
{
	int rc = mc_check(a, d, MC_POOL, err);

	if (rc == 0)
		(void)mcp_read(a, d->tree, out, &ERR_INIT(a));
	return rc;
}

bool mcp_is_built_in(struct str name)
{
	return str_is(name, POOL_MASTER) || str_is(name, POOL_WORKER) || str_is(name, POOL_ARBITER);
}

static struct json *match_labels(struct arena *a, struct json *spec, const char *selector)
{
	return json_make(a, json_make(a, spec, selector), "matchLabels");
}

struct json *mcp_built_in(struct arena *a, struct str name)
{
	struct json *pool = mc_object_new(a, API_MC, "MachineConfigPool", NULL, name);
	struct json *labels = json_make(a, pool, "metadata.labels"), *spec;

	if (!str_is(name, POOL_WORKER))
		json_add_str(a, labels, LABEL_REQUIRED, S(""));
	json_add_str(a, labels, LABEL_BUILT_IN, S(""));
	json_add_str(a, labels, str_fmt(a, LABEL_POOL "%.*s", STRF(name)).p, S(""));
	spec = json_make(a, pool, "spec");
	json_add_str(a, match_labels(a, spec, "machineConfigSelector"), LABEL_ROLE, name);
	json_add_str(a, match_labels(a, spec, "nodeSelector"),
		     str_fmt(a, LABEL_NODE_ROLE "%.*s", STRF(name)).p, S(""));
	return pool;
}

const struct mcp *mcp_find(const struct mcp_list *pools, struct str name)
{
	for (size_t i = 0; i < pools->n; i++)
		if (str_eq(pools->v[i]->meta.name, name))
			return pools->v[i];
	return NULL;
}

static bool pool_wants(const struct mcp *p, const struct knode *node)
{
	return p->nodes.n && selector_matches_labels(&p->nodes, node->labels);
}

int mcp_of_node(const struct mcp_list *pools, const struct knode *node, struct mcp_of_node *out,
		struct err *err)
{
	const struct mcp *master = NULL, *worker = NULL, *custom = NULL;
	struct mcp_of_node r = { 0 };

	for (size_t i = 0; i < pools->n && !knode_windows(node); i++) {
		const struct mcp *p = pools->v[i];

		if (!pool_wants(p, node))
			continue;
		if (str_is(p->meta.name, POOL_MASTER)) {
			master = p;
		} else if (str_is(p->meta.name, POOL_WORKER)) {
			worker = p;
		} else {
			custom = p;
			r.custom++;
		}
	}
	if (r.custom > 1)
		return err_set(err, ERR_INVALID,
			       "node %.*s belongs to %zu custom roles, cannot "
			       "proceed with this Node",
			       STRF(node->name), r.custom);
	r.alert = custom && master;
	if (master || custom)
		r.v[r.n++] = master ? master : custom;
	if (worker && (custom || !master))
		r.v[r.n++] = worker;
	*out = r;
	return 0;
}

void mcp_matching(struct arena *a, const struct mcp_list *pools, const struct knode *node,
		  struct mcp_list *out)
{
	for (size_t i = 0; i < pools->n && !knode_windows(node); i++)
		if (pool_wants(pools->v[i], node))
			VEC_PUSH(a, out, pools->v[i]);
}

/* More than any cluster has, and safe to multiply by one. */
#define PERCENT_MAX 1000000000

static bool is_integer(struct str s)
{
	size_t sign = s.n && (s.p[0] == '-' || s.p[0] == '+');

	for (size_t i = sign; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.n > sign;
}

/* strconv.Atoi of the text before the %, with the text of Go's error. */
static int percentage(struct str text, int64_t *out, struct err *err)
{
	struct str s = str_sub(text, 0, text.n - 1);
	struct buf b, c;
	bool number = is_integer(s);

	if (number && str_to_i64(str_from(s, s.p[0] == '+'), out)) {
		if (*out > PERCENT_MAX)
			*out = PERCENT_MAX;
		if (*out < -PERCENT_MAX)
			*out = -PERCENT_MAX;
		return 0;
	}
	buf_init(&b, err->a);
	go_quote(&b, text);
	buf_init(&c, err->a);
	go_quote(&c, s);
	return err_set(err, ERR_INVALID,
		       "\"maxUnavailable\" invalid value for IntOrString: "
		       "invalid value %s: strconv.Atoi: parsing %s: %s",
		       b.p, c.p, number ? "value out of range" : "invalid syntax");
}

int mcp_max_unavailable(const struct mcp *pool, size_t n, int64_t *out, struct err *err)
{
	const struct json *j = pool->max_unavailable;
	struct str text = json_text(j);
	int64_t value = 1;

	if (json_kind(j) == JSON_STRING) {
		int rc;

		if (!str_ends(text, S("%")))
			return err_set(err, ERR_INVALID,
				       "\"maxUnavailable\" invalid value for "
				       "IntOrString: invalid type: string is "
				       "not a percentage");
		rc = percentage(text, &value, err);
		if (rc < 0)
			return rc;
		value *= (int64_t)n;
		/* rounded down, also below zero */
		value = (value - (value < 0 ? 99 : 0)) / 100;
	} else if (json_kind(j) == JSON_NUMBER) {
		(void)str_to_i64(text, &value);
	}
	*out = value ? value : 1;
	return 0;
}

void os_config_decode(const struct json *tree, struct os_config *out)
{
	const struct json *build =
		json_member(json_at(tree, "metadata.annotations"), S(ANNO_CURRENT_BUILD));

	*out = (struct os_config){
		.name = json_str(tree, "metadata.name"),
		.pool = json_str(tree, "spec.machineConfigPool.name"),
		.image = json_str(tree, "status.currentImagePullSpec"),
		.build = build ? json_text(build) : (struct str){ 0 },
		.tree = tree,
	};
}

void os_build_decode(const struct json *tree, struct os_build *out)
{
	struct os_build b = {
		.name = json_str(tree, "metadata.name"),
		.config = json_str(tree, "spec.machineConfig.name"),
		.os_config = json_str(tree, "spec.machineOSConfig.name"),
		.pool = json_text(
			json_member(json_at(tree, "metadata.labels"), S(LABEL_BUILD_POOL))),
		.image = json_str(tree, "status.digestedImagePushSpec"),
	};

	for (const struct json *j = json_first(json_at(tree, "status.conditions")); j;
	     j = json_next(j)) {
		struct str type = json_str(j, "type");

		if (!str_is(json_str(j, "status"), "True"))
			continue;
		b.prepared = b.prepared || str_is(type, "Prepared");
		b.building = b.building || str_is(type, "Building");
		b.failed = b.failed || str_is(type, "Failed");
		b.succeeded = b.succeeded || str_is(type, "Succeeded");
	}
	*out = b;
}
