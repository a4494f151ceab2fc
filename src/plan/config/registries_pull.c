/*
 * Where an image is pulled from, by the rules of containers/image: the entry with the
 * longest prefix applies; its mirrors come first, then its location.
 */
#include "base/imageref.h"
#include "registries_parts.h"

static struct str without_slashes(struct str s)
{
	while (s.n && s.p[s.n - 1] == '/')
		s.n--;
	return s;
}

static int check_location(struct str s, struct err *err)
{
	struct str t = without_slashes(s);

	if (!str_starts(t, S("http://")) && !str_starts(t, S("https://")))
		return 0;
	return err_set(err, ERR_INVALID, "invalid location '%.*s': URI schemes are not supported",
		       STRF(s));
}

int conf_check(struct arena *a, const struct registries_conf *c, struct err *err)
{
	(void)a;
	for (size_t i = 0; i < c->n; i++) {
		const struct registry *r = c->v[i];
		int rc = check_location(registry_scope(r), err);

		for (size_t k = 0; rc == 0 && k < r->n; k++)
			rc = check_location(r->v[k].location, err);
		if (rc < 0)
			return rc;
		for (size_t k = 0; str_starts(r->prefix, S("*.")) && k < r->prefix.n; k++)
			if (strchr("/@:", r->prefix.p[k]))
				return err_set(err, ERR_INVALID,
					       "Wildcarded prefix should be in the "
					       "format: *.example.com. Current prefix "
					       "\"%.*s\" is incorrectly formatted",
					       STRF(r->prefix));
	}
	return 0;
}

/* The length of the part of ref that the prefix matches, or -1. */
static ptrdiff_t covered(struct str ref, struct str prefix)
{
	size_t n = prefix.n;

	if (str_starts(prefix, S("*."))) {
		ptrdiff_t at = str_find(ref, str_from(prefix, 1));

		if (at < 0 || str_chr(str_sub(ref, 0, (size_t)at), '/') >= 0)
			return -1;
		n = (size_t)at + prefix.n - 1;
	} else if (!str_starts(ref, prefix)) {
		return -1;
	}
	if (n < ref.n && !strchr(":/@", ref.p[n]))
		return -1;
	return (ptrdiff_t)n;
}

static struct str prefix_of(const struct registry *r)
{
	return without_slashes(registry_scope(r));
}

const struct registry *conf_find(const struct registries_conf *c, struct str ref)
{
	const struct registry *best = NULL;

	for (size_t i = 0; i < c->n; i++) {
		struct str prefix = prefix_of(c->v[i]);
		struct str have = best ? prefix_of(best) : S("");

		if (prefix.n < have.n || !prefix.n || covered(ref, prefix) < 0)
			continue;
		/* of equally long ones the first by name */
		if (prefix.n > have.n || str_cmp(prefix, have) < 0)
			best = c->v[i];
	}
	return best;
}

static int add_source(struct arena *a, struct str location, struct str ref, struct str prefix,
		      struct pull_sources *out, struct err *err)
{
	struct pull_source s = { .location = without_slashes(location) };
	ptrdiff_t n = covered(ref, prefix);
	struct imageref r;
	int rc;

	if (n < 0)
		return err_set(err, ERR_INVALID, "invalid prefix '%.*s' for reference '%.*s'",
			       STRF(prefix), STRF(ref));
	if (s.location.n) {
		ref = str_fmt(a, "%.*s%.*s", STRF(s.location), STRF(str_from(ref, (size_t)n)));
		rc = imageref_canonical(a, ref, &r, err);
		if (rc < 0)
			return err_wrap(err, "rewriting reference");
	} else {
		rc = imageref_parse(ref, &r, err);
		if (rc < 0)
			return rc;
	}
	s.name = r.name;
	VEC_PUSH(a, out, s);
	return 0;
}

int conf_sources(struct arena *a, const struct registry *r, struct str ref, bool digest,
		 struct pull_sources *out, struct err *err)
{
	struct str prefix = prefix_of(r);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->n; i++) {
		const struct mirror *m = &r->v[i];

		if (r->by_digest ? !digest : str_is(m->pull, digest ? "tag-only" : "digest-only"))
			continue;
		rc = add_source(a, m->location, ref, prefix, out, err);
	}
	if (rc == 0)
		rc = add_source(a, r->location, ref, prefix, out, err);
	return rc;
}
