/*
 * Units enabled without a running systemd: makes and removes the symlinks that `systemctl --root`
 * makes for the [Install] section. make test-node compares the two.
 *
 * A link is never made outside of /etc/systemd/system: names with a slash are ignored.
 */
#include "links.h"

#include <limits.h>

#include "base/glob.h"
#include "base/map.h"
#include "plan/install.h"

#define UNIT_MAX ((size_t)1 << 20)
#define UNITS_MAX 1024 /* that Also= of one unit can add */

static const char *const unit_dirs[] = {
	TREE_UNITS,
	"/run/systemd/system",
	"/usr/local/lib/systemd/system",
	"/usr/lib/systemd/system",
	"/lib/systemd/system",
};

static struct str find_exact(struct tree *t, struct arena *a, struct str unit)
{
	for (size_t i = 0; i < ARRAY_LEN(unit_dirs); i++) {
		struct str p = str_fmt(a, "%s/%.*s", unit_dirs[i], STRF(unit));

		if (tree_lexists(t, p.p))
			return p;
	}
	return S("");
}

struct str links_find(struct tree *t, struct arena *a, struct str unit, bool by_template)
{
	struct str instance, template = install_template(a, unit, &instance);
	struct str p = find_exact(t, a, unit);

	if (!p.n && by_template && template.n && instance.n)
		p = find_exact(t, a, template);
	return p;
}

/* ---- [Install] ----------------------------------------------------------- */

static int read_install(struct tree *t, struct arena *a, struct str unit, struct str path,
			struct install *out, struct err *err)
{
	struct strs names = { 0 };
	struct str dir = str_fmt(a, TREE_UNITS "/%.*s.d", STRF(unit)), text;
	int rc = tree_read(a, t, path.p, UNIT_MAX, &text, err);

	*out = (struct install){ 0 };
	if (rc < 0)
		return rc;
	install_parse(a, text, unit, out);
	rc = tree_list(a, t, dir.p, &names, err);
	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		if (!str_ends(names.v[i], S(".conf")))
			continue;
		rc = tree_read(a, t, str_fmt(a, "%.*s/%.*s", STRF(dir), STRF(names.v[i])).p,
			       UNIT_MAX, &text, err);
		if (rc == 0)
			install_parse(a, text, unit, out);
	}
	return rc;
}

/* ---- enabling ------------------------------------------------------------ */

static bool plain_name(struct str s)
{
	return s.n && !memchr(s.p, '/', s.n) && !memchr(s.p, '\0', s.n) && !str_is(s, "..") &&
	       !str_is(s, ".");
}

static int link_to(struct tree *t, struct arena *a, struct str path, struct str target,
		   struct err *err)
{
	struct err ignored = ERR_INIT(a);
	struct str have;

	if (tree_readlink(a, t, path.p, &have, &ignored) == 0 && str_eq(have, target))
		return 0;
	return tree_symlink(t, str_z(a, target), path.p, err);
}

static int link_list(struct tree *t, struct arena *a, const struct strs *list, const char *suffix,
		     struct str unit, struct str target, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < list->n; i++)
		if (plain_name(list->v[i]))
			rc = link_to(t, a,
				     str_fmt(a, TREE_UNITS "/%.*s%s/%.*s", STRF(list->v[i]), suffix,
					     STRF(unit)),
				     target, err);
	return rc;
}

static bool is_masked(struct tree *t, struct arena *a, struct str unit)
{
	struct err ignored = ERR_INIT(a);
	struct str path = str_fmt(a, TREE_UNITS "/%.*s", STRF(unit)), to;

	return tree_readlink(a, t, path.p, &to, &ignored) == 0 && str_is(to, "/dev/null");
}

/* Units can name one another with Also=: each is added to the end of the list, once. A template
 * can name ever longer instances of itself: hence the limit. */
static void add_also(struct map *units, const struct strs *also)
{
	for (size_t i = 0; i < also->n; i++)
		if (also->v[i].n <= NAME_MAX && units->n < UNITS_MAX)
			(void)map_put(units, also->v[i], NULL);
}

/* Handles one unit; adds the units of its Also= to units. */
typedef int each_unit(struct tree *t, struct arena *a, struct str unit, struct map *units,
		      struct err *err);

static int for_each_also(struct tree *t, struct arena *a, struct str unit, each_unit *each,
			 struct err *err)
{
	struct map units;
	int rc = 0;

	map_init(&units, a);
	(void)map_put(&units, unit, NULL);
	for (size_t i = 0; rc == 0 && i < units.n; i++)
		rc = each(t, a, units.v[i].key, &units, err);
	return rc;
}

static int enable_unit(struct tree *t, struct arena *a, struct str unit, struct map *units,
		       struct err *err)
{
	struct str path = links_find(t, a, unit, true), instance, as = unit;
	struct install in;
	int rc;

	if (is_masked(t, a, unit))
		return err_set(err, ERR_INVALID, "Failed to enable unit, unit %s/%.*s is masked.",
			       TREE_UNITS, STRF(unit));
	if (!path.n)
		return err_set(err, ERR_NOTFOUND,
			       "Failed to enable unit, unit %.*s does not "
			       "exist.",
			       STRF(unit));
	rc = read_install(t, a, unit, path, &in, err);
	if (rc < 0)
		return rc;
	if (install_template(a, unit, &instance).n && !instance.n) {
		ptrdiff_t at = str_chr(unit, '@');

		if (!in.instance.n)
			return 0; /* a template without DefaultInstance= */
		as = str_fmt(a, "%.*s%.*s%.*s", (int)at + 1, unit.p, STRF(in.instance),
			     STRF(str_from(unit, (size_t)at + 1)));
		rc = read_install(t, a, as, path, &in, err);
	}
	if (rc == 0)
		rc = link_list(t, a, &in.wanted, ".wants", as, path, err);
	if (rc == 0)
		rc = link_list(t, a, &in.required, ".requires", as, path, err);
	if (rc == 0)
		rc = link_list(t, a, &in.upheld, ".upholds", as, path, err);
	for (size_t i = 0; rc == 0 && i < in.alias.n; i++)
		if (plain_name(in.alias.v[i]) && !str_eq(in.alias.v[i], unit))
			rc = link_to(t, a, str_fmt(a, TREE_UNITS "/%.*s", STRF(in.alias.v[i])),
				     path, err);
	add_also(units, &in.also);
	return rc;
}

int links_enable(struct tree *t, struct arena *a, struct str unit, struct err *err)
{
	return for_each_also(t, a, unit, enable_unit, err);
}

/* ---- disabling ----------------------------------------------------------- */

static struct str base_name(struct str path)
{
	return str_from(path, (size_t)(str_rchr(path, '/') + 1));
}

/* A link belongs to a unit by its own name, or by the name of its target. */
static bool is_link_of(struct arena *a, struct str name, struct str target, struct str unit)
{
	struct str instance, template = install_template(a, name, &instance);

	if (str_is(target, "/dev/null"))
		return false;
	return str_eq(name, unit) || str_eq(base_name(target), unit) ||
	       (template.n && str_eq(template, unit));
}

static int drop_links(struct tree *t, struct arena *a, struct str dir, struct str unit, bool top,
		      struct err *err)
{
	struct strs names = { 0 };
	struct err ignored = ERR_INIT(a);
	int rc = tree_list(a, t, dir.p, &names, err);
	size_t left = names.n;

	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		struct str path = str_fmt(a, "%.*s/%.*s", STRF(dir), STRF(names.v[i]));
		struct str to;

		if (top && install_is_links_dir(names.v[i]))
			rc = drop_links(t, a, path, unit, false, err);
		else if (tree_readlink(a, t, path.p, &to, &ignored) == 0 &&
			 is_link_of(a, names.v[i], to, unit) &&
			 !(top && str_eq(names.v[i], unit))) {
			rc = tree_remove(t, path.p, err);
			left--;
		}
	}
	if (rc == 0 && !top && !left)
		(void)tree_remove(t, dir.p, &ignored);
	return rc;
}

static int disable_unit(struct tree *t, struct arena *a, struct str unit, struct map *units,
			struct err *err)
{
	struct str path = links_find(t, a, unit, true);
	struct install in = { 0 };
	struct err ignored = ERR_INIT(a);
	int rc = drop_links(t, a, S(TREE_UNITS), unit, true, err);

	if (rc == 0 && path.n && !is_masked(t, a, unit) &&
	    read_install(t, a, unit, path, &in, &ignored) == 0)
		add_also(units, &in.also);
	return rc;
}

int links_disable(struct tree *t, struct arena *a, struct str unit, struct err *err)
{
	return for_each_also(t, a, unit, disable_unit, err);
}

/* ---- is-enabled ---------------------------------------------------------- */

static bool is_linked(struct tree *t, struct arena *a, struct str dir, struct str unit, bool top)
{
	struct strs names = { 0 };
	struct err ignored = ERR_INIT(a);
	bool found = false;

	(void)tree_list(a, t, dir.p, &names, &ignored);
	for (size_t i = 0; !found && i < names.n; i++) {
		struct str path = str_fmt(a, "%.*s/%.*s", STRF(dir), STRF(names.v[i]));
		struct str to;

		if (top && install_is_links_dir(names.v[i]))
			found = is_linked(t, a, path, unit, false);
		else
			found = tree_readlink(a, t, path.p, &to, &ignored) == 0 &&
				is_link_of(a, names.v[i], to, unit) &&
				!(top && str_eq(names.v[i], unit));
	}
	return found;
}

struct str links_is_enabled(struct tree *t, struct arena *a, struct str unit)
{
	struct str path = links_find(t, a, unit, true);
	struct err ignored = ERR_INIT(a);
	struct install in;

	if (is_masked(t, a, unit))
		return S("masked");
	if (!path.n)
		return S("not-found");
	if (is_linked(t, a, S(TREE_UNITS), unit, true))
		return S("enabled");
	if (read_install(t, a, unit, path, &in, &ignored) == 0 && !in.wanted.n && !in.required.n &&
	    !in.upheld.n && !in.alias.n)
		return in.also.n ? S("indirect") : S("static");
	return S("disabled");
}

/* ---- presets ------------------------------------------------------------- */

enum preset { PRESET_NONE, PRESET_ENABLE, PRESET_DISABLE, PRESET_IGNORE };

static enum preset rule_for(struct str text, struct str unit)
{
	struct str line, verb, pattern, instances;

	while (str_line(&text, &line)) {
		line = str_trim(line);
		if (!line.n || line.p[0] == '#' || line.p[0] == ';' ||
		    !str_cut(line, ' ', &verb, &pattern))
			continue;
		pattern = str_trim(pattern);
		(void)str_cut(pattern, ' ', &pattern, &instances);
		if (!glob_match(pattern, unit))
			continue;
		if (str_is(verb, "enable"))
			return PRESET_ENABLE;
		if (str_is(verb, "disable"))
			return PRESET_DISABLE;
		if (str_is(verb, "ignore"))
			return PRESET_IGNORE;
	}
	return PRESET_NONE;
}

/* Files of all directories in order of their names; of equal names the first directory's. */
static int find_preset(struct tree *t, struct arena *a, struct str unit, enum preset *out,
		       struct err *err)
{
	static const char *const dirs[] = {
		"/etc/systemd/system-preset",
		"/run/systemd/system-preset",
		"/usr/local/lib/systemd/system-preset",
		"/usr/lib/systemd/system-preset",
	};
	struct strs names[4] = { { 0 } };
	size_t at[4] = { 0 };
	int rc = 0;

	for (size_t d = 0; rc == 0 && d < 4; d++)
		rc = tree_list(a, t, dirs[d], &names[d], err);
	*out = PRESET_NONE;
	while (rc == 0 && *out == PRESET_NONE) {
		struct str name = S(""), text;
		size_t from = 4;

		for (size_t d = 0; d < 4; d++)
			if (at[d] < names[d].n &&
			    (from == 4 || str_cmp(names[d].v[at[d]], name) < 0)) {
				name = names[d].v[at[d]];
				from = d;
			}
		if (from == 4)
			break;
		for (size_t d = 0; d < 4; d++)
			if (at[d] < names[d].n && str_eq(names[d].v[at[d]], name))
				at[d]++;
		if (!str_ends(name, S(".preset")))
			continue;
		rc = tree_read(a, t, str_fmt(a, "%s/%.*s", dirs[from], STRF(name)).p, UNIT_MAX,
			       &text, err);
		if (rc == 0)
			*out = rule_for(text, unit);
	}
	return rc;
}

int links_preset(struct tree *t, struct arena *a, struct str unit, struct err *err)
{
	enum preset p;
	int rc = find_preset(t, a, unit, &p, err);

	if (rc < 0)
		return rc;
	switch (p) {
	case PRESET_DISABLE:
		return links_disable(t, a, unit, err);
	case PRESET_IGNORE:
		return 0;
	case PRESET_NONE:
	case PRESET_ENABLE:
		break;
	}
	/* presets do not change masked units */
	return is_masked(t, a, unit) ? 0 : links_enable(t, a, unit, err);
}
