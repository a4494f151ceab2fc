/*
 * PEM blocks (RFC 7468), with the headers of old key files.
 */
#include "data/pem.h"

#include "base/codec.h"

static const struct str dashes = S_INIT("-----");

/* Matches "-----<word> label-----". */
static bool marker(struct str line, struct str word, struct str *label)
{
	size_t open = dashes.n + word.n;

	line = str_trim(line);
	if (line.n < open + dashes.n || !str_starts(line, dashes) ||
	    !str_starts(str_from(line, dashes.n), word) || !str_ends(line, dashes))
		return false;
	*label = str_sub(line, open, line.n - dashes.n);
	return true;
}

/* "Name: value" lines and the empty line after them. */
static struct str take_headers(struct str *rest)
{
	struct str start = *rest, line;

	while (rest->n) {
		struct str before = *rest;

		(void)str_line(rest, &line);
		line = str_trim(line);
		if (!line.n && before.p != start.p)
			return str_sub(start, 0, start.n - before.n);
		if (str_chr(line, ':') < 0)
			break;
	}
	*rest = start;
	return S("");
}

int pem_next(struct arena *a, struct str *rest, struct pem *out, struct err *err)
{
	struct pem p = { 0 };
	struct str line, label;
	struct buf text;

	do {
		if (!str_line(rest, &line))
			return 0;
	} while (!marker(line, S("BEGIN "), &p.label));
	p.headers = take_headers(rest);
	buf_init(&text, a);
	for (;;) {
		if (!str_line(rest, &line))
			return err_set(err, ERR_INVALID, "PEM block %.*s has no end",
				       STRF(p.label));
		if (marker(line, S("END "), &label))
			break;
		buf_add(&text, str_trim(line));
	}
	if (!str_eq(label, p.label))
		return err_set(err, ERR_INVALID, "PEM block %.*s ends as %.*s", STRF(p.label),
			       STRF(label));
	if (base64_decode(a, buf_str(&text), &p.der, err) < 0)
		return err_wrap(err, "PEM block %.*s", STRF(p.label));
	*out = p;
	return 1;
}
