/*
 * The parts of a config as tables and as JSON, in the order of the config.
 */
#include "view/parts.h"

#include "mc/contents.h"
#include "mc/secret.h"
#include "view/table.h"

/* Shown instead of a MachineConfig that is missing or no longer sets the part. */
#define UNKNOWN "<unknown>"
#define NONE "-"

static bool has_mode(const struct mc_origin *o)
{
	if (o->part == MC_PART_FILE)
		return ign_is_set(o->entry, IGN_FILE_MODE);
	return o->part == MC_PART_DIRECTORY && ign_is_set(o->entry, IGN_DIRECTORY_MODE);
}

static int64_t mode_of(const struct mc_origin *o)
{
	return ign_int(o->entry,
		       o->part == MC_PART_FILE ? (int)IGN_FILE_MODE : (int)IGN_DIRECTORY_MODE, 0);
}

static struct str mode_text(struct arena *a, const struct mc_origin *o)
{
	return has_mode(o) ? str_fmt(a, "%04llo", (unsigned long long)mode_of(o)) : S(NONE);
}

/* 0, ERR_NOTFOUND when the contents are at a URL, or another error. */
static int size_of(struct arena *a, const struct mc_origin *o, uint64_t *out)
{
	struct err ignored = ERR_INIT(a);

	if (o->part == MC_PART_FILE)
		return mc_size(o->entry, out, &ignored);
	*out = ign_str(o->entry,
		       o->part == MC_PART_UNIT ? (int)IGN_UNIT_CONTENTS : (int)IGN_DROPIN_CONTENTS)
		       .n;
	return 0;
}

static bool has_size(const struct mc_origin *o)
{
	return o->part == MC_PART_FILE || o->part == MC_PART_UNIT || o->part == MC_PART_DROPIN;
}

static struct str size_text(struct arena *a, const struct mc_origin *o)
{
	uint64_t n = 0;
	int rc;

	if (!has_size(o))
		return S(NONE);
	rc = size_of(a, o, &n);
	if (rc < 0)
		return rc == -ERR_NOTFOUND ? S("remote") : S("?");
	return str_fmt(a, "%llu", (unsigned long long)n);
}

static struct str joined(struct arena *a, const struct strs *list)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < list->n; i++)
		buf_addf(&b, "%s%.*s", i ? "," : "", STRF(list->v[i]));
	return b.n ? buf_str(&b) : S(NONE);
}

static struct str name_of(const struct mc_setting *setting)
{
	return setting->mc ? setting->mc->meta.name : S("ControllerConfig");
}

/* The MachineConfigs of a part that are overridden, or those that are not. */
static struct str says(struct arena *a, const struct mc_origin *o, bool overridden)
{
	struct strs list = { 0 };

	for (size_t i = 0; i < o->n; i++)
		if (o->v[i].overridden == overridden)
			VEC_PUSH(a, &list, name_of(&o->v[i]));
	return joined(a, &list);
}

void parts_files(struct buf *b, struct arena *a, const struct parts_view *v)
{
	static const char *const headings[] = { "PART", "MODE", "SIZE", "FROM", "OVERRIDES", NULL };
	struct table t;

	table_init(&t, a, headings);
	t.no_headings = v->no_headers;
	for (size_t i = 0; i < v->origins->n; i++) {
		const struct mc_origin *o = v->origins->v[i];

		table_cell(&t, mc_part_text(a, o));
		table_cell(&t, mode_text(a, o));
		table_cell(&t, size_text(a, o));
		table_cell(&t, o->n ? says(a, o, false) : S(UNKNOWN));
		table_cell(&t, says(a, o, true));
	}
	table_print(b, &t);
}

static void blame_row(struct table *t, struct arena *a, const struct mc_origin *o,
		      const struct mc_setting *setting)
{
	struct strs sets = mc_setting_fields(a, setting);

	table_cell(t, mc_part_text(a, o));
	table_cell(t, setting->mc ? setting->mc->meta.name : S(NONE));
	table_cell(t, joined(a, &setting->made_from));
	table_cell(t, setting->mc && setting->mc->file.n ? setting->mc->file : S(NONE));
	table_cell(t, joined(a, &sets));
}

void parts_blame(struct buf *b, struct arena *a, const struct parts_view *v)
{
	static const char *const headings[] = { "PART",	    "MACHINECONFIG", "MADE-FROM",
						"MANIFEST", "SETS",	     NULL };
	struct table t;

	table_init(&t, a, headings);
	t.no_headings = v->no_headers;
	for (size_t i = 0; i < v->origins->n; i++) {
		const struct mc_origin *o = v->origins->v[i];

		for (size_t k = 0; k < o->n; k++)
			blame_row(&t, a, o, &o->v[k]);
		if (o->n)
			continue;
		table_cell(&t, mc_part_text(a, o));
		table_cell(&t, S(UNKNOWN));
		for (int k = 0; k < 3; k++)
			table_cell(&t, S(NONE));
	}
	table_print(b, &t);
}

/* ---- JSON ---------------------------------------------------------------- */

static struct json *setting_json(struct arena *a, const struct mc_setting *setting)
{
	struct json *j = json_new(a, JSON_OBJECT);
	struct strs sets = mc_setting_fields(a, setting);

	if (setting->mc)
		json_add_str(a, j, "machineConfig", setting->mc->meta.name);
	json_add(j, S("sets"), json_new_strs(a, &sets));
	json_add(j, S("overridden"), json_new_bool(a, setting->overridden));
	json_add(j, S("madeFrom"), json_new_strs(a, &setting->made_from));
	if (setting->mc)
		json_add_str(a, j, "manifest", setting->mc->file);
	return j;
}

static struct json *part_json(struct arena *a, const struct mc_origin *o)
{
	struct json *j = json_new(a, JSON_OBJECT);
	struct json *by = json_new(a, JSON_ARRAY);
	uint64_t n;

	json_add_str(a, j, "kind", str_of(mc_part_kind(o->part)));
	json_add_str(a, j, "part", mc_part_text(a, o));
	if (o->value.n)
		json_add_str(a, j, "value", mc_mask(a, o->value));
	if (has_mode(o))
		json_add_str(a, j, "mode", mode_text(a, o));
	if (has_size(o) && size_of(a, o, &n) == 0)
		json_add(j, S("size"), json_new_i64(a, (int64_t)n));
	for (size_t i = 0; i < o->n; i++)
		json_push(by, setting_json(a, &o->v[i]));
	json_add(j, S("setBy"), by);
	return j;
}

struct json *parts_json(struct arena *a, const struct parts_view *v)
{
	struct json *j = json_new(a, JSON_OBJECT);
	struct json *list = json_new(a, JSON_ARRAY);

	json_add_str(a, j, "config", v->config);
	for (size_t i = 0; i < v->origins->n; i++)
		json_push(list, part_json(a, v->origins->v[i]));
	json_add(j, S("parts"), list);
	return j;
}
