/*
 * live: reads the objects of a cluster that previews need, read-only, with a few lists.
 *
 * Pools come before MachineConfigs, so that rendered configs that no pool names can be held brief
 * as they arrive. A kind that the cluster does not have, or that the user may not read, is skipped,
 * except the first NEEDED ones.
 */
#include "kube/live.h"

#include "kube/list.h"
#include "mc/brief.h"
#include "mc/selector.h"

/* The server must have the first NEEDED of these. */
#define NEEDED 2
static const char *const paths[] = {
	PATH_MC "machineconfigpools",
	PATH_MC "machineconfigs",
	PATH_MC "controllerconfigs",
	PATH_MC "kubeletconfigs",
	PATH_MC "containerruntimeconfigs",
	PATH_MC "machineosconfigs",
	PATH_MC_ALPHA "osimagestreams",
	PATH_OPERATOR "machineconfigurations",
	PATH_OPERATOR_ALPHA "imagecontentsourcepolicies",
	PATH_CONFIG "clusterversions",
	PATH_CONFIG "featuregates",
	PATH_CONFIG "nodes",
	PATH_CORE "nodes",
	PATH_CONFIG "apiservers",
	PATH_CONFIG "images",
	PATH_CONFIG "imagedigestmirrorsets",
	PATH_CONFIG "imagetagmirrorsets",
	PATH_CONFIG "clusterimagepolicies",
	PATH_CONFIG "imagepolicies",
	PATH_CONFIG_ALPHA "criocredentialproviderconfigs",
};

bool kube_live_asked(const struct kube_flags *f)
{
	const struct str *const given[] = {
		&f->kubeconfig, &f->context,   &f->cluster,	    &f->user,  &f->server,   &f->ns,
		&f->ca_file,	&f->cert_file, &f->tls_server_name, &f->token, &f->username, &f->as,
	};

	for (size_t i = 0; i < ARRAY_LEN(given); i++)
		if (given[i]->n)
			return true;
	return f->insecure;
}

/* A list being read. The sink gets its pages when all are complete, because an expired list is read
 * again from the start. */
struct list {
	struct kube_live *r;
	const struct live_sink *to;
	const char *path;
	struct arena a; /* of the page */
	struct buf items;
	struct strs pages;
};

static int add_item(void *ctx, struct str text, struct err *err)
{
	AUTO(arena) struct arena scratch = ARENA_INIT;
	struct list *l = ctx;
	int rc = l->to->item ? l->to->item(l->to->ctx, &scratch, l->path, &text, err) : 0;

	if (!l->items.a)
		buf_init(&l->items, &l->a);
	buf_addz(&l->items, l->items.n ? "," : "");
	buf_add(&l->items, text);
	return rc;
}

static void drop_page(struct list *l)
{
	arena_free(&l->a);
	l->items = (struct buf){ 0 };
}

static int end_page(void *ctx, const struct json *head, struct err *err)
{
	struct list *l = ctx;
	struct json *own = json_new(&l->a, JSON_OBJECT);
	struct str text;

	(void)err;
	json_add(own, S("apiVersion"), json_new_str(&l->a, json_str(head, "apiVersion")));
	json_add(own, S("kind"), json_new_str(&l->a, json_str(head, "kind")));
	text = json_format(&l->a, own, 0);
	text = str_fmt(l->r->a, "%.*s,\"items\":[%.*s]}", (int)text.n - 1, text.p,
		       STRF(buf_str(&l->items)));
	VEC_PUSH(l->r->a, &l->pages, text);
	drop_page(l);
	return 0;
}

static void restart(void *ctx)
{
	struct list *l = ctx;

	drop_page(l);
	l->pages.n = 0;
}

static int list_kind(struct kube_live *r, struct kube *k, const char *path,
		     const struct live_sink *to)
{
	struct list l = { .r = r, .to = to, .path = path };
	struct kube_list list = {
		.path = path, .item = add_item, .page = end_page, .restart = restart, .ctx = &l
	};
	int rc = kube_list(k, &list, r->err);

	drop_page(&l);
	for (size_t i = 0; rc == 0 && i < l.pages.n; i++)
		rc = to->take(to->ctx, r, l.pages.v[i]);
	return rc;
}

static struct str kind_of(const char *path)
{
	struct str s = str_of(path);

	return str_from(s, (size_t)str_rchr(s, '/') + 1);
}

/* Connection errors already contain the address. */
static int blame(struct kube_live *r, struct str server, const char *path)
{
	(void)err_wrap(r->err, "listing %.*s", STRF(kind_of(path)));
	return str_find(r->err->msg, server) < 0 ? err_wrap(r->err, "%.*s", STRF(server))
						 : -(int)r->err->code;
}

static int list_all(struct kube_live *r, struct kube *k, const struct live_sink *to)
{
	struct str server = url_public(r->a, kube_conf(k)->server);

	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		int rc = list_kind(r, k, paths[i], to);

		if (rc == 0 || (rc == -ERR_NOTFOUND && i >= NEEDED))
			continue;
		if (rc == -ERR_NOTFOUND)
			return err_set(r->err, ERR_NOTFOUND,
				       "%.*s has no %.*s: is it an OpenShift "
				       "cluster?",
				       STRF(server), STRF(kind_of(paths[i])));
		if (rc != -ERR_INVALID || i < NEEDED)
			return blame(r, server, paths[i]);
		r->warn(r->warn_ctx, str_fmt(r->a, "skipped: %.*s: %.*s", STRF(kind_of(paths[i])),
					     STRF(r->err->msg)));
	}
	return 0;
}

/* "10s", or a number of seconds; "0" or "": no limit. */
static int timeout_of(struct kube_live *r, struct str text, int *ms)
{
	int64_t ns = 0, seconds;

	if (str_to_i64(text, &seconds) && seconds >= 0 && seconds < 1000000)
		ns = seconds * 1000000000;
	else if (text.n && (!flag_duration(text, &ns) || ns < 0))
		return err_set(r->err, ERR_INVALID,
			       "--request-timeout: invalid duration %.*s: use a value like 10s",
			       STRF(text));
	ns = (ns + 999999) / 1000000;
	*ms = ns > 1000000000 ? 1000000000 : (int)ns;
	return 0;
}

int kube_live_lists(struct kube_live *r, const struct live_sink *to)
{
	struct kube_conf conf = { 0 };
	struct kube_opts o = { .conf = &conf, .agent = "mcoctl", .tool = true };
	struct kube *k;
	int rc = timeout_of(r, r->flags->request_timeout, &o.timeout_ms);

	if (rc == 0)
		rc = kube_config_load(r->a, r->flags, false, &conf, r->err);
	if (rc == -ERR_NOTFOUND && !kube_live_asked(r->flags))
		return err_set(r->err, ERR_NOTFOUND, "%.*s; or give %s", STRF(r->err->msg),
			       r->instead);
	if (rc < 0)
		return rc;
	o.loop = loop_new(r->err);
	if (!o.loop)
		return -(int)r->err->code;
	rc = kube_new(&o, &k, r->err);
	if (rc == 0) {
		rc = list_all(r, k, to);
		if (rc == 0 && to->listed)
			rc = to->listed(to->ctx, r, k);
		kube_free(k);
	}
	loop_free(o.loop);
	return rc;
}

/* ---- into a set ---------------------------------------------------------- */

struct loading {
	struct mc_set *set;
	struct map brief; /* names of configs that are held brief: their digests */
	struct arena *a;
};

static bool pool_needs(struct arena *a, const struct mcp *pool, const struct json *mc)
{
	struct str name = json_str(mc, "metadata.name");
	struct err err = ERR_INIT(a);
	struct selector s;

	return str_eq(name, json_str(pool->tree, "spec.configuration.name")) ||
	       str_eq(name, json_str(pool->tree, "status.configuration.name")) ||
	       (pool->selector && (selector_make(a, pool->selector, &s, &err) < 0 ||
				   selector_matches(&s, json_at(mc, "metadata.labels"))));
}

/* Pools are listed before MachineConfigs: old rendered configs are held brief. */
static int shorten(void *ctx, struct arena *a, const char *path, struct str *text, struct err *err)
{
	struct loading *l = ctx;
	struct json *tree = NULL;
	struct str *digest;
	int rc;

	if (strcmp(path, PATH_MC "machineconfigs") != 0)
		return 0;
	rc = json_parse(a, *text, NULL, &tree, err);
	if (rc < 0 || !mc_may_be_brief(tree))
		return rc;
	for (size_t i = 0; i < l->set->pools.n; i++)
		if (pool_needs(a, l->set->pools.v[i], tree))
			return 0;
	digest = ARENA_NEW(l->a, struct str);
	*digest = mc_config_digest(l->a, tree);
	(void)map_put(&l->brief, str_dup(l->a, json_str(tree, "metadata.name")), digest);
	*text = json_format(a, mc_brief_tree(a, tree), JSON_NO_HTML);
	return 0;
}

static int take_into_set(void *ctx, struct kube_live *r, struct str text)
{
	struct mc_fault fault = { 0 };
	struct loading *l = ctx;
	int rc = mc_load(r->a, S("cluster"), text, l->set, &fault, r->err);

	if (rc == -ERR_INVALID && fault.problem.n)
		/* not ERR_INVALID, for which list_all omits the kind with a warning */
		return err_set(r->err, ERR_SYS, "%.*s: %.*s", STRF(fault.object),
			       STRF(fault.problem));
	return rc;
}

/* Whether it is the current or the desired config of a node. */
static bool node_needs(const struct mc_set *set, struct str name)
{
	for (size_t i = 0; i < set->nodes.n; i++)
		if (str_eq(set->nodes.v[i]->current_config, name) ||
		    str_eq(set->nodes.v[i]->desired_config, name))
			return true;
	return false;
}

static int read_whole(struct kube_live *r, struct kube *k, struct mc *mc)
{
	struct doc doc = { .json = true };
	struct str path = str_fmt(r->a, PATH_MC "machineconfigs/%.*s", STRF(mc->meta.name));
	int rc = kube_get(k, r->a, path, &doc.text, r->err);

	if (rc == 0)
		rc = json_parse(r->a, doc.text, NULL, &doc.tree, r->err);
	if (rc == 0)
		rc = mc_decode(r->a, &doc, mc, r->err);
	if (rc == 0)
		mc->file = S("cluster");
	return rc < 0 ? err_wrap(r->err, "reading MachineConfig %.*s", STRF(mc->meta.name)) : 0;
}

static int complete_set(void *ctx, struct kube_live *r, struct kube *k)
{
	struct loading *l = ctx;

	for (size_t i = 0; i < l->set->mcs.n; i++) {
		struct mc *mc = l->set->mcs.v[i];
		const struct str *digest = map_get(&l->brief, mc->meta.name);
		int rc = 0;

		if (!digest)
			continue;
		mc->brief = true;
		mc->config_digest = *digest;
		if (node_needs(l->set, mc->meta.name))
			rc = read_whole(r, k, mc);
		/* deleted since it was listed */
		if (rc < 0 && rc != -ERR_NOTFOUND)
			return rc;
	}
	return 0;
}

int kube_live_load(struct kube_live *r, enum live_rendered rendered, struct mc_set *set)
{
	bool some = rendered == LIVE_IN_USE;
	struct loading l = { .set = set, .a = r->a };
	const struct live_sink to = { .take = take_into_set,
				      .item = some ? shorten : NULL,
				      .listed = some ? complete_set : NULL,
				      .ctx = &l };

	set->live = true;
	map_init(&l.brief, r->a);
	return kube_live_lists(r, &to);
}
