/*
 * The steps of an update: files, units, users, and what the old config leaves behind.
 *
 * Paths are checked before the first step, and no step leaves its directory.
 */
#include "plan/steps.h"

#include "base/codec.h"
#include "base/map.h"
#include "mc/contents.h"
#include "mc/current.h"

#define UNITS "/etc/systemd/system/"

const char *step_name(enum step_kind kind)
{
	static const char *const names[] = {
		"write file",
		"write dropin",
		"remove empty dropin",
		"write unit",
		"mask unit",
		"unmask unit",
		"preset unit",
		"enable unit",
		"disable unit",
		"remove file",
		"remove dropin",
		"remove unit",
		"remove link",
		"protect kubeconfig",
		"SSH keys",
		"passwords",
		"OS",
		"kernel tuning",
		"current config",
	};

	return names[kind];
}

struct str steps_orig(struct arena *a, struct str path)
{
	return str_fmt(a, "/etc/machine-config-daemon/orig%.*s.mcdorig", STRF(path));
}

struct str steps_noorig(struct arena *a, struct str path)
{
	return str_fmt(a, "/etc/machine-config-daemon/noorig%.*s.mcdnoorig", STRF(path));
}

struct str steps_unit_path(struct arena *a, struct str unit)
{
	return str_fmt(a, UNITS "%.*s", STRF(unit));
}

struct str steps_dropin_path(struct arena *a, struct str unit, struct str dropin)
{
	return str_fmt(a, UNITS "%.*s.d/%.*s", STRF(unit), STRF(dropin));
}

struct planner {
	struct arena *a;
	const struct steps_in *in;
	struct steps *out;
	struct map old_files, new_files, old_units, new_units;
};

static struct step *add(struct planner *p, enum step_kind kind, struct str name, const char *reason)
{
	struct step s = { .kind = kind, .name = name, .reason = reason };

	VEC_PUSH(p->a, p->out, s);
	return &p->out->v[p->out->n - 1];
}

/* A path, and where the OS's own version of it is kept. */
static void touch(struct planner *p, struct str path)
{
	VEC_PUSH(p->a, &p->out->paths, path);
	VEC_PUSH(p->a, &p->out->paths, steps_orig(p->a, path));
	VEC_PUSH(p->a, &p->out->paths, steps_noorig(p->a, path));
}

/*
 * Paths come from the cluster, and a mistake there must not damage a node: no step may
 * leave its directory.
 */
static int check_path(const struct planner *p, struct str path, struct err *err)
{
	struct buf b;

	if (mc_is_state(path) && !(p->in->bare && str_is(path, MC_FIRST_ANNOTATIONS)))
		return err_set(err, ERR_INVALID, MC_STATE_REFUSED, STRF(path));
	if (path.n > 1 && path.n < 4000 && path.p[0] == '/' && path.p[path.n - 1] != '/' &&
	    !memchr(path.p, '\0', path.n) && str_find(path, S("/../")) < 0 &&
	    !str_ends(path, S("/..")) && str_find(path, S("/./")) < 0 && !str_ends(path, S("/.")) &&
	    str_find(path, S("//")) < 0)
		return 0;
	buf_init(&b, err->a);
	go_quote(&b, path);
	return err_set(err, ERR_INVALID, "%s is not a path to a file", b.p);
}

/* Names that systemctl parses as options. -.slice and -.mount are units; it rejects them itself. */
static bool is_option(struct str name)
{
	return str_starts(name, S("-")) && !str_starts(name, S("-."));
}

static int check_name(struct str name, const char *what, struct err *err)
{
	struct buf b;

	if (name.n && name.n < 256 && !memchr(name.p, '/', name.n) &&
	    !memchr(name.p, '\0', name.n) && !is_option(name) && !str_is(name, ".") &&
	    !str_is(name, ".."))
		return 0;
	buf_init(&b, err->a);
	go_quote(&b, name);
	return err_set(err, ERR_INVALID, "%s is not the name of a %s", b.p, what);
}

static const char *why(const struct ign_obj *old, const struct ign_obj *new)
{
	if (!old)
		return "added";
	return ign_eq(old, new) ? "unchanged, written again" : "changed";
}

/* ---- files --------------------------------------------------------------- */

static int plan_file(struct planner *p, const struct ign_obj *f, struct err *err)
{
	struct str path = ign_str(f, IGN_FILE_PATH), data = S("");
	bool packed = mc_is_packed(f);
	uint64_t size = 0;
	struct buf quoted;
	struct step *s;
	int rc = check_path(p, path, err);

	if (rc < 0 || (p->in->skip_certificates && str_is(path, STEPS_KUBELET_CA)) ||
	    (p->in->only && !map_find(p->in->only, path)))
		return rc;
	if (ign_list(f, IGN_FILE_APPEND)->n)
		return err_set(err, ERR_INVALID,
			       "found an append section when writing files. "
			       "Append is not supported");
	rc = packed ? mc_size(f, &size, err) : mc_contents(p->a, f, &data, err);
	buf_init(&quoted, p->a);
	go_quote(&quoted, path);
	if (rc == -ERR_NOTFOUND)
		return err_set(err, ERR_INVALID,
			       "could not decode file %s: could not decode "
			       "file content string: missing data prefix",
			       quoted.p);
	if (rc < 0)
		return err_wrap(err, "could not decode file %s", quoted.p);
	s = add(p, STEP_FILE, path, why(map_get(&p->old_files, path), f));
	s->data = data;
	s->packed = packed;
	s->size = size;
	s->mode = ign_int(f, IGN_FILE_MODE, 0644) & 07777;
	s->obj = f;
	touch(p, path);
	return 0;
}

/* ---- units --------------------------------------------------------------- */

static int plan_dropins(struct planner *p, const struct ign_obj *u, const char *reason,
			struct err *err)
{
	const struct ign_objs *list = ign_list(u, IGN_UNIT_DROPINS);
	struct str unit = ign_str(u, IGN_UNIT_NAME);

	for (size_t i = 0; i < list->n; i++) {
		struct str text = ign_str(list->v[i], IGN_DROPIN_CONTENTS);
		struct str name = ign_str(list->v[i], IGN_DROPIN_NAME);
		struct str path = steps_dropin_path(p->a, unit, name);
		int rc = check_name(name, "dropin", err);
		struct step *s;

		if (rc < 0)
			return rc;
		s = add(p, text.n ? STEP_DROPIN : STEP_DROPIN_EMPTY, path, reason);
		s->data = text;
		s->mode = 0644;
		touch(p, path);
	}
	return 0;
}

static bool left_alone(const struct planner *p, const struct ign_obj *old, const struct ign_obj *u)
{
	if (p->in->only)
		return !map_find(p->in->only, ign_str(u, IGN_UNIT_NAME));
	return old && !p->in->force && ign_eq(old, u);
}

static int plan_unit(struct planner *p, const struct ign_obj *u, struct err *err)
{
	struct str name = ign_str(u, IGN_UNIT_NAME);
	struct str path = steps_unit_path(p->a, name);
	struct str text = ign_str(u, IGN_UNIT_CONTENTS);
	const struct ign_obj *old = map_get(&p->old_units, name);
	const char *reason = why(old, u);
	struct step *s;
	int rc = check_name(name, "unit", err);

	if (rc < 0 || left_alone(p, old, u))
		return rc;
	rc = plan_dropins(p, u, reason, err);
	if (rc < 0)
		return rc;
	if (ign_is_true(u, IGN_UNIT_MASK)) {
		(void)add(p, STEP_MASK, name, reason);
	} else if (text.n) {
		s = add(p, STEP_UNIT, name, reason);
		s->data = text;
		s->mode = 0644;
	} else if (ign_is_set(u, IGN_UNIT_MASK)) {
		(void)add(p, STEP_UNMASK, name, "no longer masked");
	}
	touch(p, path);
	if (!ign_is_set(u, IGN_UNIT_ENABLED))
		(void)add(p, STEP_PRESET, name, "neither enabled nor disabled");
	return 0;
}

/* Enabling and disabling come last, in one step each. */
static void plan_enabling(struct planner *p, bool enabled)
{
	const struct ign_objs *units = ign_units(p->in->to->config);

	for (size_t i = 0; i < units->n; i++) {
		const struct ign_obj *u = units->v[i];
		struct str name = ign_str(u, IGN_UNIT_NAME);
		const struct ign_obj *old = map_get(&p->old_units, name);

		if (left_alone(p, old, u) || !ign_is_set(u, IGN_UNIT_ENABLED) ||
		    ign_is_true(u, IGN_UNIT_ENABLED) != enabled)
			continue;
		add(p, enabled ? STEP_ENABLE : STEP_DISABLE, name,
		    enabled ? "enabled: true" : "enabled: false")
			->obj = u;
	}
}

/* ---- what is no longer there --------------------------------------------- */

/* Other code writes these, too: keep them. */
static bool kept_for_others(struct str path)
{
	ptrdiff_t slash = str_rchr(path, '/');

	return str_is(path, STEPS_USER_CA) || str_is(path, STEPS_KUBELET_CA) ||
	       str_is(path, STEPS_CLOUD_CA) ||
	       (slash > 0 &&
		str_find(str_sub(path, 0, (size_t)slash), S("/etc/docker/certs.d")) >= 0);
}

/* "/etc/systemd/system/<unit>.d/<x>.conf" that the new config has as a dropin, or a unit
 * file that it has as a unit. */
static bool became_dropin(struct planner *p, struct str path)
{
	struct str rest, unit, name;
	const struct ign_objs *list;
	const struct ign_obj *u;
	ptrdiff_t slash;

	if (!str_starts(path, S(UNITS)))
		return false;
	rest = str_from(path, sizeof(UNITS) - 1);
	slash = str_rchr(rest, '/');
	if (slash < 0) { /* upstream removes the unit that it has just written */
		u = map_get(&p->new_units, rest);
		return u && (ign_str(u, IGN_UNIT_CONTENTS).n || ign_is_true(u, IGN_UNIT_MASK));
	}
	name = str_from(rest, (size_t)slash + 1);
	unit = str_sub(rest, 0, (size_t)slash);
	unit = str_from(unit, (size_t)(str_rchr(unit, '/') + 1));
	if (!str_ends(unit, S(".d")) || !str_ends(name, S(".conf")))
		return false;
	unit.n -= 2;
	u = map_get(&p->new_units, unit);
	list = ign_list(u, IGN_UNIT_DROPINS);
	for (size_t i = 0; i < list->n; i++)
		if (str_eq(ign_str(list->v[i], IGN_DROPIN_NAME), name))
			return true;
	return false;
}

static void plan_stale_files(struct planner *p)
{
	for (size_t i = 0; i < p->old_files.n; i++) {
		struct str path = p->old_files.v[i].key;
		struct err ignored = ERR_INIT(p->a);

		if (map_find(&p->new_files, path) || kept_for_others(path) ||
		    check_path(p, path, &ignored) < 0)
			continue;
		add(p, STEP_STALE_FILE, path, "no longer in the config")->keep =
			became_dropin(p, path);
		touch(p, path);
	}
}

static bool has_dropin(const struct ign_obj *u, struct str name)
{
	const struct ign_objs *list = ign_list(u, IGN_UNIT_DROPINS);

	for (size_t i = 0; i < list->n; i++)
		if (str_eq(ign_str(list->v[i], IGN_DROPIN_NAME), name))
			return true;
	return false;
}

static void plan_stale_unit(struct planner *p, const struct ign_obj *old)
{
	struct str unit = ign_str(old, IGN_UNIT_NAME);
	const struct ign_obj *new = map_get(&p->new_units, unit);
	const struct ign_objs *list = ign_list(old, IGN_UNIT_DROPINS);
	struct err ignored = ERR_INIT(p->a);

	if (check_name(unit, "unit", &ignored) < 0)
		return;
	for (size_t i = 0; i < list->n; i++) {
		struct str name = ign_str(list->v[i], IGN_DROPIN_NAME);
		struct str path = steps_dropin_path(p->a, unit, name);

		if (has_dropin(new, name) || map_find(&p->new_files, path) ||
		    check_name(name, "dropin", &ignored) < 0)
			continue;
		(void)add(p, STEP_STALE_DROPIN, path, "no longer in the config");
		touch(p, path);
	}
	if (new)
		return;
	if (map_find(&p->new_files, steps_unit_path(p->a, unit))) {
		(void)add(p, STEP_PRESET, unit, "now a file");
		return;
	}
	(void)add(p, STEP_STALE_UNIT, unit, "no longer in the config");
	touch(p, steps_unit_path(p->a, unit));
}

static void plan_stale(struct planner *p)
{
	static const char *const links[] = {
		UNITS "network-online.target.requires/"
		      "node-valid-hostname.service",
		UNITS "network-online.target.wants/ovs-configuration.service",
	};

	plan_stale_files(p);
	for (size_t i = 0; i < p->old_units.n; i++)
		plan_stale_unit(p, p->old_units.v[i].value);
	for (size_t i = 0; i < ARRAY_LEN(links); i++) {
		(void)add(p, STEP_STALE_LINK, str_of(links[i]), "left behind by older releases");
		VEC_PUSH(p->a, &p->out->paths, str_of(links[i]));
	}
}

/* ---- the rest ------------------------------------------------------------ */

static const struct ign_objs *users(const struct mc_merged *m)
{
	return ign_list(ign_sub(m->config, IGN_CONFIG_PASSWD), IGN_PASSWD_USERS);
}

static void plan_users(struct planner *p)
{
	const struct ign_objs *old = users(p->in->from);
	const struct ign_objs *new = users(p->in->to);
	struct map names;

	if (!p->in->hosted && ign_eq(ign_sub(p->in->from->config, IGN_CONFIG_PASSWD),
				     ign_sub(p->in->to->config, IGN_CONFIG_PASSWD)))
		return;
	ign_index(p->a, new, &names);
	for (size_t i = 0; i < old->n; i++) {
		struct str name = ign_str(old->v[i], IGN_USER_NAME);

		if (!map_find(&names, name))
			VEC_PUSH(p->a, &p->out->users_gone, name);
	}
	(void)add(p, STEP_KEYS, S("core"), "the users differ");
	if (!p->in->hosted)
		(void)add(p, STEP_PASSWORDS, S("core"), "the users differ");
}

static void index_entries(struct arena *a, const struct mc_merged *m, struct map *files,
			  struct map *units)
{
	ign_index(a, ign_files(m->config), files);
	ign_index(a, ign_units(m->config), units);
}

int steps_check_file(struct arena *a, const struct ign_obj *file, struct err *err)
{
	struct steps_in in = { 0 };
	struct steps out = { 0 };
	struct planner p = { .a = a, .in = &in, .out = &out };

	map_init(&p.old_files, a);
	return plan_file(&p, file, err);
}

int plan_steps(struct arena *a, const struct steps_in *in, struct steps *out, struct err *err)
{
	const struct ign_objs *files = ign_files(in->to->config);
	const struct ign_objs *units = ign_units(in->to->config);
	struct planner p = { .a = a, .in = in, .out = out };
	int rc = 0;

	*out = (struct steps){ 0 };
	index_entries(a, in->from, &p.old_files, &p.old_units);
	index_entries(a, in->to, &p.new_files, &p.new_units);
	for (size_t i = 0; rc == 0 && i < files->n; i++)
		rc = plan_file(&p, files->v[i], err);
	for (size_t i = 0; rc == 0 && i < units->n; i++)
		rc = plan_unit(&p, units->v[i], err);
	if (rc < 0)
		return rc;
	plan_enabling(&p, true);
	plan_enabling(&p, false);
	if (in->bare)
		return 0;
	plan_stale(&p);
	if (!in->hosted) {
		(void)add(&p, STEP_KUBECONFIG, S(STEPS_KUBECONFIG), "readable by root only");
		VEC_PUSH(a, &out->paths, S(STEPS_KUBECONFIG));
	}
	plan_users(&p);
	if (in->core_os)
		(void)add(&p, STEP_OS, S("OS"), "image, kernel, extensions");
	(void)add(&p, STEP_TUNING, S("/etc/pivot/kernel-args"), "kernel arguments of the file");
	(void)add(&p, STEP_STATE, in->hosted ? S(STEPS_HOSTED_CONFIG) : S(STEPS_CURRENT_CONFIG),
		  "the node has the new config");
	VEC_PUSH(a, &out->paths, out->v[out->n - 1].name);
	VEC_PUSH(a, &out->paths, S(STEPS_CURRENT_IMAGE));
	return 0;
}
