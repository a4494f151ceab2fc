/*
 * The names of a certificate: whether one matches a host, and messages with Go's texts. Bytes of a
 * certificate are untrusted: messages contain only printable ones.
 */
#include "x509_ext.h"

#include "base/rfc3339.h"
#include "data/pki/der.h"

static const struct {
	unsigned char n;
	char text[4];
} attributes[] = { { 3, "CN" }, { 10, "O" }, { 11, "OU" }, { 6, "C" }, { 7, "L" }, { 8, "ST" } };

/* Takes the next attribute: its number under 2.5.4, or 0. */
static bool next_attribute(struct str *rest, unsigned *n, struct str *value)
{
	struct str set, seq, oid;
	unsigned tag;

	if (!der_take(rest, DER_SET, &set) || !der_take(&set, DER_SEQ, &seq) ||
	    !der_take(&seq, DER_OID, &oid) || !der_next(&seq, &tag, value))
		return false;
	*n = oid.n == 3 && memcmp(oid.p, "\x55\x04", 2) == 0 ? (unsigned char)oid.p[2] : 0;
	return true;
}

struct str x509_attribute(struct str name, unsigned want)
{
	struct str rest, value;
	unsigned n;

	if (!der_take(&name, DER_SEQ, &rest))
		return S("");
	while (next_attribute(&rest, &n, &value))
		if (n == want)
			return value;
	return S("");
}

/* Untrusted bytes for logs: only printable ones. */
void x509_add_printable(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n && i < 256; i++)
		buf_addc(b, s.p[i] >= ' ' && s.p[i] < 0x7F ? s.p[i] : '?');
}

void x509_add_name(struct buf *b, struct str name)
{
	struct str rest, value;
	size_t start = b->n;
	unsigned n;

	if (!der_take(&name, DER_SEQ, &rest))
		return;
	while (next_attribute(&rest, &n, &value))
		for (size_t i = 0; i < ARRAY_LEN(attributes); i++) {
			if (attributes[i].n != n)
				continue;
			if (b->n > start)
				buf_addc(b, ',');
			buf_addf(b, "%s=", attributes[i].text);
			x509_add_printable(b, value);
		}
	if (b->n == start)
		buf_addz(b, "(no name)");
}

/*
 * The "*" of "*.example.com" matches exactly one whole label, the first. A final dot of the host is
 * ignored; a name in a certificate has none.
 */
static bool name_matches(struct str pattern, struct str host)
{
	ptrdiff_t dot;

	if (host.n > 1 && host.p[host.n - 1] == '.')
		host.n--;
	if (!host.n || !pattern.n || host.p[0] == '.')
		return false;
	if (!str_starts(pattern, S("*.")))
		return str_chr(pattern, '*') < 0 && str_eq_fold(pattern, host);
	dot = str_chr(host, '.');
	pattern = str_from(pattern, 1);
	return dot > 0 && pattern.n > 1 && str_chr(pattern, '*') < 0 &&
	       str_eq_fold(str_from(host, (size_t)dot), pattern);
}

void x509_add_ip(struct buf *b, struct str ip)
{
	if (ip.n == 4) {
		buf_addf(b, "%u.%u.%u.%u", (unsigned char)ip.p[0], (unsigned char)ip.p[1],
			 (unsigned char)ip.p[2], (unsigned char)ip.p[3]);
		return;
	}
	for (size_t i = 0; i < 16; i += 2)
		buf_addf(b, "%s%x", i ? ":" : "",
			 (unsigned)(unsigned char)ip.p[i] << 8 | (unsigned char)ip.p[i + 1]);
}

static size_t count(const struct x509 *c, enum x509_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < c->names.n; i++)
		n += c->names.v[i].kind == kind;
	return n;
}

/* "a.example, b.example", the first few. */
static void add_names(struct buf *b, const struct x509 *c, enum x509_kind kind)
{
	size_t shown = 0;

	for (size_t i = 0; i < c->names.n && shown <= 10; i++) {
		if (c->names.v[i].kind != kind)
			continue;
		if (shown)
			buf_addz(b, ", ");
		if (shown++ == 10)
			buf_addz(b, "…");
		else if (kind == X509_IP)
			x509_add_ip(b, c->names.v[i].value);
		else
			x509_add_printable(b, c->names.v[i].value);
	}
}

static int wrong_host(const struct x509 *c, struct str host, enum x509_kind kind, struct err *err)
{
	bool any = count(c, kind) > 0;
	struct buf b;

	if (kind == X509_IP && !any)
		return err_set(
			err, ERR_INVALID,
			"cannot validate certificate for %.*s because it doesn't contain any IP SANs",
			STRF(host));
	if (!any)
		return err_set(err, ERR_INVALID,
			       "certificate is not valid for any names, but wanted to match %.*s",
			       STRF(host));
	buf_init(&b, err->a);
	add_names(&b, c, kind);
	return err_set(err, ERR_INVALID, "certificate is valid for %.*s, not %.*s",
		       STRF(buf_str(&b)), STRF(host));
}

int x509_check_host(const struct x509 *c, struct str host, const unsigned char *ip, size_t n_ip,
		    struct err *err)
{
	struct str want = { (const char *)ip, n_ip };
	enum x509_kind kind = n_ip ? X509_IP : X509_DNS;

	for (size_t i = 0; i < c->names.n; i++) {
		const struct x509_general *g = &c->names.v[i];

		if (g->kind == kind &&
		    (n_ip ? str_eq(g->value, want) : name_matches(g->value, host)))
			return 0;
	}
	return wrong_host(c, host, kind, err);
}

int x509_check_time(const struct x509 *c, int64_t now, struct err *err)
{
	bool early = now < c->not_before;
	struct buf b;

	if (!early && now <= c->not_after)
		return 0;
	buf_init(&b, err->a);
	rfc3339_add(&b, (struct instant){ now, 0 });
	buf_addz(&b, early ? " is before " : " is after ");
	rfc3339_add(&b, (struct instant){ early ? c->not_before : c->not_after, 0 });
	return err_set(err, ERR_INVALID,
		       "certificate has expired or is not yet valid: current time %.*s%s",
		       STRF(buf_str(&b)), early ? " (is this machine's clock right?)" : "");
}
