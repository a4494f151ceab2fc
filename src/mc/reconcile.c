/*
 * Decides which changes of a config a running node accepts, section by section, with upstream's
 * texts.
 */
#include "mc/reconcile.h"

static bool same_list(const struct ign_obj *x, const struct ign_obj *y, int field)
{
	const struct ign_objs *p = ign_list(x, field), *q = ign_list(y, field);

	/* an empty list is not written, so nodes never see one */
	if (!p->n && !q->n)
		return true;
	return ign_is_set(x, field) == ign_is_set(y, field) && ign_eq_lists(p, q);
}

/* Only core's password and keys can change on a running node. */
static const char *bad_user(const struct ign_objs *users)
{
	const struct ign_obj *last;
	bool other = false;

	for (size_t i = 0; i < users->n; i++)
		if (!str_is(ign_str(users->v[i], IGN_USER_NAME), "core"))
			return "invalid passwd change(s): ignition passwd user "
			       "section contains unsupported changes: non-core "
			       "user";
	if (!users->n)
		return NULL;
	last = users->v[users->n - 1];
	if (!ign_is_set(last, IGN_USER_PASSWORD) && !ign_strings(last, IGN_USER_KEYS)->n)
		return "invalid passwd change(s): ignition passwd user section "
		       "contains unsupported changes: user must be core and "
		       "have 1 or more sshKeys";
	for (int i = 0; i < IGN_USER_FIELDS; i++)
		if (i != IGN_USER_NAME && i != IGN_USER_PASSWORD && i != IGN_USER_KEYS)
			other = other || ign_is_set(last, i);
	return other ? "invalid passwd change(s): SSH keys and password hash "
		       "are not reconcilable"
		     : NULL;
}

static const char *bad_passwd(const struct ign_obj *from, const struct ign_obj *to)
{
	if (ign_eq(from, to))
		return NULL;
	if (!same_list(from, to, IGN_PASSWD_GROUPS))
		return "invalid passwd change(s): ignition Passwd Groups section "
		       "contains changes";
	if (same_list(from, to, IGN_PASSWD_USERS))
		return NULL;
	return bad_user(ign_list(to, IGN_PASSWD_USERS));
}

static const char *bad_storage(enum mc_section section, const struct ign_obj *from,
			       const struct ign_obj *to, const struct mc_overrides *allow)
{
	switch (section) {
	case MC_SECTION_DISKS:
		return allow->disks || same_list(from, to, IGN_STORAGE_DISKS)
			       ? NULL
			       : "ignition disks section contains changes";
	case MC_SECTION_FILESYSTEMS:
		return allow->filesystems || same_list(from, to, IGN_STORAGE_FILESYSTEMS)
			       ? NULL
			       : "ignition filesystems section contains "
				 "changes";
	case MC_SECTION_RAID:
		return allow->raid || same_list(from, to, IGN_STORAGE_RAID)
			       ? NULL
			       : "ignition raid section contains changes";
	case MC_SECTION_DIRECTORIES:
		return same_list(from, to, IGN_STORAGE_DIRECTORIES)
			       ? NULL
			       : "ignition directories section contains "
				 "changes";
	case MC_SECTION_LINKS:
		return !ign_list(to, IGN_STORAGE_LINKS)->n || same_list(from, to, IGN_STORAGE_LINKS)
			       ? NULL
			       : "ignition links section contains changes";
	case MC_SECTION_PASSWD:
	case MC_SECTION_KARGS:
	case MC_SECTION_FILES:
	case MC_SECTION_FIPS:
		break;
	}
	return NULL;
}

static const char *bad_files(struct arena *a, const struct ign_obj *config)
{
	const struct ign_objs *files = ign_files(config);

	for (size_t i = 0; i < files->n; i++) {
		struct str path = ign_str(files->v[i], IGN_FILE_PATH);

		if (ign_list(files->v[i], IGN_FILE_APPEND)->n)
			return str_fmt(a, "ignition file %.*s includes append", STRF(path)).p;
		if (str_is(path, "/run/machine-config-daemon-force"))
			return "cannot create /run/machine-config-daemon-force "
			       "via Ignition";
	}
	return NULL;
}

const char *mc_section_refused(struct arena *a, enum mc_section section,
			       const struct mc_merged *from, const struct mc_merged *to,
			       const struct mc_overrides *allow)
{
	const struct ign_obj *x = from->config, *y = to->config;

	switch (section) {
	case MC_SECTION_PASSWD:
		return bad_passwd(ign_sub(x, IGN_CONFIG_PASSWD), ign_sub(y, IGN_CONFIG_PASSWD));
	case MC_SECTION_KARGS:
		return ign_eq(ign_sub(x, IGN_CONFIG_KARGS), ign_sub(y, IGN_CONFIG_KARGS))
			       ? NULL
			       : "ignition kargs section contains changes";
	case MC_SECTION_DISKS:
	case MC_SECTION_FILESYSTEMS:
	case MC_SECTION_RAID:
	case MC_SECTION_DIRECTORIES:
	case MC_SECTION_LINKS:
		return bad_storage(section, ign_sub(x, IGN_CONFIG_STORAGE),
				   ign_sub(y, IGN_CONFIG_STORAGE), allow);
	case MC_SECTION_FILES:
		return bad_files(a, y);
	case MC_SECTION_FIPS:
		return from->fips == to->fips ? NULL
					      : "detected change to FIPS flag; refusing to "
						"modify FIPS on a running cluster";
	}
	return NULL;
}

const char *mc_irreconcilable(struct arena *a, const struct mc_merged *from,
			      const struct mc_merged *to, const struct mc_overrides *allow)
{
	const char *bad = NULL;

	for (int i = 0; !bad && i < MC_SECTIONS; i++)
		bad = mc_section_refused(a, (enum mc_section)i, from, to, allow);
	return bad;
}

struct mc_overrides mc_overrides_of(const struct json *j)
{
	const struct json *list = json_at(j, "spec.irreconcilableValidationOverrides.storage");
	struct mc_overrides o = { 0 };

	for (const struct json *m = json_first(list); m; m = json_next(m)) {
		o.disks = o.disks || str_is(json_text(m), "Disks");
		o.filesystems = o.filesystems || str_is(json_text(m), "FileSystems");
		o.raid = o.raid || str_is(json_text(m), "Raid");
	}
	return o;
}

/* Upstream prints the two names the wrong way round. */
static struct str full_text(struct arena *a, struct str old_name, struct str new_name,
			    const char *reason)
{
	return str_fmt(a,
		       "new machineconfig \"%.*s\" is not reconcilable against "
		       "\"%.*s\": %s",
		       STRF(old_name), STRF(new_name), reason);
}

/* The error of one source alone against the old config, or "". */
static struct str source_error(struct arena *a, struct str old_name, const struct mc_merged *from,
			       struct mc *mc, const struct mc_overrides *allow)
{
	struct err err = ERR_INIT(a);
	struct mc_merged one;
	struct mc_list list = { 0 };
	const char *bad;

	if (!mc_has_config(mc))
		return str_fmt(a,
			       "parsing new Ignition config from machineconfig "
			       "\"%.*s\" failed: failed to parse Ignition "
			       "config: parsing Ignition config spec v3 failed "
			       "with error: not a config (empty)\nReport: ",
			       STRF(mc->meta.name));
	VEC_PUSH(a, &list, mc);
	if (mc_merge(a, &list, S(""), S(""), &one, &err) < 0)
		return err.msg;
	bad = mc_irreconcilable(a, from, &one, allow);
	return bad ? full_text(a, old_name, mc->meta.name, bad) : S("");
}

int mc_reconcile(struct arena *a, struct str old_name, const struct mc_merged *from,
		 struct str new_name, const struct mc_merged *to, const struct mc_list *sources,
		 const struct mc_overrides *allow, struct err *err)
{
	const char *bad = mc_irreconcilable(a, from, to, allow);
	struct str full, first = S("<nil>");

	if (!bad)
		return 0;
	full = full_text(a, old_name, new_name, bad);
	for (size_t i = 0; i < sources->n; i++) {
		struct str e = source_error(a, old_name, from, sources->v[i], allow);
		ptrdiff_t at = str_find(e, S(": "));
		struct str tail = at < 0 ? e : str_from(e, (size_t)at + 2);

		if (!e.n)
			continue;
		if (str_is(first, "<nil>"))
			first = e;
		if (str_find(full, tail) >= 0)
			return err_set(err, ERR_INVALID,
				       "reconciliation failed between current "
				       "config \"%.*s\" and base config "
				       "\"%.*s\": %.*s",
				       STRF(old_name), STRF(sources->v[i]->meta.name), STRF(tail));
	}
	return err_set(err, ERR_INVALID,
		       "render reconciliation error: %.*s; component errors: "
		       "%.*s",
		       STRF(full), STRF(first));
}
