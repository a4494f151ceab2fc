/*
 * The changes on a disk, path by path. A path without a difference in type, contents,
 * mode or owner is not listed.
 */
#include "view/disk_diff.h"

#include "base/terminal.h"

static bool same_number(int64_t x, int64_t y)
{
	return x < 0 || y < 0 || x == y;
}

bool disk_same(const struct disk_state *x, const struct disk_state *y)
{
	if (x->kind != y->kind)
		return false;
	switch (x->kind) {
	case DISK_ABSENT:
	case DISK_OTHER:
		return true;
	case DISK_LINK:
		return str_eq(x->data, y->data);
	case DISK_FILE:
		break;
	}
	return same_number(x->mode, y->mode) && same_number(x->uid, y->uid) &&
	       same_number(x->gid, y->gid) && str_eq(x->data, y->data);
}

static const char *kind_name(const struct disk_change *c)
{
	enum disk_kind k = c->to.kind == DISK_ABSENT ? c->from.kind : c->to.kind;

	return k == DISK_LINK ? "link" : k == DISK_FILE ? "file" : "path";
}

static const char *how(const struct disk_change *c)
{
	return c->from.kind == DISK_ABSENT ? "added"
	       : c->to.kind == DISK_ABSENT ? "removed"
					   : "changed";
}

static void show_attributes(struct buf *b, char sign, const struct disk_state *s,
			    const struct disk_state *other, const char *indent)
{
	bool new = other->kind == DISK_ABSENT;

	if (s->kind == DISK_LINK)
		buf_addf(b, "%s%c target: %.*s\n", indent, sign, STRF(s->data));
	if (s->kind != DISK_FILE)
		return;
	if (new || other->kind != DISK_FILE || !same_number(s->mode, other->mode))
		buf_addf(b, "%s%c mode: %04llo\n", indent, sign, (unsigned long long)s->mode);
	if (new ? s->uid > 0 || s->gid > 0
		: other->kind == DISK_FILE &&
			    !(same_number(s->uid, other->uid) && same_number(s->gid, other->gid)))
		buf_addf(b, "%s%c owner: %lld:%lld\n", indent, sign, (long long)s->uid,
			 (long long)s->gid);
}

static struct contents_side side(const struct disk_state *s, const char *prefix)
{
	return (struct contents_side){ .there = s->kind == DISK_FILE,
				       .mode = s->mode < 0 ? 0644 : s->mode,
				       .bytes = s->kind == DISK_FILE ? s->data : S(""),
				       .prefix = prefix };
}

/* Adds text between colour codes. */
static struct str text_of(struct arena *a, struct str s, const struct contents_opts *o)
{
	return o->colour ? terminal_safe(a, s) : s;
}

size_t disk_diff(struct buf *b, const struct disk_changes *list, const struct contents_opts *o)
{
	const char *indent = o->indent ? o->indent : "";
	size_t shown = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct disk_change *c = &list->v[i];
		struct contents_side from = side(&c->from, "a");
		struct contents_side to = side(&c->to, "b");
		AUTO(arena) struct arena a = ARENA_INIT;

		if (disk_same(&c->from, &c->to))
			continue;
		shown++;
		buf_addf(b, "%s%s %.*s (%s)%s\n", o->colour ? TERMINAL_BOLD : "", kind_name(c),
			 STRF(text_of(&a, c->path, o)), how(c), o->colour ? TERMINAL_OFF : "");
		if (c->to.kind != DISK_ABSENT) {
			struct buf t;

			buf_init(&t, &a);
			show_attributes(&t, '-', &c->from, &c->to, indent);
			show_attributes(&t, '+', &c->to, &c->from, indent);
			buf_add(b, text_of(&a, buf_str(&t), o));
		}
		contents_diff(b, c->path, &from, &to, o);
	}
	return shown;
}
