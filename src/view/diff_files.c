/*
 * The two sides of a difference as flat lists of files, for a diff program.
 *
 * Names contain no '/', so both sides are single directories. Unless secrets are
 * asked for, no secret value is in any file: contents, units, kernel arguments and
 * password hashes are masked, with another mask on each side where they differ.
 */
#include "view/diff_files.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/terminal.h"
#include "data/yml.h"
#include "mc/contents.h"
#include "mc/secret.h"

/* One side of a difference. */
struct side {
	bool before;
	struct str pool;
	const struct mc_merged *own, *other;
};

/* File systems allow names of 255 bytes. */
#define NAME_LONG 200

/* "worker:etc:chrony.conf"; a hash and the end of a path that is too long. */
static struct str flat_name(struct arena *a, struct str pool, struct str path)
{
	struct buf b;

	buf_init(&b, a);
	buf_add(&b, pool);
	for (size_t i = 0; i < path.n; i++) {
		if (path.p[i] == ':')
			buf_addc(&b, ':');
		buf_addc(&b, path.p[i] == '/' ? ':' : path.p[i]);
	}
	if (b.n <= NAME_LONG)
		return buf_str(&b);
	return str_fmt(a, "%.*s:%.*s", STRF(hash_hex_of(a, HASH_MD5, buf_str(&b))),
		       STRF(str_from(buf_str(&b), b.n - NAME_LONG / 2)));
}

static void add_file(struct diff_files *e, const struct side *s, struct str path, struct str bytes)
{
	struct diff_file f = { flat_name(e->a, s->pool, terminal_safe(e->a, path)), bytes };

	if (s->before)
		VEC_PUSH(e->a, &e->before, f);
	else
		VEC_PUSH(e->a, &e->after, f);
}

/* The masks differ where the values do, as kubectl diff masks Secrets. */
static struct str mask(const struct side *s, bool same)
{
	if (same)
		return S("***");
	return s->before ? S("*** (before)") : S("*** (after)");
}

static struct str bytes_of(struct diff_files *e, const struct ign_obj *file)
{
	struct err ignored = ERR_INIT(e->a);
	struct str bytes = S("");

	if (file)
		(void)mc_contents(e->a, file, &bytes, &ignored);
	return bytes;
}

/* Masks the secrets in text; twin is the same text on the other side. */
static struct str masked_text(struct diff_files *e, const struct side *s, struct str text,
			      struct str twin)
{
	if (s->before)
		mc_mask_both(e->a, &text, &twin);
	else
		mc_mask_both(e->a, &twin, &text);
	return text;
}

static bool is_secret(struct str path, const struct ign_obj *file, struct str bytes)
{
	return file && mc_is_secret(path, ign_int(file, IGN_FILE_MODE, 0644), bytes);
}

/* Adds each file with its contents decoded; one that cannot be decoded is in the
 * spec's YAML only. Secret contents are masked in both places. */
static void add_contents(struct diff_files *e, const struct side *s, struct json *spec)
{
	const struct ign_objs *files = ign_files(s->own->config);
	struct json *j = json_first(json_at(spec, "config.storage.files"));
	struct map same_partition;

	ign_index(e->a, ign_files(s->other->config), &same_partition);
	for (size_t i = 0; i < files->n; i++, j = json_next(j)) {
		struct str path = ign_str(files->v[i], IGN_FILE_PATH), bytes;
		const struct ign_obj *other = map_get(&same_partition, path);
		struct str twin = bytes_of(e, other), shown;
		struct err ignored = ERR_INIT(e->a);

		if (mc_contents(e->a, files->v[i], &bytes, &ignored) < 0)
			continue;
		shown = bytes;
		if (!e->secrets &&
		    (is_secret(path, files->v[i], bytes) || is_secret(path, other, twin)))
			shown = str_fmt(e->a, "%.*s\n", STRF(mask(s, str_eq(bytes, twin))));
		else if (!e->secrets)
			shown = masked_text(e, s, bytes, twin);
		if (!str_eq(shown, bytes))
			json_set(json_member(j, S("contents")), S("source"),
				 json_new_str(e->a, mask(s, str_eq(bytes, twin))));
		add_file(e, s, path, shown);
	}
}

/* Masks the contents of a unit or dropin in the spec. */
static void mask_contents(struct diff_files *e, const struct side *s, struct json *j,
			  struct str twin)
{
	struct str text = json_str(j, "contents");

	if (text.n)
		json_set(j, S("contents"), json_new_str(e->a, masked_text(e, s, text, twin)));
}

static void mask_units(struct diff_files *e, const struct side *s, struct json *spec)
{
	const struct ign_objs *units = ign_units(s->own->config);
	struct json *j = json_first(json_at(spec, "config.systemd.units"));
	struct map same_partition;

	ign_index(e->a, ign_units(s->other->config), &same_partition);
	for (size_t i = 0; i < units->n; i++, j = json_next(j)) {
		struct str name = ign_str(units->v[i], IGN_UNIT_NAME);
		const struct ign_obj *twin = map_get(&same_partition, name);
		struct json *d = json_first(json_member(j, S("dropins")));
		struct map dropins;

		mask_contents(e, s, j, ign_str(twin, IGN_UNIT_CONTENTS));
		ign_index(e->a, ign_list(twin, IGN_UNIT_DROPINS), &dropins);
		for (; d; d = json_next(d))
			mask_contents(e, s, d,
				      ign_str(map_get(&dropins, json_str(d, "name")),
					      IGN_DROPIN_CONTENTS));
	}
}

static struct str joined(struct arena *a, const struct strs *list)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < list->n; i++)
		buf_addf(&b, "%.*s\n", STRF(list->v[i]));
	return buf_str(&b);
}

static void mask_kargs(struct diff_files *e, const struct side *s, struct json *spec)
{
	struct json *list = json_new(e->a, JSON_ARRAY);
	struct str rest =
		masked_text(e, s, joined(e->a, &s->own->kargs), joined(e->a, &s->other->kargs));
	struct str line;

	while (str_line(&rest, &line))
		json_push(list, json_new_str(e->a, line));
	if (s->own->kargs.n)
		json_set(spec, S("kernelArguments"), list);
}

static const struct ign_objs *users_of(const struct mc_merged *m)
{
	return ign_list(ign_sub(m->config, IGN_CONFIG_PASSWD), IGN_PASSWD_USERS);
}

static void hide_passwords(struct diff_files *e, const struct side *s, struct json *spec)
{
	const struct ign_objs *users = users_of(s->own);
	struct json *j = json_first(json_at(spec, "config.passwd.users"));
	struct map same_partition;

	ign_index(e->a, users_of(s->other), &same_partition);
	for (size_t i = 0; i < users->n; i++, j = json_next(j)) {
		const struct ign_obj *u = users->v[i];
		const struct ign_obj *twin = map_get(&same_partition, ign_str(u, IGN_USER_NAME));

		if (!e->secrets && ign_is_set(u, IGN_USER_PASSWORD))
			json_set(j, S("passwordHash"),
				 json_new_str(e->a,
					      mask(s, str_eq(ign_str(u, IGN_USER_PASSWORD),
							     ign_str(twin, IGN_USER_PASSWORD)))));
	}
}

static int add_side(struct diff_files *e, const struct side *s, struct err *err)
{
	struct json *spec = mc_spec(e->a, s->own);
	struct buf b;
	int rc;

	add_contents(e, s, spec);
	hide_passwords(e, s, spec);
	if (!e->secrets) {
		mask_units(e, s, spec);
		mask_kargs(e, s, spec);
	}
	buf_init(&b, e->a);
	rc = yml_emit(&b, spec, err);
	if (rc == 0)
		add_file(e, s, S("/machineconfig-spec.yaml"), buf_str(&b));
	return rc;
}

int diff_files_add(struct diff_files *e, const struct config_diff *d, struct err *err)
{
	struct str pool = d->pool.n ? d->pool : S("config");
	int rc = add_side(e, &(struct side){ true, pool, d->from, d->to }, err);

	return rc < 0 ? rc : add_side(e, &(struct side){ false, pool, d->to, d->from }, err);
}
