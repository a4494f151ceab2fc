/*
 * Users and groups on a root without a running system: edits passwd, shadow, group and gshadow as
 * useradd --root does, and makes the home directories.
 *
 * All four files are read first and written last, passwd at the end: a user in passwd is complete.
 * Entries that a run which was cut short has left are replaced.
 */
#include "accounts.h"

#include "io/clock.h"
#include "io/log.h"

#define TEXT_MAX ((size_t)1 << 24)
#define ID_MIN 1000
#define ID_MAX 60000
#define SYSTEM_MIN 201
#define SYSTEM_MAX 999

/* ---- one file of lines "name:field:..." ---------------------------------- */

struct db {
	const char *path;
	mode_t mode; /* for a new file */
	bool there, changed;
	struct strs lines;
	struct stat st;
};

enum { PASSWD, SHADOW, GROUP, GSHADOW, DBS };

struct accounts {
	struct node *n;
	struct arena *a;
	struct db db[DBS];
};

static int load_files(struct accounts *x, struct err *err)
{
	static const struct {
		const char *path;
		mode_t mode;
	} files[DBS] = { { "/etc/passwd", 0644 },
			 { "/etc/shadow", 0000 },
			 { "/etc/group", 0644 },
			 { "/etc/gshadow", 0000 } };

	for (int i = 0; i < DBS; i++) {
		struct db *d = &x->db[i];
		struct str text = S(""), line;
		int rc;

		d->path = files[i].path;
		d->mode = files[i].mode;
		rc = tree_read(x->a, &x->n->tree, d->path, TEXT_MAX, &text, err);
		if (rc < 0 && rc != -ERR_NOTFOUND)
			return rc;
		d->there = rc == 0;
		if (d->there && tree_lstat(&x->n->tree, d->path, &d->st, err) < 0)
			return -ERR_SYS;
		while (str_line(&text, &line))
			VEC_PUSH(x->a, &d->lines, line);
	}
	return 0;
}

static int store_files(struct accounts *x, struct err *err)
{
	int rc = 0;

	/* passwd last: a user in it is complete */
	for (int i = DBS; rc == 0 && i-- > 0;) {
		struct db *d = &x->db[i];
		struct tree_attr attr = { d->there ? d->st.st_mode & 07777 : d->mode, 0755,
					  d->there ? d->st.st_uid : 0,
					  d->there ? d->st.st_gid : 0 };
		struct buf b;

		if (!d->changed)
			continue;
		buf_init(&b, x->a);
		for (size_t k = 0; k < d->lines.n; k++)
			buf_addf(&b, "%.*s\n", STRF(d->lines.v[k]));
		rc = tree_write(&x->n->tree, d->path, buf_str(&b), attr, err);
	}
	return rc;
}

static struct str field(struct str line, int i)
{
	struct str f;

	while (i-- > 0)
		if (!str_cut(line, ':', &f, &line))
			return S("");
	return str_cut(line, ':', &f, &line) ? f : line;
}

static ptrdiff_t find_line(const struct db *d, struct str name)
{
	for (size_t i = 0; i < d->lines.n; i++)
		if (str_eq(field(d->lines.v[i], 0), name))
			return (ptrdiff_t)i;
	return -1;
}

static void add_line(struct accounts *x, int which, struct str line)
{
	VEC_PUSH(x->a, &x->db[which].lines, line);
	x->db[which].changed = true;
}

static void drop_line(struct accounts *x, int which, struct str name)
{
	struct db *d = &x->db[which];
	ptrdiff_t at = find_line(d, name);

	if (at < 0)
		return;
	for (size_t i = (size_t)at; i + 1 < d->lines.n; i++)
		d->lines.v[i] = d->lines.v[i + 1];
	d->lines.n--;
	d->changed = true;
}

static void set_field(struct accounts *x, int which, struct str name, int i, struct str value)
{
	struct db *d = &x->db[which];
	ptrdiff_t at = find_line(d, name);
	struct buf b;
	struct str rest, f;
	bool more = true;

	if (at < 0)
		return;
	rest = d->lines.v[at];
	buf_init(&b, x->a);
	for (int k = 0; more; k++) {
		more = str_cut(rest, ':', &f, &rest);
		if (!more)
			f = rest;
		buf_addf(&b, "%s%.*s", k ? ":" : "", STRF(k == i ? value : f));
	}
	d->lines.v[at] = buf_str(&b);
	d->changed = true;
}

/* As useradd: one above the highest id; for system accounts, one below the lowest. */
static int64_t free_id(const struct db *d, bool system)
{
	int64_t id = system ? SYSTEM_MAX : ID_MIN, v;

	for (size_t i = 0; i < d->lines.n; i++) {
		if (!str_to_i64(field(d->lines.v[i], 2), &v))
			continue;
		if (system && v >= SYSTEM_MIN && v <= id)
			id = v - 1;
		else if (!system && v >= id && v < ID_MAX)
			id = v + 1;
	}
	return id;
}

/* ---- validation ---------------------------------------------------------- */

static int check_word(struct str s, const char *what, struct err *err)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == ':' || s.p[i] == '\n' || s.p[i] == '\0')
			return err_set(err, ERR_INVALID, "%s has a character that ends a field",
				       what);
	return 0;
}

static int check_name(struct str s, struct err *err)
{
	if (!s.n || s.n > 255 || s.p[0] == '-' || memchr(s.p, '/', s.n) || memchr(s.p, ',', s.n) ||
	    memchr(s.p, ' ', s.n))
		return err_set(err, ERR_INVALID, "\"%.*s\" is not a valid name for a user or group",
			       STRF(s));
	return check_word(s, "a name", err);
}

/* ---- groups -------------------------------------------------------------- */

static void new_group(struct accounts *x, struct str name, int64_t gid, struct str hash)
{
	add_line(x, GROUP, str_fmt(x->a, "%.*s:x:%lld:", STRF(name), (long long)gid));
	if (!x->db[GSHADOW].there)
		return;
	drop_line(x, GSHADOW, name); /* of a run that was cut short, as for users */
	add_line(x, GSHADOW,
		 str_fmt(x->a, "%.*s:%.*s::", STRF(name), STRF(hash.n ? hash : S("!"))));
}

static int make_group(struct accounts *x, const struct ign_obj *g, struct err *err)
{
	struct str name = ign_str(g, IGN_GROUP_NAME);
	struct str hash = ign_str(g, IGN_GROUP_PASSWORD);
	int rc = check_name(name, err);

	if (rc == 0)
		rc = check_word(hash, "a password hash", err);
	if (rc < 0)
		return rc;
	if (ign_is_set(g, IGN_GROUP_EXIST) && !ign_is_true(g, IGN_GROUP_EXIST)) {
		drop_line(x, GROUP, name);
		drop_line(x, GSHADOW, name);
		return 0;
	}
	if (find_line(&x->db[GROUP], name) < 0)
		new_group(x, name,
			  ign_int(g, IGN_GROUP_GID,
				  free_id(&x->db[GROUP], ign_is_true(g, IGN_GROUP_SYSTEM))),
			  hash.n ? hash : S("*"));
	else if (hash.n)
		set_field(x, GSHADOW, name, 1, hash);
	return 0;
}

static void join_group(struct accounts *x, int which, int i, struct str group, struct str user)
{
	ptrdiff_t at = find_line(&x->db[which], group);
	struct str members, rest, one;
	bool more = true;

	if (at < 0)
		return;
	members = field(x->db[which].lines.v[at], i);
	rest = members;
	while (more) {
		more = str_cut(rest, ',', &one, &rest);
		if (str_eq(more ? one : rest, user))
			return;
	}
	set_field(x, which, group, i,
		  str_fmt(x->a, "%.*s%s%.*s", STRF(members), members.n ? "," : "", STRF(user)));
}

/* ---- users --------------------------------------------------------------- */

static int primary_group(struct accounts *x, const struct ign_obj *u, struct str name, int64_t uid,
			 int64_t *gid, struct err *err)
{
	struct str want = ign_str(u, IGN_USER_PRIMARY);
	struct str group = want.n ? want : name;
	ptrdiff_t at = find_line(&x->db[GROUP], group);
	int64_t id = uid;

	if (at >= 0 && str_to_i64(field(x->db[GROUP].lines.v[at], 2), gid))
		return 0;
	if (want.n && str_to_i64(want, gid))
		return 0;
	if (want.n)
		return err_set(err, ERR_INVALID, "there is no group %.*s", STRF(want));
	if (ign_is_true(u, IGN_USER_NO_GROUP)) {
		*gid = 100; /* users */
		return 0;
	}
	/* a group of its own, with the same id if that is free */
	for (size_t i = 0; i < x->db[GROUP].lines.n; i++) {
		int64_t v;

		if (str_to_i64(field(x->db[GROUP].lines.v[i], 2), &v) && v == uid)
			id = free_id(&x->db[GROUP], ign_is_true(u, IGN_USER_SYSTEM));
	}
	new_group(x, name, id, S("!"));
	*gid = id;
	return 0;
}

static struct str default_shell(struct accounts *x)
{
	struct err ignored = ERR_INIT(x->a);
	struct str text = S(""), line;

	if (tree_read(x->a, &x->n->tree, "/etc/default/useradd", TEXT_MAX, &text, &ignored) == 0)
		while (str_line(&text, &line))
			if (str_starts(line, S("SHELL=")))
				return str_trim(str_from(line, 6));
	return S("/bin/bash");
}

static int make_home(struct accounts *x, const char *home, int64_t uid, int64_t gid,
		     struct err *err)
{
	struct strs names = { 0 };
	int rc;

	if (tree_exists(&x->n->tree, home) && !x->n->again)
		return 0;
	rc = tree_mkdirs(&x->n->tree, home, 0755, -1, -1, err);
	if (rc == 0)
		rc = tree_chown(&x->n->tree, home, (uid_t)uid, (gid_t)gid, err);
	if (rc == 0)
		rc = tree_chmod(&x->n->tree, home, 0700, err);
	if (rc == 0)
		rc = tree_list(x->a, &x->n->tree, "/etc/skel", &names, err);
	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		struct str from = str_fmt(x->a, "/etc/skel/%.*s", STRF(names.v[i]));
		struct str to = str_fmt(x->a, "%s/%.*s", home, STRF(names.v[i]));
		struct stat st;

		rc = tree_lstat(&x->n->tree, from.p, &st, err);
		if (rc < 0 || !S_ISREG(st.st_mode))
			continue;
		rc = tree_copy(&x->n->tree, from.p, to.p, err);
		if (rc == 0)
			rc = tree_chown(&x->n->tree, to.p, (uid_t)uid, (gid_t)gid, err);
	}
	return rc;
}

static int new_user(struct accounts *x, const struct ign_obj *u, struct str name, struct err *err)
{
	int64_t uid =
		ign_int(u, IGN_USER_UID, free_id(&x->db[PASSWD], ign_is_true(u, IGN_USER_SYSTEM)));
	struct str home = ign_str(u, IGN_USER_HOME);
	struct str shell = ign_str(u, IGN_USER_SHELL);
	int64_t gid = 0;
	int rc = primary_group(x, u, name, uid, &gid, err);

	if (rc < 0)
		return rc;
	if (!home.n)
		home = str_fmt(x->a, "/home/%.*s", STRF(name));
	add_line(x, PASSWD,
		 str_fmt(x->a, "%.*s:x:%lld:%lld:%.*s:%.*s:%.*s", STRF(name), (long long)uid,
			 (long long)gid, STRF(ign_str(u, IGN_USER_GECOS)), STRF(home),
			 STRF(shell.n ? shell : default_shell(x))));
	drop_line(x, SHADOW, name); /* of a removed user, or of a run that was cut short */
	add_line(x, SHADOW,
		 str_fmt(x->a, "%.*s:*:%lld:%s:::", STRF(name), (long long)(clock_wall_s() / 86400),
			 ign_is_true(u, IGN_USER_SYSTEM) ? "::" : "0:99999:7"));
	if (ign_is_true(u, IGN_USER_NO_HOME) ||
	    (ign_is_true(u, IGN_USER_SYSTEM) && !ign_is_set(u, IGN_USER_HOME)))
		return 0;
	return make_home(x, str_z(x->a, home), uid, gid, err);
}

static int write_keys(struct accounts *x, const struct ign_obj *u, struct str name, struct err *err)
{
	const struct strs *keys = ign_strings(u, IGN_USER_KEYS);
	ptrdiff_t at = find_line(&x->db[PASSWD], name);
	struct tree_attr attr = { 0600, 0700, 0, 0 };
	struct str line, dir;
	struct buf b;
	int rc;

	if (!keys->n || at < 0)
		return 0;
	line = x->db[PASSWD].lines.v[at];
	if (!str_to_i64(field(line, 2), &attr.uid) || !str_to_i64(field(line, 3), &attr.gid))
		return err_set(err, ERR_INVALID, "the passwd entry of %.*s is invalid", STRF(name));
	dir = str_fmt(x->a, "%.*s/.ssh%s", STRF(field(line, 5)),
		      x->n->os.new_keys || !x->n->os.core_os ? "/authorized_keys.d" : "");
	rc = tree_mkdirs(&x->n->tree, dir.p, 0700, attr.uid, attr.gid, err);
	/* a run that was cut short may have made them without setting the owner */
	for (size_t i = 0; rc == 0 && x->n->again && i < 2; i++)
		rc = tree_chown(&x->n->tree,
				i ? dir.p : str_fmt(x->a, "%.*s/.ssh", STRF(field(line, 5))).p,
				(uid_t)attr.uid, (gid_t)attr.gid, err);
	buf_init(&b, x->a);
	for (size_t i = 0; i < keys->n; i++)
		buf_addf(&b, "%.*s\n", STRF(keys->v[i]));
	return rc < 0 ? rc
		      : tree_write(&x->n->tree,
				   str_fmt(x->a, "%.*s/%s", STRF(dir),
					   str_ends(dir, S(".d")) ? "ignition" : "authorized_keys")
					   .p,
				   buf_str(&b), attr, err);
}

static int check_user(const struct ign_obj *u, struct err *err)
{
	static const int fields[] = { IGN_USER_GECOS, IGN_USER_HOME, IGN_USER_SHELL,
				      IGN_USER_PASSWORD };
	int rc = check_name(ign_str(u, IGN_USER_NAME), err);

	for (size_t i = 0; rc == 0 && i < 4; i++)
		rc = check_word(ign_str(u, fields[i]), "a user's entry", err);
	return rc;
}

static int make_user(struct accounts *x, const struct ign_obj *u, struct err *err)
{
	const struct strs *groups = ign_strings(u, IGN_USER_GROUPS);
	struct str name = ign_str(u, IGN_USER_NAME);
	int rc = check_user(u, err);

	if (rc < 0)
		return rc;
	if (ign_is_set(u, IGN_USER_EXIST) && !ign_is_true(u, IGN_USER_EXIST)) {
		drop_line(x, PASSWD, name);
		drop_line(x, SHADOW, name);
		return 0;
	}
	if (find_line(&x->db[PASSWD], name) < 0)
		rc = new_user(x, u, name, err);
	else if (ign_str(u, IGN_USER_SHELL).n)
		set_field(x, PASSWD, name, 6, ign_str(u, IGN_USER_SHELL));
	if (rc < 0)
		return rc;
	if (ign_is_set(u, IGN_USER_PASSWORD))
		set_field(x, SHADOW, name, 1,
			  ign_str(u, IGN_USER_PASSWORD).n ? ign_str(u, IGN_USER_PASSWORD) : S("*"));
	for (size_t i = 0; i < groups->n; i++) {
		if (find_line(&x->db[GROUP], groups->v[i]) < 0)
			return err_set(err, ERR_INVALID, "user %.*s: there is no group %.*s",
				       STRF(name), STRF(groups->v[i]));
		join_group(x, GROUP, 3, groups->v[i], name);
		join_group(x, GSHADOW, 3, groups->v[i], name);
	}
	return write_keys(x, u, name, err);
}

int accounts_apply(struct node *n, struct arena *a, const struct ign_obj *config, struct err *err)
{
	const struct ign_obj *p = ign_sub(config, IGN_CONFIG_PASSWD);
	const struct ign_objs *groups = ign_list(p, IGN_PASSWD_GROUPS);
	const struct ign_objs *users = ign_list(p, IGN_PASSWD_USERS);
	struct accounts x = { .n = n, .a = a };
	int rc = 0;

	if (!groups->n && !users->n)
		return 0;
	rc = load_files(&x, err);
	for (size_t i = 0; rc == 0 && i < groups->n; i++)
		rc = make_group(&x, groups->v[i], err);
	for (size_t i = 0; rc == 0 && i < users->n; i++)
		rc = make_user(&x, users->v[i], err);
	return rc < 0 ? rc : store_files(&x, err);
}
