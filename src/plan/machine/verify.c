/*
 * The required state of a node's disk, item by item, and upstream's messages for what
 * differs.
 */
#include "plan/verify.h"

#include <sys/stat.h>

#include "base/codec.h"
#include "base/map.h"
#include "mc/contents.h"
#include "plan/steps.h"

static struct verify_item *add(struct arena *a, struct verify_items *out, enum verify_kind kind,
			       struct str path)
{
	struct verify_item i = { .kind = kind, .path = path, .mode = 0644 };

	VEC_PUSH(a, out, i);
	return &out->v[out->n - 1];
}

/* ---- what there must be -------------------------------------------------- */

/* Other code writes these, too, at other times. */
static bool others(struct str path)
{
	return str_is(path, STEPS_KUBELET_CA) || str_is(path, STEPS_CLOUD_CA) ||
	       str_is(path, STEPS_PULL_SECRET);
}

static int file_item(struct arena *a, const struct ign_obj *f, struct verify_items *out,
		     struct err *err)
{
	struct str path = ign_str(f, IGN_FILE_PATH), data = S("");
	bool packed = mc_is_packed(f);
	struct verify_item *i;
	uint64_t size = 0;
	int rc;

	if (ign_list(f, IGN_FILE_APPEND)->n)
		return err_set(err, ERR_INVALID,
			       "found an append section when checking files. "
			       "Append is not supported");
	rc = packed ? mc_size(f, &size, err) : mc_contents(a, f, &data, err);
	if (rc == -ERR_NOTFOUND)
		rc = err_set(err, ERR_INVALID,
			     "could not decode file content string: missing "
			     "data prefix");
	if (rc < 0)
		return err_wrap(err, "couldn't decode file %.*s", STRF(go_quoted(a, path)));
	i = add(a, out, VERIFY_FILE, path);
	i->data = data;
	i->packed = packed ? f : NULL;
	i->size = size;
	i->mode = ign_int(f, IGN_FILE_MODE, 0644);
	return 0;
}

static int file_items(struct arena *a, const struct mc_current *c, struct verify_items *out,
		      struct err *err)
{
	const struct ign_objs *files = ign_files(c->spec.config);
	struct map seen;
	int rc = 0;

	map_init(&seen, a);
	for (size_t k = 0; rc == 0 && k < files->n; k++) {
		/* of spec 2's duplicates the last one wins */
		const struct ign_obj *f = files->v[c->v2 ? files->n - 1 - k : k];
		struct str path = ign_str(f, IGN_FILE_PATH);

		if (!map_put(&seen, path, out) || (!c->v2 && others(path)))
			continue;
		rc = file_item(a, f, out, err);
	}
	return rc;
}

static void unit_items(struct arena *a, const struct ign_obj *u, bool v2, struct verify_items *out)
{
	const struct ign_objs *dropins = ign_list(u, IGN_UNIT_DROPINS);
	struct str name = ign_str(u, IGN_UNIT_NAME);
	struct str text = ign_str(u, IGN_UNIT_CONTENTS);

	for (size_t k = 0; k < dropins->n; k++) {
		const struct ign_obj *d = dropins->v[k];
		struct str data = ign_str(d, IGN_DROPIN_CONTENTS);

		add(a, out, data.n || v2 ? VERIFY_FILE : VERIFY_EMPTY_DROPIN,
		    steps_dropin_path(a, name, ign_str(d, IGN_DROPIN_NAME)))
			->data = data;
	}
	if (!text.n)
		return;
	if (ign_is_true(u, IGN_UNIT_MASK)) {
		(void)add(a, out, VERIFY_MASK, steps_unit_path(a, name));
		return;
	}
	add(a, out, VERIFY_FILE, steps_unit_path(a, name))->data = text;
	if (ign_is_set(u, IGN_UNIT_ENABLED) && !v2)
		add(a, out, VERIFY_ENABLED, name)->enabled = ign_is_true(u, IGN_UNIT_ENABLED);
}

int verify_items(struct arena *a, const struct mc_current *c, struct verify_items *out,
		 struct err *err)
{
	const struct ign_objs *units = ign_units(c->spec.config);
	int rc;

	*out = (struct verify_items){ 0 };
	rc = file_items(a, c, out, err);
	for (size_t i = 0; rc == 0 && i < units->n; i++)
		unit_items(a, units->v[i], c->v2, out);
	return rc;
}

/* ---- whether it is ------------------------------------------------------- */

/* Go's os.FileMode: the bits outside the permissions have other positions. */
static uint32_t go_mode(unsigned m)
{
	uint32_t out = m & 0777;

	switch (m & S_IFMT) {
	case S_IFDIR:
		out |= 1u << 31;
		break;
	case S_IFLNK:
		out |= 1u << 27;
		break;
	case S_IFBLK:
		out |= 1u << 26;
		break;
	case S_IFCHR:
		out |= 1u << 26 | 1u << 21;
		break;
	case S_IFIFO:
		out |= 1u << 25;
		break;
	case S_IFSOCK:
		out |= 1u << 24;
		break;
	default:
		break;
	}
	out |= m & S_ISUID ? 1u << 23 : 0;
	out |= m & S_ISGID ? 1u << 22 : 0;
	out |= m & S_ISVTX ? 1u << 20 : 0;
	return out;
}

static void add_mode(struct buf *b, uint32_t m)
{
	static const char kinds[] = "dalTLDpSugct?", bits[] = "rwxrwxrwx";
	size_t start = b->n;

	for (int i = 0; i < 13; i++)
		if (m & 1u << (31 - i))
			buf_addc(b, kinds[i]);
	if (b->n == start)
		buf_addc(b, '-');
	for (int i = 0; i < 9; i++)
		buf_addc(b, m & 1u << (8 - i) ? bits[i] : '-');
	buf_addf(b, "/%u/0%o", m, m);
}

static struct str file_text(struct arena *a, const struct verify_item *i,
			    const struct verify_seen *s)
{
	struct str path = go_quoted(a, i->path);
	uint32_t want = (uint32_t)i->mode;
	struct buf b;

	if (s->absent && !s->problem.n)
		return str_fmt(a,
			       "could not stat file %.*s: lstat %.*s: no such "
			       "file or directory",
			       STRF(path), STRF(i->path));
	if (!s->mode)
		return str_fmt(a, "could not stat file %.*s: %.*s", STRF(path), STRF(s->problem));
	if (go_mode(s->mode) != want) {
		buf_init(&b, a);
		buf_addf(&b, "mode mismatch for file: %.*s; expected: ", STRF(path));
		add_mode(&b, want);
		buf_addz(&b, "; received: ");
		add_mode(&b, go_mode(s->mode));
		return buf_str(&b);
	}
	if (s->problem.n)
		return str_fmt(a, "could not read file %.*s: %.*s", STRF(path), STRF(s->problem));
	if (i->packed ? !s->same : !str_eq(s->data, i->data))
		return str_fmt(a, "content mismatch for file %.*s", STRF(path));
	return S("");
}

static struct str enabled_text(struct arena *a, const struct verify_item *i,
			       const struct verify_seen *s)
{
	static const char *const off[] = { "disabled", "masked", "masked-runtime", "not-found" };
	bool bad =
		!i->enabled && (str_is(s->state, "enabled") || str_is(s->state, "enabled-runtime"));

	for (size_t k = 0; i->enabled && k < 4; k++)
		bad = bad || str_is(s->state, off[k]);
	return bad ? str_fmt(a,
			     "unit %.*s expected enabled=%s, but systemd "
			     "reports %.*s",
			     STRF(go_quoted(a, i->path)), i->enabled ? "true" : "false",
			     STRF(go_quoted(a, s->state)))
		   : S("");
}

struct str verify_text(struct arena *a, const struct verify_item *i, const struct verify_seen *s)
{
	switch (i->kind) {
	case VERIFY_EMPTY_DROPIN:
		return s->absent ? S("") : file_text(a, i, s);
	case VERIFY_MASK:
		if (s->problem.n)
			return str_fmt(a,
				       "state validation: error while "
				       "evaluation symlink for path %.*s: %.*s",
				       STRF(go_quoted(a, i->path)), STRF(s->problem));
		return str_is(s->link, "/dev/null")
			       ? S("")
			       : str_fmt(a,
					 "state validation: invalid unit "
					 "masked setting. path: %.*s; "
					 "expected: /dev/null; received: %.*s",
					 STRF(go_quoted(a, i->path)), STRF(s->link));
	case VERIFY_ENABLED:
		return enabled_text(a, i, s);
	case VERIFY_FILE:
		break;
	}
	return file_text(a, i, s);
}

struct str verify_prefix(struct arena *a, struct str config, struct str image)
{
	return str_fmt(a, "unexpected on-disk state validating against %.*s: ",
		       STRF(image.n ? image : config));
}
