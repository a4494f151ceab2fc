/*
 * The user core, the only one that configs can change on a running node: its SSH keys and its
 * password.
 *
 * Root writes into a directory that core owns, so no symlink there may lead out of it: tree refuses
 * to follow one to a directory of another user. Password hashes go by standard input, never by
 * arguments.
 */
#include "node/users.h"

#include <errno.h>

#include "io/log.h"
#include "node/files.h"

#define HOME "/home/core"
#define SSH HOME "/.ssh"
#define OLD_KEYS SSH "/authorized_keys"
#define KEYS_DIR SSH "/authorized_keys.d"
#define NEW_KEYS KEYS_DIR "/ignition"
#define DEPTH_MAX 16
#define ENTRIES_MAX 10000
#define SHADOW "/etc/shadow"
#define SHADOW_MAX ((size_t)1 << 24)

static const struct ign_objs *config_users(const struct mc_merged *m)
{
	return ign_list(ign_sub(m->config, IGN_CONFIG_PASSWD), IGN_PASSWD_USERS);
}

static bool has_core(struct node *n, struct arena *a, int64_t *uid, int64_t *gid)
{
	struct err ignored = ERR_INIT(a);

	return files_lookup_id(n, a, "/etc/passwd", S("core"), uid, &ignored) == 0 &&
	       files_lookup_id(n, a, "/etc/group", S("core"), gid, &ignored) == 0;
}

/* A symlink to a directory does not count: the target may not be core's. */
static bool is_dir(struct node *n, struct arena *a, const char *path)
{
	struct err ignored = ERR_INIT(a);
	struct stat st;

	return tree_lstat(&n->tree, path, &st, &ignored) == 0 && S_ISDIR(st.st_mode);
}

static int list_below(struct node *n, struct arena *a, struct str dir, int depth, struct strs *out,
		      struct err *err)
{
	struct strs names = { 0 };
	int rc = 0;

	VEC_PUSH(a, out, dir);
	if (!is_dir(n, a, dir.p))
		return 0;
	if (depth == DEPTH_MAX || out->n > ENTRIES_MAX)
		return err_set(err, ERR_LIMIT, "too many files in %s", SSH);
	rc = tree_list(a, &n->tree, dir.p, &names, err);
	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		struct str path = str_fmt(a, "%.*s/%.*s", STRF(dir), STRF(names.v[i]));

		rc = list_below(n, a, path, depth + 1, out, err);
	}
	return rc;
}

/* A directory of another user is replaced with all its contents. */
static bool is_foreign(struct node *n, struct arena *a, int64_t uid)
{
	struct err ignored = ERR_INIT(a);
	struct stat st;

	return n->tree.own && tree_lstat(&n->tree, SSH, &st, &ignored) == 0 &&
	       (int64_t)st.st_uid != uid;
}

/* Root writes there, so it must be core's own; checked before anything changes. */
static int check_links(struct node *n, struct arena *a, struct err *err)
{
	static const char *const dirs[] = { SSH, KEYS_DIR };

	for (size_t i = 0; i < 2; i++) {
		struct err ignored = ERR_INIT(a);
		struct str to = S("");

		errno = 0;
		if (tree_exists(&n->tree, dirs[i]) || errno != TREE_STRAYED)
			continue;
		(void)tree_readlink(a, &n->tree, dirs[i], &to, &ignored);
		return err_set(err, ERR_INVALID,
			       "%s is a symlink to %.*s, which belongs to another "
			       "user: SSH keys are not written there; remove "
			       "the symlink",
			       dirs[i], STRF(to));
	}
	return 0;
}

int users_key_paths(struct node *n, struct arena *a, struct strs *out, struct err *err)
{
	int64_t uid, gid;
	int rc = 0;

	if (n->offline)
		VEC_PUSH(a, out, S(SHADOW));
	if (!has_core(n, a, &uid, &gid))
		return 0;
	rc = check_links(n, a, err);
	if (rc < 0)
		return rc;
	VEC_PUSH(a, out, S(SSH));
	VEC_PUSH(a, out, S(OLD_KEYS));
	VEC_PUSH(a, out, S(NEW_KEYS));
	rc = list_below(n, a, S(KEYS_DIR), 0, out, err);
	if (rc == 0 && is_foreign(n, a, uid))
		rc = list_below(n, a, S(SSH), 0, out, err);
	return rc;
}

/* Locks removed users. As upstream: before each of the two steps, and errors are ignored. */
static void lock_gone_users(struct node *n, struct arena *a, const struct strs *gone)
{
	struct err ignored = ERR_INIT(a);

	for (size_t i = 0; i < gone->n; i++)
		(void)users_set_password(n, a, gone->v[i], S(""), &ignored);
}

static int make_dir(struct node *n, struct arena *a, const char *path, int64_t uid, int64_t gid,
		    struct err *err)
{
	struct host_out out = { 0 };
	int rc;

	if (n->offline)
		return tree_mkdirs(&n->tree, path, 0700, uid, gid, err);
	rc = host_cmd(a, &n->host, HOST_SILENT, &out, err, "runuser -u core -- mkdir -m 0700 -p %s",
		      path);
	if (rc == 0 && out.status != 0)
		rc = err_set(err, ERR_SYS, "%.*s: %.*s", STRF(out.text),
			     STRF(host_status_text(a, out.status)));
	return rc;
}

static int check_ssh_dir(struct node *n, const char *keys, struct arena *a, int64_t uid,
			 int64_t gid, struct err *err)
{
	bool new_style = strcmp(keys, NEW_KEYS) == 0;
	int rc = 0;

	if (is_foreign(n, a, uid))
		rc = tree_remove_all(&n->tree, SSH, err);
	if (rc < 0 || tree_exists(&n->tree, new_style ? KEYS_DIR : SSH))
		return rc;
	if (!tree_exists(&n->tree, SSH))
		rc = make_dir(n, a, SSH, uid, gid, err);
	return rc < 0 ? rc : make_dir(n, a, KEYS_DIR, uid, gid, err);
}

static int remove_other_keys(struct node *n, struct arena *a, struct err *err)
{
	struct strs names = { 0 };
	int rc = tree_remove(&n->tree, OLD_KEYS, err);

	if (rc == 0 && !is_dir(n, a, KEYS_DIR))
		return tree_remove(&n->tree, KEYS_DIR, err);
	if (rc == 0)
		rc = tree_list(a, &n->tree, KEYS_DIR, &names, err);
	for (size_t i = 0; rc == 0 && i < names.n; i++)
		if (!str_is(names.v[i], "ignition"))
			rc = tree_remove_all(&n->tree,
					     str_fmt(a, KEYS_DIR "/%.*s", STRF(names.v[i])).p, err);
	return rc;
}

int users_write_keys(struct node *n, struct arena *a, const struct mc_merged *to,
		     const struct strs *gone, struct err *err)
{
	const char *path = n->os.new_keys ? NEW_KEYS : OLD_KEYS;
	struct tree_attr attr = { 0600, 0700, 0, 0 };
	struct buf b;
	int rc = 0;

	log_info("updating SSH keys");
	lock_gone_users(n, a, gone);
	if (!has_core(n, a, &attr.uid, &attr.gid)) {
		log_info("core user does not exist, and creating users is not "
			 "supported, so ignoring configuration specified for "
			 "core user");
		return 0;
	}
	buf_init(&b, a);
	for (size_t i = 0; i < config_users(to)->n; i++) {
		const struct strs *keys = ign_strings(config_users(to)->v[i], IGN_USER_KEYS);

		for (size_t k = 0; k < keys->n; k++)
			buf_addf(&b, "%.*s\n", STRF(keys->v[k]));
	}
	if (n->os.new_keys)
		rc = remove_other_keys(n, a, err);
	if (rc == 0)
		rc = check_ssh_dir(n, path, a, attr.uid, attr.gid, err);
	log_info("Writing SSH keys to \"%s\"", path);
	return rc < 0 ? rc : tree_write(&n->tree, path, buf_str(&b), attr, err);
}

int users_move_keys(struct node *n, struct arena *a, const struct mc_merged *to, struct err *err)
{
	const struct strs none = { 0 };
	int rc;

	if (!n->os.new_keys || !tree_exists(&n->tree, OLD_KEYS) || tree_exists(&n->tree, NEW_KEYS))
		return 0;
	log_info("SSH key location update required. Moving SSH keys from "
		 "\"" OLD_KEYS "\" to \"" NEW_KEYS "\".");
	rc = users_write_keys(n, a, to, &none, err);
	if (rc == 0)
		rc = tree_sync(&n->tree, err);
	return rc < 0 ? err_wrap(err, "could not write SSH keys to new location") : 0;
}

/* ---- passwords ----------------------------------------------------------- */

static struct str second_field(struct str line)
{
	struct str name, rest, hash;

	if (!str_cut(line, ':', &name, &rest))
		return S("");
	return str_cut(rest, ':', &hash, &rest) ? hash : rest;
}

static bool is_line_of(struct str line, struct str user)
{
	struct str name, rest;

	return str_cut(line, ':', &name, &rest) && str_eq(name, user);
}

static int get_hash(struct node *n, struct arena *a, struct str user, struct str *out,
		    struct err *err)
{
	struct host_out said = { 0 };
	struct str text, line;
	int rc;

	*out = S("");
	if (!n->offline) {
		rc = host_cmd(a, &n->host, HOST_SILENT, &said, err, "getent shadow %s",
			      str_z(a, user));
		if (rc == 0 && said.status != 0)
			rc = err_set(err, ERR_SYS, "%.*s", STRF(host_status_text(a, said.status)));
		if (rc == 0)
			*out = second_field(str_trim(said.text));
		return rc;
	}
	rc = tree_read(a, &n->tree, SHADOW, SHADOW_MAX, &text, err);
	if (rc == -ERR_NOTFOUND)
		return 0;
	while (rc == 0 && str_line(&text, &line))
		if (is_line_of(line, user))
			*out = second_field(line);
	return rc;
}

/* Without a running system: rewrites the file itself. */
static int edit_shadow(struct node *n, struct arena *a, struct str user, struct str hash,
		       struct err *err)
{
	struct tree_attr attr = { 0, 0755, 0, 0 };
	struct str text = S(""), line, name, rest, old;
	struct stat st = { 0 };
	struct buf b;
	int rc = tree_read(a, &n->tree, SHADOW, SHADOW_MAX, &text, err);

	if (rc == 0)
		rc = tree_lstat(&n->tree, SHADOW, &st, err);
	if (rc < 0)
		return rc;
	buf_init(&b, a);
	while (str_line(&text, &line)) {
		if (is_line_of(line, user) && str_cut(line, ':', &name, &rest) &&
		    str_cut(rest, ':', &old, &rest))
			buf_addf(&b, "%.*s:%.*s:%.*s\n", STRF(name), STRF(hash), STRF(rest));
		else
			buf_addf(&b, "%.*s\n", STRF(line));
	}
	attr.mode = st.st_mode & 07777;
	attr.uid = st.st_uid;
	attr.gid = st.st_gid;
	return tree_write(&n->tree, SHADOW, buf_str(&b), attr, err);
}

static bool ends_field(struct str s)
{
	return s.n && (memchr(s.p, ':', s.n) || memchr(s.p, '\n', s.n) || memchr(s.p, '\0', s.n));
}

/* A hash goes by standard input: every user of the machine can see arguments. Locking and
 * unlocking an account is upstream's call, usermod. */
static int run_passwd_program(struct node *n, struct arena *a, struct str user, struct str hash,
			      struct host_out *out, struct err *err)
{
	static const char *const chpasswd[] = { "chpasswd", "-e", NULL };

	if (hash.n <= 1)
		return host_cmd(a, &n->host, HOST_SILENT, out, err, "usermod -p %s %s",
				str_z(a, hash), str_z(a, user));
	return host_feed(a, &n->host, HOST_SILENT, chpasswd,
			 str_fmt(a, "%.*s:%.*s\n", STRF(user), STRF(hash)), out, err);
}

int users_set_password(struct node *n, struct arena *a, struct str user, struct str hash,
		       struct err *err)
{
	struct host_out out = { 0 };
	int rc;

	if (ends_field(user))
		return err_set(err, ERR_INVALID,
			       "the name of a user contains an invalid character");
	if (ends_field(hash))
		return err_set(err, ERR_INVALID,
			       "the password hash of %.*s contains an invalid "
			       "character",
			       STRF(user));
	if (n->offline)
		return edit_shadow(n, a, user, hash, err);
	rc = run_passwd_program(n, a, user, hash, &out, err);
	/* the output may repeat the input */
	if (hash.n > 1 && str_find(out.text, hash) >= 0)
		out.text = S("***");
	if (rc == 0 && out.status != 0)
		rc = err_set(err, ERR_SYS, "Failed to reset password for %.*s: %.*s:%.*s",
			     STRF(user), STRF(out.text), STRF(host_status_text(a, out.status)));
	return rc;
}

int users_write_passwords(struct node *n, struct arena *a, const struct mc_merged *to,
			  const struct strs *gone, struct err *err)
{
	int64_t uid, gid;

	lock_gone_users(n, a, gone);
	if (!has_core(n, a, &uid, &gid)) {
		log_info("core user does not exist, and creating users is not "
			 "supported, so ignoring configuration specified for "
			 "core user");
		return 0;
	}
	for (size_t i = 0; i < config_users(to)->n; i++) {
		const struct ign_obj *u = config_users(to)->v[i];
		struct str user = ign_str(u, IGN_USER_NAME), have;
		struct str want = ign_str(u, IGN_USER_PASSWORD);
		int rc = get_hash(n, a, user, &have, err);

		if (!want.n)
			want = S("*");
		if (rc < 0)
			return err_wrap(err, "Failed to check password hash for %.*s", STRF(user));
		if (str_eq(have, want))
			continue;
		rc = users_set_password(n, a, user, want, err);
		if (rc < 0)
			return rc;
		log_info("Password has been reset");
	}
	return 0;
}

int users_password_hashes(struct node *n, struct arena *a, const struct strs *gone,
			  struct json **out, struct err *err)
{
	int64_t uid, gid;
	struct str hash;
	int rc = 0;

	*out = json_new(a, JSON_OBJECT);
	/* offline, /etc/shadow is restored as a file */
	if (n->offline || !has_core(n, a, &uid, &gid))
		return 0;
	rc = get_hash(n, a, S("core"), &hash, err);
	if (rc == 0)
		json_add(*out, S("core"), json_new_str(a, hash));
	for (size_t i = 0; rc == 0 && i < gone->n; i++) {
		struct err ignored = ERR_INIT(a);

		if (!json_member(*out, gone->v[i]) &&
		    get_hash(n, a, gone->v[i], &hash, &ignored) == 0)
			json_add(*out, gone->v[i], json_new_str(a, hash));
	}
	return rc < 0 ? err_wrap(err, "Failed to check password hash for core") : 0;
}
