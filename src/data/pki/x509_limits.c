/*
 * Name constraints, by Go's rules. The constraints of an authority apply to every certificate below
 * it that has alternative names. A name must be in a permitted subtree of its kind, if there is
 * any, and in no excluded one. A name that cannot be parsed for the comparison is refused.
 */
#include "x509_ext.h"

#include "data/pki/der.h"

/* ---- reading ------------------------------------------------------------- */

/* Non-empty labels without a final dot; "" is valid. */
static bool is_domain(struct str s)
{
	char last = '.';

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '.' && last == '.')
			return false;
		last = s.p[i];
	}
	return x509_is_ascii(s) && (!s.n || last != '.');
}

/* ".example.com": subdomains only. */
static bool is_subtree(struct str s)
{
	return is_domain(s.n > 1 && s.p[0] == '.' ? str_from(s, 1) : s);
}

/* Ones, then zeros. */
static bool is_mask(struct str s)
{
	bool zero = false;

	for (size_t i = 0; i < s.n * 8; i++) {
		bool bit = (unsigned char)s.p[i / 8] >> (7 - i % 8) & 1;

		if (bit && zero)
			return false;
		zero = !bit;
	}
	return true;
}

/* local@domain without quotes. */
static bool cut_mailbox(struct str s, struct str *local, struct str *domain)
{
	static const char odd[] = "\"(),:;<>@[\\]";

	if (!str_cut(s, '@', local, domain) || !local->n || !domain->n)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (strchr(odd, s.p[i]) && s.p + i + 1 != domain->p)
			return false;
	return is_domain(*local) && is_domain(*domain);
}

static bool good_subtree(unsigned tag, struct str v)
{
	struct str local, domain;

	switch (tag) {
	case X509_IP:
		return (v.n == 8 || v.n == 32) && is_mask(str_from(v, v.n / 2));
	case X509_EMAIL:
		return cut_mailbox(v, &local, &domain) || (str_chr(v, '@') < 0 && is_subtree(v));
	default:
		return is_subtree(v);
	}
}

static bool parse_subtrees(struct arena *a, struct str list, struct x509_names *out, bool *handled)
{
	while (list.n) {
		struct x509_general g;
		struct str seq;
		unsigned tag;

		if (!der_take(&list, DER_SEQ, &seq) || !der_next(&seq, &tag, &g.value))
			return false;
		if (tag != X509_EMAIL && tag != X509_DNS && tag != X509_URI && tag != X509_IP) {
			*handled = false;
			continue;
		}
		if (!good_subtree(tag, g.value))
			return false;
		g.kind = (enum x509_kind)tag;
		VEC_PUSH(a, out, g);
	}
	return true;
}

bool x509_parse_limits(struct arena *a, struct str v, struct x509 *c, bool *handled)
{
	struct str seq, permitted = S(""), excluded = S("");

	if (!der_take(&v, DER_SEQ, &seq) || v.n)
		return false;
	(void)der_take(&seq, 0xA0, &permitted);
	(void)der_take(&seq, 0xA1, &excluded);
	return !seq.n && (permitted.n || excluded.n) &&
	       parse_subtrees(a, permitted, &c->permitted, handled) &&
	       parse_subtrees(a, excluded, &c->excluded, handled);
}

/* ---- comparing ----------------------------------------------------------- */

/* The part of a name that is compared with subtrees: its domain or address. */
struct subject {
	enum x509_kind kind;
	struct str name; /* as in the certificate */
	struct str domain; /* or address */
	struct str local; /* of an email address */
};

/* The host of host:port; "" when it is an address. */
static struct str host_of(struct str authority)
{
	ptrdiff_t at = str_rchr(authority, '@'), colon;
	struct str host = str_from(authority, (size_t)(at + 1));
	bool number = true;

	colon = str_rchr(host, ':');
	if (!host.n || host.p[0] == '[')
		return S("");
	if (colon >= 0)
		host = str_sub(host, 0, (size_t)colon);
	for (size_t i = 0; i < host.n; i++)
		number &= host.p[i] == '.' || (host.p[i] >= '0' && host.p[i] <= '9');
	return number || str_chr(host, ':') >= 0 ? S("") : host;
}

static bool read_uri(struct subject *s)
{
	ptrdiff_t at = str_find(s->name, S("://"));
	struct str rest;
	size_t n = 0;

	if (at < 0)
		return false;
	rest = str_from(s->name, (size_t)at + 3);
	while (n < rest.n && !strchr("/?#", rest.p[n]))
		n++;
	s->domain = host_of(str_sub(rest, 0, n));
	return s->domain.n && is_domain(s->domain);
}

static bool read_subject(const struct x509_general *g, struct subject *out)
{
	*out = (struct subject){ g->kind, g->value, g->value, S("") };
	switch (g->kind) {
	case X509_IP:
		return true;
	case X509_DNS:
		return is_domain(g->value);
	case X509_EMAIL:
		return cut_mailbox(g->value, &out->local, &out->domain);
	case X509_URI:
		return read_uri(out);
	}
	return false;
}

static bool in_domain(struct str tree, struct str name)
{
	size_t skip;

	if (!tree.n)
		return true;
	if (tree.n > name.n)
		return false;
	skip = name.n - tree.n;
	return str_eq_fold(str_from(name, skip), tree) &&
	       (skip == 0 || tree.p[0] == '.' || name.p[skip - 1] == '.');
}

static bool in_net(struct str net, struct str ip)
{
	if (net.n != 2 * ip.n)
		return false;
	for (size_t i = 0; i < ip.n; i++)
		if (((unsigned char)ip.p[i] ^ (unsigned char)net.p[i]) &
		    (unsigned char)net.p[ip.n + i])
			return false;
	return true;
}

/* "*.example.com" covers the excluded "a.example.com". */
static bool covers_subtree(struct str wildcard, struct str tree)
{
	ptrdiff_t dot = str_chr(tree, '.');

	return str_starts(wildcard, S("*.")) && dot >= 0 &&
	       str_eq_fold(str_from(wildcard, 1), str_from(tree, (size_t)dot));
}

static bool in_subtree(const struct x509_general *tree, const struct subject *s, bool excluded)
{
	struct str local, domain;

	if (s->kind == X509_IP)
		return in_net(tree->value, s->domain);
	if (s->kind == X509_EMAIL && cut_mailbox(tree->value, &local, &domain))
		return str_eq(local, s->local) && str_eq_fold(domain, s->domain);
	return in_domain(tree->value, s->domain) ||
	       (excluded && covers_subtree(s->domain, tree->value));
}

static int not_allowed(const struct subject *s, const char *why, struct err *err)
{
	static const char *const kinds[] = {
		[X509_EMAIL - X509_EMAIL] = "email address",
		[X509_DNS - X509_EMAIL] = "DNS name",
		[X509_URI - X509_EMAIL] = "URI",
		[X509_IP - X509_EMAIL] = "IP address",
	};
	struct buf b;

	buf_init(&b, err->a);
	if (s->kind == X509_IP)
		x509_add_ip(&b, s->name);
	else
		x509_add_printable(&b, s->name);
	return err_set(
		err, ERR_INVALID,
		"certificate authority is not authorized to sign for this name: %s \"%.*s\" %s",
		kinds[s->kind - X509_EMAIL], STRF(buf_str(&b)), why);
}

static int check_name(const struct x509 *authority, const struct subject *s, struct err *err)
{
	bool limited = false, permitted = false;

	for (size_t i = 0; i < authority->permitted.n; i++) {
		const struct x509_general *tree = &authority->permitted.v[i];

		if (tree->kind != s->kind)
			continue;
		limited = true;
		permitted |= in_subtree(tree, s, false);
	}
	if (limited && !permitted)
		return not_allowed(s, "is not permitted by any constraint", err);
	for (size_t i = 0; i < authority->excluded.n; i++) {
		const struct x509_general *tree = &authority->excluded.v[i];

		if (tree->kind == s->kind && in_subtree(tree, s, true))
			return not_allowed(s, "is excluded by a constraint", err);
	}
	return 0;
}

int x509_check_limits(const struct x509 *authority, const struct x509 *c, size_t *budget,
		      struct err *err)
{
	size_t trees = authority->permitted.n + authority->excluded.n;

	if (!trees)
		return 0;
	for (size_t i = 0; i < c->names.n; i++) {
		struct subject s;
		int rc;

		if (*budget < trees)
			return err_set(
				err, ERR_LIMIT,
				"certificate has too many names for the constraints of its authority");
		*budget -= trees;
		if (!read_subject(&c->names.v[i], &s))
			return not_allowed(&s, "cannot be compared with the constraints", err);
		rc = check_name(authority, &s, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}
