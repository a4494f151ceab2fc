/*
 * Everything but objects: API groups, versions, health.
 */
#include "discover.h"

#include "base/goarch.h"

static void answer_text(struct sb_call *c, const char *body)
{
	*c->out = (struct sb_reply){ .code = 200,
				     .type = "text/plain; charset=utf-8",
				     .body = str_of(body) };
}

void discover_verbs(struct buf *b, const char *verbs)
{
	struct str rest = str_of(verbs), one;

	buf_addz(b, "\"verbs\":[");
	for (bool more = true; more;) {
		more = str_cut(rest, ' ', &one, &rest);
		if (!more)
			one = rest;
		buf_addf(b, "\"%.*s\"%s", STRF(one), more ? "," : "]");
	}
}

void discover_names(struct buf *b, const char *key, const struct strs *names)
{
	if (!names->n)
		return;
	buf_addf(b, ",\"%s\":[", key);
	for (size_t i = 0; i < names->n; i++)
		buf_addf(b, "%s\"%.*s\"", i ? "," : "", STRF(names->v[i]));
	buf_addc(b, ']');
}

static void add_sub(struct buf *b, const struct sb_kind *k, const char *sub, const char *kind,
		    const char *verbs)
{
	buf_addf(b,
		 ",{\"name\":\"%.*s/%s\",\"singularName\":\"\",\"namespaced"
		 "\":%s,%s,",
		 STRF(k->plural), sub, k->traits & SB_NAMESPACED ? "true" : "false", kind);
	discover_verbs(b, verbs);
	buf_addc(b, '}');
}

const char *discover_verbs_of(const struct sb_kind *k)
{
	if (k->traits & SB_CUSTOM)
		return "delete deletecollection get list patch create update watch";
	if (k->traits & SB_REVIEW)
		return "create";
	if (!k->group.n && str_is(k->plural, "namespaces"))
		return "create delete get list patch update watch";
	return "create delete deletecollection get list patch update watch";
}

static void add_kind(struct sb_call *c, struct buf *b, const struct sb_kind *k)
{
	bool core = !k->group.n;
	struct str kind = str_fmt(c->a, "\"kind\":\"%.*s\"", STRF(k->kind));

	buf_addf(b,
		 "{\"name\":\"%.*s\",\"singularName\":\"%.*s\","
		 "\"namespaced\":%s,%.*s,",
		 STRF(k->plural), STRF(k->singular), k->traits & SB_NAMESPACED ? "true" : "false",
		 STRF(kind));
	discover_verbs(b, discover_verbs_of(k));
	discover_names(b, "shortNames", &k->shorts);
	discover_names(b, "categories", &k->categories);
	buf_addc(b, '}');
	if (k->traits & SB_STATUS)
		add_sub(b, k, "status", str_z(c->a, kind), "get patch update");
	if (k->traits & SB_SCALE)
		add_sub(b, k, "scale",
			"\"group\":\"autoscaling\",\"version\":\"v1\",\"kind\":"
			"\"Scale\"",
			"get patch update");
	if (core && str_is(k->plural, "pods") && c->sb->eviction)
		add_sub(b, k, "eviction",
			str_z(c->a, str_fmt(c->a,
					    "\"group\":\"policy\",\"version\":\"%s\","
					    "\"kind\":\"Eviction\"",
					    c->sb->eviction)),
			"create");
	if (core && str_is(k->plural, "namespaces"))
		add_sub(b, k, "finalize", str_z(c->a, kind), "update");
}

static void json_body(struct sb_call *c, const struct buf *b)
{
	*c->out = (struct sb_reply){ .code = 200, .type = "application/json", .body = buf_str(b) };
}

const struct sb_version *discover_version(const struct sb_kind *k, struct str version)
{
	for (size_t i = 0; i < k->n; i++)
		if (k->v[i].served && str_eq(k->v[i].name, version))
			return &k->v[i];
	return NULL;
}

static void resources(struct sb_call *c, struct str group, struct str version)
{
	struct buf b;
	bool any = false;

	buf_init(&b, c->a);
	buf_addf(&b,
		 "{\"kind\":\"APIResourceList\",%s\"groupVersion\":\"%.*s%s"
		 "%.*s\",\"resources\":[",
		 group.n ? "\"apiVersion\":\"v1\"," : "", STRF(group), group.n ? "/" : "",
		 STRF(version));
	for (const struct sb_kind *k = c->sb->kinds.first; k; k = k->next) {
		if (!str_eq(k->group, group) || !discover_version(k, version))
			continue;
		buf_addz(&b, any ? "," : "");
		add_kind(c, &b, k);
		any = true;
	}
	buf_addz(&b, "]}\n");
	if (any)
		json_body(c, &b);
	else
		request_nowhere(c->a, &c->sb->kinds, group, c->out);
}

/* ---- groups -------------------------------------------------------------- */

static bool was_listed(const struct strs *list, struct str s)
{
	for (size_t i = 0; i < list->n; i++)
		if (str_eq(list->v[i], s))
			return true;
	return false;
}

struct strs discover_versions(struct sb_call *c, struct str group)
{
	struct strs out = { 0 };

	for (const struct sb_kind *k = c->sb->kinds.first; k; k = k->next)
		for (size_t i = 0; str_eq(k->group, group) && i < k->n; i++)
			if (k->v[i].served && !was_listed(&out, k->v[i].name))
				VEC_PUSH(c->a, &out, k->v[i].name);
	return out;
}

static void add_group(struct sb_call *c, struct buf *b, struct str group, const char *head)
{
	struct strs versions = discover_versions(c, group);

	buf_addf(b, "{%s\"name\":\"%.*s\",\"versions\":[", head, STRF(group));
	for (size_t i = 0; i < versions.n; i++)
		buf_addf(b,
			 "%s{\"groupVersion\":\"%.*s/%.*s\",\"version\":\""
			 "%.*s\"}",
			 i ? "," : "", STRF(group), STRF(versions.v[i]), STRF(versions.v[i]));
	buf_addf(b,
		 "],\"preferredVersion\":{\"groupVersion\":\"%.*s/%.*s\","
		 "\"version\":\"%.*s\"}}",
		 STRF(group), STRF(versions.v[0]), STRF(versions.v[0]));
}

static struct strs groups_of(struct sb_call *c)
{
	struct strs out = { 0 };

	for (const struct sb_kind *k = c->sb->kinds.first; k; k = k->next)
		if (k->group.n && !was_listed(&out, k->group) && discover_versions(c, k->group).n)
			VEC_PUSH(c->a, &out, k->group);
	return out;
}

static void groups(struct sb_call *c)
{
	struct strs all = groups_of(c);
	struct buf b;

	if (aggregate_wanted(c->r->accept)) {
		aggregate_answer(c, &all);
		return;
	}
	buf_init(&b, c->a);
	buf_addz(&b, "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\","
		     "\"groups\":[");
	for (size_t i = 0; i < all.n; i++) {
		buf_addz(&b, i ? "," : "");
		add_group(c, &b, all.v[i], "");
	}
	buf_addz(&b, "]}\n");
	json_body(c, &b);
}

static void one_group(struct sb_call *c, struct str group)
{
	struct buf b;

	if (!group.n || !discover_versions(c, group).n) {
		reply_no_page(c->out);
		return;
	}
	buf_init(&b, c->a);
	add_group(c, &b, group, "\"kind\":\"APIGroup\",\"apiVersion\":\"v1\",");
	buf_addc(&b, '\n');
	json_body(c, &b);
}

static void version(struct sb_call *c)
{
	struct buf b;

	buf_init(&b, c->a);
	buf_addz(&b, "{\n  \"major\": \"1\",\n  \"minor\": \"35\",\n  "
		     "\"gitVersion\": \"v1.35.8\",\n  \"gitCommit\": \"\",\n  "
		     "\"gitTreeState\": \"clean\",\n  \"buildDate\": "
		     "\"1970-01-01T00:00:00Z\",\n  \"goVersion\": \"\",\n  "
		     "\"compiler\": \"cc\",\n  \"platform\": \"linux/" GOARCH "\"\n}");
	json_body(c, &b);
}

/* ---- health and other pages ---------------------------------------------- */

/* The checks of /readyz; the other endpoints omit the second and the last. */
static const char *const checks[] = {
	"etcd",
	"informer-sync",
	"log",
	"ping",
	"poststarthook/crd-informer-synced",
	"poststarthook/generic-apiserver-start-informers",
	"poststarthook/priority-and-fairness-config-consumer",
	"poststarthook/priority-and-fairness-filter",
	"poststarthook/start-apiextensions-controllers",
	"poststarthook/start-apiextensions-informers",
	"shutdown",
};

/* Each health path, quoted and preceded by a comma. */
static void health(struct buf *b, const char *root, bool ready)
{
	size_t n = ARRAY_LEN(checks);

	buf_addf(b, ",\"%s\"", root);
	for (size_t i = 0; i < n; i++)
		if (ready || (i != 1 && i != n - 1))
			buf_addf(b, ",\"%s/%s\"", root, checks[i]);
}

static bool is_health(struct arena *a, struct str path)
{
	struct buf b;

	buf_init(&b, a);
	health(&b, "/healthz", false);
	health(&b, "/livez", false);
	health(&b, "/readyz", true);
	return str_find(buf_str(&b), str_fmt(a, "\"%.*s\"", STRF(path))) >= 0;
}

static void core_versions(struct sb_call *c)
{
	struct strs core = { 0 };
	struct buf b;

	if (aggregate_wanted(c->r->accept)) {
		VEC_PUSH(c->a, &core, S(""));
		aggregate_answer(c, &core);
		return;
	}
	buf_init(&b, c->a);
	buf_addz(&b, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],"
		     "\"serverAddressByClientCIDRs\":[]}\n");
	json_body(c, &b);
}

void sb_discover(struct sb_call *c)
{
	struct str path = c->r->path, group, rest;

	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	if (str_is(path, "/version")) {
		version(c);
	} else if (is_health(c->a, path)) {
		answer_text(c, "ok");
	} else if (str_is(path, "/openapi/v2")) {
		sb_openapi(c);
	} else if (str_is(path, "/api")) {
		core_versions(c);
	} else if (str_is(path, "/api/v1")) {
		resources(c, S(""), S("v1"));
	} else if (str_is(path, "/apis")) {
		groups(c);
	} else if (str_starts(path, S("/apis/"))) {
		rest = str_from(path, 6);
		if (str_cut(rest, '/', &group, &rest))
			resources(c, group, rest);
		else
			one_group(c, rest);
	} else {
		*c->out = (struct sb_reply){ .code = 404,
					     .type = "text/plain; charset=utf-8",
					     .body = S("404 page not found\n") };
	}
}
