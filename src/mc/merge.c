/*
 * Merges MachineConfigs as upstream renders them. A rendered name is the hash of the
 * result, so every default and omission here is upstream's.
 */
#include "mc/merge.h"

#include <stdlib.h>

#include "base/hash.h"
#include "data/yml.h"

static bool in(struct str s, const char *const *list)
{
	for (; *list; list++)
		if (str_is(s, *list))
			return true;
	return false;
}

/* ---- checks -------------------------------------------------------------- */

int mc_check_extensions(struct arena *a, const struct mc *mc, struct err *err)
{
	static const char *const known[] = {
		"two-node-ha",		"ipsec",   "usbguard", "kerberos", "kernel-devel",
		"sandboxed-containers", "sysstat", NULL,
	};
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < mc->extensions.n; i++)
		if (!in(mc->extensions.v[i], known))
			buf_addf(&b, "%s%.*s", b.n ? " " : "", STRF(mc->extensions.v[i]));
	if (!b.n)
		return 0;
	return err_set(err, ERR_INVALID, "invalid extensions found: [%s]", b.p);
}

static int validate_v3(struct arena *a, struct mc *mc, const struct ign_parsed *p, struct err *err)
{
	struct ign_report again = { 0 };
	int rc;

	/* a 3.5 config has already been checked by the rules of 3.5 */
	if (p->minor < 5)
		ign_validate(a, p->config, 5, NULL, &again);
	if (again.fatal)
		return err_set(err, ERR_INVALID, "invalid ignition V3 config found: %.*s",
			       STRF(ign_report_text(a, &again, NULL, S(""))));
	rc = ign_check_modes(p, err);
	if (rc == 0)
		mc->ignition = p->config;
	return rc;
}

int mc_check_kernel(const struct mc *mc, struct err *err)
{
	static const char *const kernels[] = { "", "default", "realtime", "64k-pages", NULL };

	return in(mc->kernel_type, kernels)
		       ? 0
		       : err_set(err, ERR_INVALID, "kernelType=%.*s is invalid",
				 STRF(mc->kernel_type));
}

int mc_validate(struct arena *a, struct mc *mc, struct err *err)
{
	struct ign_parsed p = { 0 };
	int rc = mc_check_kernel(mc, err);

	if (rc < 0 || !mc_has_config(mc))
		return rc;
	if (!mc->ignition) {
		rc = 0;
		/* invalid or of an older spec: parse the text, for error messages */
		if (!ign_take(a, mc->config_tree, &p))
			rc = ign_parse(a, mc_config_text(a, mc), &p, err);
		if (rc == 0)
			rc = p.v2 ? ign_check_modes(&p, err) : validate_v3(a, mc, &p, err);
		if (rc < 0)
			return rc;
	}
	return mc_check_extensions(a, mc, err);
}

/* ---- order --------------------------------------------------------------- */

struct keyed {
	struct mc *mc;
	bool worker;
	size_t i;
};

static int by_role_and_name(const void *x, const void *y)
{
	const struct keyed *p = x, *q = y;
	int c;

	if (p->worker != q->worker)
		return p->worker ? -1 : 1;
	c = str_cmp(p->mc->meta.name, q->mc->meta.name);
	return c ? c : (p->i > q->i) - (p->i < q->i);
}

int mc_sort(struct mc_list *list, struct err *err)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct keyed *k = arena_array(&a, list->n, sizeof(*k));

	for (size_t i = 0; i < list->n; i++) {
		const struct mc_meta *m = &list->v[i]->meta;

		if (!m->labels)
			return err_set(err, ERR_INVALID, "Cannot find label in MachineConfig %.*s",
				       STRF(m->name));
		k[i] = (struct keyed){ list->v[i], str_is(mc_label(m, LABEL_ROLE), POOL_WORKER),
				       i };
	}
	if (list->n > 1)
		qsort(k, list->n, sizeof(*k), by_role_and_name);
	for (size_t i = 0; i < list->n; i++)
		list->v[i] = k[i].mc;
	return 0;
}

/* ---- merging ------------------------------------------------------------- */

static struct ign_obj *copy_object(struct arena *a, const struct ign_obj *o)
{
	struct ign_obj *c = ign_new(a, o->type);

	memcpy(c->v, o->v, o->type->n * sizeof(struct ign_val));
	return c;
}

/*
 * The config with each file replaced by the result of edit. Objects are shared between configs, so
 * changed ones are copied first.
 */
static struct ign_obj *edit_files(struct arena *a, const struct ign_obj *config,
				  struct ign_obj *(*edit)(struct arena *a, struct ign_obj *file))
{
	struct ign_obj *out = copy_object(a, config), *storage;
	struct ign_objs files = { 0 };
	const struct ign_objs *old = ign_files(config);

	if (!old->n)
		return out;
	for (size_t i = 0; i < old->n; i++)
		VEC_PUSH(a, &files, edit(a, old->v[i]));
	storage = copy_object(a, out->v[IGN_CONFIG_STORAGE].u.o);
	storage->v[IGN_STORAGE_FILES].u.objs = files;
	out->v[IGN_CONFIG_STORAGE].u.o = storage;
	return out;
}

/* In a config to be merged, an unset compression becomes the empty string. */
static struct ign_obj *fill_compression(struct arena *a, struct ign_obj *file)
{
	const struct ign_obj *contents = ign_sub(file, IGN_FILE_CONTENTS);
	struct ign_obj *f, *c;

	if (ign_is_set(contents, IGN_RESOURCE_COMPRESSION))
		return file;
	f = copy_object(a, file);
	c = contents ? copy_object(a, contents) : ign_new(a, &ign_type_RESOURCE);
	c->v[IGN_RESOURCE_COMPRESSION].set = true;
	c->v[IGN_RESOURCE_COMPRESSION].u.s = S("");
	f->v[IGN_FILE_CONTENTS].u.o = c;
	return f;
}

/* In the result, an empty compression becomes unset. */
static struct ign_obj *drop_compression(struct arena *a, struct ign_obj *file)
{
	const struct ign_obj *contents = ign_sub(file, IGN_FILE_CONTENTS);
	struct ign_obj *f, *c;

	if (!ign_is_set(contents, IGN_RESOURCE_COMPRESSION) ||
	    ign_str(contents, IGN_RESOURCE_COMPRESSION).n)
		return file;
	f = copy_object(a, file);
	c = copy_object(a, contents);
	c->v[IGN_RESOURCE_COMPRESSION] = (struct ign_val){ 0 };
	f->v[IGN_FILE_CONTENTS].u.o = c;
	return f;
}

static struct ign_obj *fill_overwrite(struct arena *a, struct ign_obj *file)
{
	struct ign_obj *f;

	if (ign_is_set(file, IGN_FILE_OVERWRITE))
		return file;
	f = copy_object(a, file);
	f->v[IGN_FILE_OVERWRITE].set = true;
	f->v[IGN_FILE_OVERWRITE].u.b = true;
	return f;
}

static int merge_ignition(struct arena *a, const struct mc_list *list, struct ign_obj **out,
			  struct err *err)
{
	struct ign_objs configs = { 0 };
	struct ign_obj *all;

	for (size_t i = 0; i < list->n; i++) {
		struct ign_obj *next = ign_empty(a);
		int rc = 0;

		if (list->v[i]->ignition)
			next = list->v[i]->ignition;
		else if (mc_has_config(list->v[i]))
			rc = ign_parse_35(a, mc_config_text(a, list->v[i]), &next, err);
		else if (i > 0)
			continue;
		if (rc < 0)
			return rc;
		if (i > 0)
			next = edit_files(a, next, fill_compression);
		VEC_PUSH(a, &configs, next);
	}
	all = ign_fold(a, &configs);
	/* Upstream drops empty compressions after each merge. In between they behave
	 * like unset ones, so dropping them once is enough. */
	if (configs.n > 1)
		all = edit_files(a, all, drop_compression);
	*out = edit_files(a, all, fill_overwrite);
	return 0;
}

static void concat(struct arena *a, struct strs *to, const struct strs *from)
{
	for (size_t i = 0; i < from->n; i++)
		VEC_PUSH(a, to, from->v[i]);
}

int mc_merge(struct arena *a, const struct mc_list *list, struct str base_image,
	     struct str extensions_image, struct mc_merged *out, struct err *err)
{
	static const char *const named[] = { "realtime", "64k-pages", NULL };
	struct mc_merged m = { .kernel_type = S("default"),
			       .os_image = base_image,
			       .extensions_image = extensions_image };
	int rc = merge_ignition(a, list, &m.config, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < list->n; i++) {
		const struct mc *mc = list->v[i];
		bool generated = mc_annotation(&mc->meta, ANNO_BY_CONTROLLER).n;

		m.fips = m.fips || mc->fips;
		if (in(mc->kernel_type, named))
			m.kernel_type = mc->kernel_type;
		concat(a, &m.kargs, &mc->kargs);
		concat(a, &m.extensions, &mc->extensions);
		if (!generated && mc->os_image.n)
			m.os_image = mc->os_image;
		if (!generated && mc->extensions_image.n)
			m.extensions_image = mc->extensions_image;
	}
	for (size_t i = 0; i < m.extensions.n; i++)
		if (str_is(m.extensions.v[i], "kernel-devel") && in(m.kernel_type, named))
			return err_set(err, ERR_INVALID,
				       "installing kernel-devel extension is not "
				       "supported with kernelType: %.*s",
				       STRF(m.kernel_type));
	*out = m;
	return 0;
}

/* ---- writing ------------------------------------------------------------- */

struct json *mc_spec(struct arena *a, const struct mc_merged *m)
{
	struct json *j = json_new(a, JSON_OBJECT);

	json_add(j, S("baseOSExtensionsContainerImage"), json_new_str(a, m->extensions_image));
	json_add(j, S("config"), ign_encode(a, m->config));
	json_add(j, S("extensions"), json_new_strs(a, &m->extensions));
	json_add(j, S("fips"), json_new_bool(a, m->fips));
	json_add(j, S("kernelArguments"), json_new_strs(a, &m->kargs));
	json_add(j, S("kernelType"), json_new_str(a, m->kernel_type));
	json_add(j, S("osImageURL"), json_new_str(a, m->os_image));
	return j;
}

/* Upstream's: another salt would rename every rendered config. */
static const char salt[] = "\x10\x7c\xce\xe4\x8b\x38\xaf\xaf\x4f\xe5\x86\x76\x9d\x9a\xd3\x6e"
			   "\x19\x5d\x2f\xfd\xac\x6a\x25\x07\xae\x0d\xa0\xb9\x6e\x11\x57\x34"
			   "\xdb\x83\x0c\xce\xda\x8d\x74\x87\xbc\xb5\xc0\x97\xe9\x3e\x7e\xa5"
			   "\x40\x53\xb3\x77\x0f\xa8\xd0\xc5\x92\x6b\x3a\xe3\x85\xbc\xee\x1a"
			   "\x21\x1a\xeb\xca\x20\xad\x1f\xea\x29\x90\x94\x4f\x06\xce\x17\x16";

static void add_to_hash(void *h, struct str piece)
{
	hash_add(h, piece);
}

int mc_rendered_name(struct arena *a, struct str pool, const struct json *spec, struct str *out,
		     struct err *err)
{
	struct hash h;

	hash_init(&h, HASH_MD5);
	hash_add(&h, (struct str){ salt, sizeof(salt) - 1 });
	if (yml_emit_to(add_to_hash, &h, spec, err) < 0)
		return err_wrap(err, "error converting JSON to YAML");
	*out = str_fmt(a, "rendered-%.*s-%.*s", STRF(pool), STRF(hash_hex(a, &h)));
	return 0;
}

int mc_check_size(struct str name, size_t size, struct err *err)
{
	if (size <= MC_SIZE_MAX)
		return 0;
	return err_set(err, ERR_INVALID,
		       "rendered MachineConfig %.*s is too large (%zu bytes, max "
		       "%d bytes). This will exceed etcd's size limit. Consider "
		       "reducing the number or size of MachineConfigs, "
		       "particularly large registry mirror configurations "
		       "(ImageDigestMirrorSet/ImageContentSourcePolicy)",
		       STRF(name), size, MC_SIZE_MAX);
}
