/*
 * Converts 2.2 to 3.5 as upstream does before merging: collapses duplicates from the end (which
 * reverses the lists), checks the conditions of 2.3 and 3.0, moves the fields, validates by the
 * rules of 3.0, and converts 3.0 to 3.5.
 */
#include "base/codec.h"
#include "base/map.h"
#include "check.h"
#include "v2.h"

struct converter {
	struct arena *a;
	struct err *err;
};

static int refuse_config(struct converter *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse_config(struct converter *c, const char *fmt, ...)
{
	struct buf b;
	va_list ap;

	buf_init(&b, c->a);
	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	return err_set(c->err, ERR_INVALID,
		       "failed to convert Ignition config spec v2 to v3: unable "
		       "to convert Ignition spec v2 config to v3: %s",
		       b.p);
}

static const char *quoted(struct converter *c, struct str s)
{
	struct buf b;

	buf_init(&b, c->a);
	go_quote(&b, s);
	return b.p;
}

/* ---- duplicates ---------------------------------------------------------- */

static struct ign_objs last_by(struct arena *a, const struct ign_objs *list, int key)
{
	struct ign_objs out = { 0 };
	struct map seen;

	map_init(&seen, a);
	for (size_t i = list->n; i-- > 0;)
		if (map_put(&seen, ign_str(list->v[i], key), list->v[i]))
			VEC_PUSH(a, &out, list->v[i]);
	return out;
}

static bool has_dropin(const struct ign_objs *dropins, struct str name)
{
	for (size_t i = 0; i < dropins->n; i++)
		if (str_eq(ign_str(dropins->v[i], IGN_V2_DROPIN_NAME), name))
			return true;
	return false;
}

/* Keeps the last unit of each name, and adds dropins that only earlier ones have. */
static struct ign_objs last_units(struct arena *a, const struct ign_objs *list)
{
	struct ign_objs out = { 0 };
	struct map kept;

	map_init(&kept, a);
	for (size_t i = list->n; i-- > 0;) {
		struct ign_obj *u = list->v[i];
		struct str name = ign_str(u, IGN_V2_UNIT_NAME);
		struct ign_obj *last = map_get(&kept, name);
		const struct ign_objs *more = ign_list(u, IGN_V2_UNIT_DROPINS);

		if (!last) {
			(void)map_put(&kept, name, u);
			VEC_PUSH(a, &out, u);
			continue;
		}
		for (size_t k = 0; k < more->n; k++) {
			struct ign_objs *d = &last->v[IGN_V2_UNIT_DROPINS].u.objs;

			if (!has_dropin(d, ign_str(more->v[k], IGN_V2_DROPIN_NAME)))
				VEC_PUSH(a, d, more->v[k]);
		}
	}
	return out;
}

static int only_core(struct converter *c, const struct ign_objs *users, struct ign_objs *out)
{
	struct ign_obj *last;
	struct strs keys = { 0 };
	struct map seen;

	*out = (struct ign_objs){ 0 };
	if (!users->n)
		return 0;
	for (size_t i = users->n; i-- > 0;) {
		struct str name = ign_str(users->v[i], IGN_V2_USER_NAME);

		if (!str_is(name, "core"))
			return err_set(c->err, ERR_INVALID,
				       "unexpected user with name: %.*s. Only "
				       "core user is supported",
				       STRF(name));
	}
	last = users->v[users->n - 1];
	map_init(&seen, c->a);
	for (size_t i = users->n; i-- > 0;) {
		const struct strs *k = ign_strings(users->v[i], IGN_V2_USER_KEYS);

		for (size_t n = 0; n < k->n; n++)
			if (map_put(&seen, k->v[n], last))
				VEC_PUSH(c->a, &keys, k->v[n]);
	}
	last->v[IGN_V2_USER_KEYS].u.strs = keys;
	VEC_PUSH(c->a, out, last);
	return 0;
}

/* ---- conditions ---------------------------------------------------------- */

static struct str node_path(struct converter *c, const struct ign_obj *n, bool joined)
{
	struct str fs = ign_str(n, IGN_V2_FILE_FILESYSTEM);
	struct str path = ign_str(n, IGN_V2_FILE_PATH);
	bool root = joined || str_is(fs, "root");

	return ign_clean_path(c->a, root ? str_fmt(c->a, "/%.*s", STRF(path)) : path);
}

static int check_inode(struct converter *c, struct map *entries, const struct strs *links,
		       const char *what, const struct ign_obj *n)
{
	struct str path = node_path(c, n, true);
	struct str name = str_fmt(c->a, "%s: %.*s", what, STRF(path));
	const char *old = map_get(entries, path);

	if (old)
		return refuse_config(c,
				     "Config has conflicting inodes: %s and %s.  All "
				     "files, directories and links must specify a "
				     "unique `path`.",
				     quoted(c, str_of(old)), quoted(c, name));
	(void)map_put(entries, path, str_z(c->a, name));
	for (size_t i = 0; i < links->n; i++)
		if (str_starts(path, links->v[i]) && !str_eq(path, links->v[i]))
			return refuse_config(c,
					     "%.*s uses link defined in config %s. "
					     "Please use a link not defined in "
					     "Storage:Links",
					     STRF(name), quoted(c, links->v[i]));
	return 0;
}

/* files is the list of s without duplicates. */
static int check_inodes(struct converter *c, const struct ign_obj *s, const struct ign_objs *files)
{
	static const struct {
		int field;
		const char *what;
	} lists[] = {
		{ IGN_V2_STORAGE_FILES, "File" },
		{ IGN_V2_STORAGE_DIRECTORIES, "Directory" },
		{ IGN_V2_STORAGE_LINKS, "Link" },
	};
	const struct ign_objs *links = ign_list(s, IGN_V2_STORAGE_LINKS);
	struct strs paths = { 0 };
	struct map entries;

	map_init(&entries, c->a);
	for (size_t i = 0; i < links->n; i++)
		VEC_PUSH(c->a, &paths, node_path(c, links->v[i], true));
	for (size_t l = 0; l < 3; l++) {
		const struct ign_objs *list = l == 0 ? files : ign_list(s, lists[l].field);

		for (size_t i = 0; i < list->n; i++) {
			int rc = check_inode(c, &entries, &paths, lists[l].what, list->v[i]);

			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

static int check_dropins(struct converter *c, const struct ign_objs *units)
{
	for (size_t i = 0; i < units->n; i++) {
		const struct ign_objs *d = ign_list(units->v[i], IGN_V2_UNIT_DROPINS);
		struct map seen;

		map_init(&seen, c->a);
		for (size_t k = 0; k < d->n; k++) {
			struct str name = ign_str(d->v[k], IGN_V2_DROPIN_NAME);

			if (map_put(&seen, name, c))
				continue;
			return refuse_config(c,
					     "Config has duplicate dropin name %s in "
					     "unit %s.  All dropins must specify a "
					     "unique `name`.",
					     quoted(c, name),
					     quoted(c, ign_str(units->v[i], IGN_V2_UNIT_NAME)));
		}
	}
	return 0;
}

/* In 2.3 the sizes of every 2.2 partition are deprecated, whether set or not. */
static int check_disks(struct converter *c, const struct ign_obj *s)
{
	static const char text[] = "deprecated: size is deprecated; use sizeMB instead\n"
				   "deprecated: start is deprecated; use startMB instead";
	const struct ign_objs *disks = ign_list(s, IGN_V2_STORAGE_DISKS);
	struct buf b;

	buf_init(&b, c->a);
	for (size_t i = 0; i < disks->n; i++)
		for (size_t k = 0; k < ign_list(disks->v[i], IGN_V2_DISK_PARTITIONS)->n; k++)
			buf_addf(&b, "%s%s", b.n ? "\n" : "", text);
	return b.n ? refuse_config(c, "Invalid input config:\n%s", b.p) : 0;
}

static int check_config(struct converter *c, const struct ign_obj *config,
			const struct ign_objs *files, const struct ign_objs *units)
{
	const struct ign_obj *s = ign_sub(config, IGN_V2_CONFIG_STORAGE);
	const struct ign_objs *fs = ign_list(s, IGN_V2_STORAGE_FILESYSTEMS);
	int rc = check_disks(c, s);

	if (rc < 0)
		return rc;
	if (ign_list(ign_sub(config, IGN_V2_CONFIG_NETWORKD), IGN_V2_NETWORKD_UNITS)->n)
		return refuse_config(c, "config includes deprecated networkd section - "
					"use Files instead");
	for (size_t i = 0; i < fs->n; i++) {
		struct str name = ign_str(fs->v[i], IGN_V2_FILESYSTEM_NAME);

		if (!str_is(name, "root"))
			return refuse_config(c,
					     "Config defined filesystem %s but no "
					     "mapping was defined.Please specify a path "
					     "to be used as the filesystem mountpoint.",
					     quoted(c, name));
	}
	rc = check_inodes(c, s, files);
	return rc < 0 ? rc : check_dropins(c, units);
}

/* ---- moving fields ------------------------------------------------------- */

/* Copies a value that is set; "" and false count as not set. */
static void move_value(struct ign_obj *to, int t, const struct ign_obj *from, int f)
{
	const struct ign_val *v;

	if (!from)
		return;
	v = &from->v[f];
	if (from->type->fields[f].kind == IGN_STR && !v->u.s.n)
		return;
	if (from->type->fields[f].kind == IGN_BOOL && !v->u.b)
		return;
	to->v[t] = *v;
}

/* Copies a value that is set, whatever it is. */
static void keep_value(struct ign_obj *to, int t, const struct ign_obj *from, int f)
{
	if (from)
		to->v[t] = from->v[f];
}

static void put_str(struct ign_obj *o, int field, struct str s)
{
	o->v[field].set = true;
	o->v[field].u.s = s;
}

static void put_bool(struct ign_obj *o, int field, bool b)
{
	o->v[field].set = true;
	o->v[field].u.b = b;
}

static struct ign_obj *verification(struct converter *c, const struct ign_obj *old)
{
	struct ign_obj *v = ign_new(c->a, &ign_type_VERIFICATION);

	keep_value(v, IGN_VERIFICATION_HASH, old, IGN_V2_VERIFICATION_HASH);
	return v;
}

static struct ign_obj *reference(struct converter *c, const struct ign_type *type,
				 const struct ign_obj *old)
{
	struct ign_obj *r = ign_new(c->a, type);

	put_str(r, IGN_REFERENCE_SOURCE, ign_str(old, IGN_V2_REFERENCE_SOURCE));
	r->v[IGN_REFERENCE_VERIFICATION].u.o =
		verification(c, ign_sub(old, IGN_V2_REFERENCE_VERIFICATION));
	return r;
}

static struct ign_val references(struct converter *c, const struct ign_type *type,
				 const struct ign_objs *list)
{
	struct ign_val v = { .set = list->n > 0 };

	for (size_t i = 0; i < list->n; i++)
		VEC_PUSH(c->a, &v.u.objs, reference(c, type, list->v[i]));
	return v;
}

static struct ign_obj *ignition(struct converter *c, const struct ign_obj *old)
{
	const struct ign_obj *cfg = ign_sub(old, IGN_V2_IGNITION_CONFIG);
	const struct ign_obj *tls =
		ign_sub(ign_sub(old, IGN_V2_IGNITION_SECURITY), IGN_V2_SECURITY_TLS);
	const struct ign_obj *times = ign_sub(old, IGN_V2_IGNITION_TIMEOUTS);
	struct ign_obj *o = ign_new(c->a, &ign_type_IGNITION);
	struct ign_obj *t = ign_new(c->a, &ign_type_TIMEOUTS);
	struct ign_obj *s = ign_new(c->a, &ign_type_SECURITY);
	struct ign_obj *l = ign_new(c->a, &ign_type_TLS);
	struct ign_obj *n = ign_new(c->a, &ign_type_IGNITION_CONFIG);

	put_str(o, IGN_IGNITION_VERSION, S("3.0.0"));
	if (ign_sub(cfg, IGN_V2_IGNITION_CONFIG_REPLACE))
		n->v[IGN_IGNITION_CONFIG_REPLACE].u.o = reference(
			c, &ign_type_REFERENCE, ign_sub(cfg, IGN_V2_IGNITION_CONFIG_REPLACE));
	n->v[IGN_IGNITION_CONFIG_MERGE] =
		references(c, &ign_type_REFERENCE, ign_list(cfg, IGN_V2_IGNITION_CONFIG_APPEND));
	l->v[IGN_TLS_CAS] = references(c, &ign_type_CA_REFERENCE, ign_list(tls, IGN_V2_TLS_CAS));
	keep_value(t, IGN_TIMEOUTS_HEADERS, times, IGN_V2_TIMEOUTS_HEADERS);
	keep_value(t, IGN_TIMEOUTS_TOTAL, times, IGN_V2_TIMEOUTS_TOTAL);
	s->v[IGN_SECURITY_TLS].u.o = l;
	o->v[IGN_IGNITION_CONFIG].u.o = n;
	o->v[IGN_IGNITION_SECURITY].u.o = s;
	o->v[IGN_IGNITION_TIMEOUTS].u.o = t;
	return o;
}

static struct ign_obj *passwd(struct converter *c, const struct ign_objs *users,
			      const struct ign_objs *groups)
{
	struct ign_obj *p = ign_new(c->a, &ign_type_PASSWD);

	p->v[IGN_PASSWD_USERS].set = users->n > 0;
	for (size_t i = 0; i < users->n; i++) {
		struct ign_obj *u = ign_new(c->a, &ign_type_USER);
		const struct ign_obj *o = users->v[i];

		put_str(u, IGN_USER_NAME, ign_str(o, IGN_V2_USER_NAME));
		keep_value(u, IGN_USER_PASSWORD, o, IGN_V2_USER_PASSWORD);
		keep_value(u, IGN_USER_KEYS, o, IGN_V2_USER_KEYS);
		keep_value(u, IGN_USER_UID, o, IGN_V2_USER_UID);
		keep_value(u, IGN_USER_GROUPS, o, IGN_V2_USER_GROUPS);
		move_value(u, IGN_USER_GECOS, o, IGN_V2_USER_GECOS);
		move_value(u, IGN_USER_HOME, o, IGN_V2_USER_HOME);
		move_value(u, IGN_USER_NO_HOME, o, IGN_V2_USER_NO_HOME);
		move_value(u, IGN_USER_PRIMARY, o, IGN_V2_USER_PRIMARY);
		move_value(u, IGN_USER_NO_GROUP, o, IGN_V2_USER_NO_GROUP);
		move_value(u, IGN_USER_NO_LOG, o, IGN_V2_USER_NO_LOG);
		move_value(u, IGN_USER_SHELL, o, IGN_V2_USER_SHELL);
		move_value(u, IGN_USER_SYSTEM, o, IGN_V2_USER_SYSTEM);
		VEC_PUSH(c->a, &p->v[IGN_PASSWD_USERS].u.objs, u);
	}
	p->v[IGN_PASSWD_GROUPS].set = groups->n > 0;
	for (size_t i = 0; i < groups->n; i++) {
		struct ign_obj *g = ign_new(c->a, &ign_type_GROUP);
		const struct ign_obj *o = groups->v[i];

		put_str(g, IGN_GROUP_NAME, ign_str(o, IGN_V2_GROUP_NAME));
		keep_value(g, IGN_GROUP_GID, o, IGN_V2_GROUP_GID);
		move_value(g, IGN_GROUP_PASSWORD, o, IGN_V2_GROUP_PASSWORD);
		move_value(g, IGN_GROUP_SYSTEM, o, IGN_V2_GROUP_SYSTEM);
		VEC_PUSH(c->a, &p->v[IGN_PASSWD_GROUPS].u.objs, g);
	}
	return p;
}

static struct ign_obj *systemd(struct converter *c, const struct ign_objs *units)
{
	struct ign_obj *s = ign_new(c->a, &ign_type_SYSTEMD);

	s->v[IGN_SYSTEMD_UNITS].set = units->n > 0;
	for (size_t i = 0; i < units->n; i++) {
		struct ign_obj *u = ign_new(c->a, &ign_type_UNIT);
		const struct ign_obj *o = units->v[i];
		const struct ign_objs *d = ign_list(o, IGN_V2_UNIT_DROPINS);

		put_str(u, IGN_UNIT_NAME, ign_str(o, IGN_V2_UNIT_NAME));
		move_value(u, IGN_UNIT_CONTENTS, o, IGN_V2_UNIT_CONTENTS);
		move_value(u, IGN_UNIT_MASK, o, IGN_V2_UNIT_MASK);
		if (ign_is_set(o, IGN_V2_UNIT_ENABLED) && !ign_is_true(o, IGN_V2_UNIT_ENABLED))
			put_bool(u, IGN_UNIT_ENABLED, false);
		else if (ign_is_true(o, IGN_V2_UNIT_ENABLED) || ign_is_true(o, IGN_V2_UNIT_ENABLE))
			put_bool(u, IGN_UNIT_ENABLED, true);
		u->v[IGN_UNIT_DROPINS].set = d->n > 0;
		for (size_t k = 0; k < d->n; k++) {
			struct ign_obj *n = ign_new(c->a, &ign_type_DROPIN);

			put_str(n, IGN_DROPIN_NAME, ign_str(d->v[k], IGN_V2_DROPIN_NAME));
			move_value(n, IGN_DROPIN_CONTENTS, d->v[k], IGN_V2_DROPIN_CONTENTS);
			VEC_PUSH(c->a, &u->v[IGN_UNIT_DROPINS].u.objs, n);
		}
		VEC_PUSH(c->a, &s->v[IGN_SYSTEMD_UNITS].u.objs, u);
	}
	return s;
}

static struct ign_obj *node_owner(struct converter *c, const struct ign_type *type,
				  const struct ign_obj *old)
{
	struct ign_obj *o = ign_new(c->a, type);

	keep_value(o, IGN_NODE_USER_ID, old, IGN_V2_OWNER_ID);
	move_value(o, IGN_NODE_USER_NAME, old, IGN_V2_OWNER_NAME);
	return o;
}

/* The four common first fields of files, directories and links. */
static struct ign_obj *node(struct converter *c, const struct ign_type *type,
			    const struct ign_obj *old)
{
	struct ign_obj *n = ign_new(c->a, type);

	put_str(n, IGN_FILE_PATH, node_path(c, old, false));
	keep_value(n, IGN_FILE_OVERWRITE, old, IGN_V2_FILE_OVERWRITE);
	n->v[IGN_FILE_USER].u.o =
		node_owner(c, &ign_type_NODE_USER, ign_sub(old, IGN_V2_FILE_USER));
	n->v[IGN_FILE_GROUP].u.o =
		node_owner(c, &ign_type_NODE_GROUP, ign_sub(old, IGN_V2_FILE_GROUP));
	return n;
}

static struct ign_obj *file(struct converter *c, const struct ign_obj *old)
{
	const struct ign_obj *from = ign_sub(old, IGN_V2_FILE_CONTENTS);
	struct ign_obj *f = node(c, &ign_type_FILE, old);
	struct ign_obj *r = ign_new(c->a, &ign_type_RESOURCE);

	if (!ign_is_set(f, IGN_FILE_OVERWRITE))
		put_bool(f, IGN_FILE_OVERWRITE, true);
	keep_value(f, IGN_FILE_MODE, old, IGN_V2_FILE_MODE);
	move_value(r, IGN_RESOURCE_COMPRESSION, from, IGN_V2_CONTENTS_COMPRESSION);
	put_str(r, IGN_RESOURCE_SOURCE, ign_str(from, IGN_V2_CONTENTS_SOURCE));
	r->v[IGN_RESOURCE_VERIFICATION].u.o =
		verification(c, ign_sub(from, IGN_V2_CONTENTS_VERIFICATION));
	if (!ign_is_true(old, IGN_V2_FILE_APPEND)) {
		f->v[IGN_FILE_CONTENTS].u.o = r;
		return f;
	}
	put_bool(f, IGN_FILE_OVERWRITE, false);
	f->v[IGN_FILE_APPEND].set = true;
	VEC_PUSH(c->a, &f->v[IGN_FILE_APPEND].u.objs, r);
	return f;
}

static struct ign_obj *directory(struct converter *c, const struct ign_obj *old)
{
	struct ign_obj *d = node(c, &ign_type_DIRECTORY, old);

	keep_value(d, IGN_DIRECTORY_MODE, old, IGN_V2_DIRECTORY_MODE);
	return d;
}

static struct ign_obj *link_node(struct converter *c, const struct ign_obj *old)
{
	struct ign_obj *l = node(c, &ign_type_LINK, old);

	move_value(l, IGN_LINK_HARD, old, IGN_V2_LINK_HARD);
	put_str(l, IGN_LINK_TARGET, ign_str(old, IGN_V2_LINK_TARGET));
	return l;
}

static struct ign_obj *disk(struct converter *c, const struct ign_obj *old)
{
	struct ign_obj *d = ign_new(c->a, &ign_type_DISK);

	put_str(d, IGN_DISK_DEVICE, ign_str(old, IGN_V2_DISK_DEVICE));
	move_value(d, IGN_DISK_WIPE, old, IGN_V2_DISK_WIPE);
	return d;
}

static struct ign_obj *raid(struct converter *c, const struct ign_obj *old)
{
	struct ign_obj *r = ign_new(c->a, &ign_type_RAID);

	put_str(r, IGN_RAID_NAME, ign_str(old, IGN_V2_RAID_NAME));
	put_str(r, IGN_RAID_LEVEL, ign_str(old, IGN_V2_RAID_LEVEL));
	keep_value(r, IGN_RAID_DEVICES, old, IGN_V2_RAID_DEVICES);
	keep_value(r, IGN_RAID_OPTIONS, old, IGN_V2_RAID_OPTIONS);
	if (ign_int(old, IGN_V2_RAID_SPARES, 0))
		keep_value(r, IGN_RAID_SPARES, old, IGN_V2_RAID_SPARES);
	return r;
}

static void convert_list(struct converter *c, struct ign_obj *to, int t,
			 const struct ign_objs *list,
			 struct ign_obj *(*one)(struct converter *c, const struct ign_obj *old))
{
	to->v[t].set = list->n > 0;
	for (size_t i = 0; i < list->n; i++)
		VEC_PUSH(c->a, &to->v[t].u.objs, one(c, list->v[i]));
}

static struct ign_obj *storage(struct converter *c, const struct ign_obj *s,
			       const struct ign_objs *files)
{
	struct ign_obj *o = ign_new(c->a, &ign_type_STORAGE);

	convert_list(c, o, IGN_STORAGE_FILES, files, file);
	convert_list(c, o, IGN_STORAGE_DIRECTORIES, ign_list(s, IGN_V2_STORAGE_DIRECTORIES),
		     directory);
	convert_list(c, o, IGN_STORAGE_LINKS, ign_list(s, IGN_V2_STORAGE_LINKS), link_node);
	convert_list(c, o, IGN_STORAGE_DISKS, ign_list(s, IGN_V2_STORAGE_DISKS), disk);
	convert_list(c, o, IGN_STORAGE_RAID, ign_list(s, IGN_V2_STORAGE_RAID), raid);
	return o;
}

int ign_v2_convert(struct arena *a, const struct ign_v2 *old, struct ign_obj **out, struct err *err)
{
	struct converter c = { .a = a, .err = err };
	const struct ign_obj *v2 = old->config;
	const struct ign_obj *s = ign_sub(v2, IGN_V2_CONFIG_STORAGE);
	const struct ign_obj *p = ign_sub(v2, IGN_V2_CONFIG_PASSWD);
	struct ign_objs files, units, users;
	struct ign_report report = { 0 };
	struct ign_obj *config;
	int rc;

	files = last_by(a, ign_list(s, IGN_V2_STORAGE_FILES), IGN_V2_FILE_PATH);
	units = last_units(a, ign_list(ign_sub(v2, IGN_V2_CONFIG_SYSTEMD), IGN_V2_SYSTEMD_UNITS));
	rc = only_core(&c, ign_list(p, IGN_V2_PASSWD_USERS), &users);
	if (rc == 0)
		rc = check_config(&c, v2, &files, &units);
	if (rc < 0)
		return rc;
	config = ign_new(a, &ign_type_CONFIG);
	config->v[IGN_CONFIG_IGNITION].u.o = ignition(&c, ign_sub(v2, IGN_V2_CONFIG_IGNITION));
	config->v[IGN_CONFIG_PASSWD].u.o = passwd(&c, &users, ign_list(p, IGN_V2_PASSWD_GROUPS));
	config->v[IGN_CONFIG_STORAGE].u.o = storage(&c, s, &files);
	config->v[IGN_CONFIG_SYSTEMD].u.o = systemd(&c, &units);
	ign_validate(a, config, 0, NULL, &report);
	if (report.fatal)
		return refuse_config(&c, "%.*s", STRF(ign_report_text(a, &report, NULL, S(""))));
	ign_up(a, config, 0);
	*out = config;
	return 0;
}
