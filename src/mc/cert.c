/*
 * Parses certificates for display. Names are printed as Go does: the well-known attributes in a
 * fixed order, last first, regardless of their order in the certificate; then all others by OID.
 */
#include "mc/cert.h"

#include "base/codec.h"
#include "base/utf8.h"

/* ---- DER ----------------------------------------------------------------- */

#define TAG_SEQUENCE 0x30u
#define TAG_SET 0x31u
#define TAG_OID 0x06u

/* Removes the next value from *in. False at the end and on invalid DER. */
static bool next_value(struct str *in, unsigned *tag, struct str *body)
{
	size_t n, at = 2;

	if (in->n < 2)
		return false;
	*tag = (unsigned char)in->p[0];
	n = (unsigned char)in->p[1];
	if (n & 0x80) {
		size_t bytes = n & 0x7F;

		if (bytes == 0 || bytes > 4 || in->n < 2 + bytes)
			return false;
		n = 0;
		for (size_t i = 0; i < bytes; i++)
			n = n << 8 | (unsigned char)in->p[at++];
	}
	if (n > in->n - at)
		return false;
	*body = str_sub(*in, at, at + n);
	*in = str_from(*in, at + n);
	return true;
}

static bool expect(struct str *in, unsigned want, struct str *body)
{
	unsigned tag;

	return next_value(in, &tag, body) && tag == want;
}

/* ---- names --------------------------------------------------------------- */

/* Last parts of 2.5.4.x, in the order Go lists them. */
static const struct {
	unsigned char id;
	bool single; /* the last value counts */
	const char *name;
} attributes[] = {
	{ 6, false, "C" },	     { 10, false, "O" }, { 11, false, "OU" },
	{ 7, false, "L" },	     { 8, false, "ST" }, { 9, false, "STREET" },
	{ 17, false, "POSTALCODE" }, { 3, true, "CN" },	 { 5, true, "SERIALNUMBER" },
};
#define N_ATTRIBUTES (ARRAY_LEN(attributes))

struct name {
	struct strs known[N_ATTRIBUTES];
	struct strs other; /* "1.2.3=#0c01" */
};

static bool text_of(struct arena *a, unsigned tag, struct str body, struct str *out)
{
	struct buf b;

	switch (tag) {
	case 0x0C: /* UTF8String */
		if (!utf8_valid(body))
			return false;
		*out = body;
		return true;
	case 0x12: /* NumericString */
	case 0x13: /* PrintableString */
	case 0x14: /* T61String */
	case 0x16: /* IA5String */
		*out = body;
		return true;
	case 0x1E: /* BMPString */
		buf_init(&b, a);
		for (size_t i = 0; i + 1 < body.n; i += 2)
			utf8_add(&b, (uint32_t)(unsigned char)body.p[i] << 8 |
					     (unsigned char)body.p[i + 1]);
		*out = buf_str(&b);
		return true;
	default:
		return false;
	}
}

static void escape_value(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool edge = (c == ' ' && (i == 0 || i == s.n - 1)) || (c == '#' && i == 0);

		if (edge || (c && strchr(",+\"\\<>;", c)))
			buf_addc(b, '\\');
		buf_addc(b, c);
	}
}

static void add_oid(struct buf *b, struct str oid)
{
	uint64_t v = 0;
	bool first = true;

	for (size_t i = 0; i < oid.n; i++) {
		unsigned char c = (unsigned char)oid.p[i];

		v = v << 7 | (c & 0x7F);
		if (c & 0x80)
			continue;
		if (first) {
			unsigned top = v < 80 ? (unsigned)v / 40 : 2;

			buf_addf(b, "%u.%llu", top, (unsigned long long)v - top * 40);
		} else {
			buf_addf(b, ".%llu", (unsigned long long)v);
		}
		first = false;
		v = 0;
	}
}

static bool printable(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool alnum =
			(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

		if (!alnum && !(c && strchr(" '()+,-./:=?", c)))
			return false;
	}
	return true;
}

/* An attribute without a name: its OID, and its value in DER as Go encodes it. */
static struct str unnamed(struct arena *a, struct str oid, struct str value)
{
	struct buf b, der;

	buf_init(&der, a);
	buf_addc(&der, printable(value) ? 0x13 : 0x0C);
	if (value.n > 0xFF)
		buf_addf(&der, "\x82%c%c", (int)(value.n >> 8 & 0xFF), (int)(value.n & 0xFF));
	else if (value.n > 0x7F)
		buf_addf(&der, "\x81%c", (int)value.n);
	else
		buf_addc(&der, (char)value.n);
	buf_add(&der, value);
	buf_init(&b, a);
	add_oid(&b, oid);
	buf_addz(&b, "=#");
	for (size_t i = 0; i < der.n; i++)
		buf_addf(&b, "%02x", (unsigned char)der.p[i]);
	return buf_str(&b);
}

static void add_value(struct arena *a, struct name *n, struct str oid, struct str value)
{
	if (oid.n == 3 && oid.p[0] == 0x55 && oid.p[1] == 0x04)
		for (size_t i = 0; i < N_ATTRIBUTES; i++) {
			if ((unsigned char)oid.p[2] != attributes[i].id)
				continue;
			if (attributes[i].single)
				n->known[i].n = 0;
			VEC_PUSH(a, &n->known[i], value);
			return;
		}
	VEC_PUSH(a, &n->other, unnamed(a, oid, value));
}

static struct str print_name(struct arena *a, const struct name *n)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = N_ATTRIBUTES; i-- > 0;)
		for (size_t k = 0; k < n->known[i].n; k++) {
			if (attributes[i].single && !n->known[i].v[k].n)
				continue;
			buf_addz(&b, k ? "+" : b.n ? "," : "");
			buf_addf(&b, "%s=", attributes[i].name);
			escape_value(&b, n->known[i].v[k]);
		}
	for (size_t i = n->other.n; i-- > 0;) {
		buf_addz(&b, b.n ? "," : "");
		buf_add(&b, n->other.v[i]);
	}
	return buf_str(&b);
}

static bool parse_name(struct arena *a, struct str in, struct str *out)
{
	struct name n = { 0 };
	struct str set;

	while (in.n) {
		if (!expect(&in, TAG_SET, &set))
			return false;
		while (set.n) {
			struct str pair, oid, body, value;
			unsigned tag;

			if (!expect(&set, TAG_SEQUENCE, &pair) || !expect(&pair, TAG_OID, &oid) ||
			    !next_value(&pair, &tag, &body) || !text_of(a, tag, body, &value))
				return false;
			add_value(a, &n, oid, value);
		}
	}
	*out = print_name(a, &n);
	return true;
}

/* ---- the certificate ----------------------------------------------------- */

/* YYMMDDHHMMSSZ, or with four digits of the year. */
static bool parse_time(struct str *in, struct instant *out)
{
	char text[] = "0000-00-00T00:00:00Z";
	static const unsigned char places[] = { 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18 };
	unsigned tag;
	struct str t;
	size_t year;

	if (!next_value(in, &tag, &t) || (tag != 0x17 && tag != 0x18))
		return false;
	year = tag == 0x18 ? 2 : 0;
	if (t.n != 13 + year || t.p[t.n - 1] != 'Z')
		return false;
	if (year) {
		memcpy(text, t.p, 2);
	} else {
		text[0] = t.p[0] >= '5' ? '1' : '2';
		text[1] = t.p[0] >= '5' ? '9' : '0';
	}
	for (size_t i = 0; i < sizeof(places); i++)
		text[places[i]] = t.p[year + i];
	return rfc3339_parse(str_of(text), out);
}

bool cert_parse(struct arena *a, struct str der, struct cert *out)
{
	struct str whole, tbs, body, names, validity;
	struct cert c = { 0 };
	unsigned tag;

	if (!expect(&der, TAG_SEQUENCE, &whole) || !expect(&whole, TAG_SEQUENCE, &tbs) ||
	    !next_value(&tbs, &tag, &body))
		return false;
	/* certificates of version 1 omit the version */
	if (tag == 0xA0 && !next_value(&tbs, &tag, &body))
		return false;
	if (tag != 0x02 || !expect(&tbs, TAG_SEQUENCE, &body))
		return false;
	if (!expect(&tbs, TAG_SEQUENCE, &names) || !parse_name(a, names, &c.issuer) ||
	    !expect(&tbs, TAG_SEQUENCE, &validity) || !parse_time(&validity, &c.not_before) ||
	    !parse_time(&validity, &c.not_after) || !expect(&tbs, TAG_SEQUENCE, &names) ||
	    !parse_name(a, names, &c.subject))
		return false;
	*out = c;
	return true;
}

/* Removes the next block from *pem. False when there is none. */
static bool next_block(struct arena *a, struct str *pem, struct str *der)
{
	struct str begin = S("-----BEGIN "), type, end, line, rest;
	ptrdiff_t at = str_find(*pem, begin), dash, stop;
	struct err err = ERR_INIT(a);
	struct buf b;

	if (at < 0)
		return false;
	rest = str_from(*pem, (size_t)at + begin.n);
	dash = str_find(rest, S("-----"));
	if (dash < 0)
		return false;
	type = str_sub(rest, 0, (size_t)dash);
	rest = str_from(rest, (size_t)dash + 5);
	end = str_fmt(a, "-----END %.*s-----", STRF(type));
	stop = str_find(rest, end);
	if (stop < 0)
		return false;
	*pem = str_from(rest, (size_t)stop + end.n);
	rest = str_sub(rest, 0, (size_t)stop);
	buf_init(&b, a);
	while (str_line(&rest, &line)) {
		line = str_trim(line);
		if (str_chr(line, ':') < 0) /* else a header */
			buf_add(&b, line);
	}
	return base64_decode(a, buf_str(&b), der, &err) == 0;
}

void cert_bundle(struct arena *a, struct str pem, struct certs *out)
{
	struct cert c;
	struct str der;

	while (next_block(a, &pem, &der) && cert_parse(a, der, &c))
		VEC_PUSH(a, out, c);
}
