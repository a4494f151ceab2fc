/*
 * An OpenAPI document that declares dryRun for the patches of each kind, because clients check that
 * before a dry run. It has no definitions, so clients leave validation to the server. It is served
 * as JSON or as protobuf, with the field numbers below.
 */
#include "sandbox/sandbox.h"

enum {
	DOCUMENT_SWAGGER = 1,
	DOCUMENT_PATHS = 8,
	PATHS_PATH = 2,
	NAMED_NAME = 1,
	NAMED_VALUE = 2,
	ITEM_PATCH = 8,
	OPERATION_PARAMETERS = 8,
	OPERATION_EXTENSION = 13,
	PARAMETERS_PARAMETER = 1,
	PARAMETER_NON_BODY = 2,
	NON_BODY_QUERY = 3,
	QUERY_IN = 2,
	QUERY_NAME = 4,
	QUERY_TYPE = 6,
	ANY_YAML = 2,
};

#define EXTENSION "x-kubernetes-group-version-kind"

static void add(struct buf *b, unsigned field, struct str value)
{
	size_t n = value.n;

	buf_addc(b, (char)(field << 3 | 2));
	for (; n > 127; n >>= 7)
		buf_addc(b, (char)((n & 127) | 128));
	buf_addc(b, (char)n);
	buf_add(b, value);
}

/* A message with value as its only field. */
static struct str wrap(struct arena *a, unsigned field, struct str value)
{
	struct buf b;

	buf_init(&b, a);
	add(&b, field, value);
	return buf_str(&b);
}

static struct str named(struct arena *a, struct str name, struct str value)
{
	struct buf b;

	buf_init(&b, a);
	add(&b, NAMED_NAME, name);
	add(&b, NAMED_VALUE, value);
	return buf_str(&b);
}

static struct str dry_run(struct arena *a)
{
	struct buf b;

	buf_init(&b, a);
	add(&b, QUERY_IN, S("query"));
	add(&b, QUERY_NAME, S("dryRun"));
	add(&b, QUERY_TYPE, S("string"));
	return wrap(a, PARAMETERS_PARAMETER,
		    wrap(a, PARAMETER_NON_BODY, wrap(a, NON_BODY_QUERY, buf_str(&b))));
}

static struct str path_of(struct arena *a, const struct sb_kind *k, const struct sb_version *v)
{
	return str_fmt(a, "/api%s/%.*s/%s%.*s/{name}", k->group.n ? "s" : "",
		       STRF(kinds_api_version(a, k, v)),
		       k->traits & SB_NAMESPACED ? "namespaces/{namespace}/" : "", STRF(k->plural));
}

/* A member of the JSON, or a field of the protobuf. */
static void add_path(struct arena *a, struct buf *b, const struct sb_kind *k,
		     const struct sb_version *v, bool proto)
{
	struct str path = path_of(a, k, v);
	struct str gvk = str_fmt(a,
				 "{\"group\":\"%.*s\",\"kind\":\"%.*s\","
				 "\"version\":\"%.*s\"}",
				 STRF(k->group), STRF(k->kind), STRF(v->name));
	struct buf patch;

	if (!proto) {
		buf_addf(b,
			 "%s\"%.*s\":{\"patch\":{\"parameters\":[{\"in\":"
			 "\"query\",\"name\":\"dryRun\",\"type\":\"string\"}],"
			 "\"" EXTENSION "\":%.*s}}",
			 b->n ? "," : "", STRF(path), STRF(gvk));
		return;
	}
	buf_init(&patch, a);
	add(&patch, OPERATION_PARAMETERS, dry_run(a));
	add(&patch, OPERATION_EXTENSION, named(a, S(EXTENSION), wrap(a, ANY_YAML, gvk)));
	add(b, PATHS_PATH, named(a, path, wrap(a, ITEM_PATCH, buf_str(&patch))));
}

void sb_openapi(struct sb_call *c)
{
	bool proto = str_find(c->r->accept, S("protobuf")) >= 0;
	struct buf paths, b;

	buf_init(&paths, c->a);
	for (const struct sb_kind *k = c->sb->kinds.first; k; k = k->next)
		for (size_t i = 0; i < k->n; i++)
			if (k->v[i].served)
				add_path(c->a, &paths, k, &k->v[i], proto);
	buf_init(&b, c->a);
	if (proto) {
		add(&b, DOCUMENT_SWAGGER, S("2.0"));
		add(&b, DOCUMENT_PATHS, buf_str(&paths));
	} else {
		buf_addz(&b, "{\"swagger\":\"2.0\",\"info\":{\"title\":"
			     "\"mco-sandbox\",\"version\":\"v1.35.8\"},"
			     "\"paths\":{");
		buf_add(&b, buf_str(&paths));
		buf_addz(&b, "},\"definitions\":{}}");
	}
	*c->out = (struct sb_reply){
		.code = 200,
		.type = proto ? "application/com.github.proto-openapi.spec.v2"
				".v1.0+protobuf"
			      : "application/json",
		.body = buf_str(&b),
	};
}
