/*
 * Finds comments without a second scanner of YAML: replaces each '#' that could begin one by a
 * unique mark and parses the marked text. A mark that is in no key and no string of the trees was
 * in a comment.
 */
#include "data/docs.h"

/* Private-use characters, which YAML permits and manifests do not contain. */
#define OPEN "\xee\x80\x80"
#define CLOSE "\xee\x80\x81"

static bool may_begin(struct str text, size_t i)
{
	return text.p[i] == '#' && (i == 0 || text.p[i - 1] == ' ' || text.p[i - 1] == '\t' ||
				    text.p[i - 1] == '\n' || text.p[i - 1] == '\r');
}

struct marks {
	size_t *line; /* the line of each; 0 once it is found in a tree */
	size_t n, cap;
};

static struct str add_marks(struct arena *a, struct str text, struct marks *marks)
{
	size_t line = 1;
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < text.n; i++) {
		buf_addc(&b, text.p[i]);
		line += text.p[i] == '\n';
		if (!may_begin(text, i))
			continue;
		buf_addf(&b, OPEN "%zu" CLOSE, marks->n);
		if (marks->n == marks->cap)
			marks->line = vec_grow(a, marks->line, &marks->cap, sizeof(*marks->line));
		marks->line[marks->n++] = line;
	}
	return buf_str(&b);
}

static void find_marks(struct str s, struct marks *marks)
{
	ptrdiff_t at;

	while ((at = str_find(s, S(OPEN))) >= 0) {
		struct str rest = str_from(s, (size_t)at + sizeof(OPEN) - 1);
		ptrdiff_t end = str_find(rest, S(CLOSE));
		int64_t i;

		if (end > 0 && str_to_i64(str_sub(rest, 0, (size_t)end), &i) && i >= 0 &&
		    (size_t)i < marks->n)
			marks->line[i] = 0;
		s = rest;
	}
}

/* Recursive: docs_parse bounds the depth. */
static void search(const struct json *j, struct marks *marks)
{
	if (json_kind(j) == JSON_STRING)
		find_marks(json_text(j), marks);
	for (const struct json *m = json_first(j); m; m = json_next(m)) {
		find_marks(json_key(m), marks);
		search(m, marks);
	}
}

size_t docs_comment(struct arena *a, struct str text)
{
	struct err ignored = ERR_INIT(a);
	struct marks marks = { 0 };
	struct docs docs = { 0 };
	struct str marked = add_marks(a, text, &marks);

	/* if it no longer parses, a '#' was not plain text */
	if (marks.n && docs_parse(a, marked, &docs, NULL, &ignored) == 0)
		for (size_t i = 0; i < docs.n; i++)
			search(docs.v[i].tree, &marks);
	for (size_t i = 0; i < marks.n; i++)
		if (marks.line[i])
			return marks.line[i];
	return 0;
}
