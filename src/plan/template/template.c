/*
 * Makes MachineConfigs from templates: selects layers, folds rendered items, and signs
 * the result.
 *
 * Ignition configs are shared between MachineConfigs and must not be changed.
 */
#include "plan/template.h"

#include <stdlib.h>

#include "mc/mcp.h"
#include "template_parts.h"

/* ---- MachineConfigs ------------------------------------------------------ */

static int add_items(struct forest *f, const struct map *part, bool units, struct ign_objs *configs)
{
	struct map_entry *v;
	size_t n = forest_sorted(f->a, part, &v);

	for (size_t i = 0; i < n; i++) {
		struct rendering *r = v[i].value;
		int rc = 0;

		if (!r->item)
			rc = template_item(f->a, r->text, units, &r->item, f->err);
		if (rc < 0)
			return err_wrap(f->err, "error transpiling CoreOS config to "
						"Ignition config");
		VEC_PUSH(f->a, configs, r->item);
	}
	return 0;
}

/* Validated here, so that rendering need not parse the config again. */
static bool is_valid(struct ign_obj *config)
{
	AUTO(arena) struct arena scratch = ARENA_INIT;
	struct ign_report report = { 0 };
	struct ign_parsed p = { .config = config, .minor = 5 };
	struct err ignored = ERR_INIT(&scratch);

	if (!ign_str(ign_sub(config, IGN_CONFIG_IGNITION), IGN_IGNITION_VERSION).n)
		return false; /* it is empty, which upstream accepts at this point */
	ign_validate(&scratch, config, 5, NULL, &report);
	return !report.fatal && ign_check_modes(&p, &ignored) == 0;
}

static struct json *spec_of(struct arena *a, struct mc *mc, struct json *config)
{
	struct json *spec = json_new(a, JSON_OBJECT), *list;

	list = json_new(a, mc->extensions.n ? JSON_ARRAY : JSON_NULL);
	for (size_t i = 0; i < mc->extensions.n; i++)
		json_push(list, json_new_str(a, mc->extensions.v[i]));
	json_add(spec, S("osImageURL"), json_new_str(a, S("")));
	json_add(spec, S("baseOSExtensionsContainerImage"), json_new_str(a, S("")));
	json_add(spec, S("config"), config);
	json_add(spec, S("kernelArguments"), json_new(a, JSON_NULL));
	json_add(spec, S("extensions"), list);
	json_add(spec, S("fips"), json_new_bool(a, false));
	json_add(spec, S("kernelType"), json_new_str(a, S("")));
	return spec;
}

static struct mc *new_mc(struct arena *a, struct str role, struct str name,
			 const struct folded *made)
{
	struct mc *mc = ARENA_NEW(a, struct mc);
	struct json *tree = json_new(a, JSON_OBJECT);
	struct json *meta = json_new(a, JSON_OBJECT);
	struct json *labels = json_new(a, JSON_OBJECT);
	struct json *encoded = ign_encode(a, made->config);

	json_add(labels, S(LABEL_ROLE), json_new_str(a, role));
	json_add(meta, S("name"), json_new_str(a, name));
	json_add(meta, S("labels"), labels);
	mc->meta = (struct mc_meta){ .name = name, .labels = labels };
	mc->config_tree = encoded;
	mc->extensions = made->extensions;
	if (made->valid)
		mc->ignition = made->config;
	json_add(tree, S("apiVersion"), json_new_str(a, S(API_MC)));
	json_add(tree, S("kind"), json_new_str(a, S("MachineConfig")));
	json_add(tree, S("metadata"), meta);
	json_add(tree, S("spec"), spec_of(a, mc, encoded));
	mc->doc.tree = tree;
	return mc;
}

/* Folds the templates of dir, and those of common/ when common is set. */
static int fold(struct forest *f, struct str dir, bool common, struct folded *out)
{
	struct ign_objs configs = { 0 };
	struct map parts[PARTS];
	struct map_entry *v;
	size_t n;
	int rc = 0;

	for (int i = 0; i < PARTS; i++)
		map_init(&parts[i], f->a);
	if (common)
		rc = forest_collect(f, S("common/"), parts);
	if (rc == 0)
		rc = forest_collect(f, dir, parts);
	/* starts without a version and keeps none if nothing is merged */
	VEC_PUSH(f->a, &configs, ign_new(f->a, &ign_type_CONFIG));
	if (rc == 0)
		rc = add_items(f, &parts[FILES], false, &configs);
	if (rc == 0)
		rc = add_items(f, &parts[UNITS], true, &configs);
	if (rc < 0)
		return rc;
	n = forest_sorted(f->a, &parts[EXTENSIONS], &v);
	for (size_t i = 0; i < n; i++)
		VEC_PUSH(f->a, &out->extensions, v[i].key);
	out->config = ign_fold(f->a, &configs);
	out->valid = is_valid(out->config);
	return 0;
}

/* The same, cached by directory; for both secrecies when no template read the secret. */
static int folded(struct forest *f, struct str dir, bool common, const struct folded **out)
{
	struct folded *made = map_get(&f->folded[f->secrecy], dir);
	int rc = 0;

	*out = made;
	if (made)
		return 0;
	*out = made = ARENA_NEW(f->a, struct folded);
	f->secret_read = false;
	rc = fold(f, dir, common, made);
	if (rc < 0)
		return rc;
	for (int i = 0; i < SECRECIES; i++)
		if (i == (int)f->secrecy || !f->secret_read)
			(void)map_put(&f->folded[i], dir, made);
	return 0;
}

/* ---- layers -------------------------------------------------------------- */

static struct str topology(const struct forest *f)
{
	return json_str(f->data.infra, "status.controlPlaneTopology");
}

static int set_layers(struct forest *f)
{
	struct str type = f->data.type;

	if (!type.n)
		return err_set(f->err, ERR_INVALID,
			       "cannot generate MachineConfigs when no "
			       "platformStatus.type is set");
	if (str_is(type, "_base"))
		return err_set(f->err, ERR_INVALID, "platform _base unsupported");
	f->n_layers = 0;
	f->layers[f->n_layers++] = S("_base");
	if (template_on_prem(type))
		f->layers[f->n_layers++] = S("on-prem");
	if (template_lb_state(&f->data) == LB_AVAILABLE)
		f->layers[f->n_layers++] = S("cloud-platform-alt-dns");
	f->layers[f->n_layers++] = template_layer(type);
	if (str_is(topology(f), "SingleReplica"))
		f->layers[f->n_layers++] = S("sno");
	if (str_is(topology(f), "DualReplica"))
		f->layers[f->n_layers++] = S("two-node-with-fencing");
	return 0;
}

/* ---- roles --------------------------------------------------------------- */

static int one_role(struct forest *f, struct str role, struct mc_list *out)
{
	struct str dir = mcp_is_built_in(role) ? str_fmt(f->a, "%.*s/", STRF(role)) : S("worker/");
	struct strs names = forest_subdirs(f, dir);
	int rc = forest_has(f, dir);

	if (rc == 0)
		return err_set(f->err, ERR_NOTFOUND,
			       "failed to read dir \"%.*s/%.*s\": open "
			       "%.*s/%.*s: no such file or directory",
			       STRF(f->in.tree->dir), (int)dir.n - 1, dir.p, STRF(f->in.tree->dir),
			       (int)dir.n - 1, dir.p);
	for (size_t i = 0; i < names.n && rc >= 0; i++) {
		struct str path = str_fmt(f->a, "%.*s%.*s/", STRF(dir), STRF(names.v[i]));
		const struct folded *made;

		rc = set_layers(f);
		if (rc == 0)
			rc = folded(f, path, i == 0, &made);
		if (rc == 0)
			VEC_PUSH(f->a, out, new_mc(f->a, role, names.v[i], made));
	}
	return rc < 0 ? rc : 0;
}

/* Unlike upstream's, the error does not show the secret. */
int template_secret(struct arena *a, struct str in, struct str *out, struct err *err)
{
	struct json_fault fault = { 0 };
	struct json_opts opts = { .fault = &fault };
	struct json *j;
	bool quoted = false;
	struct buf b;

	if (json_parse(a, in, &opts, &j, err) < 0)
		return err_set(err, ERR_INVALID, "couldn't compact pullsecret: %.*s",
			       STRF(fault.problem));
	buf_init(&b, a);
	for (size_t i = 0; i < in.n; i++) {
		if (!quoted && strchr(" \t\r\n", in.p[i]))
			continue;
		buf_addc(&b, in.p[i]);
		if (quoted && in.p[i] == '\\' && i + 1 < in.n)
			buf_addc(&b, in.p[++i]);
		else if (in.p[i] == '"')
			quoted = !quoted;
	}
	*out = buf_str(&b);
	return 0;
}

/* Templates of another platform would lack files that units refer to. */
int template_serves(struct arena *a, const struct template_tree *tree,
		    const struct mc_controller_config *cc, struct err *err)
{
	struct str type = json_str(cc->tree, "spec.infra.status.platformStatus.type");
	struct buf b;

	if (!tree->platforms || !type.n)
		return 0;
	buf_init(&b, a);
	for (const char *const *p = tree->platforms; *p; p++) {
		if (str_is(type, *p))
			return 0;
		buf_addf(&b, "%s%s", b.n ? ", " : "", *p);
	}
	return err_set(err, ERR_INVALID,
		       "the %.*s templates support the platforms %.*s, not %.*s: give "
		       "upstream's templates with --templates=DIR",
		       STRF(tree->dir), STRF(buf_str(&b)), STRF(type));
}

void template_cache_init(struct template_cache *c, struct arena *a)
{
	*c = (struct template_cache){ .a = a };
	map_init(&c->roles, a);
}

static int plant(struct arena *a, const struct template_input *in, struct forest **out,
		 struct err *err)
{
	struct forest *f = ARENA_NEW(a, struct forest);
	int rc = template_data(a, json_at(in->controller_config->tree, "spec"), false,
			       in->tls_min_version, &in->tls_cipher_suites, &f->data, err);

	if (rc == 0)
		rc = template_serves(a, in->tree, in->controller_config, err);
	if (rc < 0)
		return rc;
	f->a = a;
	f->in = *in;
	forest_init(f);
	*out = f;
	return 0;
}

/* Takes the forest from the cache or makes one. secret: NULL for base files. */
static int begin(struct arena *a, const struct template_input *in, const struct str *secret,
		 struct forest **out, struct err *err)
{
	struct forest *f = in->cache ? in->cache->forest : NULL;
	int rc = f ? 0 : plant(in->cache ? in->cache->a : a, in, &f, err);

	if (rc < 0)
		return rc;
	if (in->cache)
		in->cache->forest = f;
	f->in = *in;
	f->err = err;
	f->secrecy = secret ? WITH_SECRET : WITHOUT_SECRET;
	template_data_secret(&f->data, secret ? *secret : S(""));
	*out = f;
	return 0;
}

static struct json *owner(struct arena *a, const struct mc_meta *meta)
{
	struct json *o = json_new(a, JSON_OBJECT);

	json_add(o, S("apiVersion"), json_new_str(a, S(API_MC)));
	json_add(o, S("kind"), json_new_str(a, S("ControllerConfig")));
	json_add(o, S("name"), json_new_str(a, meta->name));
	json_add(o, S("uid"), json_new_str(a, meta->uid));
	json_add(o, S("controller"), json_new_bool(a, true));
	json_add(o, S("blockOwnerDeletion"), json_new_bool(a, true));
	return o;
}

static void sign(struct forest *f, struct mc *mc)
{
	struct json *notes = json_new(f->a, JSON_OBJECT);
	struct json *owners = json_new(f->a, JSON_ARRAY);
	struct json *meta = json_at(mc->doc.tree, "metadata");

	json_add(notes, S(ANNO_BY_CONTROLLER), json_new_str(f->a, f->in.hash));
	json_push(owners, owner(f->a, &f->in.controller_config->meta));
	json_add(meta, S("annotations"), notes);
	json_add(meta, S("ownerReferences"), owners);
	mc->meta.annotations = notes;
}

struct named {
	struct mc *mc;
	size_t i;
};

static int by_name(const void *x, const void *y)
{
	const struct named *p = x, *q = y;
	int c = str_cmp(p->mc->meta.name, q->mc->meta.name);

	return c ? c : (p->i > q->i) - (p->i < q->i);
}

static void append_sorted(struct arena *a, const struct mc_list *list, struct mc_list *out)
{
	struct named *v = arena_array(a, list->n, sizeof(*v));

	for (size_t i = 0; i < list->n; i++)
		v[i] = (struct named){ list->v[i], i };
	if (list->n > 1)
		qsort(v, list->n, sizeof(*v), by_name);
	for (size_t i = 0; i < list->n; i++)
		VEC_PUSH(a, out, v[i].mc);
}

int plan_template(struct arena *a, const struct template_input *in, struct mc_list *out,
		  struct err *err)
{
	struct mc_list list = { 0 };
	struct strs roles;
	struct forest *f = NULL;
	struct str secret;
	int rc = template_secret(a, in->pull_secret, &secret, err);

	if (rc == 0)
		rc = begin(a, in, &secret, &f, err);
	if (rc != 0)
		return rc;
	roles = forest_subdirs(f, S(""));
	for (size_t i = 0; i < roles.n; i++) {
		if (str_is(roles.v[i], "common") ||
		    (str_is(roles.v[i], POOL_ARBITER) &&
		     !str_is(topology(f), "HighlyAvailableArbiter")))
			continue;
		rc = one_role(f, roles.v[i], &list);
		if (rc < 0)
			return err_wrap(err,
					"failed to create MachineConfig for "
					"role %.*s",
					STRF(roles.v[i]));
	}
	for (size_t i = 0; i < list.n; i++)
		sign(f, list.v[i]);
	append_sorted(a, &list, out);
	return 0;
}

int plan_template_role(struct arena *a, const struct template_input *in, struct str role,
		       struct mc_list *out, struct err *err)
{
	struct mc_list list = { 0 };
	struct forest *f;
	/* base files are made without the cluster's credentials */
	int rc = begin(a, in, NULL, &f, err);

	if (rc == 0)
		rc = one_role(f, role, &list);
	for (size_t i = 0; i < list.n && rc == 0; i++)
		VEC_PUSH(a, out, list.v[i]);
	return rc;
}
