/*
 * A golden case of the operator (test/golden/operator-live) as a struct operator_view, and the
 * actions of a step applied to it.
 *
 *	AUTO(arena) struct arena a = ARENA_INIT;
 *	struct operator_case c;
 *
 *	operator_case_load(&a, "009-aws-proxy-trustbundle", CASE_INPUT | CASE_EXPECTED, &c);
 *	rc = operator_pools(&a, &c.view, &memory, &render, &result, &err);
 *	operator_case_act(&c, &result.actions);
 *	operator_case_find(&c.expected, "MachineConfigPool", "worker");
 *
 * The objects are those of the files that the flags name. A later file changes the object of an
 * earlier one as a merge patch does: input.yaml, then expected.yaml, then controller-context.yaml.
 */
#ifndef TEST_PLAN_OPERATOR_CASE_H
#define TEST_PLAN_OPERATOR_CASE_H

#include <ctype.h>
#include <dirent.h>

#include "../test.h"
#include "data/docs.h"
#include "data/patch.h"
#include "plan/operator.h"

#define OPERATOR_CASES "test/golden/operator-live/cases/"
#define OPERATOR_CASE_RAW "v4.22.0"
#define OPERATOR_CASE_HASH "0123456789abcdef0123456789abcdef01234567"

enum operator_case_files {
	CASE_INPUT = 1, /* what is given from outside */
	CASE_EXPECTED = 2, /* what the operator wrote */
	CASE_CONTEXT = 4, /* what controller, daemons and workload controllers wrote */
	CASE_AT_REST = 7,
};

struct operator_case {
	struct arena *a;
	struct docs objects; /* of the view */
	struct docs expected; /* of expected.yaml, also without CASE_EXPECTED */
	struct operator_view view;
};

static const struct {
	const char *path, *query;
} operator_case_kinds[] = {
#define K(name, path, query, gate) { path, query },
#include "plan/operator_kinds.def"
#undef K
};

/* "proxies" of "Proxy". */
static inline struct str operator_case_plural(struct arena *a, struct str kind)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < kind.n; i++)
		buf_addc(&b, (char)tolower((unsigned char)kind.p[i]));
	if (kind.p[kind.n - 1] == 'y') {
		b.n--;
		buf_addz(&b, "ies");
	} else {
		buf_addz(&b, kind.p[kind.n - 1] == 's' || kind.p[kind.n - 1] == 'S' ? "es" : "s");
	}
	return buf_str(&b);
}

/* The path of the list that an object is in. */
static inline struct str operator_case_list_path(struct arena *a, const struct json *j)
{
	struct str api = json_str(j, "apiVersion"), ns = json_str(j, "metadata.namespace");
	struct str plural = operator_case_plural(a, json_str(j, "kind"));

	return str_fmt(a, "/%s/%.*s/%s%.*s%s%.*s", str_chr(api, '/') < 0 ? "api" : "apis",
		       STRF(api), ns.n ? "namespaces/" : "", STRF(ns), ns.n ? "/" : "",
		       STRF(plural));
}

static inline bool operator_case_in(struct arena *a, enum operator_kind kind, const struct json *j)
{
	struct str query = str_of(operator_case_kinds[kind].query);
	ptrdiff_t at = str_find(query, S("%3D"));

	return str_is(operator_case_list_path(a, j), operator_case_kinds[kind].path) &&
	       (at < 0 || str_eq(str_from(query, (size_t)at + 3), json_str(j, "metadata.name")));
}

static inline struct doc *operator_case_doc(struct operator_case *c, const struct json *like)
{
	struct str path = operator_case_list_path(c->a, like);

	for (size_t i = 0; i < c->objects.n; i++)
		if (str_eq(json_str(c->objects.v[i].tree, "metadata.name"),
			   json_str(like, "metadata.name")) &&
		    str_eq(operator_case_list_path(c->a, c->objects.v[i].tree), path))
			return &c->objects.v[i];
	return NULL;
}

/* Adds the object to the view, or merges it into the one that is there. */
static inline void operator_case_put(struct operator_case *c, struct json *j)
{
	struct doc *d = operator_case_doc(c, j);

	if (d)
		d->tree = patch_apply(c->a, d->tree, j);
	else
		VEC_PUSH(c->a, &c->objects, ((struct doc){ .tree = j }));
}

static inline void operator_case_drop(struct operator_case *c, const struct json *like)
{
	struct doc *d = operator_case_doc(c, like);

	if (d)
		*d = c->objects.v[--c->objects.n];
}

static inline void operator_case_drop_kind(struct operator_case *c, const char *kind)
{
	for (size_t i = c->objects.n; i-- > 0;)
		if (str_is(json_str(c->objects.v[i].tree, "kind"), kind))
			c->objects.v[i] = c->objects.v[--c->objects.n];
}

/* The object of a kind and name ("ns/name" where several namespaces have one), or NULL. */
static inline struct json *operator_case_find(const struct docs *docs, const char *kind,
					      const char *name)
{
	struct str ns = S(""), n = str_of(name);

	(void)str_cut(n, '/', &ns, &n);
	for (size_t i = 0; i < docs->n; i++) {
		struct json *j = docs->v[i].tree;

		if (str_is(json_str(j, "kind"), kind) && str_eq(json_str(j, "metadata.name"), n) &&
		    (!ns.n || str_eq(json_str(j, "metadata.namespace"), ns)))
			return j;
	}
	return NULL;
}

static inline const struct json *operator_case_get(const struct operator_view *in,
						   enum operator_kind kind, struct str name)
{
	struct operator_case *c = in->ctx;

	for (size_t i = 0; i < c->objects.n; i++)
		if (str_eq(json_str(c->objects.v[i].tree, "metadata.name"), name) &&
		    operator_case_in(c->a, kind, c->objects.v[i].tree))
			return c->objects.v[i].tree;
	return NULL;
}

static inline int operator_case_by_name(const void *x, const void *y)
{
	return str_cmp(json_str(*(const struct json *const *)x, "metadata.name"),
		       json_str(*(const struct json *const *)y, "metadata.name"));
}

static inline size_t operator_case_list(const struct operator_view *in, enum operator_kind kind,
					struct arena *a, const struct json *const **out)
{
	struct operator_case *c = in->ctx;
	VEC(const struct json *) v = { 0 };

	for (size_t i = 0; i < c->objects.n; i++)
		if (operator_case_in(c->a, kind, c->objects.v[i].tree))
			VEC_PUSH(a, &v, c->objects.v[i].tree);
	if (v.n)
		qsort(v.v, v.n, sizeof(*v.v), operator_case_by_name);
	*out = v.v;
	return v.n;
}

/* The clusters of the cases have all kinds except those of metal3. */
static inline bool operator_case_served(const struct operator_view *in, enum operator_kind kind)
{
	const struct json *const *list;
	struct operator_case *c = in->ctx;

	return kind != OPERATOR_PROVISIONINGS || operator_case_list(in, kind, c->a, &list) > 0;
}

static inline struct docs operator_case_file(struct arena *a, const char *name, const char *file)
{
	struct str path = str_fmt(a, OPERATOR_CASES "%s/%s", name, file);
	struct err err = ERR_INIT(a);
	struct docs out = { 0 };

	if (docs_parse(a, test_file(a, path.p), &out, NULL, &err) < 0) {
		(void)printf("%s: %.*s\n", path.p, STRF(err.msg));
		abort();
	}
	return out;
}

#define CASE_IMAGE(name) "registry.example.test/mill/" name
#define CASE_MCO \
	CASE_IMAGE("mco@sha256:b6be9e1c14f4727a5ad8d0b03e3616949c7cfaf2d2505838b6be9e1c14f4727a")
#define CASE_MCO_NEXT                 \
	CASE_IMAGE("mco-next@sha256:" \
		   "b6be68e33e36e06bb6be68e33e36e06bb6be68e33e36e06bb6be68e33e36e06b")
#define CASE_KRP_NEXT                 \
	CASE_IMAGE("krp-next@sha256:" \
		   "df2e68e357a6e06bdf2e68e357a6e06bdf2e68e357a6e06bdf2e68e357a6e06b")

/* images.json of a case, with another version and, when next is set, the images of 4.22.1. */
static inline struct str operator_case_images(struct arena *a, struct str text, const char *version,
					      bool next)
{
	struct err err = ERR_INIT(a);
	struct json *j = NULL;

	if (json_parse(a, text, NULL, &j, &err) < 0)
		abort();
	json_set(j, S("releaseVersion"), json_new_str(a, str_of(version)));
	if (next) {
		json_set(j, S("machineConfigOperator"), json_new_str(a, S(CASE_MCO_NEXT)));
		json_set(j, S("kubeRbacProxy"), json_new_str(a, S(CASE_KRP_NEXT)));
	}
	return json_format(a, j, 0);
}

/* Cases whose what.txt names another command line or another images.json. */
static const struct {
	const char *number, *release, *images; /* images: its releaseVersion, or NULL */
	bool next; /* --operator-image */
	bool next_images;
} operator_case_others[] = {
	{ "021", "4.22.0", "4.21.7", false, false }, { "030", "4.22.1", "4.22.1", true, true },
	{ "031", "4.22.1", "4.22.1", true, true },   { "032", "4.22.1", "4.22.1", true, true },
	{ "070", "4.22.1", NULL, true, false },	     { "071", "4.22.1", "4.22.1", true, false },
	{ "072", "4.22.1", NULL, true, false },
};

#define CASE_NS "openshift-machine-config-operator/"
#define CASE_OS_NEXT                                                                                                                                            \
	"{'data':{'baseOSContainerImage':'" CASE_IMAGE(                                                                                                         \
		"coreos-next@sha256:"                                                                                                                           \
		"5a06da19b1605b185c46c1b06c307f17c6b17eb2ac2716c296d57d2c17d41802") "','baseOSExtensionsContainerImage':'" CASE_IMAGE("coreos-ext-next@sha256:" \
																      "5a06da1a055df5a49f5c909f44ce4938e4b8f8e33bd3827d3a7e7d22ac2716c2") "'}}"
#define CASE_AZURE                                                         \
	"{'status':{'platformStatus':{'azure':{'cloudLoadBalancerConfig':" \
	"{'dnsType':'PlatformDefault'}}}}}"

#define CASE_MODERN "{'spec':{'tlsSecurityProfile':{'type':'Modern','custom':null}}}"

/* Given objects that were changed by a patch, and defaults that the API server added to them. */
static const struct {
	const char *number, *kind, *name, *patch; /* ' for " */
} operator_case_patches[] = {
	{ "027", "APIServer", "cluster", CASE_MODERN },
	{ "028", "APIServer", "cluster", CASE_MODERN },
	{ "029", "APIServer", "cluster", CASE_MODERN },
	{ "030", "ConfigMap", CASE_NS "machine-config-osimageurl", CASE_OS_NEXT },
	{ "031", "ConfigMap", CASE_NS "machine-config-osimageurl", CASE_OS_NEXT },
	{ "032", "ConfigMap", CASE_NS "machine-config-osimageurl", CASE_OS_NEXT },
	{ "073", "Infrastructure", "cluster",
	  "{'status':{'platformStatus':{'vsphere':{'loadBalancer':"
	  "{'type':'OpenShiftManagedDefault'}}}}}" },
	{ "074", "Infrastructure", "cluster", CASE_AZURE },
	{ "075", "Infrastructure", "cluster", CASE_AZURE },
	{ "076", "Infrastructure", "cluster", CASE_AZURE },
	{ "081", "ConfigMap", "openshift-config/orchard-registries", "{'data':null}" },
	{ "082", "ConfigMap", "openshift-config/orchard-registries", "{'data':null}" },
};

static inline void operator_case_patch(struct operator_case *c, const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(operator_case_patches); i++) {
		struct err err = ERR_INIT(c->a);
		struct json *live, *patch = NULL;
		char *text = str_z(c->a, str_of(operator_case_patches[i].patch));

		if (!str_is(str_sub(str_of(name), 0, 3), operator_case_patches[i].number))
			continue;
		for (char *p = text; *p; p++)
			*p = *p == '\'' ? '"' : *p;
		live = operator_case_find(&c->objects, operator_case_patches[i].kind,
					  operator_case_patches[i].name);
		if (!live || json_parse(c->a, str_of(text), NULL, &patch, &err) < 0)
			abort();
		operator_case_doc(c, live)->tree = patch_apply(c->a, live, patch);
	}
}

static inline void operator_case_flags(struct operator_case *c, const char *name)
{
	struct str number = str_sub(str_of(name), 0, 3);
	struct json *images = operator_case_find(&c->objects, "ConfigMap",
						 CASE_NS "machine-config-operator-images");

	c->view.release = S("4.22.0");
	c->view.image = S(CASE_MCO);
	c->view.bring_up = str_is(number, "050");
	c->view.images = json_text(json_member(json_member(images, S("data")), S("images.json")));
	for (size_t i = 0; i < ARRAY_LEN(operator_case_others); i++) {
		if (!str_is(number, operator_case_others[i].number))
			continue;
		c->view.release = str_of(operator_case_others[i].release);
		if (operator_case_others[i].next)
			c->view.image = S(CASE_MCO_NEXT);
		if (operator_case_others[i].images && c->view.images.n)
			c->view.images = operator_case_images(c->a, c->view.images,
							      operator_case_others[i].images,
							      operator_case_others[i].next_images);
	}
}

/* Of the release; the runs of 070 and 071 had the same gates for both. */
static inline void operator_case_gates(struct operator_case *c)
{
	struct err err = ERR_INIT(c->a);
	struct json *gates = operator_case_find(&c->objects, "FeatureGate", "cluster");

	if (gates && mc_gates_read(c->a, gates, c->view.release, &c->view.gates, &err) < 0 &&
	    mc_gates_read(c->a, gates, S("4.22.0"), &c->view.gates, &err) < 0)
		abort();
}

static inline void operator_case_add(struct operator_case *c, const char *name, const char *file)
{
	struct docs d = operator_case_file(c->a, name, file);

	for (size_t i = 0; i < d.n; i++)
		operator_case_put(c, d.v[i].tree);
}

static inline void operator_case_load(struct arena *a, const char *name, unsigned files,
				      struct operator_case *c)
{
	static const char *const names[] = { "input.yaml", "expected.yaml",
					     "controller-context.yaml" };

	*c = (struct operator_case){ .a = a };
	c->expected = operator_case_file(a, name, names[1]);
	/* The input of 014 lacks what was given in 011 and 013. */
	if (str_is(str_of(name), "014-evaluation-and-skew") && files & CASE_INPUT)
		operator_case_add(c, "013-internal-registry-pull-secret", names[0]);
	for (unsigned f = 0; f < 3; f++) {
		if (files & (1U << f))
			operator_case_add(c, name, names[f]);
	}
	c->view = (struct operator_view){ .get = operator_case_get,
					  .list = operator_case_list,
					  .served = operator_case_served,
					  .ctx = c,
					  .now = { .sec = 1800000000 },
					  .clock_ms = 1000000,
					  .raw = S(OPERATOR_CASE_RAW),
					  .hash = S(OPERATOR_CASE_HASH) };
	if (files & CASE_INPUT)
		operator_case_patch(c, name);
	operator_case_flags(c, name);
	operator_case_gates(c);
}

/* Merges a JSON text with kind and name into an object of the view, or adds it. */
static inline void operator_case_edit(struct operator_case *c, const char *text)
{
	struct err err = ERR_INIT(c->a);
	struct json *j = NULL;

	if (json_parse(c->a, str_of(text), NULL, &j, &err) < 0) {
		(void)printf("%s: %.*s\n", text, STRF(err.msg));
		abort();
	}
	operator_case_put(c, j);
}

/* The list and the object that a path names; *status for its subresource. False for other paths. */
static inline bool operator_case_path(struct str path, enum operator_kind *kind, struct str *name,
				      bool *status)
{
	struct str p = path, query;

	(void)str_cut(path, '?', &p, &query);
	*status = str_ends(p, S("/status"));
	if (*status)
		p.n -= strlen("/status");
	for (size_t k = 0; k < OPERATOR_KINDS; k++) {
		struct str list = str_of(operator_case_kinds[k].path);

		if (str_starts(p, list) && (p.n == list.n || p.p[list.n] == '/')) {
			*kind = (enum operator_kind)k;
			*name = str_from(p, p.n == list.n ? p.n : list.n + 1);
			return str_chr(*name, '/') < 0;
		}
	}
	return false;
}

/* Puts a body at the place of the live object, as the server would. */
static inline void operator_case_write(struct operator_case *c, const struct action *act,
				       struct json *live, bool status)
{
	struct err err = ERR_INIT(c->a);
	struct json *body = NULL;

	if (json_parse(c->a, act->body, NULL, &body, &err) < 0)
		abort();
	if (act->kind == ACTION_REPLACE && status) {
		json_set(live, S("status"), json_clone(c->a, json_at(body, "status")));
	} else if (act->kind == ACTION_REPLACE) {
		operator_case_drop(c, live);
		operator_case_put(c, body);
	} else if (live) {
		json_set(body, S("apiVersion"), json_clone(c->a, json_at(live, "apiVersion")));
		json_set(body, S("kind"), json_clone(c->a, json_at(live, "kind")));
		json_set(json_make(c->a, body, "metadata"), S("name"),
			 json_clone(c->a, json_at(live, "metadata.name")));
		if (json_at(live, "metadata.namespace"))
			json_set(json_make(c->a, body, "metadata"), S("namespace"),
				 json_clone(c->a, json_at(live, "metadata.namespace")));
		operator_case_put(c, body);
	} else {
		operator_case_put(c, body);
	}
}

/* Applies the requests among the actions to the view. Returns how many there were. */
static inline size_t operator_case_act(struct operator_case *c, const struct actions *list)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct action *act = &list->v[i];
		enum operator_kind kind;
		struct json *live;
		struct str name;
		bool status;

		if (!action_is_request(act->kind) || act->kind == ACTION_GET)
			continue;
		n++;
		if (!operator_case_path(act->path, &kind, &name, &status)) {
			(void)printf("no list for %.*s\n", STRF(act->path));
			abort();
		}
		live = (struct json *)operator_case_get(&c->view, kind, name);
		if (act->kind == ACTION_DELETE) {
			if (live)
				operator_case_drop(c, live);
		} else {
			operator_case_write(c, act, live, status);
		}
	}
	return n;
}

/* Calls fn with the name of each case, in their order. Returns how many cases there are. */
static inline size_t operator_cases(void (*fn)(const char *name, void *ctx), void *ctx)
{
	struct dirent **list = NULL;
	int n = scandir(OPERATOR_CASES, &list, NULL, alphasort);
	size_t count = 0;

	for (int i = 0; i < n; i++) {
		if (list[i]->d_name[0] != '.') {
			count++;
			fn(list[i]->d_name, ctx);
		}
		free(list[i]);
	}
	free(list);
	return count;
}

#endif
