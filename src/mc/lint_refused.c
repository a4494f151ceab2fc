/*
 * Reports what running nodes refuse, by the checks of mc/reconcile, and the MachineConfigs that
 * cause it.
 */
#include "mc/lint.h"

#define STORAGE "spec.config.storage."

/* For the two sections without a path here, the path of a part is reported. */
static const char *const paths[MC_SECTIONS] = {
	[MC_SECTION_KARGS] = "spec.config.kernelArguments",
	[MC_SECTION_DISKS] = STORAGE "disks",
	[MC_SECTION_FILESYSTEMS] = STORAGE "filesystems",
	[MC_SECTION_RAID] = STORAGE "raid",
	[MC_SECTION_DIRECTORIES] = STORAGE "directories",
	[MC_SECTION_LINKS] = STORAGE "links",
	[MC_SECTION_FIPS] = "spec.fips",
};

bool mc_lint_alone(struct arena *a, struct mc *mc, struct mc_merged *out)
{
	struct err err = ERR_INIT(a);
	struct mc_list one = { 0 };
	struct mc as = *mc;

	if (!mc->judged && mc_validate(a, mc, &err) < 0)
		return false;
	as.ignition = mc->judged ? mc->judged : mc->ignition;
	VEC_PUSH(a, &one, &as);
	return mc_merge(a, &one, S(""), S(""), out, &err) == 0;
}

/* Why nodes refuse an update with this part of the section, or NULL. */
static const char *own_part(struct arena *a, enum mc_section section, const struct mc_merged *one)
{
	static const struct mc_overrides none = { 0 };
	struct mc_merged nothing = { 0 };

	return mc_section_refused(a, section, &nothing, one, &none);
}

/* The path of the first file with append; else that of all files. */
static struct str file_path(struct arena *a, const struct ign_obj *config)
{
	const struct ign_objs *files = ign_files(config);

	for (size_t i = 0; i < files->n; i++)
		if (ign_list(files->v[i], IGN_FILE_APPEND)->n)
			return str_fmt(a, STORAGE "files.%zu.append", i);
	return S(STORAGE "files");
}

static struct str user_path(struct arena *a, const struct ign_obj *config)
{
	const struct ign_obj *passwd = ign_sub(config, IGN_CONFIG_PASSWD);
	const struct ign_objs *users = ign_list(passwd, IGN_PASSWD_USERS);

	if (ign_list(passwd, IGN_PASSWD_GROUPS)->n)
		return S("spec.config.passwd.groups");
	for (size_t i = 0; i < users->n; i++)
		if (!str_is(ign_str(users->v[i], IGN_USER_NAME), "core"))
			return str_fmt(a, "spec.config.passwd.users.%zu.name", i);
	return S("spec.config.passwd.users");
}

static void add(struct arena *a, const struct mc *mc, enum mc_section section, const char *why,
		struct mc_findings *out)
{
	struct mc_linter l = mc_linter_of_mc(a, mc, out);
	const struct ign_obj *config = mc->judged ? mc->judged : mc->ignition;
	struct str path = section == MC_SECTION_FILES	 ? file_path(a, config)
			  : section == MC_SECTION_PASSWD ? user_path(a, config)
							 : str_of(paths[section]);
	struct str text = str_fmt(a, "running nodes refuse it: %s", why);

	/* report a MachineConfig of several pools once */
	for (size_t i = 0; i < out->n; i++)
		if (str_eq(out->v[i].object, l.object) && str_eq(out->v[i].path, path) &&
		    str_eq(out->v[i].message, text))
			return;
	mc_linter_add(&l, false, path, section != MC_SECTION_PASSWD && section != MC_SECTION_FIPS,
		      text);
}

void mc_lint_refused(struct arena *a, struct mc *mc, struct mc_findings *out)
{
	struct mc_merged one;

	if (mc_is_generated(mc) || !mc_lint_alone(a, mc, &one))
		return;
	for (int i = 0; i < MC_SECTIONS; i++) {
		const char *why = own_part(a, (enum mc_section)i, &one);

		if (why)
			add(a, mc, (enum mc_section)i, why, out);
	}
}

static void add_change(struct arena *a, const struct mcp *pool, enum mc_section section,
		       const char *why, const struct mc_list *given, struct mc_findings *out)
{
	struct mc_finding f = {
		.object = str_fmt(a, "MachineConfigPool %.*s", STRF(pool->meta.name)),
		.message = str_fmt(a, "running nodes refuse the change: %s", why),
	};
	bool any = false;

	for (size_t i = 0; i < given->n; i++) {
		struct mc_merged one;

		if (mc_is_generated(given->v[i]) || !mc_lint_alone(a, given->v[i], &one) ||
		    !own_part(a, section, &one))
			continue;
		add(a, given->v[i], section, why, out);
		any = true;
	}
	if (!any)
		VEC_PUSH(a, out, f);
}

void mc_lint_change(struct arena *a, const struct mcp *pool, const struct mc_merged *from,
		    const struct mc_merged *to, const struct mc_overrides *allow,
		    const struct mc_list *given, struct mc_findings *out)
{
	for (int i = 0; i < MC_SECTIONS; i++) {
		const char *why = mc_section_refused(a, (enum mc_section)i, from, to, allow);

		if (why)
			add_change(a, pool, (enum mc_section)i, why, given, out);
	}
}
