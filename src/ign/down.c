/*
 * Conversion from 3.5 to an older spec, one version at a time, as upstream does when it
 * serves: each step refuses what the next version cannot express.
 */
#include "down.h"
#include "v2.h"

static int refuse_config(struct stepper *s, const char *text)
{
	return err_set(s->err, ERR_INVALID, "%s", text);
}

static int check_config(struct stepper *s, int minor, const char *prefix)
{
	struct ign_report r = { 0 };

	ign_validate(s->a, s->config, minor, NULL, &r);
	if (!r.fatal)
		return 0;
	return err_set(s->err, ERR_INVALID, "%s:\n%.*s", prefix,
		       STRF(ign_report_text(s->a, &r, NULL, S(""))));
}

static void unset(struct ign_obj *o, int field)
{
	o->v[field] = (struct ign_val){ 0 };
}

static void set_version(struct stepper *s, const char *version)
{
	s->config->v[IGN_CONFIG_IGNITION].u.o->v[IGN_IGNITION_VERSION].u.s = str_of(version);
}

/* ---- 3.5 to 3.1 ---------------------------------------------------------- */

static int to_34(struct stepper *s)
{
	const struct ign_objs *luks = stored(s, IGN_STORAGE_LUKS);
	int rc = check_config(s, 5, "invalid input config");

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < luks->n; i++) {
		const struct ign_objs *tang =
			ign_list(ign_sub(luks->v[i], IGN_LUKS_CLEVIS), IGN_CLEVIS_TANG);

		unset(luks->v[i], IGN_LUKS_CEX);
		for (size_t k = 0; k < tang->n; k++)
			unset(tang->v[k], IGN_TANG_ADVERTISEMENT);
	}
	set_version(s, "3.4.0");
	return check_config(s, 4, "converted spec has unexpected fatal error");
}

static bool is_arn(const struct ign_obj *r)
{
	return str_eq_fold(str_sub(ign_str(r, IGN_RESOURCE_SOURCE), 0, 4), S("arn:"));
}

/* Whether any resource has an arn: source. */
static bool has_arn(const struct ign_obj *o)
{
	if (!o)
		return false;
	if (o->type == &ign_type_RESOURCE && is_arn(o))
		return true;
	for (size_t i = 0; i < o->type->n; i++) {
		const struct ign_objs *list = &o->v[i].u.objs;

		if (o->type->fields[i].kind == IGN_OBJ && has_arn(o->v[i].u.o))
			return true;
		if (o->type->fields[i].kind != IGN_OBJS)
			continue;
		for (size_t k = 0; k < list->n; k++)
			if (has_arn(list->v[k]))
				return true;
	}
	return false;
}

static bool special_bits(const struct ign_objs *nodes, int field)
{
	for (size_t i = 0; i < nodes->n; i++)
		if (ign_int(nodes->v[i], field, 0) & 07000)
			return true;
	return false;
}

static int to_33(struct stepper *s)
{
	const struct ign_objs *luks = stored(s, IGN_STORAGE_LUKS);
	int rc = check_config(s, 4, "Invalid input config");

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < luks->n; i++) {
		if (ign_is_true(luks->v[i], IGN_LUKS_DISCARD))
			return refuse_config(s, "Invalid input config: luks discard is "
						"not supported in spec v3.3");
		if (ign_strings(luks->v[i], IGN_LUKS_OPEN_OPTIONS)->n)
			return refuse_config(s, "Invalid input config: luks openOptions "
						"is not supported in spec v3.3");
	}
	if (special_bits(stored(s, IGN_STORAGE_DIRECTORIES), IGN_DIRECTORY_MODE) ||
	    special_bits(stored(s, IGN_STORAGE_FILES), IGN_FILE_MODE))
		return refuse_config(s, "Invalid input config: special mode bits are "
					"not supported in spec v3.3");
	if (has_arn(s->config))
		return refuse_config(s, "Invalid input config: arn: scheme for s3 is "
					"not supported in spec v3.3");
	for (size_t i = 0; i < luks->n; i++)
		unset(luks->v[i], IGN_LUKS_DISCARD);
	set_version(s, "3.3.0");
	return check_config(s, 3, "Converted spec has unexpected fatal error");
}

static int to_32(struct stepper *s)
{
	const struct ign_obj *k = ign_sub(s->config, IGN_CONFIG_KARGS);
	int rc = check_config(s, 3, "Invalid input config");

	if (rc < 0)
		return rc;
	if (ign_strings(k, IGN_KARGS_EXIST)->n || ign_strings(k, IGN_KARGS_NOT_EXIST)->n)
		return refuse_config(s, "KernelArguments is not supported on 3.2");
	set_version(s, "3.2.0");
	return check_config(s, 2, "Converted spec has unexpected fatal error");
}

/* Refuses what neither 3.1 nor 2.2 has; on is the target, for messages. */
static int check_32(struct stepper *s, const char *on)
{
	const struct ign_obj *p = ign_sub(s->config, IGN_CONFIG_PASSWD);
	const struct ign_objs *users = ign_list(p, IGN_PASSWD_USERS);
	const struct ign_objs *groups = ign_list(p, IGN_PASSWD_GROUPS);
	const char *what = NULL;

	if (stored(s, IGN_STORAGE_LUKS)->n)
		what = "LUKS is";
	for (size_t i = 0; !what && i < users->n; i++)
		if (ign_is_set(users->v[i], IGN_USER_EXIST) &&
		    !ign_is_true(users->v[i], IGN_USER_EXIST))
			what = "ShouldExist in Passwd.Users is";
	for (size_t i = 0; !what && i < groups->n; i++)
		if (ign_is_set(groups->v[i], IGN_GROUP_EXIST) &&
		    !ign_is_true(groups->v[i], IGN_GROUP_EXIST))
			what = "ShouldExist in Passwd.Groups is";
	return what ? err_set(s->err, ERR_INVALID, "%s not supported on %s", what, on) : 0;
}

static int check_partitions(struct stepper *s, const char *on, bool sizes)
{
	const struct ign_objs *disks = stored(s, IGN_STORAGE_DISKS);

	for (size_t i = 0; i < disks->n; i++) {
		const struct ign_objs *p = ign_list(disks->v[i], IGN_DISK_PARTITIONS);

		for (size_t k = 0; k < p->n; k++) {
			if (sizes && (ign_is_set(p->v[k], IGN_PARTITION_SIZE) ||
				      ign_is_set(p->v[k], IGN_PARTITION_START)))
				return err_set(s->err, ERR_INVALID,
					       "SizeMiB and StartMiB in "
					       "Storage.Disks.Partitions is not "
					       "supported on %s",
					       on);
			if (ign_is_true(p->v[k], IGN_PARTITION_RESIZE))
				return err_set(s->err, ERR_INVALID,
					       "Resize in "
					       "Storage.Disks.Partitions is not "
					       "supported on %s",
					       on);
		}
	}
	return 0;
}

static int to_31(struct stepper *s)
{
	int rc = check_config(s, 2, "Invalid input config");

	if (rc == 0)
		rc = check_32(s, "3.1");
	if (rc == 0)
		rc = check_partitions(s, "3.1", false);
	if (rc < 0)
		return rc;
	set_version(s, "3.1.0");
	return check_config(s, 1, "Converted spec has unexpected fatal error");
}

static int to_22(struct stepper *s, struct ign_obj **out)
{
	struct str report;
	int rc = check_config(s, 2, "Invalid input config");

	if (rc == 0)
		rc = ign_22_check_references(s);
	if (rc == 0)
		rc = check_32(s, "2.2");
	if (rc == 0)
		rc = check_partitions(s, "2.2", true);
	if (rc == 0)
		rc = ign_22_check_files(s);
	if (rc < 0)
		return rc;
	*out = ign_22_build(s);
	report = ign_v2_report(s->a, *out, 2, NULL, S(""));
	if (report.n)
		return err_set(s->err, ERR_INVALID,
			       "Converted spec has unexpected fatal error:\n"
			       "%.*s",
			       STRF(report));
	return 0;
}

/* ---- all of it ----------------------------------------------------------- */

int ign_down(struct arena *a, const struct ign_obj *config, struct semver to, struct json **out,
	     struct err *err)
{
	static int (*const steps[])(struct stepper * s) = { to_34, to_33, to_32 };
	struct stepper s = { .a = a, .err = err };
	bool v2 = to.major == 2 && to.minor == 2;
	int64_t target = v2 ? 2 : to.minor;
	struct ign_obj *old = NULL;
	int rc;

	if (!v2 && (to.major != 3 || to.minor < 1 || to.minor > 5))
		return err_set(err, ERR_INVALID,
			       "conversion for source version 3.5.0 to target "
			       "version %lld.%lld.%lld is not supported the "
			       "requested conversion is not supported",
			       (long long)to.major, (long long)to.minor, (long long)to.patch);
	/* a private copy, parsed as 3.5 */
	rc = ign_parse_35(a, json_format(a, ign_encode(a, config), 0), &s.config, err);
	for (int64_t at = 5; rc == 0 && at > target && at > 2; at--)
		rc = steps[5 - at](&s);
	if (rc == 0 && !v2 && target == 1)
		rc = to_31(&s);
	if (rc == 0 && v2)
		rc = to_22(&s, &old);
	if (rc < 0)
		return rc;
	*out = v2 ? ign_encode(a, old) : ign_encode_as(a, s.config, (int)target);
	return 0;
}
