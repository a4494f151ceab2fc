/*
 * Files of a config on the disk, with the copies of what the OS shipped in their place.
 *
 * Whether a package owns a file is asked of rpm as upstream does; on a distribution without rpm
 * nothing is owned and no copy is kept. A file is replaced only if contents, mode or owner differ.
 */
#include "node/files.h"

#include <sys/wait.h>

#include "base/codec.h"
#include "io/log.h"
#include "mc/contents.h"

bool files_ships(struct node *n, struct arena *a, const char *path)
{
	return tree_exists(&n->tree, str_fmt(a, "/usr%s", path).p);
}

/*
 * Whether a package owns path, by the query that upstream makes. Without rpm (another distribution)
 * nothing is owned and *no_rpm is true.
 */
static int package_owns(struct node *n, struct arena *a, const char *path, bool *is_owned,
			bool *no_rpm, struct err *err)
{
	struct host_out out;
	struct err local = ERR_INIT(a);
	struct buf b;
	int rc = host_cmd(a, &n->host, HOST_SILENT, &out, &local, "rpm -qf %s", path);

	*is_owned = false;
	*no_rpm = rc == -ERR_NOTFOUND;
	if (*no_rpm)
		return 0;
	if (rc < 0)
		return err_set(err, local.code, "%.*s", STRF(local.msg));
	*is_owned = out.status == 0;
	if (*is_owned ||
	    str_find(out.text, str_fmt(a, "file %s is not owned by any package", path)) >= 0)
		return 0;
	buf_init(&b, a);
	go_quote(&b, str_fmt(a, "rpm -qf %s", path));
	return err_set(err, ERR_SYS, "command %s returned with unexpected error: %.*s: %.*s", b.p,
		       STRF(out.text), STRF(host_status_text(a, out.status)));
}

/* Whether the OS ships what is at path. */
static int os_ships(struct node *n, struct arena *a, const char *path, bool *out, struct err *err)
{
	bool no_rpm = false;
	int rc;

	*out = false;
	if (!tree_exists(&n->tree, path)) {
		struct err local = ERR_INIT(a);
		struct stat st;

		/* a file in place of a directory: upstream's error */
		return tree_lstat(&n->tree, path, &st, &local) < 0 &&
				       str_ends(local.msg, S("not a directory"))
			       ? err_set(err, ERR_SYS, "stat %s: not a directory", path)
			       : 0;
	}
	rc = package_owns(n, a, path, out, &no_rpm, err);
	if (rc == 0 && !*out && !no_rpm)
		*out = str_starts(str_of(path), S("/etc")) && files_ships(n, a, path);
	return rc;
}

static int stamp_noorig(struct node *n, struct arena *a, const char *path, struct err *err)
{
	struct str no = steps_noorig(a, str_of(path));
	struct str orig = steps_orig(a, str_of(path));
	int rc = 0;

	if (tree_exists(&n->tree, no.p))
		return 0;
	if (tree_exists(&n->tree, orig.p))
		rc = tree_remove(&n->tree, orig.p, err);
	return rc < 0 ? rc : tree_put(&n->tree, no.p, S(""), err);
}

int files_keep_orig(struct node *n, struct arena *a, const char *from, const char *path,
		    struct err *err)
{
	struct str orig = steps_orig(a, str_of(path));
	bool ships;
	int rc = os_ships(n, a, path, &ships, err);

	if (rc < 0)
		return rc;
	if (!ships)
		return stamp_noorig(n, a, path, err);
	if (tree_lexists(&n->tree, orig.p))
		return 0;
	rc = tree_copy(&n->tree, from, orig.p, err);
	return rc < 0 ? err_wrap(err, "creating orig file for \"%s\"", path) : 0;
}

/* ---- owners -------------------------------------------------------------- */

/* The users of the OS itself are in /usr/lib (nss-altfiles). */
int files_lookup_id(struct node *n, struct arena *a, const char *file, struct str name, int64_t *id,
		    struct err *err)
{
	struct str text, line, user, rest;
	bool own = str_starts(str_of(file), S("/etc/"));
	int rc = tree_read(a, &n->tree, file, (size_t)1 << 24, &text, err);

	while (rc == 0 && str_line(&text, &line)) {
		if (!str_cut(line, ':', &user, &rest) || !str_eq(user, name) ||
		    !str_cut(rest, ':', &user, &rest))
			continue;
		if (str_cut(rest, ':', &user, &rest) && str_to_i64(user, id))
			return 0;
	}
	if (own)
		return files_lookup_id(n, a, str_fmt(a, "/usr/lib%s", file + 4).p, name, id, err);
	return err_set(err, ERR_NOTFOUND, "no %.*s in %s", STRF(name), file);
}

static int owner_id(struct node *n, struct arena *a, const struct ign_obj *who, int id_field,
		    int name_field, bool group, int64_t *out, struct err *err)
{
	struct str name = ign_str(who, name_field);

	*out = ign_int(who, id_field, 0);
	if (ign_is_set(who, id_field) || !name.n ||
	    files_lookup_id(n, a, group ? "/etc/group" : "/etc/passwd", name, out, err) == 0)
		return 0;
	return err_set(err, ERR_INVALID, "failed to retrieve %s: %.*s",
		       group ? "GroupID for group" : "UserID for username", STRF(name));
}

int files_owner(struct node *n, struct arena *a, const struct ign_obj *o, int64_t *uid,
		int64_t *gid, struct err *err)
{
	int rc = owner_id(n, a, ign_sub(o, IGN_FILE_USER), IGN_NODE_USER_ID, IGN_NODE_USER_NAME,
			  false, uid, err);

	return rc < 0 ? rc
		      : owner_id(n, a, ign_sub(o, IGN_FILE_GROUP), IGN_NODE_GROUP_ID,
				 IGN_NODE_GROUP_NAME, true, gid, err);
}

/* ---- paths --------------------------------------------------------------- */

static int check_place(struct node *n, struct arena *a, bool bare, struct str path, struct err *err)
{
	struct str real = tree_resolve(a, &n->tree, str_z(a, path));

	if (!mc_is_state(real) || (bare && str_is(real, MC_FIRST_ANNOTATIONS)))
		return 0;
	if (str_eq(real, path))
		return err_set(err, ERR_INVALID, MC_STATE_REFUSED, STRF(path));
	return err_set(err, ERR_INVALID,
		       "%.*s leads to %.*s, which is the daemon's own state: no "
		       "MachineConfig may write it",
		       STRF(path), STRF(real));
}

int files_check_paths(struct node *n, struct arena *a, const struct mc_merged *to, bool bare,
		      struct err *err)
{
	const struct ign_objs *files = ign_files(to->config);
	const struct ign_objs *units = ign_units(to->config);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < files->n; i++)
		rc = check_place(n, a, bare, ign_str(files->v[i], IGN_FILE_PATH), err);
	for (size_t i = 0; rc == 0 && i < units->n; i++) {
		struct str unit = ign_str(units->v[i], IGN_UNIT_NAME);
		const struct ign_objs *list = ign_list(units->v[i], IGN_UNIT_DROPINS);

		rc = check_place(n, a, bare, steps_unit_path(a, unit), err);
		for (size_t k = 0; rc == 0 && k < list->n; k++)
			rc = check_place(
				n, a, bare,
				steps_dropin_path(a, unit, ign_str(list->v[k], IGN_DROPIN_NAME)),
				err);
	}
	return rc;
}

/* ---- writing and removing ------------------------------------------------ */

static int pump_file(void *ctx, const struct sink *to, struct err *err)
{
	return mc_pump(ign_sub(ctx, IGN_FILE_CONTENTS), to, err);
}

static int pump_data(void *ctx, const struct sink *to, struct err *err)
{
	return to->put(to->ctx, *(const struct str *)ctx, err);
}

struct producer files_bytes(const struct ign_obj *file)
{
	return (struct producer){ pump_file, (void *)(uintptr_t)file };
}

/* Nothing would change: the disk is spared. */
static bool is_same_file(struct node *n, const char *path, const struct producer *from,
			 uint64_t size, const struct tree_attr *attr)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct stat st;

	return tree_lstat(&n->tree, path, &st, &err) == 0 && S_ISREG(st.st_mode) &&
	       (st.st_mode & 07777) == attr->mode && (uint64_t)st.st_size == size &&
	       (!n->tree.own || attr->uid < 0 ||
		(st.st_uid == (uid_t)attr->uid && st.st_gid == (gid_t)attr->gid)) &&
	       tree_has(&n->tree, path, from);
}

int files_write(struct node *n, struct arena *a, const struct step *s, struct err *err)
{
	struct tree_attr attr = { (mode_t)s->mode, 0755, 0, 0 };
	char *path = str_z(a, s->name);
	struct str data = s->data;
	const struct producer from =
		s->packed ? files_bytes(s->obj) : (struct producer){ pump_data, &data };
	int rc = files_owner(n, a, s->obj, &attr.uid, &attr.gid, err);

	log_info("Writing file \"%s\"", path);
	if (rc < 0)
		return err_wrap(err, "failed to retrieve file ownership for file \"%s\"", path);
	rc = files_keep_orig(n, a, path, path, err);
	if (rc < 0 || is_same_file(n, path, &from, s->packed ? s->size : data.n, &attr))
		return rc;
	return s->packed ? tree_write_from(&n->tree, path, &from, attr, err)
			 : tree_write(&n->tree, path, data, attr, err);
}

int files_check_room(struct node *n, const struct steps *steps, struct err *err)
{
	uint64_t need = 0, room = tree_free(&n->tree, "/etc/x");

	for (size_t i = 0; i < steps->n; i++)
		need += steps->v[i].packed ? steps->v[i].size : 0;
	return !room || need <= room ? 0
				     : err_set(err, ERR_LIMIT,
					       "the packed files of the config need %llu "
					       "bytes, and %llu are free on the disk: "
					       "nothing has been written",
					       (unsigned long long)need, (unsigned long long)room);
}

int files_would_restore(struct node *n, struct arena *a, const char *path, bool ask, bool *out,
			struct err *err)
{
	bool is_owned = !ask, no_rpm = false;
	int rc = 0;

	*out = false;
	if (tree_exists(&n->tree, steps_noorig(a, str_of(path)).p) ||
	    !tree_lexists(&n->tree, steps_orig(a, str_of(path)).p))
		return 0;
	if (ask)
		rc = package_owns(n, a, path, &is_owned, &no_rpm, err);
	if (rc == 0)
		*out = is_owned ||
		       (!no_rpm && str_starts(str_of(path), S("/etc")) && files_ships(n, a, path));
	return rc;
}

int files_restore_orig(struct node *n, struct arena *a, const char *path, bool ask, bool *restored,
		       struct err *err)
{
	struct str no = steps_noorig(a, str_of(path));
	struct str orig = steps_orig(a, str_of(path));
	int rc = files_would_restore(n, a, path, ask, restored, err);

	if (rc < 0)
		return rc;
	if (tree_exists(&n->tree, no.p))
		return tree_remove(&n->tree, no.p, err);
	if (*restored) {
		rc = tree_copy(&n->tree, orig.p, path, err);
		if (rc < 0)
			return err_wrap(err, "restoring %s", path);
	}
	return tree_lexists(&n->tree, orig.p) ? tree_remove(&n->tree, orig.p, err) : 0;
}

int files_remove_stale(struct node *n, struct arena *a, const struct step *s, struct err *err)
{
	char *path = str_z(a, s->name);
	bool restored;
	int rc = files_restore_orig(n, a, path, true, &restored, err);

	if (rc < 0 || restored)
		return rc;
	if (s->keep) {
		log_info("Not removing file \"%s\": replaced with systemd "
			 "dropin",
			 path);
		return 0;
	}
	if (!tree_lexists(&n->tree, path)) {
		log_warn("unable to delete %s: it is not there", path);
		return 0;
	}
	rc = tree_remove(&n->tree, path, err);
	return rc < 0 ? err_wrap(err, "unable to delete %s", path) : 0;
}
