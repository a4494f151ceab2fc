#include "node/ignite.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/hash.h"
#include "io/log.h"
#include "mc/contents.h"

#define PRESET "/etc/systemd/system-preset/20-ignition.preset"
#define ENTRIES "/boot/loader/entries"
#define TEXT_MAX ((size_t)1 << 24)

/* ---- what is not done ------------------------------------------------------------ */

static int refuse(struct err *err, const char *section)
{
	return err_set(err, ERR_INVALID,
		       "the config has %s, which is not done here: nothing has "
		       "been written",
		       section);
}

static int check_sections(const struct ign_obj *config, struct err *err)
{
	static const struct {
		int field;
		const char *name;
	} sections[] = {
		{ IGN_STORAGE_DISKS, "storage.disks" },
		{ IGN_STORAGE_RAID, "storage.raid" },
		{ IGN_STORAGE_FILESYSTEMS, "storage.filesystems" },
		{ IGN_STORAGE_LUKS, "storage.luks" },
	};
	const struct ign_obj *s = ign_sub(config, IGN_CONFIG_STORAGE);
	const struct ign_obj *c = ign_sub(ign_sub(config, IGN_CONFIG_IGNITION),
					  IGN_IGNITION_CONFIG);

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (ign_list(s, sections[i].field)->n)
			return refuse(err, sections[i].name);
	if (ign_list(c, IGN_IGNITION_CONFIG_MERGE)->n)
		return refuse(err, "ignition.config.merge");
	return ign_str(ign_sub(c, IGN_IGNITION_CONFIG_REPLACE),
		       IGN_RESOURCE_SOURCE)
			       .n
		       ? refuse(err, "ignition.config.replace")
		       : 0;
}

/* ---- contents --------------------------------------------------------------------- */

struct entry {
	enum { ENTRY_DIR, ENTRY_FILE, ENTRY_LINK } kind;
	const struct ign_obj *o;
	struct str path;
	size_t depth, order;
	struct str data, tail; /* contents, and what is appended */
	int64_t uid, gid;
};

struct entries {
	struct entry *v;
	size_t n, cap;
};

static int check_hash(struct arena *a, const struct ign_obj *r, struct str data,
		      struct err *err)
{
	struct str want = ign_str(ign_sub(r, IGN_RESOURCE_VERIFICATION),
				  IGN_VERIFICATION_HASH);
	struct str kind, sum, have;

	if (!want.n)
		return 0;
	if (!str_cut(want, '-', &kind, &sum))
		return err_set(err, ERR_INVALID, "unknown hash %.*s",
			       STRF(want));
	have = hash_hex_of(
		a, str_is(kind, "sha256") ? HASH_SHA256 : HASH_SHA512, data);
	return str_eq_fold(have, sum)
		       ? 0
		       : err_set(err, ERR_INVALID, "its %.*s is %.*s, not %.*s",
				 STRF(kind), STRF(have), STRF(sum));
}

/* mc_contents reads a file's; what is appended has the same shape. */
static int resource(struct arena *a, const struct ign_obj *r, struct str *out,
		    struct err *err)
{
	struct ign_obj *f = ign_new(a, &ign_type_FILE);
	int rc;

	f->v[IGN_FILE_CONTENTS].set = true;
	f->v[IGN_FILE_CONTENTS].u.o = (struct ign_obj *)r;
	rc = mc_contents(a, f, out, err);
	if (rc == -ERR_NOTFOUND)
		return err_set(err, ERR_INVALID,
			       "its contents are at %.*s: only data: URLs are "
			       "read here",
			       STRF(*out));
	return rc < 0 ? rc : check_hash(a, r, *out, err);
}

static int file_data(struct arena *a, struct entry *e, struct err *err)
{
	const struct ign_objs *more = ign_list(e->o, IGN_FILE_APPEND);
	struct str part = S("");
	struct buf b;
	int rc = resource(a, ign_sub(e->o, IGN_FILE_CONTENTS), &e->data, err);

	buf_init(&b, a);
	for (size_t i = 0; rc == 0 && i < more->n; i++) {
		rc = resource(a, more->v[i], &part, err);
		buf_add(&b, part);
	}
	e->tail = buf_str(&b);
	return rc < 0 ? err_wrap(err, "file %.*s", STRF(e->path)) : 0;
}

static void collect(struct arena *a, const struct ign_objs *list, int kind,
		    struct entries *out)
{
	for (size_t i = 0; i < list->n; i++) {
		struct entry e = { .o = list->v[i], .order = out->n };

		e.kind = kind;
		e.path = ign_str(e.o, IGN_FILE_PATH);
		for (size_t k = 0; k < e.path.n; k++)
			e.depth += e.path.p[k] == '/';
		VEC_PUSH(a, out, e);
	}
}

/* What is above comes first. */
static int by_depth(const void *x, const void *y)
{
	const struct entry *p = x, *q = y;

	if (p->depth != q->depth)
		return p->depth < q->depth ? -1 : 1;
	return (p->order > q->order) - (p->order < q->order);
}

static int gather(struct arena *a, const struct ign_obj *config,
		  struct entries *out, struct err *err)
{
	const struct ign_obj *s = ign_sub(config, IGN_CONFIG_STORAGE);
	int rc = 0;

	collect(a, ign_list(s, IGN_STORAGE_DIRECTORIES), ENTRY_DIR, out);
	collect(a, ign_list(s, IGN_STORAGE_FILES), ENTRY_FILE, out);
	collect(a, ign_list(s, IGN_STORAGE_LINKS), ENTRY_LINK, out);
	for (size_t i = 0; rc == 0 && i < out->n; i++)
		if (out->v[i].kind == ENTRY_FILE)
			rc = file_data(a, &out->v[i], err);
	if (out->n > 1)
		qsort(out->v, out->n, sizeof(*out->v), by_depth);
	return rc;
}

/* ---- storage ------------------------------------------------------------------------ */

static int in_the_way(struct err *err, const char *path)
{
	return err_set(err, ERR_CONFLICT,
		       "error creating %s: something is there and overwrite is "
		       "not true",
		       path);
}

static int make_dir(struct node *n, struct entry *e, const char *path,
		    struct err *err)
{
	struct err ignored = *err;
	struct stat st;
	bool there = tree_lstat(&n->tree, path, &st, &ignored) == 0;
	int rc;

	if (there && S_ISDIR(st.st_mode) &&
	    !ign_is_set(e->o, IGN_DIRECTORY_MODE) && !e->uid && !e->gid)
		return 0;
	if (there && !S_ISDIR(st.st_mode))
		return in_the_way(err, path);
	rc = tree_mkdirs(&n->tree, path, 0755, -1, -1, err);
	if (rc == 0)
		rc = tree_chown(&n->tree, path, (uid_t)e->uid, (gid_t)e->gid,
				err);
	return rc < 0 ? rc
		      : tree_chmod(&n->tree, path,
				   (mode_t)ign_int(e->o, IGN_DIRECTORY_MODE,
						   0755) &
					   07777,
				   err);
}

static int make_file(struct node *n, struct arena *a, struct entry *e,
		     const char *path, struct err *err)
{
	bool given =
		ign_str(ign_sub(e->o, IGN_FILE_CONTENTS), IGN_RESOURCE_SOURCE)
			.n;
	struct tree_attr attr = { (mode_t)ign_int(e->o, IGN_FILE_MODE, 0644) &
					  07777,
				  0755, e->uid, e->gid };
	struct err ignored = *err;
	struct stat st;
	struct str data = e->data;

	if (tree_lstat(&n->tree, path, &st, &ignored) == 0) {
		if (given)
			return in_the_way(err, path);
		if (tree_read(a, &n->tree, path, TEXT_MAX, &data, err) < 0)
			return -ERR_SYS;
		if (!ign_is_set(e->o, IGN_FILE_MODE))
			attr.mode = st.st_mode & 07777;
	}
	if (e->tail.n)
		data = str_fmt(a, "%.*s%.*s", STRF(data), STRF(e->tail));
	return tree_write(&n->tree, path, data, attr, err);
}

static int make_link(struct node *n, struct arena *a, struct entry *e,
		     const char *path, struct err *err)
{
	char *target = str_z(a, ign_str(e->o, IGN_LINK_TARGET));
	struct err ignored = *err;
	struct str have;

	if (tree_readlink(a, &n->tree, path, &have, &ignored) == 0 &&
	    str_is(have, target) && !ign_is_true(e->o, IGN_LINK_HARD))
		return 0;
	if (tree_lexists(&n->tree, path))
		return in_the_way(err, path);
	return ign_is_true(e->o, IGN_LINK_HARD)
		       ? tree_link(&n->tree, target, path, err)
		       : tree_symlink(&n->tree, target, path, err);
}

static int make_entry(struct node *n, struct arena *a, struct entry *e,
		      struct err *err)
{
	char *path = str_z(a, e->path);
	int rc = node_owner(n, a, e->o, &e->uid, &e->gid, err);

	if (rc == 0 && ign_is_true(e->o, IGN_FILE_OVERWRITE))
		rc = tree_remove_all(&n->tree, path, err);
	if (rc < 0)
		return err_wrap(err, "%s", path);
	switch (e->kind) {
	case ENTRY_DIR:
		rc = make_dir(n, e, path, err);
		break;
	case ENTRY_FILE:
		rc = make_file(n, a, e, path, err);
		break;
	case ENTRY_LINK:
		rc = make_link(n, a, e, path, err);
		break;
	}
	return rc;
}

/* ---- units --------------------------------------------------------------------------- */

/* "enable a@.service b" of instance "a@b.service". */
static void add_preset(struct buf *b, struct str unit, bool enable)
{
	ptrdiff_t at = str_chr(unit, '@'), dot = str_rchr(unit, '.');

	buf_addz(b, enable ? "enable " : "disable ");
	if (at > 0 && dot > at + 1)
		buf_addf(b, "%.*s@%.*s %.*s\n", (int)at, unit.p,
			 STRF(str_from(unit, (size_t)dot)),
			 STRF(str_sub(unit, (size_t)at + 1, (size_t)dot)));
	else
		buf_addf(b, "%.*s\n", STRF(unit));
}

static int make_unit(struct node *n, struct arena *a, const struct ign_obj *u,
		     struct err *err)
{
	const struct ign_objs *dropins = ign_list(u, IGN_UNIT_DROPINS);
	struct str name = ign_str(u, IGN_UNIT_NAME);
	struct str text = ign_str(u, IGN_UNIT_CONTENTS);
	char *path = str_z(a, steps_unit_path(a, name));
	int rc = 0;

	if (text.n)
		rc = tree_write(&n->tree, path, text, TREE_DEFAULT, err);
	for (size_t i = 0; rc == 0 && i < dropins->n; i++) {
		struct str d = ign_str(dropins->v[i], IGN_DROPIN_CONTENTS);

		if (d.n)
			rc = tree_write(
				&n->tree,
				str_z(a, steps_dropin_path(
						 a, name,
						 ign_str(dropins->v[i],
							 IGN_DROPIN_NAME))),
				d, TREE_DEFAULT, err);
	}
	if (rc == 0 && ign_is_true(u, IGN_UNIT_MASK))
		rc = tree_symlink(&n->tree, "/dev/null", path, err);
	else if (rc == 0 && ign_is_set(u, IGN_UNIT_MASK) && !text.n)
		rc = tree_remove(&n->tree, path, err);
	return rc;
}

static int make_units(struct node *n, struct arena *a,
		      const struct ign_obj *config, struct err *err)
{
	const struct ign_objs *units = ign_units(config);
	struct buf b;
	int rc = 0;

	buf_init(&b, a);
	for (size_t i = 0; rc == 0 && i < units->n; i++) {
		const struct ign_obj *u = units->v[i];

		rc = make_unit(n, a, u, err);
		if (ign_is_set(u, IGN_UNIT_ENABLED))
			add_preset(&b, ign_str(u, IGN_UNIT_NAME),
				   ign_is_true(u, IGN_UNIT_ENABLED));
	}
	if (rc == 0 && b.n)
		rc = tree_write(&n->tree, PRESET, buf_str(&b), TREE_DEFAULT,
				err);
	return rc;
}

/* ---- kernel arguments ------------------------------------------------------------------ */

static bool among(const struct strs *l, struct str s)
{
	for (size_t i = 0; i < l->n; i++)
		if (str_eq(l->v[i], s))
			return true;
	return false;
}

static void edit_options(struct arena *a, struct buf *b, struct str options,
			 const struct strs *add, const struct strs *drop)
{
	struct strs have = { 0 };

	os_kargs_split(a, options, &have);
	buf_addz(b, "options");
	for (size_t i = 0; i < have.n; i++)
		if (!among(drop, have.v[i]))
			buf_addf(b, " %.*s", STRF(have.v[i]));
	for (size_t i = 0; i < add->n; i++)
		if (!among(&have, add->v[i]))
			buf_addf(b, " %.*s", STRF(add->v[i]));
	buf_addc(b, '\n');
}

static int edit_entry(struct node *n, struct arena *a, const char *path,
		      const struct strs *add, const struct strs *drop,
		      struct err *err)
{
	struct str text = S(""), line;
	struct buf b;
	int rc = tree_read(a, &n->tree, path, TEXT_MAX, &text, err);

	buf_init(&b, a);
	while (rc == 0 && str_line(&text, &line)) {
		if (str_starts(line, S("options ")))
			edit_options(a, &b, str_from(line, 8), add, drop);
		else
			buf_addf(&b, "%.*s\n", STRF(line));
	}
	return rc < 0 ? rc
		      : tree_write(&n->tree, path, buf_str(&b), TREE_DEFAULT,
				   err);
}

static int set_kargs(struct node *n, struct arena *a,
		     const struct ign_obj *config, struct err *err)
{
	const struct ign_obj *k = ign_sub(config, IGN_CONFIG_KARGS);
	const struct strs *add = ign_strings(k, IGN_KARGS_EXIST);
	const struct strs *drop = ign_strings(k, IGN_KARGS_NOT_EXIST);
	struct strs names = { 0 };
	int rc = 0;

	if (!add->n && !drop->n)
		return 0;
	rc = tree_list(a, &n->tree, ENTRIES, &names, err);
	for (size_t i = 0; rc == 0 && i < names.n; i++)
		if (str_ends(names.v[i], S(".conf")))
			rc = edit_entry(
				n, a,
				str_fmt(a, ENTRIES "/%.*s", STRF(names.v[i])).p,
				add, drop, err);
	return rc;
}

static int check_kargs(struct node *n, const struct ign_obj *config,
		       struct err *err)
{
	const struct ign_obj *k = ign_sub(config, IGN_CONFIG_KARGS);

	if ((ign_strings(k, IGN_KARGS_EXIST)->n ||
	     ign_strings(k, IGN_KARGS_NOT_EXIST)->n) &&
	    !tree_exists(&n->tree, ENTRIES))
		return err_set(err, ERR_INVALID,
			       "the config has kernelArguments, and there are "
			       "no boot entries in " ENTRIES
			       ": nothing has been written");
	return 0;
}

int node_ignite(struct node *n, struct arena *a, struct str text,
		struct err *err)
{
	struct entries entries = { 0 };
	struct ign_obj *config = NULL;
	int rc = ign_parse_35(a, text, &config, err);

	if (rc == 0)
		rc = check_sections(config, err);
	if (rc == 0)
		rc = check_kargs(n, config, err);
	if (rc == 0)
		rc = gather(a, config, &entries, err);
	if (rc == 0)
		rc = set_kargs(n, a, config, err);
	if (rc == 0)
		rc = node_ignite_users(n, a, config, err);
	for (size_t i = 0; rc == 0 && i < entries.n; i++)
		rc = make_entry(n, a, &entries.v[i], err);
	if (rc == 0)
		rc = make_units(n, a, config, err);
	return rc < 0 ? rc : tree_sync(&n->tree, err);
}
