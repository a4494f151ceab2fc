#include "data/yml.h"

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

/* A separator does not belong to a document, except that one at the very
 * beginning stays in front of the first, as upstream's reader leaves it. */
int yml_docs_next(struct yml_docs *d, struct str *doc, size_t *line,
		  struct err *err)
{
	const char *start = d->rest.p;
	size_t first = d->line;
	struct str l;

	if (!d->rest.n)
		return 0;
	while (str_line(&d->rest, &l)) {
		d->line++;
		if (str_starts(l, S("---"))) {
			struct str tail = str_trim(str_from(l, 3));

			if (tail.n && tail.p[0] != '#')
				return err_set(err, ERR_INVALID,
					       "invalid Yaml document "
					       "separator: %.*s",
					       STRF(tail));
			if (l.p > start) {
				*doc = (struct str){ start,
						     (size_t)(l.p - start) };
				*line = first;
				return 1;
			}
		}
	}
	*doc = (struct str){ start, (size_t)(d->rest.p - start) };
	*line = first;
	return 1;
}
