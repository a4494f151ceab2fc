/*
 * The actions of an update: which sections differ, and what the disruption policies ask
 * for.
 *
 * Unknown changes reboot the node.
 */
#include "plan/update.h"

#include <stdlib.h>

#include "base/map.h"
#include "plan/steps.h"

const char *update_kind_name(enum update_kind kind)
{
	switch (kind) {
	case UPDATE_NONE:
		return "None";
	case UPDATE_RELOAD:
		return "Reload";
	case UPDATE_RESTART:
		return "Restart";
	case UPDATE_DAEMON_RELOAD:
		return "DaemonReload";
	case UPDATE_SPECIAL:
		return "Special";
	case UPDATE_DRAIN:
		return "Drain";
	case UPDATE_REBOOT:
		return "Reboot";
	}
	return "";
}

/* ---- what differs -------------------------------------------------------- */

static int by_name(const void *x, const void *y)
{
	return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

/* Keys of entries that only one side has, or that differ. */
static void changed_keys(struct arena *a, const struct ign_objs *from, const struct ign_objs *to,
			 struct strs *out)
{
	struct map old, new;

	map_init(&old, a);
	map_init(&new, a);
	for (size_t i = 0; i < from->n; i++)
		(void)map_put(&old, ign_key(a, from->v[i]), from->v[i]);
	for (size_t i = 0; i < to->n; i++) {
		const struct ign_obj *was = map_get(&old, ign_key(a, to->v[i]));

		(void)map_put(&new, ign_key(a, to->v[i]), to->v[i]);
		if (!was || !ign_eq(was, to->v[i]))
			VEC_PUSH(a, out, ign_key(a, to->v[i]));
	}
	for (size_t i = 0; i < old.n; i++)
		if (!map_find(&new, old.v[i].key))
			VEC_PUSH(a, out, old.v[i].key);
	if (out->n > 1)
		qsort(out->v, out->n, sizeof(*out->v), by_name);
}

void update_changes(struct arena *a, const struct mc_merged *from, const struct mc_merged *to,
		    bool force, struct update_changes *out)
{
	const struct ign_objs *files = ign_files(from->config);
	const struct ign_objs *units = ign_units(from->config);

	*out = (struct update_changes){
		.os_image = force || !str_eq(from->os_image, to->os_image),
		.kargs = !strs_eq(&from->kargs, &to->kargs),
		.fips = from->fips != to->fips,
		.kernel_type = !str_eq(from->kernel_type, to->kernel_type),
		.extensions = !strs_eq(&from->extensions, &to->extensions),
		.files = !ign_eq_lists(files, ign_files(to->config)),
		.units = !ign_eq_lists(units, ign_units(to->config)),
		.passwd = !ign_eq(ign_sub(from->config, IGN_CONFIG_PASSWD),
				  ign_sub(to->config, IGN_CONFIG_PASSWD)),
	};
	changed_keys(a, files, ign_files(to->config), &out->file_paths);
	changed_keys(a, units, ign_units(to->config), &out->unit_names);
}

/* ---- deciding ------------------------------------------------------------ */

struct decider {
	struct arena *a;
	const struct json *policies;
	struct update_plan *plan;
};

static void add(struct decider *d, enum update_kind kind, struct str service, struct str cause,
		struct str rule)
{
	struct update_action act = { kind, service, cause, rule };

	VEC_PUSH(d->a, d->plan, act);
}

static void reboot(struct decider *d, struct str cause, const char *rule)
{
	add(d, UPDATE_REBOOT, S(""), cause, str_of(rule));
}

static enum update_kind kind_of(struct str type)
{
	for (int k = UPDATE_NONE; k <= UPDATE_REBOOT; k++)
		if (str_is(type, update_kind_name((enum update_kind)k)))
			return (enum update_kind)k;
	return UPDATE_REBOOT; /* unknown actions get the safe treatment */
}

static void apply(struct decider *d, const struct json *policy, struct str cause, struct str rule)
{
	for (const struct json *m = json_first(json_at(policy, "actions")); m; m = json_next(m)) {
		enum update_kind k = kind_of(json_str(m, "type"));
		struct str service = json_str(m, k == UPDATE_RELOAD ? "reload.serviceName"
								    : "restart.serviceName");

		if (k == UPDATE_SPECIAL)
			service = S("crio");
		add(d, k, service, cause, rule);
	}
}

/* The policy with the longest path that is the file or a directory above it. */
static const struct json *file_policy(const struct json *policies, struct str path)
{
	const struct json *best = NULL;
	size_t best_n = 0;

	for (const struct json *m = json_first(json_at(policies, "files")); m; m = json_next(m)) {
		struct str p = json_str(m, "path"), dir = p;

		while (dir.n > 1 && dir.p[dir.n - 1] == '/')
			dir.n--;
		/* of equals the first; as in upstream "/" matches nothing */
		if (p.n > best_n &&
		    (str_eq(path, p) || (dir.n > 1 && path.n > dir.n && path.p[dir.n] == '/' &&
					 str_starts(path, dir)))) {
			best = m;
			best_n = p.n;
		}
	}
	return best;
}

static const struct json *unit_policy(const struct json *policies, struct str name)
{
	for (const struct json *m = json_first(json_at(policies, "units")); m; m = json_next(m))
		if (str_eq(json_str(m, "name"), name))
			return m;
	return NULL;
}

static void decide_whole(struct decider *d, bool force)
{
	const struct update_changes *c = &d->plan->changes;

	if (force)
		reboot(d, S("force file"), "the force file requests a reboot");
	else if (c->os_image)
		reboot(d, S("osImageURL"), "a new OS image needs a reboot");
	if (c->kargs)
		reboot(d, S("kernelArguments"), "new kernel arguments need a reboot");
	if (c->fips)
		reboot(d, S("fips"), "FIPS mode needs a reboot");
	if (c->kernel_type)
		reboot(d, S("kernelType"), "another kernel needs a reboot");
	if (c->extensions)
		reboot(d, S("extensions"), "OS extensions need a reboot");
}

static void decide_parts(struct decider *d)
{
	const struct update_changes *c = &d->plan->changes;

	for (size_t i = 0; i < c->file_paths.n; i++) {
		struct str path = c->file_paths.v[i];
		const struct json *p = file_policy(d->policies, path);
		struct str cause = str_fmt(d->a, "file %.*s", STRF(path));

		if (!p)
			reboot(d, cause, "no disruption policy for this path");
		else
			apply(d, p, cause,
			      str_fmt(d->a, "policy for %.*s", STRF(json_str(p, "path"))));
	}
	for (size_t i = 0; i < c->unit_names.n; i++) {
		struct str name = c->unit_names.v[i];
		const struct json *p = unit_policy(d->policies, name);
		struct str cause = str_fmt(d->a, "unit %.*s", STRF(name));

		if (!p)
			reboot(d, cause, "no disruption policy for this unit");
		else
			apply(d, p, cause, S("policy for this unit"));
	}
	if (c->passwd)
		apply(d, json_at(d->policies, "sshkey"), S("users"), S("policy for SSH keys"));
}

/* A reboot makes the other actions redundant; None counts only when it is alone. */
static void settle(struct update_plan *p)
{
	size_t n = 0, nones = 0;

	for (size_t i = 0; i < p->n; i++) {
		p->reboot = p->reboot || p->v[i].kind == UPDATE_REBOOT;
		nones += p->v[i].kind == UPDATE_NONE;
	}
	for (size_t i = 0; i < p->n; i++) {
		enum update_kind k = p->v[i].kind;

		if (p->reboot ? k == UPDATE_REBOOT : k != UPDATE_NONE || (nones == p->n && n == 0))
			p->v[n++] = p->v[i];
	}
	p->n = n;
}

static int decide_drain(struct decider *d, const struct update_in *in, struct err *err)
{
	struct update_plan *p = d->plan;
	bool special = false, safe = true;
	struct str why = S("");
	int rc;

	for (size_t i = 0; i < p->n; i++) {
		enum update_kind k = p->v[i].kind;

		special = special || k == UPDATE_SPECIAL;
		if (k != UPDATE_REBOOT && k != UPDATE_DRAIN)
			continue;
		p->drain = true;
		p->drain_reason = k == UPDATE_REBOOT
					  ? S("the node reboots")
					  : str_fmt(d->a, "%.*s: %.*s", STRF(p->v[i].cause),
						    STRF(p->v[i].rule));
		return 0;
	}
	if (!special)
		return 0;
	rc = update_registries_safe(d->a, in->from->config, in->to->config, &safe, &why, err);
	if (rc < 0)
		return rc;
	p->drain = !safe;
	p->drain_reason = why;
	return 0;
}

/* Direct children only. */
static bool child_of(struct str path, struct str dir)
{
	return str_starts(path, dir) && path.n > dir.n && path.p[dir.n] == '/' &&
	       str_chr(str_from(path, dir.n + 1), '/') < 0;
}

static enum update_kind legacy_kind(struct str path)
{
	static const char *const nothing[] = { "/etc/kubernetes/kubelet-ca.crt",
					       "/var/lib/kubelet/config.json" };
	static const char *const reload[] = {
		"/etc/containers/registries.conf",
		"/etc/machine-config-daemon/no-reboot/containers-gpg.pub",
		"/etc/containers/policy.json"
	};

	for (size_t i = 0; i < ARRAY_LEN(nothing); i++)
		if (str_is(path, nothing[i]))
			return UPDATE_NONE;
	for (size_t i = 0; i < ARRAY_LEN(reload); i++)
		if (str_is(path, reload[i]))
			return UPDATE_RELOAD;
	if (child_of(path, S("/etc/nmstate/openshift")))
		return UPDATE_NONE;
	if (child_of(path, S("/etc/containers/registries.d")))
		return UPDATE_RELOAD;
	return str_is(path, STEPS_USER_CA) ? UPDATE_RESTART : UPDATE_REBOOT;
}

static const char *legacy_rule(enum update_kind kind)
{
	switch (kind) {
	case UPDATE_NONE:
		return "no service reads this path";
	case UPDATE_RELOAD:
		return "CRI-O rereads this path on reload";
	case UPDATE_RESTART:
		return "CRI-O reads the system's CA certificates at start";
	case UPDATE_DAEMON_RELOAD:
	case UPDATE_SPECIAL:
	case UPDATE_DRAIN:
	case UPDATE_REBOOT:
		break;
	}
	return "a change of this path needs a reboot";
}

/* Checked before the first action, including a drain, which would be in vain. */
static int host_can(const struct update_in *in, const struct update_changes *c, struct err *err)
{
	bool layers = c->kernel_type || c->extensions || !str_is(in->to->kernel_type, "default") ||
		      (c->os_image && in->to->extensions.n);

	if (!in->image_only || !(c->kargs || (layers && !in->built)))
		return 0;
	return err_set(err, ERR_INVALID,
		       "kernel arguments, kernel types and extensions are part "
		       "of the image of a host without rpm-ostree: they must be "
		       "built into it");
}

int plan_update_legacy(struct arena *a, const struct update_in *in, struct update_plan *out,
		       struct err *err)
{
	struct update_plan p = { 0 };
	struct decider d = { .a = a, .plan = &p };
	enum update_kind kind = UPDATE_NONE;
	struct str cause = S("nothing");
	bool safe = true;
	int rc = 0;

	update_changes(a, in->from, in->to, in->force, &p.changes);
	decide_whole(&d, in->force);
	if (!p.n && p.changes.units)
		reboot(&d, S("units"), "changed units need a reboot");
	for (size_t i = 0; !p.n && i < p.changes.file_paths.n; i++) {
		struct str path = p.changes.file_paths.v[i];
		enum update_kind k = legacy_kind(path);

		if (k > kind) {
			kind = k;
			cause = str_fmt(a, "file %.*s", STRF(path));
		}
	}
	if (!p.n)
		add(&d, kind, kind == UPDATE_RELOAD || kind == UPDATE_RESTART ? S("crio") : S(""),
		    cause, str_of(legacy_rule(kind)));
	settle(&p);
	p.drain = p.reboot;
	if (!p.reboot && kind != UPDATE_NONE) {
		rc = update_registries_safe(a, in->from->config, in->to->config, &safe,
					    &p.drain_reason, err);
		p.drain = !safe;
	}
	if (rc == 0)
		rc = host_can(in, &p.changes, err);
	if (rc == 0)
		*out = p;
	return rc;
}

struct str update_changes_text(struct arena *a, const struct update_changes *c, bool ocl,
			       bool revert)
{
#define BOOL(x) ((x) ? "true" : "false")
	return str_fmt(a,
		       "&{osUpdate:%s kargs:%s fips:%s passwd:%s files:%s "
		       "units:%s kernelType:%s extensions:%s oclEnabled:%s "
		       "revertFromOCL:%s}",
		       BOOL(c->os_image), BOOL(c->kargs), BOOL(c->fips), BOOL(c->passwd),
		       BOOL(c->files), BOOL(c->units), BOOL(c->kernel_type), BOOL(c->extensions),
		       BOOL(ocl), BOOL(revert));
#undef BOOL
}

bool update_nothing(const struct update_changes *c)
{
	return !c->os_image && !c->kargs && !c->fips && !c->passwd && !c->files && !c->units &&
	       !c->kernel_type && !c->extensions;
}

int plan_update(struct arena *a, const struct update_in *in, struct update_plan *out,
		struct err *err)
{
	struct update_plan p = { 0 };
	struct decider d = { .a = a, .policies = in->policies, .plan = &p };
	int rc;

	if (!d.policies)
		d.policies = update_policies(a, NULL);
	update_changes(a, in->from, in->to, in->force, &p.changes);
	decide_whole(&d, in->force);
	if (!p.n && !p.changes.files && !p.changes.units && !p.changes.passwd)
		add(&d, UPDATE_NONE, S(""), S("nothing"), S("no files, units or users differ"));
	else if (!p.n)
		decide_parts(&d);
	settle(&p);
	rc = decide_drain(&d, in, err);
	if (rc == 0)
		rc = host_can(in, &p.changes, err);
	if (rc == 0)
		*out = p;
	return rc;
}
