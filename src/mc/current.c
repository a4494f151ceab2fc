/*
 * currentconfig: the MachineConfig that a node runs, in upstream's bytes: members are
 * in the order of upstream's structs.
 */
#include "mc/current.h"

#include <string.h>

#include "mc/reconcile.h"

/* Members in the order of upstream's struct; members that it does not have are omitted. */
static struct json *ordered(struct arena *a, const struct json *j, const char *const *names)
{
	struct json *out = json_new(a, JSON_OBJECT);

	for (; *names; names++) {
		struct json *m = json_member(j, str_of(*names));
		bool empty = json_kind(m) == JSON_NULL ||
			     (json_kind(m) == JSON_STRING && !json_text(m).n) ||
			     (json_kind(m) >= JSON_ARRAY && !json_first(m));

		if (!empty)
			json_add(out, str_of(*names), json_clone(a, m));
	}
	return out;
}

/* Maps of strings are written in the order of their keys. */
static void sort_member(struct arena *a, struct json *j, struct str key)
{
	struct json *m = json_member(j, key), *sorted = NULL;
	struct err err = ERR_INIT(a);

	if (!m)
		return;
	if (json_parse(a, json_format(a, m, JSON_SORTED), NULL, &sorted, &err) == 0)
		json_set(j, key, sorted);
}

static struct json *or_dflt(struct arena *a, const struct json *spec, const char *name,
			    struct json *dflt)
{
	struct json *m = json_member(spec, str_of(name));

	return json_kind(m) == JSON_NULL ? dflt : json_clone(a, m);
}

static struct str encode(struct arena *a, const struct json *tree)
{
	static const char *const types[] = { "kind", "apiVersion", NULL };
	static const char *const metas[] = { "name",
					     "generateName",
					     "namespace",
					     "selfLink",
					     "uid",
					     "resourceVersion",
					     "generation",
					     "creationTimestamp",
					     "deletionTimestamp",
					     "deletionGracePeriodSeconds",
					     "labels",
					     "annotations",
					     "ownerReferences",
					     "finalizers",
					     "managedFields",
					     NULL };
	const struct json *in = json_at(tree, "spec");
	struct json *out = ordered(a, tree, types);
	struct json *meta = ordered(a, json_at(tree, "metadata"), metas);
	struct json *spec = json_new(a, JSON_OBJECT);

	sort_member(a, meta, S("labels"));
	sort_member(a, meta, S("annotations"));
	json_add(out, S("metadata"), meta);
	json_add(out, S("spec"), spec);
#define FIELD(name, dflt) json_add(spec, S(name), or_dflt(a, in, name, dflt))
	FIELD("osImageURL", json_new_str(a, S("")));
	FIELD("baseOSExtensionsContainerImage", json_new_str(a, S("")));
	FIELD("config", json_new(a, JSON_NULL));
	FIELD("kernelArguments", json_new(a, JSON_NULL));
	FIELD("extensions", json_new(a, JSON_NULL));
	FIELD("fips", json_new_bool(a, false));
	FIELD("kernelType", json_new_str(a, S("")));
#undef FIELD
	return json_format(a, out, 0);
}

static struct str kernel(struct str type)
{
	return str_is(type, "realtime") || str_is(type, "64k-pages") ? type : S("default");
}

static int parse_ignition(struct arena *a, const struct mc *mc, struct mc_current *out,
			  struct err *err)
{
	struct str text = mc_config_text(a, mc);
	struct ign_parsed p = { 0 };
	int rc;

	if (!text.n) {
		out->spec.config = ign_empty(a);
		return 0;
	}
	rc = ign_parse(a, text, &p, err);
	if (rc == 0)
		out->v2 = p.v2;
	if (rc == 0 && !p.v2)
		out->spec.config = p.config;
	else if (rc == 0)
		rc = ign_parse_35(a, text, &out->spec.config, err);
	if (rc < 0)
		return err_wrap(err,
				"parsing new Ignition config from machineconfig "
				"\"%.*s\" failed: failed to parse Ignition "
				"config",
				STRF(mc->meta.name));
	rc = ign_check_modes(&p, err);
	return rc < 0 ? err_wrap(err,
				 "validating new Ignition config from "
				 "machineconfig \"%.*s\" failed",
				 STRF(mc->meta.name))
		      : 0;
}

int mc_current_parse(struct arena *a, struct str text, struct mc_current *out, struct err *err)
{
	struct mc_current c = { 0 };
	struct docs docs = { 0 };
	struct mc mc = { 0 };
	int rc = docs_parse(a, text, &docs, NULL, err);

	if (rc == 0 && docs.n != 1)
		rc = err_set(err, ERR_INVALID,
			     "%zu documents where one MachineConfig is "
			     "expected",
			     docs.n);
	if (rc == 0)
		rc = mc_decode(a, &docs.v[0], &mc, err);
	if (rc < 0)
		return rc;
	c.name = mc.meta.name;
	c.tree = docs.v[0].tree;
	c.text = encode(a, c.tree);
	rc = parse_ignition(a, &mc, &c, err);
	if (rc < 0)
		return rc;
	c.spec.kargs = mc.kargs;
	c.spec.extensions = mc.extensions;
	c.spec.kernel_type = kernel(mc.kernel_type);
	c.spec.os_image = mc.os_image;
	c.spec.extensions_image = mc.extensions_image;
	c.spec.fips = mc.fips;
	*out = c;
	return 0;
}

/* ---- the hash in its name ------------------------------------------------ */

#define HASH_LEN 32

/* "rendered-<pool>-<hash>"; the pool's name may have dashes. */
static bool rendered_for(struct str name, struct str *pool)
{
	const struct str prefix = S("rendered-");
	size_t i = name.n > HASH_LEN ? name.n - HASH_LEN : 0;

	if (!str_starts(name, prefix) || i < prefix.n + 2 || name.p[i - 1] != '-')
		return false;
	*pool = str_sub(name, prefix.n, i - 1);
	for (; i < name.n; i++)
		if (!strchr("0123456789abcdef", name.p[i]) || !name.p[i])
			return false;
	return true;
}

static bool is_name_of(struct arena *a, struct str name, struct str pool, const struct json *spec)
{
	struct err ignored = ERR_INIT(a);
	struct str is;

	return mc_rendered_name(a, pool, spec, &is, &ignored) == 0 && str_eq(is, name);
}

/* The spec with empty lists as [] or as null: releases differ in which form they hashed and
 * which they wrote. */
static struct json *empty_as(struct arena *a, const struct json *spec, enum json_kind kind)
{
	static const char *const lists[] = { "kernelArguments", "extensions" };
	struct json *out = json_clone(a, spec);

	for (size_t i = 0; i < 2; i++)
		if (!json_first(json_member(out, str_of(lists[i]))))
			json_set(out, str_of(lists[i]), json_new(a, kind));
	return out;
}

int mc_current_check(struct arena *a, const struct mc_current *c, struct err *err)
{
	const struct str newer = S("baseOSExtensionsContainerImage");
	struct json *spec = json_at(c->tree, "spec");
	struct str pool;

	if (!rendered_for(c->name, &pool) || is_name_of(a, c->name, pool, spec) ||
	    is_name_of(a, c->name, pool, empty_as(a, spec, JSON_ARRAY)) ||
	    is_name_of(a, c->name, pool, empty_as(a, spec, JSON_NULL)))
		return 0;
	/* rendered before this field existed */
	if (json_member(spec, newer) && !json_text(json_member(spec, newer)).n) {
		spec = json_clone(a, spec);
		(void)json_remove(spec, newer);
		if (is_name_of(a, c->name, pool, spec))
			return 0;
	}
	return err_set(err, ERR_INVALID,
		       "%.*s does not match the hash in its name: it was "
		       "damaged or edited",
		       STRF(c->name));
}

bool mc_current_rendered(const struct mc_current *c)
{
	const struct json *notes = json_at(c->tree, "metadata.annotations");
	struct str pool;

	return json_member(notes, S(ANNO_RELEASE_VERSION)) || rendered_for(c->name, &pool);
}

void mc_current_empty(struct arena *a, struct mc_current *out)
{
	struct json *j = json_new(a, JSON_OBJECT);
	struct err err = ERR_INIT(a);

	*out = (struct mc_current){ .name = S(MC_EMPTY_NAME) };
	json_add_str(a, json_make(a, j, "metadata"), "name", S(MC_EMPTY_NAME));
	json_add_str(a, json_make(a, j, "spec.config.ignition"), "version", S("3.5.0"));
	(void)mc_current_parse(a, json_format(a, j, 0), out, &err);
}

bool mc_is_state(struct str path)
{
	static const char *const names[] = { "",
					     "journal",
					     "currentconfig",
					     "orig",
					     "noorig",
					     "currentimage",
					     "node-annotations.json",
					     "node-annotation.json.bak",
					     "bootstrapconfigdiff",
					     NULL };
	struct str name, rest;

	if (str_is(path, "/etc/mcd-currentconfig.json"))
		return true;
	if (!str_starts(path, S(MC_STATE_DIR)))
		return false;
	name = str_from(path, sizeof(MC_STATE_DIR) - 1);
	if (name.n && name.p[0] != '/')
		return false;
	name = str_from(name, 1);
	(void)str_cut(name, '/', &name, &rest);
	for (size_t i = 0; names[i]; i++)
		if (str_is(name, names[i]))
			return true;
	return false;
}

/* The first file of a config that is the daemon's own state, as an error message; or NULL. */
static const char *writes_state(struct arena *a, const struct mc_merged *m)
{
	const struct ign_objs *files = ign_files(m->config);

	for (size_t i = 0; i < files->n; i++) {
		struct str path = ign_str(files->v[i], IGN_FILE_PATH);

		if (mc_is_state(path))
			return str_fmt(a, MC_STATE_REFUSED, STRF(path)).p;
	}
	return NULL;
}

int mc_current_reconcile(struct arena *a, const struct mc_current *from,
			 const struct mc_current *to, const struct mc_overrides *allow,
			 struct err *err)
{
	const char *bad = mc_irreconcilable(a, &from->spec, &to->spec, allow);

	if (!bad)
		bad = writes_state(a, &to->spec);
	if (!bad)
		return 0;
	/* upstream prints the two names the wrong way round in the middle */
	return err_set(err, ERR_INVALID,
		       "can't reconcile config %.*s with %.*s: configs %.*s, "
		       "%.*s are not reconcilable: new machineconfig "
		       "\"%.*s\" is not reconcilable against \"%.*s\": %s",
		       STRF(from->name), STRF(to->name), STRF(from->name), STRF(to->name),
		       STRF(from->name), STRF(to->name), bad);
}
