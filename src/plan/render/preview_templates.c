/*
 * The effects of the pull secret, the ControllerConfig and the APIServer.
 *
 * The templates of a cluster are rarely known here. If the built-in ones reproduce its
 * MachineConfigs, the template controller is planned with them. Otherwise a new pull
 * secret replaces the old one where the templates put it, and all other effects are
 * unknown.
 */
#include "base/codec.h"
#include "mc/contents.h"
#include "plan/template_sync.h"
#include "preview_parts.h"

#define NAME "pull-secret"

/* ---- what was touched ---------------------------------------------------- */

static bool is_pull_secret(const struct preview_run *p, const struct mc_object *o)
{
	const struct mc_controller_config *cc = p->in->set->controller_config;
	const struct json *ref = cc ? json_at(cc->tree, "spec.pullSecret") : NULL;
	struct str ns = json_str_or(ref, "namespace", S(NS_CONFIG));
	struct str name = json_str_or(ref, "name", S(NAME));

	/* in a manifest the namespace may be omitted */
	return o->kind == MC_SECRET && str_eq(o->meta.name, name) &&
	       (!o->namespace.n || str_eq(o->namespace, ns));
}

static const struct mc_object *secret_in(const struct preview_run *p, const struct mc_set *set)
{
	for (size_t i = set ? set->others.n : 0; i-- > 0;)
		if (is_pull_secret(p, set->others.v[i]))
			return set->others.v[i];
	return NULL;
}

static const struct json *spec_of(const struct mc_set *set)
{
	return set && set->controller_config ? json_at(set->controller_config->tree, "spec") : NULL;
}

static bool other_config(const struct preview_run *p)
{
	const struct mc_set *t = p->in->touched;

	return t && t->controller_config &&
	       !(p->in->base && json_eq(spec_of(p->in->base), spec_of(t)));
}

static bool other_profile(const struct preview_run *p)
{
	const struct mc_object *was =
		p->in->base ? mc_find(p->in->base, MC_API_SERVER, NAME_CLUSTER) : NULL;

	return preview_touched(p, MC_API_SERVER, S(NAME_CLUSTER)) &&
	       !(p->in->base && json_eq(json_at(was ? was->tree : NULL, "spec.tlsSecurityProfile"),
					json_at(p->s.view.api_server, "spec.tlsSecurityProfile")));
}

/* ---- the pull secret ----------------------------------------------------- */

/* As the API server stores it: stringData becomes data. */
static const struct json *stored(struct arena *a, const struct mc_object *o)
{
	const struct json *plain = json_at(o->doc.tree, "stringData");
	struct json *j, *data;

	if (!json_len(plain))
		return o->doc.tree;
	j = json_clone(a, o->doc.tree);
	data = json_at(j, "data");
	if (json_kind(data) != JSON_OBJECT) {
		data = json_new(a, JSON_OBJECT);
		json_set(j, S("data"), data);
	}
	for (const struct json *m = json_first(plain); m; m = json_next(m)) {
		struct buf b;

		buf_init(&b, a);
		base64_add(&b, json_text(m));
		json_set(data, json_key(m), json_new_str(a, buf_str(&b)));
	}
	return j;
}

/* The pull secret of the cluster's nodes, as a Secret. */
static struct json *secret_of(struct arena *a, struct str text)
{
	struct json *j = json_new(a, JSON_OBJECT);
	struct json *data = json_new(a, JSON_OBJECT);
	struct buf b;

	buf_init(&b, a);
	base64_add(&b, text);
	json_add(data, S(".dockerconfigjson"), json_new_str(a, buf_str(&b)));
	json_add(j, S("data"), data);
	json_add(j, S("type"), json_new_str(a, S(SECRET_DOCKER_JSON)));
	return j;
}

static bool is_login(struct arena *a, struct str text)
{
	struct err ignored = ERR_INIT(a);
	struct json *j = NULL;

	return json_parse(a, text, NULL, &j, &ignored) == 0 &&
	       json_kind(json_at(j, "auths")) == JSON_OBJECT;
}

/* The file of mc at path; "": the first one with registry credentials. */
static bool find_secret(struct arena *a, const struct mc *mc, struct str path, struct str *at,
			struct str *text)
{
	struct err ignored = ERR_INIT(a);
	struct ign_obj *config = NULL;
	const struct ign_objs *files;

	if (!generated_by_templates(mc) || !mc_has_config(mc) ||
	    ign_parse_35(a, mc_config_text(a, mc), &config, &ignored) < 0)
		return false;
	files = ign_list(ign_sub(config, IGN_CONFIG_STORAGE), IGN_STORAGE_FILES);
	for (size_t i = 0; files && i < files->n; i++) {
		*at = ign_str(files->v[i], IGN_FILE_PATH);
		if ((!path.n || str_eq(*at, path)) &&
		    mc_contents(a, files->v[i], text, &ignored) == 0 &&
		    (path.n || is_login(a, *text)))
			return true;
	}
	return false;
}

/* The path of the secret from templates, and its text. False: there is none. */
static bool secret_now(struct preview_run *p, struct str *path, struct str *text)
{
	struct str known[] = { S(TEMPLATE_SECRET_FILE), S("") };

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < p->s.mcs.n; i++)
			if (find_secret(p->a, p->s.mcs.v[i], known[k], path, text))
				return true;
	*path = *text = S("");
	return false;
}

/* ---- with the built-in templates ----------------------------------------- */

static bool same_config(const struct mc *made, const struct mc *is)
{
	return is && json_eq(json_at(made->doc.tree, "spec.config"),
			     json_at(is->doc.tree, "spec.config"));
}

/* True when the built-in templates reproduce the cluster's MachineConfigs. */
static bool reproduces(struct preview_run *p, const struct template_tree *tree)
{
	const struct mc_set *was = p->in->base ? p->in->base : p->in->set;
	const struct mc_object *api = mc_find(was, MC_API_SERVER, NAME_CLUSTER);
	struct generate_view v = { .tree = tree,
				   .controller_config = was->controller_config,
				   .api_server = api ? api->tree : NULL,
				   .mcs = &p->s.mcs };
	struct err ignored = ERR_INIT(p->a);
	struct template_input t;
	struct mc_list made = { 0 };
	struct str path;

	if (!v.controller_config)
		return false;
	t = generate_templates(p->a, &v);
	(void)secret_now(p, &path, &t.pull_secret);
	if (plan_template(p->a, &t, &made, &ignored) < 0)
		return false;
	for (size_t i = 0; i < made.n; i++)
		if (!same_config(made.v[i], generated_find(&p->s.mcs, made.v[i]->meta.name)))
			return false;
	return made.n > 0;
}

static const struct json *release_auth(const struct preview_run *p)
{
	const struct mc_object *o = mc_find(p->in->set, MC_SECRET, TEMPLATE_RELEASE_AUTH);

	return o ? stored(p->a, o) : NULL;
}

/* ---- with others --------------------------------------------------------- */

/* mc with the text as the pull secret; NULL: it has none. */
static struct mc *with_secret(struct arena *a, const struct mc *mc, struct str path,
			      struct str text)
{
	struct json *tree = json_clone(a, mc->doc.tree);
	struct json *f = json_first(json_at(tree, "spec.config.storage.files"));
	struct mc *out = ARENA_NEW(a, struct mc);
	struct err ignored = ERR_INIT(a);
	struct doc d = { .tree = tree };

	while (f && !str_eq(json_str(f, "path"), path))
		f = json_next(f);
	if (!f || json_kind(json_at(f, "contents")) != JSON_OBJECT)
		return NULL;
	json_set(json_at(f, "contents"), S("source"), json_new_str(a, dataurl_text(a, text)));
	(void)json_remove(json_at(f, "contents"), S("compression"));
	return mc_decode(a, &d, out, &ignored) == 0 ? out : NULL;
}

static void put_secret(struct preview_run *p, struct str text)
{
	struct mc_list changed = { 0 };
	struct str now, path;

	if (!secret_now(p, &path, &now)) {
		preview_left_out(p, true,
				 S("the pull secret: skipped: no MachineConfig from "
				   "templates has " TEMPLATE_SECRET_FILE
				   ": give a dump with them (mcoctl dump)"));
		return;
	}
	if (str_ends(now, S("\n")))
		text = str_fmt(p->a, "%.*s\n", STRF(text));
	for (size_t i = 0; !str_eq(now, text) && i < p->s.mcs.n; i++) {
		struct mc *mc = NULL;

		if (generated_by_templates(p->s.mcs.v[i]))
			mc = with_secret(p->a, p->s.mcs.v[i], path, text);
		if (mc)
			VEC_PUSH(p->a, &changed, mc);
	}
	for (size_t i = 0; i < changed.n; i++)
		settle_put(&p->s, changed.v[i]->meta.name, changed.v[i]);
}

/* The pull secret for nodes, by the rules of the template controller. */
static bool secret_text(struct preview_run *p, const struct mc_object *o, struct str *out)
{
	struct generate_view *v = &p->s.view;
	struct err err = ERR_INIT(p->a);
	struct template_view in = { .controller_config = v->controller_config,
				    .pull_secret = v->pull_secret,
				    .release_image = v->internal_release,
				    .release_auth = v->release_auth };
	struct json *tree = json_clone(p->a, v->controller_config->tree);
	struct mc_controller_config cc = *v->controller_config;
	int rc;

	/* without a ControllerConfig any pull secret counts */
	if (!p->in->set->controller_config)
		json_set(json_at(tree, "spec"), S("pullSecret"), json_new(p->a, JSON_OBJECT));
	cc.tree = tree;
	in.controller_config = &cc;
	rc = template_pull_secret(p->a, &in, out, &err);
	if (rc == 0 && !out->n)
		return false; /* the ControllerConfig names none */
	if (rc == 0)
		rc = template_secret(p->a, *out, out, &err);
	if (rc < 0)
		preview_refuse(p, (struct preview_refusal){ .object = str_fmt(p->a, "Secret %.*s",
									      STRF(o->meta.name)),
							    .file = o->file,
							    .message = err.msg,
							    .touched = true });
	return rc == 0;
}

static void tell_unknown(struct preview_run *p, const char *what)
{
	preview_note(p, str_fmt(p->a,
				"%s: its effect on the templates is not shown: the cluster's "
				"templates are not the built-in ones",
				what));
}

/* Objects that the operator reads affect templates through the ControllerConfig. */
static void tell_inputs(struct preview_run *p)
{
	const struct mc_set *t = p->in->touched;

	for (size_t i = 0; t && i < t->operator_inputs.n; i++)
		preview_note(p, str_fmt(p->a,
					"%.*s: the operator may copy it into the "
					"ControllerConfig, which is not shown: preview the "
					"ControllerConfig itself",
					STRF(t->operator_inputs.v[i])));
}

void preview_templates(struct preview_run *p)
{
	const struct mc_object *secret = secret_in(p, p->in->touched);
	bool config = other_config(p), profile = other_profile(p);
	bool auth = preview_touched(p, MC_SECRET, S(TEMPLATE_RELEASE_AUTH));
	struct generate_view *v = &p->s.view;
	struct str text, now, path;

	tell_inputs(p);
	if ((!secret && !config && !profile && !auth) || v->tree)
		return;
	v->release_auth = release_auth(p);
	(void)secret_now(p, &path, &now);
	v->pull_secret = secret ? stored(p->a, secret) : secret_of(p->a, now);
	template_builtin(p->a, &p->builtin);
	if (secret && !secret_text(p, secret, &text))
		return;
	if (reproduces(p, &p->builtin)) {
		v->tree = &p->builtin;
		settle_add(&p->s, GENERATE_TEMPLATES, S(NAME_CONTROLLER), false);
		return;
	}
	if (secret)
		put_secret(p, text);
	if (config)
		tell_unknown(p, "ControllerConfig");
	if (profile)
		tell_unknown(p, "APIServer cluster");
}
