/*
 * The names of the parts of configs, in input and output.
 */
#include "base/flag.h"
#include "mc/origin.h"
#include "mc/secret.h"

#define UNIT_DIR "/etc/systemd/system/"

static const char *const kinds[MC_PARTS + 1] = {
	[MC_PART_FILE] = "file",
	[MC_PART_DIRECTORY] = "directory",
	[MC_PART_LINK] = "link",
	[MC_PART_UNIT] = "unit",
	[MC_PART_DROPIN] = "dropin",
	[MC_PART_USER] = "user",
	[MC_PART_SSH_KEY] = "sshkey",
	[MC_PART_GROUP] = "group",
	[MC_PART_DISK] = "disk",
	[MC_PART_FILESYSTEM] = "filesystem",
	[MC_PART_LUKS] = "luks",
	[MC_PART_RAID] = "raid",
	[MC_PART_KARG] = "kernelArguments",
	[MC_PART_EXTENSION] = "extensions",
	[MC_PART_KERNEL_TYPE] = "kernelType",
	[MC_PART_FIPS] = "fips",
	[MC_PART_OS_IMAGE] = "osImageURL",
	[MC_PART_EXTENSIONS_IMAGE] = "baseOSExtensionsContainerImage",
};

const char *mc_part_kind(enum mc_part part)
{
	return kinds[part];
}

static bool has_path(enum mc_part part)
{
	return part == MC_PART_FILE || part == MC_PART_DIRECTORY || part == MC_PART_LINK;
}

struct str mc_part_text(struct arena *a, const struct mc_origin *o)
{
	if (has_path(o->part))
		return o->key;
	if (o->part < MC_PART_KARG)
		return str_fmt(a, "%s/%.*s", kinds[o->part], STRF(o->key));
	/* pull specs are too long for a column */
	if (o->part == MC_PART_OS_IMAGE || o->part == MC_PART_EXTENSIONS_IMAGE)
		return str_of(kinds[o->part]);
	return str_fmt(a, "%s=%.*s", kinds[o->part], STRF(mc_mask(a, o->value)));
}

/* "unit", "units", "UNITS". */
static bool is_kind(struct str word, enum mc_part part)
{
	struct str kind = str_of(kinds[part]);

	if (part == MC_PART_DIRECTORY && str_eq_fold(word, S("directories")))
		return true;
	return str_eq_fold(word, kind) || (word.n == kind.n + 1 && (word.p[kind.n] | 0x20) == 's' &&
					   str_eq_fold(str_sub(word, 0, kind.n), kind));
}

/* NAME/…: part of the unit or user of that name. */
static bool is_below(const struct mc_origin *o, struct str name)
{
	return o->key.n > name.n && str_starts(o->key, name) && o->key.p[name.n] == '/';
}

/* Whether the part is the unit or user of that name, or one of its drop-ins or keys. */
static bool is_of(const struct mc_origin *o, enum mc_part whole, enum mc_part piece,
		  struct str name)
{
	return (o->part == whole && str_eq(o->key, name)) ||
	       (o->part == piece && is_below(o, name));
}

static bool is_of_unit(const struct mc_origin *o, struct str unit)
{
	return is_of(o, MC_PART_UNIT, MC_PART_DROPIN, unit);
}

/* Whether the part is at path on the node; units and drop-ins are where systemd reads them. */
static bool is_at(struct arena *a, const struct mc_origin *o, struct str path)
{
	struct str unit, name;

	if (o->part == MC_PART_DROPIN && str_cut(o->key, '/', &unit, &name))
		return str_eq(path, str_fmt(a, UNIT_DIR "%.*s.d/%.*s", STRF(unit), STRF(name)));
	return (has_path(o->part) && str_eq(path, o->key)) ||
	       (o->part == MC_PART_UNIT && str_eq(path, str_fmt(a, UNIT_DIR "%.*s", STRF(o->key))));
}

bool mc_part_matches(struct arena *a, const struct mc_origin *o, struct str selector)
{
	struct str kind, name;

	if (str_starts(selector, S("/")))
		return is_at(a, o, selector);
	if (is_kind(selector, o->part) || is_of_unit(o, selector))
		return true;
	if (o->part >= MC_PART_KARG)
		return str_cut(selector, '=', &kind, &name) && is_kind(kind, o->part) &&
		       str_eq(name, o->value);
	if (!str_cut(selector, '/', &kind, &name))
		return false;
	if (is_kind(kind, MC_PART_UNIT))
		return is_of_unit(o, name);
	if (is_kind(kind, MC_PART_USER))
		return is_of(o, MC_PART_USER, MC_PART_SSH_KEY, name);
	return is_kind(kind, o->part) &&
	       (str_eq(name, o->key) || (o->part == MC_PART_SSH_KEY && is_below(o, name)));
}

/* The kind nearest to a selector that names none, or NULL. */
static const char *nearest_kind(struct str selector)
{
	struct str kind = selector, rest;

	if (!str_cut(selector, '/', &kind, &rest))
		(void)str_cut(selector, '=', &kind, &rest);
	for (int i = 0; i < MC_PARTS; i++)
		if (is_kind(kind, (enum mc_part)i))
			return NULL;
	return flag_nearest(kind, kinds);
}

/* A hint at the part, or the kind of parts, with a similar name; or "". */
static struct str part_hint(struct arena *a, struct str selector, const struct mc_origins *origins)
{
	const char *kind = nearest_kind(selector);
	struct strs names = { 0 };

	if (kind)
		return str_fmt(a, " (did you mean %s?)", kind);
	for (size_t i = 0; i < origins->n; i++) {
		VEC_PUSH(a, &names, mc_part_text(a, origins->v[i]));
		if (origins->v[i]->part == MC_PART_UNIT)
			VEC_PUSH(a, &names, origins->v[i]->key);
	}
	return flag_hint(a, selector, &names);
}

int mc_parts_select(struct arena *a, struct str config, struct str selector,
		    struct mc_origins *origins, struct err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < origins->n; i++)
		if (!selector.n || mc_part_matches(a, origins->v[i], selector))
			origins->v[n++] = origins->v[i];
	if (!n && selector.n)
		return err_set(err, ERR_NOTFOUND, "no MachineConfig of %.*s sets %.*s%.*s",
			       STRF(config), STRF(selector), STRF(part_hint(a, selector, origins)));
	origins->n = n;
	return 0;
}

struct strs mc_setting_fields(struct arena *a, const struct mc_setting *setting)
{
	const struct ign_obj *o = setting->entry;
	struct strs out = { 0 };

	if (!o)
		VEC_PUSH(a, &out, mc_mask(a, setting->value));
	for (size_t i = 0; o && i < o->type->n; i++)
		if (mc_entry_sets(o, i))
			VEC_PUSH(a, &out, str_of(o->type->fields[i].name));
	return out;
}
