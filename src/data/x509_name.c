/* What a certificate stands for, and messages about it in Go's words. */
#include "data/x509.h"

#include "base/rfc3339.h"
#include "data/der.h"

static const struct {
	unsigned char n;
	char text[4];
} attributes[] = { { 3, "CN" }, { 10, "O" }, { 11, "OU" },
		   { 6, "C" },	{ 7, "L" },  { 8, "ST" } };

/* Takes the next attribute: its number under 2.5.4, or 0. */
static bool next_attribute(struct str *rest, unsigned *n, struct str *value)
{
	struct str set, seq, oid;
	unsigned tag;

	if (!der_take(rest, DER_SET, &set) || !der_take(&set, DER_SEQ, &seq) ||
	    !der_take(&seq, DER_OID, &oid) || !der_next(&seq, &tag, value))
		return false;
	*n = oid.n == 3 && memcmp(oid.p, "\x55\x04", 2) == 0
		     ? (unsigned char)oid.p[2]
		     : 0;
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

/* Bytes of a stranger's certificate go into logs: printable ones only. */
static void add_printable(struct buf *b, struct str s)
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
		for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes);
		     i++) {
			if (attributes[i].n != n)
				continue;
			if (b->n > start)
				buf_addc(b, ',');
			buf_addf(b, "%s=", attributes[i].text);
			add_printable(b, value);
		}
	if (b->n == start)
		buf_addz(b, "(no name)");
}

/* A name's last dot does not count. */
static struct str without_dot(struct str s)
{
	return s.n > 1 && s.p[s.n - 1] == '.' ? str_sub(s, 0, s.n - 1) : s;
}

/* "*.example.com" stands for one label, the first, and for a whole one. */
static bool name_matches(struct str pattern, struct str host)
{
	ptrdiff_t dot;

	host = without_dot(host);
	pattern = without_dot(pattern);
	if (!host.n || !pattern.n || host.p[0] == '.')
		return false;
	if (!str_starts(pattern, S("*.")))
		return str_chr(pattern, '*') < 0 && str_eq_fold(pattern, host);
	dot = str_chr(host, '.');
	pattern = str_from(pattern, 1);
	return dot > 0 && pattern.n > 1 && str_chr(pattern, '*') < 0 &&
	       str_eq_fold(str_from(host, (size_t)dot), pattern);
}

static void add_ip(struct buf *b, struct str ip)
{
	if (ip.n == 4) {
		buf_addf(b, "%u.%u.%u.%u", (unsigned char)ip.p[0],
			 (unsigned char)ip.p[1], (unsigned char)ip.p[2],
			 (unsigned char)ip.p[3]);
		return;
	}
	for (size_t i = 0; i < 16; i += 2)
		buf_addf(b, "%s%x", i ? ":" : "",
			 (unsigned)(unsigned char)ip.p[i] << 8 |
				 (unsigned char)ip.p[i + 1]);
}

/* "a.example, b.example", at most a few of them. */
static void add_list(struct buf *b, const struct strs *list, bool ips)
{
	for (size_t i = 0; i < list->n; i++) {
		if (i)
			buf_addz(b, ", ");
		if (i == 10) {
			buf_addz(b, "…");
			return;
		}
		if (ips)
			add_ip(b, list->v[i]);
		else
			add_printable(b, list->v[i]);
	}
}

static int wrong_host(const struct x509 *c, struct str host, bool ip,
		      struct err *err)
{
	const struct strs *list = ip ? &c->ips : &c->dns;
	struct buf b;

	if (ip && !list->n)
		return err_set(
			err, ERR_INVALID,
			"cannot validate certificate for %.*s because it doesn't contain any IP SANs",
			STRF(host));
	if (!list->n)
		return err_set(
			err, ERR_INVALID,
			"certificate is not valid for any names, but wanted to match %.*s",
			STRF(host));
	buf_init(&b, err->a);
	add_list(&b, list, ip);
	return err_set(err, ERR_INVALID,
		       "certificate is valid for %.*s, not %.*s",
		       STRF(buf_str(&b)), STRF(host));
}

int x509_check_host(const struct x509 *c, struct str host,
		    const unsigned char *ip, size_t n_ip, struct err *err)
{
	const struct strs *list = n_ip ? &c->ips : &c->dns;
	struct str want = { (const char *)ip, n_ip };

	for (size_t i = 0; i < list->n; i++)
		if (n_ip ? str_eq(list->v[i], want)
			 : name_matches(list->v[i], host))
			return 0;
	return wrong_host(c, host, n_ip != 0, err);
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
	rfc3339_add(&b, (struct instant){ early ? c->not_before : c->not_after,
					  0 });
	return err_set(
		err, ERR_INVALID,
		"certificate has expired or is not yet valid: current time %.*s%s",
		STRF(buf_str(&b)),
		early ? " (is this machine's clock right?)" : "");
}
