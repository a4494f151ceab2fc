/*
 * Converts 3.2 to 2.2: filesystems get names, appended contents become separate files, and optional
 * fields of 3 are plain in 2, so "", 0 and false are not written.
 */
#include "down.h"
#include "v2.h"

static int check_resource(struct stepper *s, const struct ign_obj *r, const char *where,
			  bool compression)
{
	if (compression && ign_is_set(r, IGN_RESOURCE_COMPRESSION))
		return err_set(s->err, ERR_INVALID, "Compression in %s is not supported on 2.2",
			       where);
	if (ign_is_set(r, IGN_RESOURCE_HEADERS))
		return err_set(s->err, ERR_INVALID, "HTTPHeaders in %s are not supported on 2.2",
			       where);
	return 0;
}

int ign_22_check_references(struct stepper *s)
{
	const struct ign_obj *ign = ign_sub(s->config, IGN_CONFIG_IGNITION);
	const struct ign_obj *cfg = ign_sub(ign, IGN_IGNITION_CONFIG);
	const struct ign_obj *proxy = ign_sub(ign, IGN_IGNITION_PROXY);
	const struct ign_objs *merge = ign_list(cfg, IGN_IGNITION_CONFIG_MERGE);
	const struct ign_objs *cas = ign_list(
		ign_sub(ign_sub(ign, IGN_IGNITION_SECURITY), IGN_SECURITY_TLS), IGN_TLS_CAS);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < merge->n; i++)
		rc = check_resource(s, merge->v[i], "Ignition.Config.Merge", true);
	if (rc == 0)
		rc = check_resource(s, ign_sub(cfg, IGN_IGNITION_CONFIG_REPLACE),
				    "Ignition.Config.Replace", true);
	for (size_t i = 0; rc == 0 && i < cas->n; i++)
		rc = check_resource(s, cas->v[i], "Ignition.Security.TLS.CertificateAuthorities",
				    true);
	if (rc == 0 && (ign_is_set(proxy, IGN_PROXY_HTTP) || ign_is_set(proxy, IGN_PROXY_HTTPS) ||
			ign_is_set(proxy, IGN_PROXY_NO)))
		rc = err_set(s->err, ERR_INVALID,
			     "HTTP proxies in Ignition.Proxy are not supported "
			     "on 2.2");
	return rc;
}

int ign_22_check_files(struct stepper *s)
{
	const struct ign_objs *fs = stored(s, IGN_STORAGE_FILESYSTEMS);
	const struct ign_objs *files = stored(s, IGN_STORAGE_FILES);
	int rc = 0;

	for (size_t i = 0; i < fs->n; i++)
		if (ign_is_set(fs->v[i], IGN_FILESYSTEM_MOUNT_OPTIONS))
			return err_set(s->err, ERR_INVALID,
				       "MountOptions in Storage.Filesystems is "
				       "not supported on 2.2");
	for (size_t i = 0; rc == 0 && i < files->n; i++) {
		const struct ign_objs *more = ign_list(files->v[i], IGN_FILE_APPEND);

		rc = check_resource(s, ign_sub(files->v[i], IGN_FILE_CONTENTS),
				    "Storage.Files.Contents", false);
		for (size_t k = 0; rc == 0 && k < more->n; k++)
			rc = check_resource(s, more->v[k], "Storage.Files.Append.*", false);
	}
	return rc;
}

/* Moves a value that is set; "", 0 and false of plain fields are not written. */
static void move_value(struct ign_obj *to, int t, const struct ign_obj *from, int f)
{
	if (from)
		to->v[t] = from->v[f];
}

static void move_plain(struct ign_obj *to, int t, const struct ign_obj *from, int f)
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

	move_value(v, IGN_V2_VERIFICATION_HASH, o, IGN_VERIFICATION_HASH);
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
		ign_sub(ign_sub(old, IGN_IGNITION_SECURITY), IGN_SECURITY_TLS), IGN_TLS_CAS);
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
		VEC_PUSH(s->a, &tls->v[IGN_V2_TLS_CAS].u.objs, reference(s, cas->v[i]));
	move_value(t, IGN_V2_TIMEOUTS_HEADERS, times, IGN_TIMEOUTS_HEADERS);
	move_value(t, IGN_V2_TIMEOUTS_TOTAL, times, IGN_TIMEOUTS_TOTAL);
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
	move_value(u, IGN_V2_USER_PASSWORD, o, IGN_USER_PASSWORD);
	move_value(u, IGN_V2_USER_KEYS, o, IGN_USER_KEYS);
	move_value(u, IGN_V2_USER_UID, o, IGN_USER_UID);
	move_value(u, IGN_V2_USER_GROUPS, o, IGN_USER_GROUPS);
	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		move_plain(u, plain[i][0], o, plain[i][1]);
	return u;
}

static struct ign_obj *group(struct stepper *s, const struct ign_obj *o)
{
	struct ign_obj *g = ign_new(s->a, &ign_type_V2_GROUP);

	put_str(g, IGN_V2_GROUP_NAME, ign_str(o, IGN_GROUP_NAME));
	move_value(g, IGN_V2_GROUP_GID, o, IGN_GROUP_GID);
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

static void each(struct stepper *s, struct ign_obj *to, int t, const struct ign_objs *list,
		 one *convert)
{
	for (size_t i = 0; i < list->n; i++)
		VEC_PUSH(s->a, &to->v[t].u.objs, convert(s, list->v[i]));
}

static struct ign_obj *down_unit(struct stepper *s, const struct ign_obj *o)
{
	struct ign_obj *u = ign_new(s->a, &ign_type_V2_UNIT);

	put_str(u, IGN_V2_UNIT_NAME, ign_str(o, IGN_UNIT_NAME));
	move_value(u, IGN_V2_UNIT_ENABLED, o, IGN_UNIT_ENABLED);
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
	each(s, d, IGN_V2_DISK_PARTITIONS, ign_list(o, IGN_DISK_PARTITIONS), partition);
	return d;
}

static struct ign_obj *raid(struct stepper *s, const struct ign_obj *o)
{
	struct ign_obj *r = ign_new(s->a, &ign_type_V2_RAID);

	put_str(r, IGN_V2_RAID_NAME, ign_str(o, IGN_RAID_NAME));
	move_plain(r, IGN_V2_RAID_LEVEL, o, IGN_RAID_LEVEL);
	move_value(r, IGN_V2_RAID_DEVICES, o, IGN_RAID_DEVICES);
	move_value(r, IGN_V2_RAID_OPTIONS, o, IGN_RAID_OPTIONS);
	move_plain(r, IGN_V2_RAID_SPARES, o, IGN_RAID_SPARES);
	return r;
}

/* Filesystems are named by their paths, or by numbers if they have no path. */
static void filesystems(struct stepper *s, struct ign_obj *to)
{
	const struct ign_objs *list = stored(s, IGN_STORAGE_FILESYSTEMS);
	int unnamed = 1;

	for (size_t i = 0; i < list->n; i++) {
		const struct ign_obj *o = list->v[i];
		struct ign_obj *f = ign_new(s->a, &ign_type_V2_FILESYSTEM);
		struct ign_obj *m = ign_new(s->a, &ign_type_V2_MOUNT);

		if (ign_is_set(o, IGN_FILESYSTEM_PATH))
			put_str(f, IGN_V2_FILESYSTEM_NAME, ign_str(o, IGN_FILESYSTEM_PATH));
		else
			put_str(f, IGN_V2_FILESYSTEM_NAME, str_fmt(s->a, "%d", unnamed++));
		put_str(m, IGN_V2_MOUNT_DEVICE, ign_str(o, IGN_FILESYSTEM_DEVICE));
		move_plain(m, IGN_V2_MOUNT_FORMAT, o, IGN_FILESYSTEM_FORMAT);
		move_plain(m, IGN_V2_MOUNT_WIPE, o, IGN_FILESYSTEM_WIPE);
		move_value(m, IGN_V2_MOUNT_LABEL, o, IGN_FILESYSTEM_LABEL);
		move_value(m, IGN_V2_MOUNT_UUID, o, IGN_FILESYSTEM_UUID);
		move_value(m, IGN_V2_MOUNT_OPTIONS, o, IGN_FILESYSTEM_OPTIONS);
		f->v[IGN_V2_FILESYSTEM_MOUNT].u.o = m;
		VEC_PUSH(s->a, &to->v[IGN_V2_STORAGE_FILESYSTEMS].u.objs, f);
	}
}

static struct ign_obj *owner(struct stepper *s, const struct ign_obj *o)
{
	struct ign_obj *w;

	if (!ign_is_set(o, IGN_NODE_USER_ID) && !ign_is_set(o, IGN_NODE_USER_NAME))
		return NULL;
	w = ign_new(s->a, &ign_type_V2_OWNER);
	move_value(w, IGN_V2_OWNER_ID, o, IGN_NODE_USER_ID);
	move_plain(w, IGN_V2_OWNER_NAME, o, IGN_NODE_USER_NAME);
	return w;
}

/* The node, on the filesystem with the longest path that is a prefix of the node's path. */
static struct ign_obj *node(struct stepper *s, const struct ign_type *type, const struct ign_obj *o)
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
	move_value(n, IGN_V2_FILE_OVERWRITE, o, IGN_FILE_OVERWRITE);
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

/* One file, then one more for each of its appended contents. */
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

			move_value(f, IGN_V2_FILE_MODE, o, IGN_FILE_MODE);
			if (!ign_is_set(f, IGN_V2_FILE_OVERWRITE))
				set_bool(f, IGN_V2_FILE_OVERWRITE, false);
			f->v[IGN_V2_FILE_CONTENTS].u.o = contents(s, c);
			VEC_PUSH(s->a, out, f);
		}
		for (size_t k = 0; k < more->n; k++) {
			struct ign_obj *f = node(s, &ign_type_V2_FILE, o);

			move_value(f, IGN_V2_FILE_MODE, o, IGN_FILE_MODE);
			set_bool(f, IGN_V2_FILE_OVERWRITE, false);
			set_bool(f, IGN_V2_FILE_APPEND, true);
			f->v[IGN_V2_FILE_CONTENTS].u.o = contents(s, more->v[k]);
			VEC_PUSH(s->a, out, f);
		}
	}
}

static struct ign_obj *directory(struct stepper *s, const struct ign_obj *o)
{
	struct ign_obj *d = node(s, &ign_type_V2_DIRECTORY, o);

	move_value(d, IGN_V2_DIRECTORY_MODE, o, IGN_DIRECTORY_MODE);
	return d;
}

static struct ign_obj *link_node(struct stepper *s, const struct ign_obj *o)
{
	struct ign_obj *l = node(s, &ign_type_V2_LINK, o);

	move_plain(l, IGN_V2_LINK_HARD, o, IGN_LINK_HARD);
	move_plain(l, IGN_V2_LINK_TARGET, o, IGN_LINK_TARGET);
	return l;
}

struct ign_obj *ign_22_build(struct stepper *s)
{
	const struct ign_obj *p = ign_sub(s->config, IGN_CONFIG_PASSWD);
	struct ign_obj *c = ign_new(s->a, &ign_type_V2_CONFIG);
	struct ign_obj *pw = ign_new(s->a, &ign_type_V2_PASSWD);
	struct ign_obj *st = ign_new(s->a, &ign_type_V2_STORAGE);
	struct ign_obj *sd = ign_new(s->a, &ign_type_V2_SYSTEMD);

	each(s, pw, IGN_V2_PASSWD_USERS, ign_list(p, IGN_PASSWD_USERS), user);
	each(s, pw, IGN_V2_PASSWD_GROUPS, ign_list(p, IGN_PASSWD_GROUPS), group);
	each(s, sd, IGN_V2_SYSTEMD_UNITS, ign_units(s->config), down_unit);
	each(s, st, IGN_V2_STORAGE_DISKS, stored(s, IGN_STORAGE_DISKS), disk);
	each(s, st, IGN_V2_STORAGE_RAID, stored(s, IGN_STORAGE_RAID), raid);
	each(s, st, IGN_V2_STORAGE_DIRECTORIES, stored(s, IGN_STORAGE_DIRECTORIES), directory);
	each(s, st, IGN_V2_STORAGE_LINKS, stored(s, IGN_STORAGE_LINKS), link_node);
	filesystems(s, st);
	files(s, st);
	c->v[IGN_V2_CONFIG_IGNITION].u.o = ignition(s);
	c->v[IGN_V2_CONFIG_PASSWD].u.o = pw;
	c->v[IGN_V2_CONFIG_STORAGE].u.o = st;
	c->v[IGN_V2_CONFIG_SYSTEMD].u.o = sd;
	return c;
}
