/*
 * The difference of one file's contents. A secret is never shown unless asked for:
 * where masks would hide the whole difference, a line says so.
 */
#include "view/contents_diff.h"

#include "base/hash.h"
#include "mc/contents.h"
#include "mc/secret.h"
#include "view/udiff.h"

static void add_sum(struct buf *b, const struct contents_opts *o, char sign,
		    const struct contents_side *s)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	if (s->there)
		buf_addf(b, "%s%c %zu bytes, sha256 %.*s\n", o->indent ? o->indent : "", sign,
			 s->bytes.n, STRF(hash_hex_of(&a, HASH_SHA256, s->bytes)));
}

static const char *head(struct arena *a, struct str path, const struct contents_side *s)
{
	return s->there ? str_fmt(a, "%s%.*s", s->prefix, STRF(path)).p : "/dev/null";
}

void contents_diff(struct buf *b, struct str path, const struct contents_side *from,
		   const struct contents_side *to, const struct contents_opts *o)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str old = from->bytes, new = to->bytes;
	struct udiff_opts u = { .from = head(&a, path, from),
				.to = head(&a, path, to),
				.colour = o->colour,
				.indent = o->indent,
				.whole = o->whole };

	if (str_eq(old, new))
		return;
	if (!o->secrets && ((from->there && mc_is_secret(path, from->mode, old)) ||
			    (to->there && mc_is_secret(path, to->mode, new)))) {
		buf_addf(b,
			 "%scontents differ, but look secret: --show-secrets "
			 "shows them\n",
			 o->indent ? o->indent : "");
		return;
	}
	if (!mc_is_text(old) || !mc_is_text(new)) {
		add_sum(b, o, '-', from);
		add_sum(b, o, '+', to);
		return;
	}
	if (!o->secrets)
		mc_mask_both(&a, &old, &new);
	udiff(b, old, new, &u);
}
