/*
 * Ignition's files stage on a root without a running system.
 *
 * The order is the point: fetch all that the config refers to, check everything, then write. BEGUN
 * exists from the first write to the last, so that the next run knows that what it finds may be its
 * own.
 */
#include "node/ignite.h"

#include <stdlib.h>

#include "accounts.h"
#include "ignite_config.h"
#include "ignite_contents.h"
#include "ignite_kargs.h"
#include "links.h"
#include "node/files.h"
#include "plan/install.h"

#define PRESET "/etc/systemd/system-preset/20-ignition.preset"
#define BEGUN "/etc/.mco-firstboot" /* removed when all is written */
#define TEXT_MAX ((size_t)1 << 24)

/* ---- unsupported sections ------------------------------------------------ */

static int refuse_section(struct err *err, const char *section)
{
	return err_set(err, ERR_INVALID,
		       "the config has %s, which is not supported here: nothing has "
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

	for (size_t i = 0; i < ARRAY_LEN(sections); i++)
		if (ign_list(s, sections[i].field)->n)
			return refuse_section(err, sections[i].name);
	return 0;
}

/* ---- contents ------------------------------------------------------------ */

struct entry {
	enum { ENTRY_DIR, ENTRY_FILE, ENTRY_LINK } kind;
	const struct ign_obj *o;
	struct str path;
	size_t depth, order;
	struct pieces data, tail; /* contents, and what to append */
	int64_t uid, gid;
};

struct entries {
	struct entry *v;
	size_t n, cap;
};

static int gather_file(struct arena *a, struct entry *e, struct spool *spool,
		       const struct ignite_source *from, struct err *err)
{
	const struct ign_objs *more = ign_list(e->o, IGN_FILE_APPEND);
	int rc = ignite_contents(a, spool, ign_sub(e->o, IGN_FILE_CONTENTS), from, &e->data, err);

	for (size_t i = 0; rc == 0 && i < more->n; i++)
		rc = ignite_contents(a, spool, more->v[i], from, &e->tail, err);
	return rc < 0 ? err_wrap(err, "file %.*s", STRF(e->path)) : 0;
}

static void collect_entries(struct arena *a, const struct ign_objs *list, int kind,
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

static bool is_hard(const struct entry *e)
{
	return e->kind == ENTRY_LINK && ign_is_true(e->o, IGN_LINK_HARD);
}

/* Parents first; hard links last, since their targets may be deeper. */
static int by_depth(const void *x, const void *y)
{
	const struct entry *p = x, *q = y;

	if (is_hard(p) != is_hard(q))
		return is_hard(p) ? 1 : -1;
	if (p->depth != q->depth)
		return p->depth < q->depth ? -1 : 1;
	return (p->order > q->order) - (p->order < q->order);
}

/* A system call ends a path at the NUL and would use another file. */
static int check_nul(const struct entries *list, struct err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct entry *e = &list->v[i];
		struct str target = e->kind == ENTRY_LINK ? ign_str(e->o, IGN_LINK_TARGET) : S("");

		if ((e->path.n && memchr(e->path.p, '\0', e->path.n)) ||
		    (target.n && memchr(target.p, '\0', target.n)))
			return err_set(err, ERR_INVALID,
				       "a path of the config contains a NUL "
				       "character: nothing has been written");
	}
	return 0;
}

/* Two entries that a symlink of the root makes one: which of them wins is not defined. */
static int check_twins(struct node *n, struct arena *a, const struct entries *list, struct err *err)
{
	struct map places;

	map_init(&places, a);
	for (size_t i = 0; i < list->n; i++) {
		struct entry *e = &list->v[i];
		struct str at = tree_resolve(a, &n->tree, str_z(a, e->path));
		const struct entry *other = map_get(&places, at);

		if (other)
			return err_set(err, ERR_INVALID,
				       "%.*s and %.*s are both %.*s on this root: nothing has "
				       "been written",
				       STRF(other->path), STRF(e->path), STRF(at));
		(void)map_put(&places, at, e);
	}
	return 0;
}

static int gather_entries(struct arena *a, const struct ign_obj *config, struct spool *spool,
			  const struct ignite_source *from, struct entries *out, struct err *err)
{
	const struct ign_obj *s = ign_sub(config, IGN_CONFIG_STORAGE);
	int rc = 0;

	collect_entries(a, ign_list(s, IGN_STORAGE_DIRECTORIES), ENTRY_DIR, out);
	collect_entries(a, ign_list(s, IGN_STORAGE_FILES), ENTRY_FILE, out);
	collect_entries(a, ign_list(s, IGN_STORAGE_LINKS), ENTRY_LINK, out);
	rc = check_nul(out, err);
	for (size_t i = 0; rc == 0 && i < out->n; i++)
		if (out->v[i].kind == ENTRY_FILE)
			rc = gather_file(a, &out->v[i], spool, from, err);
	if (out->n > 1)
		qsort(out->v, out->n, sizeof(*out->v), by_depth);
	return rc;
}

/* ---- storage ------------------------------------------------------------- */

static bool has_contents(const struct entry *e)
{
	return ign_str(ign_sub(e->o, IGN_FILE_CONTENTS), IGN_RESOURCE_SOURCE).n > 0;
}

static void add_pieces(struct arena *a, struct pieces *to, const struct pieces *more)
{
	for (size_t i = 0; i < more->n; i++)
		VEC_PUSH(a, to, more->v[i]);
	if (more->n)
		to->spool = more->spool;
}

/* Contents and what is appended. */
static struct pieces whole_file(struct arena *a, const struct entry *e)
{
	struct pieces p = { 0 };

	add_pieces(a, &p, &e->data);
	add_pieces(a, &p, &e->tail);
	return p;
}

/* Whether an earlier run, which was cut short, has written it. */
static bool is_written(struct node *n, struct arena *a, const struct entry *e, const char *path)
{
	struct pieces p = whole_file(a, e);
	const struct producer all = pieces_producer(&p);

	return n->again && tree_has(&n->tree, path, &all);
}

/* Whether a hard link to its target exists. */
static bool is_linked(struct node *n, struct arena *a, const struct entry *e, const struct stat *st)
{
	struct err ignored = ERR_INIT(a);
	struct stat to;

	return tree_lstat(&n->tree, str_z(a, ign_str(e->o, IGN_LINK_TARGET)), &to, &ignored) == 0 &&
	       to.st_dev == st->st_dev && to.st_ino == st->st_ino;
}

/* Whether what exists may stay, or was written by a run that was cut short. */
static bool may_stay(struct node *n, struct arena *a, const struct entry *e, const char *path,
		     const struct stat *st)
{
	struct err ignored = ERR_INIT(a);
	struct str have = S("");

	switch (e->kind) {
	case ENTRY_DIR:
		return S_ISDIR(st->st_mode);
	case ENTRY_FILE:
		return S_ISREG(st->st_mode) && (!has_contents(e) || is_written(n, a, e, path));
	case ENTRY_LINK:
		break;
	}
	if (is_hard(e))
		return n->again || is_linked(n, a, e, st);
	return tree_readlink(a, &n->tree, path, &have, &ignored) == 0 &&
	       str_eq(have, ign_str(e->o, IGN_LINK_TARGET));
}

static int check_place(struct node *n, struct arena *a, const struct entry *e, struct err *err)
{
	char *path = str_z(a, e->path);
	struct err ignored = ERR_INIT(a);
	struct stat st;

	if (ign_is_true(e->o, IGN_FILE_OVERWRITE) ||
	    tree_lstat(&n->tree, path, &st, &ignored) < 0 || may_stay(n, a, e, path, &st))
		return 0;
	return err_set(err, ERR_CONFLICT, "error creating %s: it exists and overwrite is not true",
		       path);
}

static int make_dir(struct node *n, struct entry *e, const char *path, mode_t mode, struct err *err)
{
	int rc = tree_mkdirs(&n->tree, path, 0755, -1, -1, err);

	if (rc == 0)
		rc = tree_chown(&n->tree, path, (uid_t)e->uid, (gid_t)e->gid, err);
	return rc < 0 ? rc : tree_chmod(&n->tree, path, mode, err);
}

/* Whether a run that was cut short has appended it already. */
static bool is_appended(struct arena *a, struct str data, const struct pieces *tail)
{
	struct err ignored = ERR_INIT(a);
	struct sink_buf b = { .max = data.n };
	const struct sink to = sink_to_buf(&b);
	struct pieces p = *tail;
	const struct producer all = pieces_producer(&p);

	buf_init(&b.b, a);
	return pieces_size(tail) <= data.n && all.pump(all.ctx, &to, &ignored) == 0 &&
	       str_ends(data, buf_str(&b.b));
}

static int make_file(struct node *n, struct arena *a, struct entry *e, const char *path,
		     mode_t mode, bool there, struct err *err)
{
	struct tree_attr attr = { mode, 0755, e->uid, e->gid };
	struct piece old = { 0 };
	struct producer all;
	struct pieces p;

	if (there && !has_contents(e)) {
		if (tree_read(a, &n->tree, path, TEXT_MAX, &old.mem, err) < 0)
			return -ERR_SYS;
		if (n->again && is_appended(a, old.mem, &e->tail))
			e->tail.n = 0;
		if (old.mem.n)
			VEC_PUSH(a, &e->data, old);
	}
	p = whole_file(a, e);
	if (!pieces_size(&p))
		return tree_write(&n->tree, path, S(""), attr, err);
	all = pieces_producer(&p);
	return tree_write_from(&n->tree, path, &all, attr, err);
}

/* have: what exists at path, or NULL. */
static int make_link(struct node *n, struct arena *a, struct entry *e, const char *path,
		     const struct stat *have, struct err *err)
{
	char *target = str_z(a, ign_str(e->o, IGN_LINK_TARGET));
	int rc = 0;

	if (!is_hard(e))
		return tree_symlink(&n->tree, target, path, err);
	if (have && is_linked(n, a, e, have))
		return 0;
	if (have)
		rc = tree_remove(&n->tree, path, err);
	return rc < 0 ? rc : tree_link(&n->tree, target, path, err);
}

static bool names_owner(const struct ign_obj *who, int id, int name)
{
	return ign_is_set(who, id) || ign_str(who, name).n;
}

static int make_entry(struct node *n, struct arena *a, struct entry *e, struct err *err)
{
	char *path = str_z(a, e->path);
	struct err ignored = ERR_INIT(a);
	mode_t mode = e->kind == ENTRY_DIR ? 0755 : 0644;
	struct stat st;
	bool there;
	int rc = files_owner(n, a, e->o, &e->uid, &e->gid, err);

	if (rc == 0 && ign_is_true(e->o, IGN_FILE_OVERWRITE))
		rc = tree_remove_all(&n->tree, path, err);
	if (rc < 0)
		return err_wrap(err, "%s", path);
	/* attributes that the config does not set stay as they are */
	there = tree_lstat(&n->tree, path, &st, &ignored) == 0;
	if (there) {
		mode = st.st_mode & 07777;
		if (!names_owner(ign_sub(e->o, IGN_FILE_USER), IGN_NODE_USER_ID,
				 IGN_NODE_USER_NAME))
			e->uid = st.st_uid;
		if (!names_owner(ign_sub(e->o, IGN_FILE_GROUP), IGN_NODE_GROUP_ID,
				 IGN_NODE_GROUP_NAME))
			e->gid = st.st_gid;
	}
	switch (e->kind) {
	case ENTRY_DIR:
		mode = (mode_t)ign_int(e->o, IGN_DIRECTORY_MODE, mode) & 07777;
		return make_dir(n, e, path, mode, err);
	case ENTRY_FILE:
		mode = (mode_t)ign_int(e->o, IGN_FILE_MODE, mode) & 07777;
		return make_file(n, a, e, path, mode, there, err);
	case ENTRY_LINK:
		break;
	}
	return make_link(n, a, e, path, there ? &st : NULL, err);
}

/* ---- units --------------------------------------------------------------- */

/* The line of a preset file for a unit, or for all instances of a template. */
struct preset {
	struct str unit;
	bool enable;
	struct strs instances;
};

struct presets {
	struct preset *v;
	size_t n, cap;
};

/* systemd takes the first line that matches a template: its instances share one line. */
static void add_preset(struct arena *a, struct presets *list, const struct ign_obj *u)
{
	struct str name = ign_str(u, IGN_UNIT_NAME), instance;
	struct str template = install_template(a, name, &instance);
	struct preset p = { .unit = instance.n ? template : name,
			    .enable = ign_is_true(u, IGN_UNIT_ENABLED) };
	size_t i = 0;

	while (i < list->n && !(list->v[i].enable == p.enable && str_eq(list->v[i].unit, p.unit)))
		i++;
	if (i == list->n)
		VEC_PUSH(a, list, p);
	if (instance.n)
		VEC_PUSH(a, &list->v[i].instances, instance);
}

static struct str presets_text(struct arena *a, const struct presets *list)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < list->n; i++) {
		const struct preset *p = &list->v[i];

		buf_addf(&b, "%s %.*s", p->enable ? "enable" : "disable", STRF(p->unit));
		for (size_t k = 0; k < p->instances.n; k++)
			buf_addf(&b, " %.*s", STRF(p->instances.v[k]));
		buf_addc(&b, '\n');
	}
	return buf_str(&b);
}

static int make_unit(struct node *n, struct arena *a, const struct ign_obj *u, struct err *err)
{
	const struct ign_objs *dropins = ign_list(u, IGN_UNIT_DROPINS);
	struct str name = ign_str(u, IGN_UNIT_NAME);
	struct str text = ign_str(u, IGN_UNIT_CONTENTS);
	char *path = str_z(a, steps_unit_path(a, name));
	int rc = 0;

	if (text.n)
		rc = tree_put(&n->tree, path, text, err);
	for (size_t i = 0; rc == 0 && i < dropins->n; i++) {
		struct str d = ign_str(dropins->v[i], IGN_DROPIN_CONTENTS);

		if (ign_is_set(dropins->v[i], IGN_DROPIN_CONTENTS))
			rc = tree_put(
				&n->tree,
				str_z(a, steps_dropin_path(
						 a, name, ign_str(dropins->v[i], IGN_DROPIN_NAME))),
				d, err);
	}
	if (rc == 0 && ign_is_true(u, IGN_UNIT_MASK))
		rc = tree_symlink(&n->tree, "/dev/null", path, err);
	else if (rc == 0 && ign_is_set(u, IGN_UNIT_MASK) && !text.n)
		rc = tree_remove(&n->tree, path, err);
	return rc;
}

static int make_units(struct node *n, struct arena *a, const struct ign_obj *config,
		      struct err *err)
{
	const struct ign_objs *units = ign_units(config);
	struct presets presets = { 0 };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < units->n; i++) {
		const struct ign_obj *u = units->v[i];

		rc = make_unit(n, a, u, err);
		if (!ign_is_set(u, IGN_UNIT_ENABLED))
			continue;
		add_preset(a, &presets, u);
		/* a preset does not remove the links that the root has already */
		if (rc == 0 && !ign_is_true(u, IGN_UNIT_ENABLED))
			rc = links_disable(&n->tree, a, ign_str(u, IGN_UNIT_NAME), err);
	}
	if (rc == 0 && presets.n)
		rc = tree_put(&n->tree, PRESET, presets_text(a, &presets), err);
	return rc;
}

/* ---- the whole config ---------------------------------------------------- */

static int write_all(struct node *n, struct arena *a, const struct ign_obj *config,
		     struct entries *entries, struct err *err)
{
	int rc = tree_put(&n->tree, BEGUN, S(""), err);

	if (rc == 0)
		rc = tree_sync(&n->tree, err);
	if (rc == 0)
		rc = ignite_kargs_set(n, a, config, err);
	if (rc == 0)
		rc = accounts_apply(n, a, config, err);
	for (size_t i = 0; rc == 0 && i < entries->n; i++)
		rc = make_entry(n, a, &entries->v[i], err);
	if (rc == 0)
		rc = make_units(n, a, config, err);
	if (rc == 0)
		rc = tree_sync(&n->tree, err);
	if (rc == 0)
		rc = tree_remove(&n->tree, BEGUN, err);
	return rc < 0 ? rc : tree_sync(&n->tree, err);
}

int ignite_apply(struct node *n, struct arena *a, struct str text, const struct ignite_source *from,
		 struct err *err)
{
	struct spool spool = SPOOL_INIT(&n->tree);
	struct entries entries = { 0 };
	struct ign_obj *config = NULL;
	int rc = tree_lock(&n->tree, err);

	if (rc == 0)
		rc = ign_parse_35(a, text, &config, err);
	n->again = tree_lexists(&n->tree, BEGUN);
	if (rc == 0)
		rc = ignite_config_complete(a, from, &config, err);
	if (rc == 0)
		rc = check_sections(config, err);
	if (rc == 0)
		rc = ignite_kargs_check(n, config, err);
	if (rc == 0)
		rc = gather_entries(a, config, &spool, from, &entries, err);
	if (rc == 0)
		rc = check_twins(n, a, &entries, err);
	for (size_t i = 0; rc == 0 && i < entries.n; i++)
		rc = check_place(n, a, &entries.v[i], err);
	if (rc == 0)
		rc = write_all(n, a, config, &entries, err);
	spool_close(&spool);
	return rc;
}
