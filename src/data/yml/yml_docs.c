/*
 * Splits YAML at "---" lines as the API machinery does, before anything is parsed.
 */
#include "data/yml.h"

#include "base/scan.h"

void yml_docs_init(struct arena *a, struct yml_docs *d, struct str text)
{
	struct str line;
	struct buf b;

	*d = (struct yml_docs){ .rest = text, .line = 1 };
	if (str_chr(text, '\r') < 0)
		return;
	buf_init(&b, a);
	buf_reserve(&b, text.n + 1);
	while (str_line(&text, &line)) {
		if (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		buf_add(&b, line);
		buf_addc(&b, '\n');
	}
	d->rest = buf_str(&b);
}

/* A separator is not part of a document, except one at the very beginning, which stays in front
 * of the first document as in upstream's reader. */
int yml_docs_next(struct yml_docs *d, struct str *doc, size_t *line, struct err *err)
{
	const char *start = d->rest.p;
	size_t first = d->line;

	if (!d->rest.n)
		return 0;
	while (d->rest.n) {
		const char *p = d->rest.p;
		size_t len = scan_byte(p, d->rest.n, '\n');
		struct str tail;

		d->rest = str_from(d->rest, len + 1);
		d->line++;
		if (len < 3 || p[0] != '-' || p[1] != '-' || p[2] != '-')
			continue;
		tail = str_trim((struct str){ p + 3, len - 3 });
		if (tail.n && tail.p[0] != '#')
			return err_set(err, ERR_INVALID, "invalid Yaml document separator: %.*s",
				       STRF(tail));
		if (p > start) {
			*doc = (struct str){ start, (size_t)(p - start) };
			*line = first;
			return 1;
		}
	}
	*doc = (struct str){ start, (size_t)(d->rest.p - start) };
	*line = first;
	return 1;
}
