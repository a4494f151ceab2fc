/*
 * A disk in memory: the first access to a path reads it from the node, steps change the copy.
 * Nothing here writes to the node.
 */
#include "dry_disk.h"

#include "base/hash.h"
#include "bootc.h"
#include "journal_keep.h"
#include "links.h"
#include "mc/contents.h"
#include "node/dry_run.h"
#include "node/files.h"
#include "node/kernel.h"
#include "units.h"

/* Larger files are represented by size and checksum: nobody reads such a diff, and it saves
 * memory. */
#define HELD_MAX ((uint64_t)1 << 20)

static struct str sum_text(struct arena *a, uint64_t size, struct str hex)
{
	return str_fmt(a, "%llu bytes, sha256 %.*s\n", (unsigned long long)size, STRF(hex));
}

static int read_file(struct dry_disk *s, const char *path, const struct stat *st, struct str *out,
		     struct err *err)
{
	struct str hex;
	int rc;

	if ((uint64_t)st->st_size <= HELD_MAX)
		return tree_read(s->a, &s->n->tree, path, HELD_MAX, out, err);
	rc = journal_sum(s->a, &s->n->tree, path, &hex, err);
	if (rc == 0)
		*out = sum_text(s->a, (uint64_t)st->st_size, hex);
	return rc;
}

static int put_hash(void *ctx, struct str part, struct err *err)
{
	(void)err;
	hash_add(ctx, part);
	return 0;
}

int dry_disk_contents(struct dry_disk *s, const struct ign_obj *file, struct str *out,
		      struct err *err)
{
	struct hash h;
	const struct sink to = { .put = put_hash, .ctx = &h };
	uint64_t size = 0;
	int rc = mc_size(file, &size, err);

	if (rc < 0)
		return rc;
	if (size <= HELD_MAX)
		return mc_contents(s->a, file, out, err);
	hash_init(&h, HASH_SHA256);
	rc = mc_pump(ign_sub(file, IGN_FILE_CONTENTS), &to, err);
	if (rc == 0)
		*out = sum_text(s->a, size, hash_hex(s->a, &h));
	return rc;
}

int dry_disk_read(struct dry_disk *s, const char *path, struct disk_state *out, struct err *err)
{
	struct tree *t = &s->n->tree;
	struct stat st;
	int rc = tree_lstat(t, path, &st, err);

	*out = (struct disk_state){ .kind = DISK_ABSENT };
	if (rc == -ERR_NOTFOUND)
		return 0;
	if (rc < 0)
		return rc;
	out->mode = st.st_mode & 07777;
	/* owners that this process cannot set are ignored */
	out->uid = t->own ? (int64_t)st.st_uid : -1;
	out->gid = t->own ? (int64_t)st.st_gid : -1;
	out->kind = S_ISREG(st.st_mode) ? DISK_FILE : S_ISLNK(st.st_mode) ? DISK_LINK : DISK_OTHER;
	if (out->kind == DISK_FILE)
		return read_file(s, path, &st, &out->data, err);
	if (out->kind == DISK_LINK)
		return tree_readlink(s->a, t, path, &out->data, err);
	return 0;
}

void dry_disk_init(struct dry_disk *s, struct node *n, struct arena *a, struct dry_run *out)
{
	*s = (struct dry_disk){ .n = n, .a = a, .out = out };
	*out = (struct dry_run){ 0 };
	map_init(&s->index, a);
}

int dry_disk_at(struct dry_disk *s, struct str path, struct disk_state **out, struct err *err)
{
	struct disk_changes *list = &s->out->disk;
	struct map_entry *e = map_find(&s->index, path);
	struct disk_change c = { .path = path };
	int rc;

	if (!e) {
		rc = dry_disk_read(s, str_z(s->a, path), &c.from, err);
		if (rc < 0)
			return rc;
		c.to = c.from;
		VEC_PUSH(s->a, list, c);
		(void)map_put(&s->index, path, (void *)(uintptr_t)list->n);
		e = map_find(&s->index, path);
	}
	*out = &list->v[(uintptr_t)e->value - 1].to;
	return 0;
}

static int dry_disk_set(struct dry_disk *s, struct str path, struct disk_state state,
			struct err *err)
{
	struct disk_state *at;
	int rc = dry_disk_at(s, path, &at, err);

	if (rc == 0)
		*at = state;
	return rc;
}

int dry_disk_remove(struct dry_disk *s, struct str path, struct err *err)
{
	return dry_disk_set(s, path, (struct disk_state){ .kind = DISK_ABSENT }, err);
}

static void dry_disk_command(struct dry_disk *s, const char *verb, struct str units)
{
	VEC_PUSH(s->a, &s->out->commands,
		 str_fmt(s->a, s->n->offline ? "%s %.*s, by links" : "systemctl %s %.*s", verb,
			 STRF(units)));
}

/* ---- steps --------------------------------------------------------------- */

static int dry_disk_file(struct dry_disk *s, const struct step *step, struct err *err)
{
	struct disk_state to = { .kind = DISK_FILE, .mode = step->mode };
	int rc = files_owner(s->n, s->a, step->obj, &to.uid, &to.gid, err);

	if (rc == 0)
		rc = dry_disk_contents(s, step->obj, &to.data, err);
	return rc < 0 ? rc : dry_disk_set(s, step->name, to, err);
}

static int dry_disk_unit(struct dry_disk *s, const struct step *step, struct err *err)
{
	struct str path = steps_unit_path(s->a, step->name), state;
	struct disk_state to = { DISK_FILE, 0644, -1, -1, step->data };
	struct err ignored = ERR_INIT(s->a);
	int status = 1;

	if (step->kind == STEP_UNMASK)
		return dry_disk_remove(s, path, err);
	if (step->kind == STEP_MASK) {
		to.kind = DISK_LINK;
		to.data = S("/dev/null");
		return dry_disk_set(s, path, to, err);
	}
	/* as units_write does: the [Install] section may change */
	if (units_is_enabled(s->n, s->a, step->name, &state, &status, &ignored) == 0 &&
	    status == 0 && str_is(state, "enabled"))
		dry_disk_command(s, "disable", step->name);
	return dry_disk_set(s, path, to, err);
}

/* Restores what the OS shipped, or removes the path. */
static int dry_disk_stale(struct dry_disk *s, struct str path, bool ask, bool keep, struct err *err)
{
	struct disk_state orig;
	bool restored = false;
	int rc = files_would_restore(s->n, s->a, str_z(s->a, path), ask, &restored, err);

	if (rc == 0 && restored) {
		rc = dry_disk_read(s, steps_orig(s->a, path).p, &orig, err);
		return rc < 0 ? rc : dry_disk_set(s, path, orig, err);
	}
	return rc < 0 || keep ? rc : dry_disk_remove(s, path, err);
}

/* Whether the unit's file exists by the time units are enabled. */
static bool has_unit_file(struct dry_disk *s, struct str unit)
{
	struct map_entry *e = map_find(&s->index, steps_unit_path(s->a, unit));

	if (e && s->out->disk.v[(uintptr_t)e->value - 1].to.kind != DISK_ABSENT)
		return true;
	if (!e)
		return links_find(&s->n->tree, s->a, unit, s->n->offline).n > 0;
	return tree_exists(&s->n->tree,
			   str_fmt(s->a, "/usr/lib/systemd/system/%.*s", STRF(unit)).p);
}

static void dry_disk_enable(struct dry_disk *s, const struct steps *steps, size_t *at)
{
	enum step_kind kind = steps->v[*at].kind;
	struct buf units;
	size_t i;

	buf_init(&units, s->a);
	for (i = *at; i < steps->n && steps->v[i].kind == kind; i++)
		if (ign_str(steps->v[i].obj, IGN_UNIT_CONTENTS).n ||
		    has_unit_file(s, steps->v[i].name))
			buf_addf(&units, "%s%.*s", units.n ? " " : "", STRF(steps->v[i].name));
	if (units.n)
		dry_disk_command(s, kind == STEP_ENABLE ? "enable" : "disable", buf_str(&units));
	*at = i - 1;
}

static int dry_disk_kubeconfig(struct dry_disk *s, struct err *err)
{
	struct err ignored = ERR_INIT(s->a);
	struct disk_state *at;
	struct str real;
	int rc;

	if (tree_realpath(s->a, &s->n->tree, STEPS_KUBECONFIG, &real, &ignored) < 0)
		return 0;
	rc = dry_disk_at(s, real, &at, err);
	if (rc == 0 && at->kind == DISK_FILE)
		at->mode = 0600;
	return rc;
}

static void dry_disk_tuning(struct dry_disk *s)
{
	struct err ignored = ERR_INIT(s->a);
	struct disk_state *at;

	if (!s->n->offline && !bootc_manages(s->n) &&
	    dry_disk_at(s, S(KERNEL_TUNING), &at, &ignored) == 0 && at->kind == DISK_FILE)
		VEC_PUSH(s->a, &s->out->commands, S("rpm-ostree kargs, as " KERNEL_TUNING " asks"));
}

static int dry_disk_step(struct dry_disk *s, const struct steps *steps, size_t *at, struct err *err)
{
	const struct step *step = &steps->v[*at];
	struct disk_state text = { DISK_FILE, 0644, -1, -1, step->data };

	switch (step->kind) {
	case STEP_FILE:
		return dry_disk_file(s, step, err);
	case STEP_DROPIN:
		return dry_disk_set(s, step->name, text, err);
	case STEP_DROPIN_EMPTY:
	case STEP_STALE_LINK:
		return dry_disk_remove(s, step->name, err);
	case STEP_UNIT:
	case STEP_MASK:
	case STEP_UNMASK:
		return dry_disk_unit(s, step, err);
	case STEP_PRESET:
		dry_disk_command(s, "preset", step->name);
		return 0;
	case STEP_ENABLE:
	case STEP_DISABLE:
		dry_disk_enable(s, steps, at);
		return 0;
	case STEP_STALE_FILE:
		return dry_disk_stale(s, step->name, true, step->keep, err);
	case STEP_STALE_DROPIN:
		return dry_disk_stale(s, step->name, false, false, err);
	case STEP_STALE_UNIT:
		dry_disk_command(s, "preset", step->name);
		return dry_disk_stale(s, steps_unit_path(s->a, step->name), false, false, err);
	case STEP_KUBECONFIG:
		return dry_disk_kubeconfig(s, err);
	case STEP_TUNING:
		dry_disk_tuning(s);
		return 0;
	case STEP_KEYS: /* the configs show these */
	case STEP_PASSWORDS:
	case STEP_OS:
	case STEP_STATE:
		break;
	}
	return 0;
}

int dry_disk_steps(struct dry_disk *s, const struct steps *steps, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < steps->n; i++)
		rc = dry_disk_step(s, steps, &i, err);
	return rc;
}
