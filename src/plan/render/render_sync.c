/*
 * The render controller.
 *
 * The pool and its status are two writes, and the second would start from an object that
 * the first has just changed. So a plan has one of them: the answer to the first triggers
 * the next plan.
 */
#include "plan/render_sync.h"

#include <stdlib.h>

#include "mc/condition.h"
#include "mc/reconcile.h"
#include "mc/selector.h"
#include "plan/apply.h"
#include "plan/owned.h"
#include "render_whole.h"

/* ---- what is waited for -------------------------------------------------- */

static const char *yes_no(bool b)
{
	return b ? "true" : "false";
}

int controller_config_completed(struct arena *a, const struct json *tree, struct err *err)
{
	struct conditions list = conditions_of(a, json_at(tree, "status.conditions"));
	int64_t seen = json_i64(tree, "status.observedGeneration", 0);
	int64_t is = json_i64(tree, "metadata.generation", 0);
	bool completed = conditions_true(&list, "TemplateControllerCompleted");
	bool running = conditions_true(&list, "TemplateControllerRunning");
	bool failing = conditions_true(&list, "TemplateControllerFailing");

	if (!tree)
		return err_set(err, ERR_AGAIN,
			       "controllerconfig." GROUP_MC " \"" NAME_CONTROLLER "\" not found");
	if (seen != is)
		return err_set(err, ERR_AGAIN,
			       "status for ControllerConfig "
			       "machine-config-controller is being reported "
			       "for %lld, expecting it for %lld",
			       (long long)seen, (long long)is);
	if (completed && !running && !failing)
		return 0;
	return err_set(err, ERR_AGAIN,
		       "ControllerConfig has not completed: completed(%s) "
		       "running(%s) failing(%s)",
		       yes_no(completed), yes_no(running), yes_no(failing));
}

static const struct mc *find_mc(const struct mc_list *mcs, struct str name)
{
	for (size_t i = 0; i < mcs->n; i++)
		if (str_eq(mcs->v[i]->meta.name, name))
			return mcs->v[i];
	return NULL;
}

/*
 * ERR_AGAIN when a MachineConfig that a config made for the pool was deleted: it is
 * generated again. A pool that is newer than the config may have none yet, as in
 * upstream: the config's finalizers name those that were made.
 */
static int made(struct arena *a, const struct render_view *in, const struct json *config,
		const struct owned_kind *kind, struct err *err)
{
	const struct json *suffix =
		json_member(json_at(config, "metadata.annotations"), S(ANNO_NAME_SUFFIX));
	struct str name = owned_mc_name(a, kind, in->pool, json_text(suffix));
	const struct json *f = json_first(json_at(config, "metadata.finalizers"));

	while (f && !str_eq(json_text(f), name))
		f = json_next(f);
	if (!suffix || !f || find_mc(in->mcs, name) ||
	    json_at(config, "metadata.deletionTimestamp"))
		return 0;
	return err_set(err, ERR_AGAIN, "%s %.*s: MachineConfig %.*s is missing", kind->kind,
		       STRF(json_str(config, "metadata.name")), STRF(name));
}

/* ERR_AGAIN until all objects of the list that select the pool are settled. */
static int all_completed(struct arena *a, const struct render_view *in,
			 const struct json_list *list, const struct owned_kind *kind,
			 struct err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct json *o = list->v[i];
		const struct json *sel = json_at(o, "spec.machineConfigPoolSelector");
		int64_t seen = json_i64(o, "status.observedGeneration", 0);
		int64_t is = json_i64(o, "metadata.generation", 0);
		struct conditions conds = conditions_of(a, json_at(o, "status.conditions"));
		struct selector s;
		int rc = selector_make(a, sel, &s, err);

		if (rc < 0)
			return err_wrap(err, "invalid label selector");
		/* here an empty selector matches every pool, an absent one none */
		if (!sel || !selector_matches(&s, in->pool->meta.labels))
			continue;
		if (seen != is)
			return err_set(err, ERR_AGAIN,
				       "status for %s %.*s is being reported for "
				       "%lld, expecting it for %lld",
				       kind->kind, STRF(json_str(o, "metadata.name")),
				       (long long)seen, (long long)is);
		if (!conds.n || !str_is(conds.v[conds.n - 1].type, "Success"))
			return err_set(err, ERR_AGAIN, "%s has not completed", kind->kind);
		/* no MachineConfigs are generated for an empty selector */
		rc = s.n ? made(a, in, o, kind, err) : 0;
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- the rendered config ------------------------------------------------- */

static int by_name(const void *x, const void *y)
{
	const struct mc *const *p = x, *const *q = y;

	return str_cmp((*p)->meta.name, (*q)->meta.name);
}

/* The cache must not keep what is parsed into a. */
static struct mc *own(struct arena *a, const struct mc *mc)
{
	struct mc *copy = ARENA_NEW(a, struct mc);

	*copy = *mc;
	return copy;
}

static int select_mcs(struct arena *a, const struct render_view *in, struct mc_list *out,
		      struct err *err)
{
	struct selector s;
	int rc = selector_make(a, in->pool->selector, &s, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; in->pool->selector && i < in->mcs->n; i++) {
		const struct mc *mc = in->mcs->v[i];

		if (!selector_matches(&s, mc->meta.labels))
			continue;
		if (mc->brief && render_whole(a, in, mc, &mc, err) < 0)
			rc = -ERR_AGAIN; /* go on: collect all that are wanted */
		else
			VEC_PUSH(a, out, in->keep && !mc->brief ? in->mcs->v[i] : own(a, mc));
	}
	if (rc < 0)
		return rc;
	if (!out->n)
		return err_set(err, ERR_AGAIN, "no MachineConfigs found matching selector %.*s",
			       STRF(selector_text(a, &s)));
	qsort(out->v, out->n, sizeof(*out->v), by_name);
	return 0;
}

int render_use_stream(const struct render_view *in, struct mc_controller_config *c, struct err *err)
{
	const struct json *o = in->os_image_stream;
	const struct json *v =
		json_member(json_at(o, "metadata.annotations"), S(ANNO_RELEASE_VERSION));
	struct str name = in->pool->os_image_stream;
	bool custom = !str_is(in->pool->meta.name, POOL_MASTER) &&
		      !str_is(in->pool->meta.name, POOL_WORKER);

	if (!in->os_streams)
		return 0;
	if (!name.n && custom)
		name = in->worker_stream;
	if (!o)
		return err_set(err, ERR_AGAIN,
			       "could not get OSImageStream for pool %.*s: "
			       "osimagestream." GROUP_MC " \"cluster\" not found",
			       STRF(in->pool->meta.name));
	if (!v)
		return err_set(err, ERR_AGAIN,
			       "ignoring OSImageStream without " ANNO_RELEASE_VERSION
			       " annotation (my version: %.*s)",
			       STRF(in->hash));
	if (!str_eq(json_text(v), in->hash))
		return err_set(err, ERR_AGAIN,
			       "ignoring OSImageStream with version %.*s (my "
			       "version: %.*s)",
			       STRF(json_text(v)), STRF(in->hash));
	if (!name.n)
		name = json_str(o, "status.defaultStream");
	for (const struct json *s = json_first(json_at(o, "status.availableStreams")); s;
	     s = json_next(s))
		if (str_eq(json_str(s, "name"), name)) {
			c->base_image = json_str(s, "osImage");
			c->extensions_image = json_str(s, "osExtensionsImage");
			return 0;
		}
	return err_set(err, ERR_AGAIN,
		       "could not get OSImageStreamSet for pool %.*s: "
		       "osimagestreams." GROUP_MC " "
		       "\"%.*s\" not found",
		       STRF(in->pool->meta.name), STRF(name));
}

/* Checks against the pool's current config, if it still exists. */
static int check_reconcilable(struct arena *a, const struct render_view *in,
			      const struct rendered *r, struct err *err)
{
	struct str now = json_str(in->pool->tree, "spec.configuration.name");
	const struct mc *current = now.n ? find_mc(in->mcs, now) : NULL;
	struct mc_overrides allow = mc_overrides_of(in->configuration);
	struct mc_list one = { 0 };
	struct mc_merged from;
	int rc;

	if (!current)
		return 0;
	rc = current->brief ? render_whole_of(a, in, current, r, &current, err) : 0;
	if (rc < 0)
		return rc;
	VEC_PUSH(a, &one, own(a, current));
	rc = mc_merge(a, &one, S(""), S(""), &from, err);
	if (rc == 0)
		rc = mc_reconcile(a, now, &from, r->name, &r->merged, &r->sources, &allow, err);
	return rc;
}

static int generate(struct arena *a, const struct render_view *in, const struct mc_list *mcs,
		    const struct mc_controller_config *cc, struct rendered *r,
		    const struct mc **culprit, struct err *err)
{
	struct render_in render = { in->raw, in->hash, cc, in->pool, mcs, in->keep ? in->keep : a };
	int rc = plan_render(a, &render, r, culprit, err);

	if (rc == 0)
		rc = check_reconcilable(a, in, r, err);
	if (rc < 0)
		return err_wrap(err, "could not generate rendered MachineConfig");
	rc = mc_check_size(r->name, json_format(a, r->object, 0).n, err);
	return rc < 0 ? err_wrap(err, "size validation failed") : 0;
}

/* ---- writing it ---------------------------------------------------------- */

static struct json *configuration(struct arena *a, const struct rendered *r)
{
	struct json *c = json_new(a, JSON_OBJECT);
	struct json *list = json_new(a, JSON_ARRAY);

	for (size_t i = 0; i < r->sources.n; i++) {
		struct json *ref = json_new(a, JSON_OBJECT);

		json_add(ref, S("apiVersion"), json_new_str(a, S(API_MC)));
		json_add(ref, S("kind"), json_new_str(a, S("MachineConfig")));
		json_add(ref, S("name"), json_new_str(a, r->sources.v[i]->meta.name));
		json_push(list, ref);
	}
	json_add(c, S("name"), json_new_str(a, r->name));
	json_add(c, S("source"), list);
	return c;
}

static struct action_event on_pool(const struct mcp *p, struct str reason)
{
	return (struct action_event){ .api = S(API_MC),
				      .kind = S("MachineConfigPool"),
				      .name = p->meta.name,
				      .uid = p->meta.uid,
				      .version = p->meta.version,
				      .reason = reason };
}

static void announce(struct arena *a, const struct render_view *in, const struct rendered *r,
		     struct actions *out)
{
	const struct json *notes = json_at(r->object, "metadata.annotations");
	struct str release = json_text(json_member(notes, S(ANNO_RELEASE_VERSION)));
	struct action_event on_mc = { .api = S(API_MC),
				      .kind = S("MachineConfig"),
				      .name = r->name,
				      .reason = S("OSImageURLOverridden") };

	if (r->os_overridden)
		action_event(a, out, on_mc,
			     str_fmt(a,
				     "OSImageURL was overridden via "
				     "machineconfig in %.*s (was: %.*s is: "
				     "%.*s)",
				     STRF(r->name),
				     STRF(json_str(in->controller_config->tree, "spec.osImageURL")),
				     STRF(r->merged.os_image)));
	action_event(a, out, on_pool(in->pool, S("RenderedConfigGenerated")),
		     str_fmt(a,
			     "%.*s successfully generated (release version: "
			     "%.*s, controller version: %.*s)",
			     STRF(r->name), STRF(release), STRF(in->hash)));
}

/* The prefix of every reason. */
static struct str cannot(struct arena *a, const struct render_view *in)
{
	return str_fmt(a, "Failed to render configuration for pool %.*s",
		       STRF(in->pool->meta.name));
}

struct str render_degraded(struct arena *a, const struct render_view *in, struct str why)
{
	return str_fmt(a, "%.*s: %.*s", STRF(cannot(a, in)), STRF(why));
}

int render_target(struct arena *a, const struct render_view *in, struct rendered *out,
		  const struct mc **culprit, struct err *err)
{
	struct mc_controller_config cc = { 0 };
	struct mc_list mcs = { 0 };
	int rc;

	*out = (struct rendered){ 0 };
	if (in->controller_config)
		cc = *in->controller_config;
	rc = select_mcs(a, in, &mcs, err);
	if (rc == 0)
		rc = render_use_stream(in, &cc, err);
	if (rc == 0)
		rc = generate(a, in, &mcs, in->controller_config ? &cc : NULL, out, culprit, err);
	return rc;
}

/* True when the pool itself is written. there: the rendered config, if it exists. */
static bool write_rendered(struct arena *a, const struct render_view *in, const struct rendered *r,
			   const struct mc *there, struct actions *out)
{
	const struct json *now = json_at(in->pool->tree, "spec.configuration");
	bool targeted = str_eq(json_str(now, "name"), r->name);
	struct json *conf = configuration(a, r), *pool;
	struct str why = str_fmt(a, "pool %.*s: rendered from %zu configs",
				 STRF(in->pool->meta.name), r->sources.n);

	action_metric(a, out, "os_image_url_override", &in->pool->meta.name, 1, r->os_overridden);
	if (!there) {
		apply_mc(a, NULL, r->object, why, out);
		out->v[out->n - 1].wrap = cannot(a, in);
		actions_step(out);
		announce(a, in, r, out);
	} else if (targeted) {
		if (apply_mc(a, there->doc.tree, r->object, why, out))
			out->v[out->n - 1].wrap = cannot(a, in);
		actions_step(out);
	}
	if (targeted && json_eq(json_at(now, "source"), json_at(conf, "source")))
		return false;
	pool = json_clone(a, in->pool->tree);
	json_set(json_at(pool, "spec"), S("configuration"), conf);
	pool_add_zeros(a, json_at(pool, "spec"));
	apply_replace(a, "machineconfigpools", pool, "",
		      targeted ? S("sources changed, config did not")
			       : str_fmt(a, "now targeting %.*s", STRF(r->name)),
		      out)
		->wrap = cannot(a, in);
	if (targeted)
		return true;
	actions_step(out);
	action_log(a, out, "Pool %.*s: now targeting: %.*s", STRF(in->pool->meta.name),
		   STRF(r->name))
		->if_ok = true;
	action_state_metric(a, out, "render", S("Sync Machine Config Pool with new MC"),
			    in->pool->meta.name);
	return true;
}

void pool_add_zeros(struct arena *a, struct json *spec)
{
	if (!json_member(spec, S("paused")))
		json_set(spec, S("paused"), json_new_bool(a, false));
}

void pool_condition(struct arena *a, const struct json *tree, const char *type, struct instant now,
		    struct str failed, const char *why, struct actions *out)
{
	struct conditions list = conditions_of(a, json_at(tree, "status.conditions"));
	const struct condition *old = conditions_find(&list, str_of(type));
	struct condition c = { .type = str_of(type),
			       .status = failed.n ? CONDITION_TRUE : CONDITION_FALSE,
			       .reason = S(""),
			       .message = failed };
	struct json *pool, *status;
	struct action *act;

	if (!failed.n && old && str_is(old->status, "False"))
		return;
	if (!conditions_set(a, &list, CONDITION_ALL, c, now))
		return;
	pool = json_clone(a, tree);
	status = json_at(pool, "status");
	if (json_kind(status) != JSON_OBJECT) {
		status = json_new(a, JSON_OBJECT);
		json_set(pool, S("status"), status);
	}
	json_set(status, S("conditions"), conditions_json(a, &list, false));
	act = apply_replace(a, "machineconfigpools", pool, "/status", str_of(why), out);
	if (failed.n)
		act->fail = ACTION_SHRUG;
}

void render_failed(struct arena *a, const struct mcp *pool, struct instant now, struct str why,
		   struct actions *out)
{
	pool_condition(a, pool->tree, "RenderDegraded", now, why, "rendering failed", out);
}

int plan_render_sync(struct arena *a, const struct render_view *in, struct actions *out,
		     struct err *err)
{
	size_t wanted = in->wanted ? in->wanted->n : 0;
	struct rendered r = { 0 };
	const struct mc *there;
	int rc;

	if (in->pool->selector && !json_len(in->pool->selector)) {
		struct action_event e = on_pool(in->pool, S("SelectingAll"));

		e.warning = true;
		action_event(a, out, e,
			     S("This machineconfigpool is selecting all "
			       "machineconfigs. A non-empty selector is "
			       "required."));
		return 0;
	}
	rc = controller_config_completed(
		a, in->controller_config ? in->controller_config->tree : NULL, err);
	if (rc == 0)
		rc = all_completed(a, in, &in->runtime_configs, &owned_runtime, err);
	if (rc == 0)
		rc = all_completed(a, in, &in->kubelet_configs, &owned_kubelet, err);
	if (rc < 0)
		return rc;
	rc = render_target(a, in, &r, NULL, err);
	if (rc < 0 && in->wanted && in->wanted->n > wanted)
		return -ERR_AGAIN;
	if (rc < 0) {
		render_failed(a, in->pool, in->now, render_degraded(a, in, err->msg), out);
		err->code = ERR_AGAIN;
		return -ERR_AGAIN;
	}
	there = find_mc(in->mcs, r.name);
	if (there && there->brief && render_existing(a, in, there, &r, &there, err) < 0)
		return -ERR_AGAIN;
	if (!write_rendered(a, in, &r, there, out))
		pool_condition(a, in->pool->tree, "RenderDegraded", in->now, S(""), "rendered",
			       out);
	return 0;
}
