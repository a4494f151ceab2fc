/*
 * The grammar of docker/reference by hand, without regular expressions. Results are
 * views of the input, or of the completed name, which is made in the arena.
 */
#include "base/imageref.h"

#define NAME_MAX_LENGTH 255

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_lower(char c)
{
	return (c >= 'a' && c <= 'z') || is_digit(c);
}

static bool is_alnum(char c)
{
	return is_lower(c) || (c >= 'A' && c <= 'Z');
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool all(struct str s, bool (*is)(char c))
{
	for (size_t i = 0; i < s.n; i++)
		if (!is(s.p[i]))
			return false;
	return s.n > 0;
}

static bool is_label_char(char c)
{
	return is_alnum(c) || c == '-';
}

/* One part of a host name. */
static bool is_label(struct str s)
{
	return all(s, is_label_char) && is_alnum(s.p[0]) && is_alnum(s.p[s.n - 1]);
}

bool imageref_is_host(struct str s)
{
	struct str host = s, port, label;

	if (str_cut(s, ':', &host, &port) && !all(port, is_digit))
		return false;
	while (str_cut(host, '.', &label, &host))
		if (!is_label(label))
			return false;
	return is_label(host);
}

/* Between letters and digits: one dot, one or two underscores, or dashes. */
static bool is_separator(struct str s)
{
	if (s.n == 1 || (s.n == 2 && s.p[0] == '_'))
		return s.p[0] == s.p[s.n - 1] && (s.p[0] == '.' || s.p[0] == '_' || s.p[0] == '-');
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '-')
			return false;
	return true;
}

static bool is_component(struct str s)
{
	size_t i = 0, start;

	if (!s.n || !is_lower(s.p[0]) || !is_lower(s.p[s.n - 1]))
		return false;
	while (i < s.n) {
		while (i < s.n && is_lower(s.p[i]))
			i++;
		start = i;
		while (i < s.n && !is_lower(s.p[i]))
			i++;
		if (!is_separator(str_sub(s, start, i)))
			return false;
	}
	return true;
}

/* Whether all parts between slashes are path components. */
static bool is_path(struct str s)
{
	struct str part;

	while (str_cut(s, '/', &part, &s))
		if (!is_component(part))
			return false;
	return is_component(s);
}

bool imageref_is_place(struct str s)
{
	struct str host, path;

	if (!str_cut(s, '/', &host, &path))
		return imageref_is_host(s);
	return imageref_is_host(host) && is_path(path);
}

static bool is_name(struct str s)
{
	struct str host, path;

	return is_path(s) ||
	       (str_cut(s, '/', &host, &path) && imageref_is_host(host) && is_path(path));
}

static bool is_tag_char(char c)
{
	return is_alnum(c) || c == '_' || c == '.' || c == '-';
}

static bool is_tag(struct str s)
{
	return s.n <= 128 && all(s, is_tag_char) && s.p[0] != '.' && s.p[0] != '-';
}

static bool is_digest(struct str s)
{
	struct str algorithm, hex;
	bool first = true;

	if (!str_cut(s, ':', &algorithm, &hex) || hex.n < 32 || !all(hex, is_hex))
		return false;
	for (size_t i = 0; i < algorithm.n; i++) {
		char c = algorithm.p[i];
		bool mark = c == '-' || c == '_' || c == '+' || c == '.';

		if (mark ? first : !is_alnum(c) || (first && is_digit(c)))
			return false;
		first = mark;
	}
	return !first;
}

/* Splits s at its separators; false when a part is invalid. */
static bool split(struct str s, struct imageref *out)
{
	struct imageref r = { .name = s };
	ptrdiff_t slash, colon;

	if (str_cut(s, '@', &r.name, &r.digest) && !is_digest(r.digest))
		return false;
	slash = str_rchr(r.name, '/');
	colon = str_chr(str_from(r.name, (size_t)(slash + 1)), ':');
	if (colon >= 0) {
		size_t at = (size_t)(slash + 1 + colon);

		r.tag = str_from(r.name, at + 1);
		r.name = str_sub(r.name, 0, at);
		if (!is_tag(r.tag))
			return false;
	}
	if (!is_name(r.name))
		return false;
	*out = r;
	return true;
}

/* The checks of go-digest on what looks like a digest. */
static int check_digest(struct str digest, struct err *err)
{
	static const struct {
		const char *name;
		size_t hex;
	} known[] = { { "sha256", 64 }, { "sha384", 96 }, { "sha512", 128 } };
	struct str algorithm = S(""), hex = S("");

	(void)str_cut(digest, ':', &algorithm, &hex);
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (!str_is(algorithm, known[i].name))
			continue;
		if (hex.n != known[i].hex)
			return err_set(err, ERR_INVALID, "invalid checksum digest length");
		for (size_t k = 0; k < hex.n; k++)
			if (!is_lower(hex.p[k]))
				return err_set(err, ERR_INVALID, "invalid checksum digest format");
		return 0;
	}
	for (size_t i = 0; i < algorithm.n; i++)
		if (algorithm.p[i] >= 'A' && algorithm.p[i] <= 'Z')
			return err_set(err, ERR_INVALID, "invalid checksum digest format");
	return err_set(err, ERR_INVALID, "unsupported digest algorithm");
}

static struct str lower(struct arena *a, struct str s)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < s.n; i++)
		buf_addc(&b,
			 (char)(s.p[i] >= 'A' && s.p[i] <= 'Z' ? s.p[i] + ('a' - 'A') : s.p[i]));
	return buf_str(&b);
}

int imageref_parse(struct str s, struct imageref *out, struct err *err)
{
	struct imageref r;
	int rc = 0;

	if (!s.n)
		return err_set(err, ERR_INVALID,
			       "repository name must have at least one component");
	if (!split(s, &r)) {
		AUTO(arena) struct arena a = ARENA_INIT;

		return err_set(err, ERR_INVALID, "%s",
			       split(lower(&a, s), &r) ? "repository name must be lowercase"
						       : "invalid reference format");
	}
	if (r.name.n > NAME_MAX_LENGTH)
		return err_set(err, ERR_INVALID,
			       "repository name must not be more than %d characters",
			       NAME_MAX_LENGTH);
	if (r.digest.n)
		rc = check_digest(r.digest, err);
	if (rc == 0)
		*out = r;
	return rc;
}

/* What s stands for in full: s itself when nothing is missing. */
static struct str complete(struct arena *a, struct str s, struct str *rest)
{
	struct str host = S(""), path = s;

	if (str_cut(s, '/', &host, &path) &&
	    (str_chr(host, '.') >= 0 || str_chr(host, ':') >= 0 || str_is(host, "localhost"))) {
		*rest = path;
		if (!str_is(host, "docker.io") && !str_is(host, "index.docker.io"))
			return s;
	} else {
		*rest = s;
	}
	if (str_chr(*rest, '/') < 0)
		*rest = str_fmt(a, "library/%.*s", STRF(*rest));
	return str_fmt(a, "docker.io/%.*s", STRF(*rest));
}

static bool is_hash(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_digit(s.p[i]) && !(s.p[i] >= 'a' && s.p[i] <= 'f'))
			return false;
	return s.n == 64;
}

int imageref_normalized(struct arena *a, struct str s, struct imageref *out, struct err *err)
{
	struct str rest, tag, full;

	if (is_hash(s))
		return err_set(err, ERR_INVALID,
			       "invalid repository name (%.*s), cannot specify "
			       "64-byte hexadecimal strings",
			       STRF(s));
	full = complete(a, s, &rest);
	(void)str_cut(rest, ':', &rest, &tag);
	for (size_t i = 0; i < rest.n; i++)
		if (rest.p[i] >= 'A' && rest.p[i] <= 'Z')
			return err_set(err, ERR_INVALID,
				       "invalid reference format: repository "
				       "name must be lowercase");
	return imageref_parse(full, out, err);
}

int imageref_canonical(struct arena *a, struct str s, struct imageref *out, struct err *err)
{
	struct imageref r;
	struct str rest;
	int rc = imageref_normalized(a, s, &r, err);

	if (rc < 0)
		return rc;
	if (!str_eq(complete(a, s, &rest), s))
		return err_set(err, ERR_INVALID, "repository name must be canonical");
	*out = r;
	return 0;
}
