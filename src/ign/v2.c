/*
 * Reads configs of the v2 specs. All versions use the table of 2.2; fields that an older version
 * does not have are ignored in it.
 */
#include "v2.h"

static void set_int(struct ign_obj *o, int field)
{
	o->v[field].set = true; /* 0 if it was absent */
}

static struct ign_obj *owner(struct arena *a, struct ign_obj *o, int field)
{
	if (!o->v[field].u.o)
		o->v[field].u.o = ign_new(a, &ign_type_V2_OWNER);
	return o->v[field].u.o;
}

/* Plain numbers of 2.0 and 2.1 are pointers in 2.2, and count as set even if they are 0. */
static void upgrade(struct arena *a, struct ign_obj *config, int minor)
{
	const struct ign_obj *s = ign_sub(config, IGN_V2_CONFIG_STORAGE);
	const struct ign_objs *files = ign_list(s, IGN_V2_STORAGE_FILES);
	const struct ign_objs *dirs = ign_list(s, IGN_V2_STORAGE_DIRECTORIES);
	const struct ign_objs *users =
		ign_list(ign_sub(config, IGN_V2_CONFIG_PASSWD), IGN_V2_PASSWD_USERS);

	for (size_t i = 0; minor < 2 && i < files->n; i++)
		set_int(files->v[i], IGN_V2_FILE_MODE);
	for (size_t i = 0; minor < 2 && i < dirs->n; i++)
		set_int(dirs->v[i], IGN_V2_DIRECTORY_MODE);
	for (size_t i = 0; minor < 1 && i < files->n; i++) {
		set_int(owner(a, files->v[i], IGN_V2_FILE_USER), IGN_V2_OWNER_ID);
		set_int(owner(a, files->v[i], IGN_V2_FILE_GROUP), IGN_V2_OWNER_ID);
	}
	for (size_t i = 0; minor < 1 && i < users->n; i++) {
		struct ign_val *v = &users->v[i]->v[IGN_V2_USER_PASSWORD];

		if (!v->set)
			v->u.s = S("");
		v->set = true;
	}
}

int ign_v2_parse(struct arena *a, struct str text, const struct json *root, struct ign_parsed *out,
		 struct err *err)
{
	struct ign_obj *config = ign_new(a, &ign_type_V2_CONFIG);
	struct semver v;
	struct str problem, report;
	size_t offset;

	/* upstream then tries the older versions, down to 1 */
	if (ign_decode(a, config, root, 2, &problem, &offset) < 0)
		return err_set(err, ERR_NOTFOUND, "not a v2 config");
	if (!semver_parse(ign_str(ign_sub(config, IGN_V2_CONFIG_IGNITION), IGN_V2_IGNITION_VERSION),
			  &v) ||
	    v.major != 2 || v.minor > 2 || v.patch || v.pre.n || v.meta.n)
		return err_set(err, ERR_NOTFOUND, "not a v2 version");
	if (v.minor < 2) {
		config = ign_new(a, &ign_type_V2_CONFIG);
		if (ign_decode(a, config, root, (int)v.minor, &problem, &offset) < 0)
			return err_set(err, ERR_NOTFOUND, "not a v2 config");
	}
	report = ign_v2_report(a, config, (int)v.minor, root, text);
	if (report.n)
		return err_set(err, ERR_INVALID,
			       "parsing Ignition spec v2 failed with error: "
			       "config is not valid\nReport: %.*s",
			       STRF(report));
	upgrade(a, config, (int)v.minor);
	out->v2 = true;
	out->old = ARENA_NEW(a, struct ign_v2);
	out->old->config = config;
	return 0;
}

int ign_check_modes(const struct ign_parsed *p, struct err *err)
{
	const struct ign_objs *files =
		p->v2 ? ign_list(ign_sub(p->old->config, IGN_V2_CONFIG_STORAGE),
				 IGN_V2_STORAGE_FILES)
		      : ign_files(p->config);
	int mode_at = p->v2 ? (int)IGN_V2_FILE_MODE : (int)IGN_FILE_MODE;
	int path_at = p->v2 ? (int)IGN_V2_FILE_PATH : (int)IGN_FILE_PATH;

	for (size_t i = 0; i < files->n; i++) {
		int64_t mode = ign_int(files->v[i], mode_at, 0);

		if (mode > 0777)
			return err_set(err, ERR_INVALID,
				       "invalid mode %#llo for %.*s, cannot "
				       "exceed 0777",
				       (unsigned long long)mode,
				       STRF(ign_str(files->v[i], path_at)));
	}
	return 0;
}
