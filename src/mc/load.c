/*
 * Loads manifests into a set. Without a review the first fault ends the load; with one,
 * faults are collected and a value of the wrong type counts as absent.
 */
#include "mc/load.h"

struct loader {
	struct arena *a;
	struct str path;
	struct mc_set *set;
	struct mc_fault *fault;
	struct err *err;
};

/* Upstream's error for a file that is neither YAML nor JSON. */
static struct mc_fault syntax_fault(struct loader *l, const struct docs_fault *f)
{
	bool yaml = str_starts(f->upstream, S("yaml: ")) || str_starts(f->upstream, S("json: "));

	return (struct mc_fault){
		.file = l->path,
		.line = f->line,
		.col = f->col,
		.problem = f->problem,
		.upstream =
			str_fmt(l->a,
				"error parsing manifests from %.*s: error parsing "
				"\"%.*s\": %s%.*s",
				STRF(l->path), STRF(l->path),
				yaml ? "error converting YAML to JSON: " : "", STRF(f->upstream)),
	};
}

/* The position of a value in its file. */
static void find_place(const struct doc *d, const struct json *j, size_t *line, size_t *col)
{
	size_t start, end;

	json_span(j, &start, &end);
	json_line_col(d->text, start, line, col);
	*line += d->line - 1;
}

/* The fault of an object that does not match its kind; l->err has the reason. */
static struct mc_fault object_fault(struct loader *l, const struct doc *d, const struct json *blame)
{
	struct str kind = json_str(d->tree, "kind");
	struct str name = json_str(d->tree, "metadata.name");
	struct str problem = mc_kind_problem(l->a, d->tree);
	struct mc_fault f = {
		.file = l->path,
		.problem = problem.n ? problem : l->err->msg,
		.upstream = str_fmt(l->a,
				    "error parsing \"%.*s\" [%zu] manifest: "
				    "%.*s",
				    STRF(l->path), d->number, STRF(l->err->msg)),
	};

	find_place(d, blame ? blame : d->tree, &f.line, &f.col);
	if (blame)
		f.path = json_path_of(l->a, d->tree, blame);
	if (kind.n)
		f.object = str_fmt(l->a, "%.*s%s%.*s", STRF(kind), name.n ? " " : "", STRF(name));
	return f;
}

static int refuse_file(struct loader *l, struct mc_fault f)
{
	*l->fault = f;
	return err_set(l->err, ERR_INVALID, "%.*s", STRF(f.upstream));
}

static int add_pool(struct loader *l, const struct doc *d)
{
	struct mcp *p = ARENA_NEW(l->a, struct mcp);
	int rc = mcp_decode(l->a, d, p, l->err);

	if (rc < 0)
		return rc;
	p->file = l->path;
	if (l->set->review)
		find_place(d, d->tree, &p->line, &p->col);
	/* the last of several manifests of one pool wins */
	for (size_t i = 0; !l->set->bootstrap && i < l->set->pools.n; i++)
		if (str_eq(l->set->pools.v[i]->meta.name, p->meta.name)) {
			l->set->pools.v[i] = p;
			return 0;
		}
	VEC_PUSH(l->a, &l->set->pools, p);
	return 0;
}

static int add_mc(struct loader *l, const struct doc *d)
{
	struct mc *mc = ARENA_NEW(l->a, struct mc);
	int rc = mc_decode(l->a, d, mc, l->err);

	if (rc < 0)
		return rc;
	mc->file = l->path;
	VEC_PUSH(l->a, &l->set->mcs, mc);
	return 0;
}

static int add_controller_config(struct loader *l, const struct doc *d)
{
	struct mc_controller_config *c = ARENA_NEW(l->a, struct mc_controller_config);
	int rc = mc_controller_config_decode(l->a, d, c, l->err);

	if (rc == 0)
		l->set->controller_config = c;
	return rc;
}

static int add_other(struct loader *l, const struct doc *d, enum mc_kind kind)
{
	struct mc_object *o = ARENA_NEW(l->a, struct mc_object);
	int rc = mc_object_decode(l->a, d, kind, o, l->err);

	if (rc < 0)
		return rc;
	o->file = l->path;
	VEC_PUSH(l->a, &l->set->others, o);
	return 0;
}

static int add_node(struct loader *l, const struct doc *d)
{
	struct knode *n = ARENA_NEW(l->a, struct knode);

	knode_decode(l->a, d->tree, n);
	VEC_PUSH(l->a, &l->set->nodes, n);
	return 0;
}

static bool pulls_images(const struct json *tree)
{
	struct str name = json_str(tree, "metadata.name");

	return str_is(json_str(tree, "type"), SECRET_DOCKER_JSON) || str_is(name, "pull-secret") ||
	       str_is(name, "internal-release-image-registry-auth");
}

/* Only Secrets for pulling images are used. A dump may have redacted their data: such a
 * Secret is skipped. */
static int add_secret(struct loader *l, const struct doc *d)
{
	struct mc_object *o;

	if (l->set->bootstrap)
		return mc_check_other(l->a, d, MC_SECRET, l->err);
	if (!pulls_images(d->tree) || mc_check_other(l->a, d, MC_SECRET, l->err) < 0)
		return 0;
	o = ARENA_NEW(l->a, struct mc_object);
	if (mc_object_decode(l->a, d, MC_SECRET, o, l->err) < 0)
		return 0;
	o->file = l->path;
	VEC_PUSH(l->a, &l->set->others, o);
	return 0;
}

static void note_input(struct loader *l, const struct json *tree)
{
	static const char *const spaces[] = { NS_CONFIG, NS_CONFIG_MANAGED, NS_MCO,
					      NS_KUBE_APISERVER_OPERATOR, NS_KUBE_SYSTEM };
	static const char *const kinds[] = { "Infrastructure", "Network", "Proxy", "DNS" };
	struct str api = json_str(tree, "apiVersion");
	struct str kind = json_str(tree, "kind");
	struct str ns = json_str(tree, "metadata.namespace");
	struct str name = json_str(tree, "metadata.name");
	bool read = false;

	for (size_t i = 0; i < 5; i++)
		read |= str_is(api, "v1") && str_is(kind, "ConfigMap") && str_is(ns, spaces[i]);
	for (size_t i = 0; i < 4; i++)
		read |= str_is(api, API_CONFIG) && str_is(kind, kinds[i]) &&
			str_is(name, NAME_CLUSTER);
	if (read)
		VEC_PUSH(l->a, &l->set->operator_inputs,
			 str_fmt(l->a, "%.*s %.*s%s%.*s", STRF(kind), STRF(ns), ns.n ? "/" : "",
				 STRF(name)));
}

struct mc_object *mc_find(const struct mc_set *set, enum mc_kind kind, const char *name)
{
	for (size_t i = set->others.n; i > 0; i--) {
		struct mc_object *o = set->others.v[i - 1];

		if (o->kind == kind && (!name || str_is(o->meta.name, name)))
			return o;
	}
	return NULL;
}

static int add_object(struct loader *l, const struct doc *d)
{
	enum mc_kind kind;
	int rc = mc_kind_of(l->a, d->tree, &kind, l->err);

	if (rc < 0)
		return rc;
	l->set->objects++;
	switch (kind) {
	case MC_MACHINE_CONFIG:
		return add_mc(l, d);
	case MC_POOL:
		return add_pool(l, d);
	case MC_CONTROLLER_CONFIG:
		return add_controller_config(l, d);
	case MC_CONFIGURATION:
		l->set->configuration = d->tree;
		return 0;
	case MC_OS_STREAM:
		l->set->os_image_stream = d->tree;
		return l->set->bootstrap ? mc_check_other(l->a, d, kind, l->err) : 0;
	case MC_CLUSTER_VERSION:
		l->set->cluster_version = d->tree;
		return l->set->bootstrap ? mc_check_other(l->a, d, kind, l->err) : 0;
	case MC_NODE:
		return l->set->bootstrap ? mc_check_other(l->a, d, kind, l->err) : add_node(l, d);
	case MC_SECRET:
		return add_secret(l, d);
	case MC_CREDENTIALS: /* its type is unknown, so nothing else is read */
		if (mc_check_other(l->a, d, MC_OTHER, l->err) < 0)
			return -(int)l->err->code;
		return l->set->bootstrap ? 0 : add_other(l, d, kind);
	case MC_OTHER:
		note_input(l, d->tree);
		/* fall through */
	case MC_KINDS:
		if (l->set->review)
			return mc_check_other(l->a, d, MC_OTHER, l->err);
		return l->set->bootstrap ? mc_check_other(l->a, d, kind, l->err) : 0;
	case MC_FEATURE_GATE:
	case MC_KUBELET_CONFIG:
	case MC_RUNTIME_CONFIG:
	case MC_OS_CONFIG:
	case MC_NODE_CONFIG:
	case MC_API_SERVER:
	case MC_IMAGE:
	case MC_CONTENT_POLICY:
	case MC_DIGEST_MIRRORS:
	case MC_TAG_MIRRORS:
	case MC_CLUSTER_IMAGE_POLICY:
	case MC_IMAGE_POLICY:
	case MC_INTERNAL_RELEASE:
		return add_other(l, d, kind);
	}
	return 0;
}

static bool is_list(const struct json *tree)
{
	return str_ends(json_str(tree, "kind"), S("List")) &&
	       json_kind(json_at(tree, "items")) == JSON_ARRAY;
}

/* Items of a typed list may omit apiVersion and kind: the list implies them. */
static struct doc item_of(struct loader *l, const struct doc *list, struct json *item)
{
	struct str kind = json_str(list->tree, "kind");
	struct doc d = *list;

	d.tree = item;
	if (json_kind(item) != JSON_OBJECT)
		return d;
	if (!json_member(item, S("kind")) && kind.n > 4)
		json_add(item, S("kind"), json_new_str(l->a, str_sub(kind, 0, kind.n - 4)));
	if (!json_member(item, S("apiVersion")))
		json_add(item, S("apiVersion"),
			 json_new_str(l->a, json_str(list->tree, "apiVersion")));
	return d;
}

/*
 * Adds an object as far as it can be read: a value of the wrong type is set to null,
 * which counts as absent, so that the rest can be checked.
 */
static void add_reviewed(struct loader *l, const struct doc *d)
{
	struct mc_review *review = l->set->review;
	struct mc_doc kept = { *d, l->path };
	size_t before = l->set->objects;

	for (int i = 0; add_object(l, d) < 0; i++) {
		struct json *blame = mc_misfit(l->a, d);
		struct mc_fault f = object_fault(l, d, blame);

		VEC_PUSH(l->a, &review->faults, f);
		l->set->objects = before + 1;
		if (json_kind(blame) == JSON_NULL || i + 1 == MC_FAULTS_MAX)
			break;
		l->set->objects = before;
		json_set_null(blame);
	}
	VEC_PUSH(l->a, &review->docs, kept);
}

static int take_object(struct loader *l, const struct doc *d)
{
	if (l->set->review)
		add_reviewed(l, d);
	else if (add_object(l, d) < 0)
		return refuse_file(l, object_fault(l, d, mc_misfit(l->a, d)));
	return 0;
}

static int take_doc(struct loader *l, const struct doc *d)
{
	if (l->set->bootstrap || !is_list(d->tree))
		return take_object(l, d);
	for (struct json *j = json_first(json_at(d->tree, "items")); j; j = json_next(j)) {
		struct doc item = item_of(l, d, j);
		int rc = take_object(l, &item);

		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Parses all documents; with a review, collects the faults of those that do not parse. */
static int parse_docs(struct loader *l, struct str text, struct docs *out)
{
	struct mc_review *review = l->set->review;
	struct docs_faults faults = { 0 };
	struct docs_fault first = { 0 };
	int rc = review ? docs_parse_all(l->a, text, out, &faults, l->err)
			: docs_parse(l->a, text, out, &first, l->err);

	if (rc == -ERR_INVALID)
		return refuse_file(l, syntax_fault(l, &first));
	for (size_t i = 0; i < faults.n; i++) {
		struct mc_fault f = syntax_fault(l, &faults.v[i]);

		VEC_PUSH(l->a, &review->faults, f);
		l->set->objects++;
	}
	return rc;
}

int mc_load(struct arena *a, struct str path, struct str text, struct mc_set *set,
	    struct mc_fault *fault, struct err *err)
{
	struct loader l = { a, path, set, fault, err };
	struct docs docs = { 0 };
	int rc = parse_docs(&l, text, &docs);

	for (size_t i = 0; rc == 0 && i < docs.n; i++) {
		docs.v[i].number = i + 1; /* empty ones do not count upstream */
		rc = take_doc(&l, &docs.v[i]);
	}
	return rc;
}
