/*
 * Differences between JSON values. Lists are compared by their longest common subsequence; of
 * several, this finds the same one as upstream's library. Between two common elements, containers
 * of one kind at the same position are compared recursively; all others are removed and added.
 */
#include "mc/changes.h"

#define PAIRS_MAX ((size_t)1 << 20) /* for larger lists no element counts as common */

struct items {
	const struct json **v;
	size_t n, cap;
};

struct differ {
	struct arena *a;
	struct json *out;
	struct buf diff; /* text of the current change */
	struct buf come; /* "+" lines, which follow the "-" lines */
};

static void compare(struct differ *d, struct str path, const struct json *x, const struct json *y);

/* Adds a line; end is the text when j is NULL. */
static void line(struct buf *b, const char *mark, const struct json *j, const char *end)
{
	if (!j) {
		buf_addz(b, end);
		return;
	}
	buf_addz(b, mark);
	json_encode(b, j, JSON_SORTED);
	buf_addc(b, '\n');
}

static void begin_change(struct differ *d)
{
	buf_init(&d->diff, d->a);
	buf_init(&d->come, d->a);
}

static void add_change(struct differ *d, struct str path)
{
	struct json *e = json_new(d->a, JSON_OBJECT);

	json_add_str(d->a, e, "fieldPath", path);
	json_add_str(d->a, e, "diff", buf_str(&d->diff));
	json_push(d->out, e);
}

/* x or y may be NULL: absent. */
static void replaced(struct differ *d, struct str path, const struct json *x, const struct json *y)
{
	begin_change(d);
	line(&d->diff, "- ", x, "");
	line(&d->diff, "+ ", y, "");
	add_change(d, path);
}

/* ---- lists --------------------------------------------------------------- */

static struct items items_of(struct arena *a, const struct json *j)
{
	struct items l = { 0 };

	for (const struct json *e = json_first(j); e; e = json_next(e))
		VEC_PUSH(a, &l, e);
	return l;
}

/* The longest common subsequence. */
static struct items common(struct arena *a, const struct items *x, const struct items *y)
{
	struct items out = { 0 };
	size_t w = y->n + 1, k;
	uint32_t *t;

	if (!x->n || !y->n || x->n > PAIRS_MAX / w)
		return out;
	/* row r and column c at r * w + c; the first row and column are zero */
	t = arena_alloc(a, (x->n + 1) * w * sizeof(*t));
	for (k = 0; k < (x->n + 1) * w; k++) {
		size_t r = k / w, c = k % w;

		t[k] = 0;
		if (!r || !c)
			continue;
		t[k] = t[k - w] > t[k - 1] ? t[k - w] : t[k - 1];
		if (t[k] == t[k - w - 1] && json_eq(x->v[r - 1], y->v[c - 1]))
			t[k]++;
	}
	out.n = t[--k];
	out.v = arena_alloc(a, (out.n + 1) * sizeof(const struct json *));
	while (t[k]) {
		const struct json *e = x->v[k / w - 1];

		if (json_eq(e, y->v[k % w - 1])) {
			out.v[t[k] - 1] = e;
			k -= w + 1;
		} else {
			k -= t[k - w] >= t[k - 1] ? w : 1;
		}
	}
	return out;
}

static bool are_containers(const struct json *x, const struct json *y)
{
	return json_kind(x) == json_kind(y) && json_kind(x) >= JSON_ARRAY;
}

/* The positions in both lists, up to the next common element. */
struct walk {
	struct items x, y, common;
	size_t i, j, c;
	size_t at; /* index in the result */
};

static const struct json *nth(const struct items *l, size_t i)
{
	return i < l->n ? l->v[i] : NULL;
}

static bool at_common(const struct walk *w, const struct json *e)
{
	return e && w->c < w->common.n && json_eq(e, w->common.v[w->c]);
}

/* True when the next two elements are the common one, or containers to compare. */
static bool advance(struct differ *d, struct walk *w)
{
	const struct json *x, *y;

	while (x = nth(&w->x, w->i), y = nth(&w->y, w->j), x || y) {
		bool cx = at_common(w, x), cy = at_common(w, y);
		bool out = x && (!cx || !y), put = y && (!cy || !x);

		if ((cx && cy) || (out && put && are_containers(x, y)))
			return true;
		if (out) {
			line(&d->diff, "- ", x, "");
			w->i++;
		}
		if (put) {
			line(&d->come, "+ ", y, "");
			w->j++;
			w->at++;
		}
	}
	return false;
}

static struct str element_path(struct differ *d, struct str list, size_t i)
{
	return str_fmt(d->a, "%.*s[%zu]", STRF(list), i);
}

static void compare_lists(struct differ *d, struct str path, const struct json *x,
			  const struct json *y)
{
	struct walk w = { .x = items_of(d->a, x), .y = items_of(d->a, y) };
	const struct json *last = NULL;
	bool alike = true;

	w.common = common(d->a, &w.x, &w.y);
	while (alike) {
		size_t first = w.at, lines;

		begin_change(d);
		line(&d->diff, "  ", last, "[\n");
		lines = d->diff.n;
		alike = advance(d, &w);
		lines = d->diff.n - lines + d->come.n;
		buf_add(&d->diff, buf_str(&d->come));
		x = nth(&w.x, w.i++);
		last = nth(&w.y, w.j++);
		line(&d->diff, "  ", x, "]\n");
		if (lines)
			add_change(d, element_path(d, path, first));
		if (at_common(&w, x))
			w.c++;
		else if (alike)
			compare(d, element_path(d, path, w.at), x, last);
		w.at++;
	}
}

/* ---- all ----------------------------------------------------------------- */

static void compare_objects(struct differ *d, struct str path, const struct json *x,
			    const struct json *y, bool gone)
{
	for (const struct json *m = json_first(x); m; m = json_next(m)) {
		const struct json *o = json_member(y, json_key(m));
		struct str at = str_fmt(d->a, "%.*s%s%.*s", STRF(path), path.n ? "." : "",
					STRF(json_key(m)));

		if (!o)
			replaced(d, at, gone ? m : NULL, gone ? NULL : m);
		else if (gone)
			compare(d, at, m, o);
	}
}

static void compare(struct differ *d, struct str path, const struct json *x, const struct json *y)
{
	if (json_eq(x, y))
		return;
	if (!are_containers(x, y)) {
		replaced(d, path, x, y);
	} else if (json_kind(x) == JSON_ARRAY) {
		compare_lists(d, path, x, y);
	} else {
		compare_objects(d, path, x, y, true);
		compare_objects(d, path, y, x, false);
	}
}

struct json *changes_of(struct arena *a, const char *path, const struct json *x,
			const struct json *y)
{
	struct differ d = { .a = a, .out = json_new(a, JSON_ARRAY) };

	compare(&d, str_of(path), x, y);
	return d.out;
}

static struct json *fixed_part(struct arena *a, const struct ign_obj *config)
{
	static const char *const parts[] = { "disks", "filesystems", "luks", "raid" };
	const struct json *all = json_at(ign_encode(a, config), "storage");
	struct json *out = json_new(a, JSON_OBJECT);

	for (size_t i = 0; i < 4; i++) {
		const struct json *part = json_at(all, parts[i]);

		if (part)
			json_add(out, str_of(parts[i]), json_clone(a, part));
	}
	return out;
}

struct json *mc_changes(struct arena *a, const struct ign_obj *was, const struct ign_obj *wanted)
{
	return changes_of(a, "spec.config.storage", fixed_part(a, was), fixed_part(a, wanted));
}
