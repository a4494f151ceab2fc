/*
 * From 3.5 down to what an older Ignition reads, a version at a time, as upstream
 * does it when it serves: each step refuses what the next version cannot say.
 */
#include "check.h"
#include "v2.h"

struct stepper {
	struct arena *a;
	struct ign_obj *config;
	struct err *err;
};

static int refuse(struct stepper *s, const char *text)
{
	return err_set(s->err, ERR_INVALID, "%s", text);
}

static int check(struct stepper *s, int minor, const char *prefix)
{
	struct ign_report r = { 0 };

	ign_validate(s->a, s->config, minor, NULL, &r);
	if (!r.fatal)
		return 0;
	return err_set(s->err, ERR_INVALID, "%s:\n%.*s", prefix,
		       STRF(ign_report_text(s->a, &r, NULL, S(""))));
}

static const struct ign_objs *stored(const struct stepper *s, int field)
{
	return ign_list(ign_sub(s->config, IGN_CONFIG_STORAGE), field);
}

static void unset(struct ign_obj *o, int field)
{
	o->v[field] = (struct ign_val){ 0 };
}

static void set_version(struct stepper *s, const char *version)
{
	s->config->v[IGN_CONFIG_IGNITION].u.o->v[IGN_IGNITION_VERSION].u.s =
		str_of(version);
}

/* ---- 3.5 to 3.1 ------------------------------------------------------------------- */

static int to_34(struct stepper *s)
{
	const struct ign_objs *luks = stored(s, IGN_STORAGE_LUKS);
	int rc = check(s, 5, "invalid input config");

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < luks->n; i++) {
		const struct ign_objs *tang = ign_list(
			ign_sub(luks->v[i], IGN_LUKS_CLEVIS), IGN_CLEVIS_TANG);

		unset(luks->v[i], IGN_LUKS_CEX);
		for (size_t k = 0; k < tang->n; k++)
			unset(tang->v[k], IGN_TANG_ADVERTISEMENT);
	}
	set_version(s, "3.4.0");
	return check(s, 4, "converted spec has unexpected fatal error");
}

static bool is_arn(const struct ign_obj *r)
{
	return str_eq_fold(str_sub(ign_str(r, IGN_RESOURCE_SOURCE), 0, 4),
			   S("arn:"));
}

/* Any resource anywhere with an arn: source. */
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
	int rc = check(s, 4, "Invalid input config");

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < luks->n; i++) {
		if (ign_is_true(luks->v[i], IGN_LUKS_DISCARD))
			return refuse(s,
				      "Invalid input config: luks discard is "
				      "not supported in spec v3.3");
		if (ign_strings(luks->v[i], IGN_LUKS_OPEN_OPTIONS)->n)
			return refuse(s,
				      "Invalid input config: luks openOptions "
				      "is not supported in spec v3.3");
	}
	if (special_bits(stored(s, IGN_STORAGE_DIRECTORIES),
			 IGN_DIRECTORY_MODE) ||
	    special_bits(stored(s, IGN_STORAGE_FILES), IGN_FILE_MODE))
		return refuse(s, "Invalid input config: special mode bits are "
				 "not supported in spec v3.3");
	if (has_arn(s->config))
		return refuse(s, "Invalid input config: arn: scheme for s3 is "
				 "not supported in spec v3.3");
	for (size_t i = 0; i < luks->n; i++)
		unset(luks->v[i], IGN_LUKS_DISCARD);
	set_version(s, "3.3.0");
	return check(s, 3, "Converted spec has unexpected fatal error");
}

static int to_32(struct stepper *s)
{
	const struct ign_obj *k = ign_sub(s->config, IGN_CONFIG_KARGS);
	int rc = check(s, 3, "Invalid input config");

	if (rc < 0)
		return rc;
	if (ign_strings(k, IGN_KARGS_EXIST)->n ||
	    ign_strings(k, IGN_KARGS_NOT_EXIST)->n)
		return refuse(s, "KernelArguments is not supported on 3.2");
	set_version(s, "3.2.0");
	return check(s, 2, "Converted spec has unexpected fatal error");
}

/* What neither 3.1 nor 2.2 has; on names the target. */
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
	return what ? err_set(s->err, ERR_INVALID, "%s not supported on %s",
			      what, on)
		    : 0;
}

static int check_partitions(struct stepper *s, const char *on, bool sizes)
{
	const struct ign_objs *disks = stored(s, IGN_STORAGE_DISKS);

	for (size_t i = 0; i < disks->n; i++) {
		const struct ign_objs *p =
			ign_list(disks->v[i], IGN_DISK_PARTITIONS);

		for (size_t k = 0; k < p->n; k++) {
			if (sizes && (ign_is_set(p->v[k], IGN_PARTITION_SIZE) ||
				      ign_is_set(p->v[k], IGN_PARTITION_START)))
				return err_set(
					s->err, ERR_INVALID,
					"SizeMiB and StartMiB in "
					"Storage.Disks.Partitions is not "
					"supported on %s",
					on);
			if (ign_is_true(p->v[k], IGN_PARTITION_RESIZE))
				return err_set(
					s->err, ERR_INVALID,
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
	int rc = check(s, 2, "Invalid input config");

	if (rc == 0)
		rc = check_32(s, "3.1");
	if (rc == 0)
		rc = check_partitions(s, "3.1", false);
	if (rc < 0)
		return rc;
	set_version(s, "3.1.0");
	return check(s, 1, "Converted spec has unexpected fatal error");
}

/* ---- 2.2 ------------------------------------------------------------------------------ */

static int check_resource(struct stepper *s, const struct ign_obj *r,
			  const char *where, bool compression)
{
	if (compression && ign_is_set(r, IGN_RESOURCE_COMPRESSION))
		return err_set(s->err, ERR_INVALID,
			       "Compression in %s is not supported on 2.2",
			       where);
	if (ign_is_set(r, IGN_RESOURCE_HEADERS))
		return err_set(s->err, ERR_INVALID,
			       "HTTPHeaders in %s are not supported on 2.2",
			       where);
	return 0;
}

static int check_references(struct stepper *s)
{
	const struct ign_obj *ign = ign_sub(s->config, IGN_CONFIG_IGNITION);
	const struct ign_obj *cfg = ign_sub(ign, IGN_IGNITION_CONFIG);
	const struct ign_obj *proxy = ign_sub(ign, IGN_IGNITION_PROXY);
	const struct ign_objs *merge = ign_list(cfg, IGN_IGNITION_CONFIG_MERGE);
	const struct ign_objs *cas = ign_list(
		ign_sub(ign_sub(ign, IGN_IGNITION_SECURITY), IGN_SECURITY_TLS),
		IGN_TLS_CAS);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < merge->n; i++)
		rc = check_resource(s, merge->v[i], "Ignition.Config.Merge",
				    true);
	if (rc == 0)
		rc = check_resource(s,
				    ign_sub(cfg, IGN_IGNITION_CONFIG_REPLACE),
				    "Ignition.Config.Replace", true);
	for (size_t i = 0; rc == 0 && i < cas->n; i++)
		rc = check_resource(
			s, cas->v[i],
			"Ignition.Security.TLS.CertificateAuthorities", true);
	if (rc == 0 && (ign_is_set(proxy, IGN_PROXY_HTTP) ||
			ign_is_set(proxy, IGN_PROXY_HTTPS) ||
			ign_is_set(proxy, IGN_PROXY_NO)))
		rc = refuse(s,
			    "HTTP proxies in Ignition.Proxy are not supported "
			    "on 2.2");
	return rc;
}

static int check_files(struct stepper *s)
{
	const struct ign_objs *fs = stored(s, IGN_STORAGE_FILESYSTEMS);
	const struct ign_objs *files = stored(s, IGN_STORAGE_FILES);
	int rc = 0;

	for (size_t i = 0; i < fs->n; i++)
		if (ign_is_set(fs->v[i], IGN_FILESYSTEM_MOUNT_OPTIONS))
			return refuse(s,
				      "MountOptions in Storage.Filesystems is "
				      "not supported on 2.2");
	for (size_t i = 0; rc == 0 && i < files->n; i++) {
		const struct ign_objs *more =
			ign_list(files->v[i], IGN_FILE_APPEND);

		rc = check_resource(s, ign_sub(files->v[i], IGN_FILE_CONTENTS),
				    "Storage.Files.Contents", false);
		for (size_t k = 0; rc == 0 && k < more->n; k++)
			rc = check_resource(s, more->v[k],
					    "Storage.Files.Append.*", false);
	}
	return rc;
}

/* Given values move; "", 0 and false of plain fields are not written. */
static void move(struct ign_obj *to, int t, const struct ign_obj *from, int f)
{
	if (from)
		to->v[t] = from->v[f];
}

static void move_plain(struct ign_obj *to, int t, const struct ign_obj *from,
		       int f)
{
	const struct ign_val *v;

	if (!from || !from->v[f].set)
		return;
	v = &from->v[f];
	switch (from->type->fields[f].kind) {
	case IGN_STR:
		if (!v->u.s.n)
			return;
		break;
	case IGN_INT:
		if (!v->u.i)
			return;
		break;
	case IGN_BOOL:
		if (!v->u.b)
			return;
		break;
	case IGN_OBJ:
	case IGN_STRS:
	case IGN_OBJS:
		break;
	}
	to->v[t] = *v;
}

static void put_str(struct ign_obj *o, int field, struct str s)
{
	o->v[field].set = s.n > 0;
	o->v[field].u.s = s;
}

static struct ign_obj *verification(struct stepper *s, const struct ign_obj *o)
{
	struct ign_obj *v = ign_new(s->a, &ign_type_V2_VERIFICATION);

	move(v, IGN_V2_VERIFICATION_HASH, o, IGN_VERIFICATION_HASH);
	return v;
}

static struct ign_obj *reference(struct stepper *s, const struct ign_obj *o)
{
	struct ign_obj *r = ign_new(s->a, &ign_type_V2_REFERENCE);

	move_plain(r, IGN_V2_REFERENCE_SOURCE, o, IGN_RESOURCE_SOURCE);
	r->v[IGN_V2_REFERENCE_VERIFICATION].u.o =
		verification(s, ign_sub(o, IGN_RESOURCE_VERIFICATION));
	return r;
}

static struct ign_obj *ignition(struct stepper *s)
{
	const struct ign_obj *old = ign_sub(s->config, IGN_CONFIG_IGNITION);
	const struct ign_obj *cfg = ign_sub(old, IGN_IGNITION_CONFIG);
	const struct ign_obj *times = ign_sub(old, IGN_IGNITION_TIMEOUTS);
	const struct ign_objs *merge = ign_list(cfg, IGN_IGNITION_CONFIG_MERGE);
	const struct ign_objs *cas = ign_list(
		ign_sub(ign_sub(old, IGN_IGNITION_SECURITY), IGN_SECURITY_TLS),
		IGN_TLS_CAS);
	struct ign_obj *o = ign_new(s->a, &ign_type_V2_IGNITION);
	struct ign_obj *c = ign_new(s->a, &ign_type_V2_IGNITION_CONFIG);
	struct ign_obj *sec = ign_new(s->a, &ign_type_V2_SECURITY);
	struct ign_obj *tls = ign_new(s->a, &ign_type_V2_TLS);
	struct ign_obj *t = ign_new(s->a, &ign_type_V2_TIMEOUTS);

	for (size_t i = 0; i < merge->n; i++)
		VEC_PUSH(s->a, &c->v[IGN_V2_IGNITION_CONFIG_APPEND].u.objs,
			 reference(s, merge->v[i]));
	if (!ign_is_zero(ign_sub(cfg, IGN_IGNITION_CONFIG_REPLACE)))
		c->v[IGN_V2_IGNITION_CONFIG_REPLACE].u.o =
			reference(s, ign_sub(cfg, IGN_IGNITION_CONFIG_REPLACE));
	for (size_t i = 0; i < cas->n; i++)
		VEC_PUSH(s->a, &tls->v[IGN_V2_TLS_CAS].u.objs,
			 reference(s, cas->v[i]));
	move(t, IGN_V2_TIMEOUTS_HEADERS, times, IGN_TIMEOUTS_HEADERS);
	move(t, IGN_V2_TIMEOUTS_TOTAL, times, IGN_TIMEOUTS_TOTAL);
	sec->v[IGN_V2_SECURITY_TLS].u.o = tls;
	o->v[IGN_V2_IGNITION_CONFIG].u.o = c;
	o->v[IGN_V2_IGNITION_SECURITY].u.o = sec;
	o->v[IGN_V2_IGNITION_TIMEOUTS].u.o = t;
	put_str(o, IGN_V2_IGNITION_VERSION, S("2.2.0"));
	return o;
}

static struct ign_obj *user(struct stepper *s, const struct ign_obj *o)
{
	static const int plain[][2] = {
		{ IGN_V2_USER_GECOS, IGN_USER_GECOS },
		{ IGN_V2_USER_HOME, IGN_USER_HOME },
		{ IGN_V2_USER_NO_HOME, IGN_USER_NO_HOME },
		{ IGN_V2_USER_PRIMARY, IGN_USER_PRIMARY },
		{ IGN_V2_USER_NO_GROUP, IGN_USER_NO_GROUP },
		{ IGN_V2_USER_NO_LOG, IGN_USER_NO_LOG },
		{ IGN_V2_USER_SHELL, IGN_USER_SHELL },
		{ IGN_V2_USER_SYSTEM, IGN_USER_SYSTEM },
	};
	struct ign_obj *u = ign_new(s->a, &ign_type_V2_USER);

	put_str(u, IGN_V2_USER_NAME, ign_str(o, IGN_USER_NAME));
	move(u, IGN_V2_USER_PASSWORD, o, IGN_USER_PASSWORD);
	move(u, IGN_V2_USER_KEYS, o, IGN_USER_KEYS);
	move(u, IGN_V2_USER_UID, o, IGN_USER_UID);
	move(u, IGN_V2_USER_GROUPS, o, IGN_USER_GROUPS);
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		move_plain(u, plain[i][0], o, plain[i][1]);
	return u;
}

static struct ign_obj *group(struct stepper *s, const struct ign_obj *o)
{
	struct ign_obj *g = ign_new(s->a, &ign_type_V2_GROUP);

	put_str(g, IGN_V2_GROUP_NAME, ign_str(o, IGN_GROUP_NAME));
	move(g, IGN_V2_GROUP_GID, o, IGN_GROUP_GID);
	move_plain(g, IGN_V2_GROUP_PASSWORD, o, IGN_GROUP_PASSWORD);
	move_plain(g, IGN_V2_GROUP_SYSTEM, o, IGN_GROUP_SYSTEM);
	return g;
}

static struct ign_obj *dropin(struct stepper *s, const struct ign_obj *o)
{
	struct ign_obj *d = ign_new(s->a, &ign_type_V2_DROPIN);

	put_str(d, IGN_V2_DROPIN_NAME, ign_str(o, IGN_DROPIN_NAME));
	move_plain(d, IGN_V2_DROPIN_CONTENTS, o, IGN_DROPIN_CONTENTS);
	return d;
}

typedef struct ign_obj *one(struct stepper *s, const struct ign_obj *o);

static void each(struct stepper *s, struct ign_obj *to, int t,
		 const struct ign_objs *list, one *convert)
{
	for (size_t i = 0; i < list->n; i++)
		VEC_PUSH(s->a, &to->v[t].u.objs, convert(s, list->v[i]));
}

static struct ign_obj *unit(struct stepper *s, const struct ign_obj *o)
{
	struct ign_obj *u = ign_new(s->a, &ign_type_V2_UNIT);

	put_str(u, IGN_V2_UNIT_NAME, ign_str(o, IGN_UNIT_NAME));
	move(u, IGN_V2_UNIT_ENABLED, o, IGN_UNIT_ENABLED);
	move_plain(u, IGN_V2_UNIT_MASK, o, IGN_UNIT_MASK);
	move_plain(u, IGN_V2_UNIT_CONTENTS, o, IGN_UNIT_CONTENTS);
	each(s, u, IGN_V2_UNIT_DROPINS, ign_list(o, IGN_UNIT_DROPINS), dropin);
	return u;
}

static struct ign_obj *partition(struct stepper *s, const struct ign_obj *o)
{
	struct ign_obj *p = ign_new(s->a, &ign_type_V2_PARTITION);

	move_plain(p, IGN_V2_PARTITION_LABEL, o, IGN_PARTITION_LABEL);
	move_plain(p, IGN_V2_PARTITION_NUMBER, o, IGN_PARTITION_NUMBER);
	move_plain(p, IGN_V2_PARTITION_TYPE_GUID, o, IGN_PARTITION_TYPE_GUID);
	move_plain(p, IGN_V2_PARTITION_GUID, o, IGN_PARTITION_GUID);
	return p;
}

static struct ign_obj *disk(struct stepper *s, const struct ign_obj *o)
{
	struct ign_obj *d = ign_new(s->a, &ign_type_V2_DISK);

	put_str(d, IGN_V2_DISK_DEVICE, ign_str(o, IGN_DISK_DEVICE));
	move_plain(d, IGN_V2_DISK_WIPE, o, IGN_DISK_WIPE);
	each(s, d, IGN_V2_DISK_PARTITIONS, ign_list(o, IGN_DISK_PARTITIONS),
	     partition);
	return d;
}

static struct ign_obj *raid(struct stepper *s, const struct ign_obj *o)
{
	struct ign_obj *r = ign_new(s->a, &ign_type_V2_RAID);

	put_str(r, IGN_V2_RAID_NAME, ign_str(o, IGN_RAID_NAME));
	move_plain(r, IGN_V2_RAID_LEVEL, o, IGN_RAID_LEVEL);
	move(r, IGN_V2_RAID_DEVICES, o, IGN_RAID_DEVICES);
	move(r, IGN_V2_RAID_OPTIONS, o, IGN_RAID_OPTIONS);
	move_plain(r, IGN_V2_RAID_SPARES, o, IGN_RAID_SPARES);
	return r;
}

/* Filesystems are named by their paths, or by numbers when they have none. */
static void filesystems(struct stepper *s, struct ign_obj *to)
{
	const struct ign_objs *list = stored(s, IGN_STORAGE_FILESYSTEMS);
	int unnamed = 1;

	for (size_t i = 0; i < list->n; i++) {
		const struct ign_obj *o = list->v[i];
		struct ign_obj *f = ign_new(s->a, &ign_type_V2_FILESYSTEM);
		struct ign_obj *m = ign_new(s->a, &ign_type_V2_MOUNT);

		if (ign_is_set(o, IGN_FILESYSTEM_PATH))
			put_str(f, IGN_V2_FILESYSTEM_NAME,
				ign_str(o, IGN_FILESYSTEM_PATH));
		else
			put_str(f, IGN_V2_FILESYSTEM_NAME,
				str_fmt(s->a, "%d", unnamed++));
		put_str(m, IGN_V2_MOUNT_DEVICE,
			ign_str(o, IGN_FILESYSTEM_DEVICE));
		move_plain(m, IGN_V2_MOUNT_FORMAT, o, IGN_FILESYSTEM_FORMAT);
		move_plain(m, IGN_V2_MOUNT_WIPE, o, IGN_FILESYSTEM_WIPE);
		move(m, IGN_V2_MOUNT_LABEL, o, IGN_FILESYSTEM_LABEL);
		move(m, IGN_V2_MOUNT_UUID, o, IGN_FILESYSTEM_UUID);
		move(m, IGN_V2_MOUNT_OPTIONS, o, IGN_FILESYSTEM_OPTIONS);
		f->v[IGN_V2_FILESYSTEM_MOUNT].u.o = m;
		VEC_PUSH(s->a, &to->v[IGN_V2_STORAGE_FILESYSTEMS].u.objs, f);
	}
}

static struct ign_obj *owner(struct stepper *s, const struct ign_obj *o)
{
	struct ign_obj *w;

	if (!ign_is_set(o, IGN_NODE_USER_ID) &&
	    !ign_is_set(o, IGN_NODE_USER_NAME))
		return NULL;
	w = ign_new(s->a, &ign_type_V2_OWNER);
	move(w, IGN_V2_OWNER_ID, o, IGN_NODE_USER_ID);
	move_plain(w, IGN_V2_OWNER_NAME, o, IGN_NODE_USER_NAME);
	return w;
}

/* On the filesystem with the longest path that the node's path begins with. */
static struct ign_obj *node(struct stepper *s, const struct ign_type *type,
			    const struct ign_obj *o)
{
	const struct ign_objs *fs = stored(s, IGN_STORAGE_FILESYSTEMS);
	struct ign_obj *n = ign_new(s->a, type);
	struct str path = ign_str(o, IGN_FILE_PATH), on = S("");

	for (size_t i = 0; i < fs->n; i++) {
		struct str p = ign_str(fs->v[i], IGN_FILESYSTEM_PATH);

		if (p.n > on.n && str_starts(path, p))
			on = p;
	}
	put_str(n, IGN_V2_FILE_FILESYSTEM, on.n ? on : S("root"));
	put_str(n, IGN_V2_FILE_PATH, str_from(path, on.n));
	move(n, IGN_V2_FILE_OVERWRITE, o, IGN_FILE_OVERWRITE);
	n->v[IGN_V2_FILE_USER].u.o = owner(s, ign_sub(o, IGN_FILE_USER));
	n->v[IGN_V2_FILE_GROUP].u.o = owner(s, ign_sub(o, IGN_FILE_GROUP));
	return n;
}

static void set_bool(struct ign_obj *o, int field, bool b)
{
	o->v[field].set = true;
	o->v[field].u.b = b;
}

static struct ign_obj *contents(struct stepper *s, const struct ign_obj *r)
{
	struct ign_obj *c = ign_new(s->a, &ign_type_V2_CONTENTS);

	move_plain(c, IGN_V2_CONTENTS_COMPRESSION, r, IGN_RESOURCE_COMPRESSION);
	move_plain(c, IGN_V2_CONTENTS_SOURCE, r, IGN_RESOURCE_SOURCE);
	c->v[IGN_V2_CONTENTS_VERIFICATION].u.o =
		verification(s, ign_sub(r, IGN_RESOURCE_VERIFICATION));
	return c;
}

/* A file, then one more for each thing appended to it. */
static void files(struct stepper *s, struct ign_obj *to)
{
	const struct ign_objs *list = stored(s, IGN_STORAGE_FILES);
	struct ign_objs *out = &to->v[IGN_V2_STORAGE_FILES].u.objs;

	for (size_t i = 0; i < list->n; i++) {
		const struct ign_obj *o = list->v[i];
		const struct ign_obj *c = ign_sub(o, IGN_FILE_CONTENTS);
		const struct ign_objs *more = ign_list(o, IGN_FILE_APPEND);

		if (ign_is_set(c, IGN_RESOURCE_SOURCE)) {
			struct ign_obj *f = node(s, &ign_type_V2_FILE, o);

			move(f, IGN_V2_FILE_MODE, o, IGN_FILE_MODE);
			if (!ign_is_set(f, IGN_V2_FILE_OVERWRITE))
				set_bool(f, IGN_V2_FILE_OVERWRITE, false);
			f->v[IGN_V2_FILE_CONTENTS].u.o = contents(s, c);
			VEC_PUSH(s->a, out, f);
		}
		for (size_t k = 0; k < more->n; k++) {
			struct ign_obj *f = node(s, &ign_type_V2_FILE, o);

			move(f, IGN_V2_FILE_MODE, o, IGN_FILE_MODE);
			set_bool(f, IGN_V2_FILE_OVERWRITE, false);
			set_bool(f, IGN_V2_FILE_APPEND, true);
			f->v[IGN_V2_FILE_CONTENTS].u.o =
				contents(s, more->v[k]);
			VEC_PUSH(s->a, out, f);
		}
	}
}

static struct ign_obj *directory(struct stepper *s, const struct ign_obj *o)
{
	struct ign_obj *d = node(s, &ign_type_V2_DIRECTORY, o);

	move(d, IGN_V2_DIRECTORY_MODE, o, IGN_DIRECTORY_MODE);
	return d;
}

static struct ign_obj *link_node(struct stepper *s, const struct ign_obj *o)
{
	struct ign_obj *l = node(s, &ign_type_V2_LINK, o);

	move_plain(l, IGN_V2_LINK_HARD, o, IGN_LINK_HARD);
	move_plain(l, IGN_V2_LINK_TARGET, o, IGN_LINK_TARGET);
	return l;
}

static struct ign_obj *build_22(struct stepper *s)
{
	const struct ign_obj *p = ign_sub(s->config, IGN_CONFIG_PASSWD);
	struct ign_obj *c = ign_new(s->a, &ign_type_V2_CONFIG);
	struct ign_obj *pw = ign_new(s->a, &ign_type_V2_PASSWD);
	struct ign_obj *st = ign_new(s->a, &ign_type_V2_STORAGE);
	struct ign_obj *sd = ign_new(s->a, &ign_type_V2_SYSTEMD);

	each(s, pw, IGN_V2_PASSWD_USERS, ign_list(p, IGN_PASSWD_USERS), user);
	each(s, pw, IGN_V2_PASSWD_GROUPS, ign_list(p, IGN_PASSWD_GROUPS),
	     group);
	each(s, sd, IGN_V2_SYSTEMD_UNITS, ign_units(s->config), unit);
	each(s, st, IGN_V2_STORAGE_DISKS, stored(s, IGN_STORAGE_DISKS), disk);
	each(s, st, IGN_V2_STORAGE_RAID, stored(s, IGN_STORAGE_RAID), raid);
	each(s, st, IGN_V2_STORAGE_DIRECTORIES,
	     stored(s, IGN_STORAGE_DIRECTORIES), directory);
	each(s, st, IGN_V2_STORAGE_LINKS, stored(s, IGN_STORAGE_LINKS),
	     link_node);
	filesystems(s, st);
	files(s, st);
	c->v[IGN_V2_CONFIG_IGNITION].u.o = ignition(s);
	c->v[IGN_V2_CONFIG_PASSWD].u.o = pw;
	c->v[IGN_V2_CONFIG_STORAGE].u.o = st;
	c->v[IGN_V2_CONFIG_SYSTEMD].u.o = sd;
	return c;
}

static int to_22(struct stepper *s, struct ign_obj **out)
{
	struct str report;
	int rc = check(s, 2, "Invalid input config");

	if (rc == 0)
		rc = check_references(s);
	if (rc == 0)
		rc = check_32(s, "2.2");
	if (rc == 0)
		rc = check_partitions(s, "2.2", true);
	if (rc == 0)
		rc = check_files(s);
	if (rc < 0)
		return rc;
	*out = build_22(s);
	report = ign_v2_report(s->a, *out, 2, NULL, S(""));
	if (report.n)
		return err_set(s->err, ERR_INVALID,
			       "Converted spec has unexpected fatal error:\n"
			       "%.*s",
			       STRF(report));
	return 0;
}

/* ---- all of it ---------------------------------------------------------------------------- */

int ign_down(struct arena *a, const struct ign_obj *config, struct semver to,
	     struct json **out, struct err *err)
{
	static int (*const steps[])(struct stepper * s) = { to_34, to_33,
							    to_32 };
	struct stepper s = { .a = a, .err = err };
	bool v2 = to.major == 2 && to.minor == 2;
	int64_t target = v2 ? 2 : to.minor;
	struct ign_obj *old = NULL;
	struct buf text;
	int rc;

	if (!v2 && (to.major != 3 || to.minor < 1 || to.minor > 5))
		return err_set(err, ERR_INVALID,
			       "conversion for source version 3.5.0 to target "
			       "version %lld.%lld.%lld is not supported the "
			       "requested conversion is not supported",
			       (long long)to.major, (long long)to.minor,
			       (long long)to.patch);
	/* a copy of our own, as 3.5 reads it */
	buf_init(&text, a);
	json_encode(&text, ign_encode(a, config), 0);
	rc = ign_parse_35(a, buf_str(&text), &s.config, err);
	for (int64_t at = 5; rc == 0 && at > target && at > 2; at--)
		rc = steps[5 - at](&s);
	if (rc == 0 && !v2 && target == 1)
		rc = to_31(&s);
	if (rc == 0 && v2)
		rc = to_22(&s, &old);
	if (rc < 0)
		return rc;
	*out = v2 ? ign_encode(a, old)
		  : ign_encode_as(a, s.config, (int)target);
	return 0;
}
