/*
 * Aggregated discovery: all groups, versions and resources in one answer, which kubectl and
 * client-go ask for first. The same facts as in discover.c, in the form of apidiscovery.k8s.io/v2.
 */
#include "discover.h"

#define FORM "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

bool aggregate_wanted(struct str accept)
{
	return str_find(accept, S(FORM)) >= 0;
}

/* Built-in kinds name no group and version: they are those of the resource. */
static void add_response(struct buf *b, struct str group, struct str version, struct str kind)
{
	buf_addf(b, "\"responseKind\":{\"group\":\"%.*s\",\"version\":\"%.*s\",\"kind\":\"%.*s\"},",
		 STRF(group), STRF(version), STRF(kind));
}

struct subs {
	struct buf *b;
	size_t n;
};

static void add_sub(struct subs *s, const char *name, struct str group, struct str version,
		    struct str kind, const char *verbs)
{
	buf_addf(s->b, "%s{\"subresource\":\"%s\",", s->n++ ? "," : ",\"subresources\":[", name);
	add_response(s->b, group, version, kind);
	discover_verbs(s->b, verbs);
	buf_addc(s->b, '}');
}

static void add_subs(struct sb_call *c, struct buf *b, const struct sb_kind *k, struct str version)
{
	bool core = !k->group.n, custom = k->traits & SB_CUSTOM;
	struct str group = custom ? k->group : S("");
	struct subs s = { .b = b };

	version = custom ? version : S("");
	if (core && str_is(k->plural, "pods") && c->sb->eviction)
		add_sub(&s, "eviction", S("policy"), str_of(c->sb->eviction), S("Eviction"),
			"create");
	if (core && str_is(k->plural, "namespaces"))
		add_sub(&s, "finalize", group, version, k->kind, "update");
	if (k->traits & SB_SCALE)
		add_sub(&s, "scale", S("autoscaling"), S("v1"), S("Scale"), "get patch update");
	if (k->traits & SB_STATUS)
		add_sub(&s, "status", group, version, k->kind, "get patch update");
	buf_addz(b, s.n ? "]" : "");
}

static void add_resource(struct sb_call *c, struct buf *b, const struct sb_kind *k,
			 struct str version)
{
	bool custom = k->traits & SB_CUSTOM;

	buf_addf(b, "{\"resource\":\"%.*s\",", STRF(k->plural));
	add_response(b, custom ? k->group : S(""), custom ? version : S(""), k->kind);
	buf_addf(b, "\"scope\":\"%s\",\"singularResource\":\"%.*s\",",
		 k->traits & SB_NAMESPACED ? "Namespaced" : "Cluster", STRF(k->singular));
	discover_verbs(b, discover_verbs_of(k));
	discover_names(b, "shortNames", &k->shorts);
	discover_names(b, "categories", &k->categories);
	add_subs(c, b, k, version);
	buf_addc(b, '}');
}

static void add_version(struct sb_call *c, struct buf *b, struct str group, struct str version)
{
	bool any = false;

	buf_addf(b, "{\"version\":\"%.*s\",\"resources\":[", STRF(version));
	for (const struct sb_kind *k = c->sb->kinds.first; k; k = k->next) {
		if (!str_eq(k->group, group) || !discover_version(k, version))
			continue;
		buf_addz(b, any ? "," : "");
		add_resource(c, b, k, version);
		any = true;
	}
	buf_addz(b, "],\"freshness\":\"Current\"}");
}

static void add_group(struct sb_call *c, struct buf *b, struct str group)
{
	struct strs versions = discover_versions(c, group);

	buf_addz(b, "{\"metadata\":{");
	if (group.n)
		buf_addf(b, "\"name\":\"%.*s\"", STRF(group));
	buf_addz(b, "},\"versions\":[");
	for (size_t i = 0; i < versions.n; i++) {
		buf_addz(b, i ? "," : "");
		add_version(c, b, group, versions.v[i]);
	}
	buf_addz(b, "]}");
}

void aggregate_answer(struct sb_call *c, const struct strs *groups)
{
	struct buf b;

	buf_init(&b, c->a);
	buf_addz(&b,
		 "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/v2\","
		 "\"metadata\":{},\"items\":[");
	for (size_t i = 0; i < groups->n; i++) {
		buf_addz(&b, i ? "," : "");
		add_group(c, &b, groups->v[i]);
	}
	buf_addz(&b, "]}\n");
	*c->out = (struct sb_reply){ .code = 200,
				     .type = "application/json;" FORM,
				     .body = buf_str(&b) };
}
