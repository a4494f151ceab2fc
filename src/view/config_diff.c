/*
 * The differences of two configs: files, units, users, storage sections, then the
 * fields of the spec. Contents are decoded, secrets are masked unless requested.
 */
#include "view/config_diff.h"

#include "base/map.h"
#include "base/terminal.h"
#include "mc/contents.h"
#include "mc/secret.h"
#include "view/contents_diff.h"
#include "view/udiff.h"
#include "view/update_text.h"

struct printer {
	struct arena a;
	struct buf *b;
	const struct config_diff_opts *o;
};

/* Adds a heading between colour codes. */
static struct str shown(struct printer *p, struct str s)
{
	return p->o->colour ? terminal_safe(&p->a, s) : s;
}

static void heading(struct printer *p, const char *what, struct str name, const char *note)
{
	name = shown(p, name);
	buf_addf(p->b, "%s%s %.*s%s%s%s%s\n", p->o->colour ? TERMINAL_BOLD : "", what, STRF(name),
		 *note ? " (" : "", note, *note ? ")" : "", p->o->colour ? TERMINAL_OFF : "");
}

static void changed(struct printer *p, const char *what, struct str old, struct str new)
{
	const char *red = p->o->colour ? TERMINAL_RED : "";
	const char *green = p->o->colour ? TERMINAL_GREEN : "";
	const char *off = p->o->colour ? TERMINAL_OFF : "";

	if (str_eq(old, new))
		return;
	old = shown(p, old);
	new = shown(p, new);
	if (old.n)
		buf_addf(p->b, "  %s- %s: %.*s%s\n", red, what, STRF(old), off);
	if (new.n)
		buf_addf(p->b, "  %s+ %s: %.*s%s\n", green, what, STRF(new), off);
}

static struct str number(struct printer *p, const struct ign_obj *o, int field,
			 const char *fmt_octal)
{
	if (!ign_is_set(o, field))
		return S("");
	return fmt_octal ? str_fmt(&p->a, "%04llo", (unsigned long long)o->v[field].u.i)
			 : str_fmt(&p->a, "%lld", (long long)o->v[field].u.i);
}

static struct str truth(const struct ign_obj *o, int field)
{
	if (!ign_is_set(o, field))
		return S("");
	return ign_is_true(o, field) ? S("true") : S("false");
}

static struct str owner(struct printer *p, const struct ign_obj *o, int field)
{
	const struct ign_obj *u = ign_sub(o, field);

	if (ign_str(u, IGN_NODE_USER_NAME).n)
		return ign_str(u, IGN_NODE_USER_NAME);
	return number(p, u, IGN_NODE_USER_ID, NULL);
}

static struct str lines(struct printer *p, const struct strs *list)
{
	struct buf b;

	buf_init(&b, &p->a);
	for (size_t i = 0; i < list->n; i++)
		buf_addf(&b, "%.*s\n", STRF(list->v[i]));
	return buf_str(&b);
}

static void diff_of(struct printer *p, struct str path, const struct contents_side *from,
		    const struct contents_side *to)
{
	struct contents_opts o = { .colour = p->o->colour,
				   .secrets = p->o->secrets,
				   .indent = "  ",
				   .whole = p->o->whole };

	contents_diff(p->b, path, from, to, &o);
}

/* ---- files --------------------------------------------------------------- */

static struct str bytes_of(struct printer *p, const struct ign_obj *f, bool *elsewhere)
{
	struct err err = ERR_INIT(&p->a);
	struct str out = S("");
	int rc = f ? mc_contents(&p->a, f, &out, &err) : 0;

	*elsewhere = rc == -ERR_NOTFOUND;
	if (rc < 0 && !*elsewhere) {
		buf_addf(p->b, "  contents cannot be read: %.*s\n", STRF(err.msg));
		out = S("");
	}
	return out;
}

static int64_t mode_of(const struct ign_obj *f)
{
	return f ? ign_int(f, IGN_FILE_MODE, 0644) : 0644;
}

static void contents(struct printer *p, struct str path, const struct ign_obj *from,
		     const struct ign_obj *to)
{
	bool old_away, new_away;
	struct str old = bytes_of(p, from, &old_away);
	struct str new = bytes_of(p, to, &new_away);

	if (str_eq(old, new))
		return;
	if (old_away || new_away) {
		changed(p, "source", old_away ? old : S("(inline)"),
			new_away ? new : S("(inline)"));
		return;
	}
	diff_of(p, path, &(struct contents_side){ from, mode_of(from), old, "a" },
		&(struct contents_side){ to, mode_of(to), new, "b" });
}

static const char *note(const void *from, const void *to)
{
	return !from ? "added" : !to ? "removed" : "changed";
}

static void file(struct printer *p, struct str path, const struct ign_obj *from,
		 const struct ign_obj *to)
{
	heading(p, "file", path, note(from, to));
	changed(p, "mode", number(p, from, IGN_FILE_MODE, "o"), number(p, to, IGN_FILE_MODE, "o"));
	changed(p, "user", owner(p, from, IGN_FILE_USER), owner(p, to, IGN_FILE_USER));
	changed(p, "group", owner(p, from, IGN_FILE_GROUP), owner(p, to, IGN_FILE_GROUP));
	contents(p, path, from, to);
}

/* ---- units --------------------------------------------------------------- */

static void unit_texts(struct printer *p, const struct ign_obj *u, struct map *out)
{
	struct str name = ign_str(u, IGN_UNIT_NAME);
	const struct ign_objs *d = ign_list(u, IGN_UNIT_DROPINS);

	map_init(out, &p->a);
	if (u)
		(void)map_put(out, str_fmt(&p->a, "/etc/systemd/system/%.*s", STRF(name)),
			      str_z(&p->a, ign_str(u, IGN_UNIT_CONTENTS)));
	for (size_t i = 0; i < d->n; i++)
		(void)map_put(out,
			      str_fmt(&p->a, "/etc/systemd/system/%.*s.d/%.*s", STRF(name),
				      STRF(ign_str(d->v[i], IGN_DROPIN_NAME))),
			      str_z(&p->a, ign_str(d->v[i], IGN_DROPIN_CONTENTS)));
}

static void unit_text(struct printer *p, struct str path, const char *from, const char *to)
{
	struct str old = str_of(from), new = str_of(to);

	diff_of(p, path, &(struct contents_side){ old.n > 0, 0644, old, "a" },
		&(struct contents_side){ new.n > 0, 0644, new, "b" });
}

static void unit(struct printer *p, struct str name, const struct ign_obj *from,
		 const struct ign_obj *to)
{
	struct map old, new;

	heading(p, "unit", name, note(from, to));
	changed(p, "enabled", truth(from, IGN_UNIT_ENABLED), truth(to, IGN_UNIT_ENABLED));
	changed(p, "mask", truth(from, IGN_UNIT_MASK), truth(to, IGN_UNIT_MASK));
	unit_texts(p, from, &old);
	unit_texts(p, to, &new);
	for (size_t i = 0; i < old.n; i++)
		unit_text(p, old.v[i].key, old.v[i].value, map_get(&new, old.v[i].key));
	for (size_t i = 0; i < new.n; i++)
		if (!map_find(&old, new.v[i].key))
			unit_text(p, new.v[i].key, NULL, new.v[i].value);
}

/* ---- the rest ------------------------------------------------------------ */

/* The keys of both lists, those of the first list first. */
static void all_keys(struct printer *p, const struct ign_objs *x, const struct ign_objs *y,
		     struct map *out)
{
	map_init(out, &p->a);
	for (size_t i = 0; i < x->n; i++)
		(void)map_put(out, ign_key(&p->a, x->v[i]), p);
	for (size_t i = 0; i < y->n; i++)
		(void)map_put(out, ign_key(&p->a, y->v[i]), p);
}

static void users(struct printer *p, const struct config_diff *d)
{
	const struct ign_objs *from =
		ign_list(ign_sub(d->from->config, IGN_CONFIG_PASSWD), IGN_PASSWD_USERS);
	const struct ign_objs *to =
		ign_list(ign_sub(d->to->config, IGN_CONFIG_PASSWD), IGN_PASSWD_USERS);
	struct udiff_opts o = { .from = "a/sshAuthorizedKeys",
				.to = "b/sshAuthorizedKeys",
				.colour = p->o->colour,
				.indent = "  ",
				.whole = p->o->whole };
	struct map names, old, new;

	all_keys(p, from, to, &names);
	ign_index(&p->a, from, &old);
	ign_index(&p->a, to, &new);
	for (size_t i = 0; i < names.n; i++) {
		const struct ign_obj *x = map_get(&old, names.v[i].key);
		const struct ign_obj *y = map_get(&new, names.v[i].key);

		if (ign_eq(x, y))
			continue;
		heading(p, "user", names.v[i].key, note(x, y));
		if (!str_eq(ign_str(x, IGN_USER_PASSWORD), ign_str(y, IGN_USER_PASSWORD)))
			buf_addz(p->b, "  passwordHash differs\n");
		udiff(p->b, lines(p, ign_strings(x, IGN_USER_KEYS)),
		      lines(p, ign_strings(y, IGN_USER_KEYS)), &o);
	}
}

static void list_diff(struct printer *p, const char *what, const struct strs *from,
		      const struct strs *to)
{
	struct udiff_opts o = { .from = str_fmt(&p->a, "a/%s", what).p,
				.to = str_fmt(&p->a, "b/%s", what).p,
				.colour = p->o->colour,
				.indent = "  ",
				.whole = p->o->whole };
	struct str x = lines(p, from), y = lines(p, to);

	if (str_eq(x, y))
		return;
	if (!p->o->secrets)
		mc_mask_both(&p->a, &x, &y);
	heading(p, what, S(""), "");
	p->b->n--;
	p->b->p[p->b->n - 1] = '\n'; /* the heading has no name */
	udiff(p->b, x, y, &o);
}

static void scalar(struct printer *p, const char *what, struct str from, struct str to)
{
	if (str_eq(from, to))
		return;
	buf_addf(p->b, "%s%s%s\n", p->o->colour ? TERMINAL_BOLD : "", what,
		 p->o->colour ? TERMINAL_OFF : "");
	changed(p, what, from, to);
}

/* Sections without a detailed view: shown as text. */
static void sections(struct printer *p, const struct config_diff *d)
{
	static const struct {
		int field;
		const char *name;
	} parts[] = {
		{ IGN_STORAGE_DIRECTORIES, "directories" },
		{ IGN_STORAGE_DISKS, "disks" },
		{ IGN_STORAGE_FILESYSTEMS, "filesystems" },
		{ IGN_STORAGE_LINKS, "links" },
		{ IGN_STORAGE_LUKS, "luks" },
		{ IGN_STORAGE_RAID, "raid" },
	};
	const struct ign_obj *x = ign_sub(d->from->config, IGN_CONFIG_STORAGE);
	const struct ign_obj *y = ign_sub(d->to->config, IGN_CONFIG_STORAGE);

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		const struct ign_objs *from = ign_list(x, parts[i].field);
		const struct ign_objs *to = ign_list(y, parts[i].field);
		struct map keys, old, new;

		all_keys(p, from, to, &keys);
		ign_index(&p->a, from, &old);
		ign_index(&p->a, to, &new);
		for (size_t k = 0; k < keys.n; k++) {
			const struct ign_obj *was = map_get(&old, keys.v[k].key);
			const struct ign_obj *is = map_get(&new, keys.v[k].key);

			if (!ign_eq(was, is))
				heading(p, parts[i].name, keys.v[k].key, note(was, is));
		}
	}
}

bool config_diff_text(struct buf *b, const struct config_diff *d, const struct config_diff_opts *o)
{
	struct printer p = { .b = b, .o = o };
	const struct update_changes *c = &d->plan->changes;
	size_t before = b->n;
	struct map old, new;

	ign_index(&p.a, ign_files(d->from->config), &old);
	ign_index(&p.a, ign_files(d->to->config), &new);
	for (size_t i = 0; i < c->file_paths.n; i++)
		file(&p, c->file_paths.v[i], map_get(&old, c->file_paths.v[i]),
		     map_get(&new, c->file_paths.v[i]));
	ign_index(&p.a, ign_units(d->from->config), &old);
	ign_index(&p.a, ign_units(d->to->config), &new);
	for (size_t i = 0; i < c->unit_names.n; i++)
		unit(&p, c->unit_names.v[i], map_get(&old, c->unit_names.v[i]),
		     map_get(&new, c->unit_names.v[i]));
	users(&p, d);
	sections(&p, d);
	list_diff(&p, "kernelArguments", &d->from->kargs, &d->to->kargs);
	list_diff(&p, "extensions", &d->from->extensions, &d->to->extensions);
	scalar(&p, "kernelType", d->from->kernel_type, d->to->kernel_type);
	scalar(&p, "fips", d->from->fips ? S("true") : S("false"),
	       d->to->fips ? S("true") : S("false"));
	scalar(&p, "osImageURL", d->from->os_image, d->to->os_image);
	scalar(&p, "baseOSExtensionsContainerImage", d->from->extensions_image,
	       d->to->extensions_image);
	arena_free(&p.a);
	return b->n > before;
}

/* ---- what it does -------------------------------------------------------- */

void config_diff_summary(struct buf *b, const struct config_diff *d,
			 const struct config_diff_opts *o)
{
	struct printer p = { .b = b, .o = o };
	const char *why = d->irreconcilable;
	struct buf reasons;
	struct str what = str_fmt(&p.a, "%s: %s", why ? "refused by running nodes" : "each node",
				  why ? why : update_plan_words(d->plan));

	what = shown(&p, what);
	buf_addf(b, "%s%.*s%s\n", o->colour ? TERMINAL_BOLD : "", STRF(what),
		 o->colour ? TERMINAL_OFF : "");
	buf_init(&reasons, &p.a);
	if (!why)
		update_plan_reasons(&reasons, d->plan);
	buf_add(b, shown(&p, buf_str(&reasons)));
	arena_free(&p.a);
}

struct json *config_diff_json(struct arena *a, const struct config_diff *d)
{
	const struct update_plan *p = d->plan;
	struct json *j = json_new(a, JSON_OBJECT);

	json_add(j, S("from"), json_new_str(a, d->from_name));
	json_add(j, S("to"), json_new_str(a, d->to_name));
	json_add(j, S("changes"), update_changes_json(a, &p->changes));
	json_add(j, S("actions"), update_plan_json(a, p));
	json_add(j, S("reboot"), json_new_bool(a, p->reboot));
	json_add(j, S("drain"), json_new_bool(a, p->drain));
	if (p->drain)
		json_add(j, S("drainReason"), json_new_str(a, p->drain_reason));
	if (d->irreconcilable)
		json_add(j, S("irreconcilable"), json_new_str(a, str_of(d->irreconcilable)));
	return j;
}
