/*
 * Compares the two readers of YAML: documents built from deliberately awkward pieces, and
 * upstream's own files. What the fast reader accepts it must parse as the library does, including
 * all positions.
 */
#include "../test.h"

#include <dirent.h>
#include <sys/stat.h>

#include "data/yml/yml_fast.h"
#include "same_tree.h"

/* fewer in builds where each costs ten times as much */
#ifdef ARENA_MALLOC
#define DOCUMENTS 10000
#else
#define DOCUMENTS 100000
#endif

static const char *const keys[] = {
	"a",
	"b",
	"name",
	"key with blanks",
	"'quoted'",
	"\"dq\"",
	"\"\\u00e9\"",
	"a:b",
	"x#y",
	"/etc/a",
	"-dash",
	"?q",
	"12",
	"true",
	"~",
	"<<",
	"d\xC3\xA9"
	"j\xC3\xA0",
	"2001-01-02",
};

static const char *const scalars[] = {
	"v",
	"two words",
	"12",
	"0644",
	"0x1F",
	"1.5",
	".nan",
	"1e400",
	"true",
	"no",
	"null",
	"~",
	"''",
	"\"\"",
	"'it''s'",
	"'back\\slash'",
	"\"esc \\n \\x41 \\u00e9 \\\\ \\\"\"",
	"\"bad \\q\"",
	"\"\\ud800\"",
	"\"open",
	"data:,a%20b",
	"http://x:80/y#z",
	"a # comment",
	"a#b",
	"a: b",
	"- x",
	"-1",
	"{}",
	"[]",
	"{a: b, 'c': \"d\"}",
	"{\"a\":1,\"b\":[x, 'y']}",
	"[1, two, {k: v}]",
	"{a, b: c}",
	"{a: }",
	"[a: b]",
	"[a, ]",
	"[x?y]",
	"{a: b} # c",
	"{a: b}: c",
	"&anchor v",
	"*alias",
	"!!str 1",
	"!t v",
	"|",
	"|-",
	"|+",
	"|2",
	"|2-  # c",
	">",
	">-",
	"@at",
	"%p",
	"`t",
	"2026-11-16T10:00:00Z",
	"tab\there",
	"\tafter tab",
	"caf\xC3\xA9",
	"\xE2\x80\xA8",
	"\xEF\xBB\xBF",
	"\x7F",
	"\xFF",
	"q \"inside\"",
};

static const char *const ends[] = { "\n",   "\n",   "\n",     "\n",  "\n",   " \n", "  # c\n",
				    "\t\n", "\n\n", "\n  \n", "#\n", "\r\n", "",    "\n# c\n" };

static const char *const lines[] = {
	"text", "more text", "  indented", "# no comment", "a: b", "- c", "",
	"   ",	"\tx",	     "'",	   "...",	   "---",  "\"",
};

struct maker {
	struct test_rng rng;
	struct buf b;
	unsigned depth;
	bool calm; /* only what the fast reader supports */
};

static const char *pick(struct maker *m, const char *const *list, size_t n, size_t plain)
{
	return list[test_rand(&m->rng, (uint32_t)(m->calm ? plain : n))];
}

#define PICK(m, list, calm) pick(m, list, ARRAY_LEN(list), calm)

/* Usually the right column; sometimes a little to the left or right. */
static void indent(struct maker *m, size_t n)
{
	uint32_t off = m->calm ? 9 : test_rand(&m->rng, 60);

	if (off == 0)
		n++;
	else if (off == 1 && n)
		n--;
	buf_fill(&m->b, ' ', n);
}

static void node(struct maker *m, size_t col);

static void end(struct maker *m)
{
	buf_addz(&m->b, PICK(m, ends, 7));
}

/* The lines after the header of a block scalar, or the continuation of another scalar. */
static void text_lines(struct maker *m, size_t col)
{
	for (uint32_t n = test_rand(&m->rng, 4); n; n--) {
		indent(m, col + 1 + test_rand(&m->rng, 3));
		buf_addz(&m->b, PICK(m, lines, 3));
		buf_addc(&m->b, '\n');
	}
}

static void scalar(struct maker *m, size_t col)
{
	uint32_t kind = test_rand(&m->rng, 12);

	if (kind == 0) {
		buf_addz(&m->b, pick(m, scalars + 43, 3, 3));
		buf_addc(&m->b, '\n');
		text_lines(m, col);
	} else if (kind == 1) {
		buf_addz(&m->b, "folded\n");
		text_lines(m, col);
	} else if (kind == 2) {
		bool single = test_rand(&m->rng, 2);

		buf_addz(&m->b, single ? "'one " : "\"one \\\n");
		if (single)
			buf_addc(&m->b, '\n');
		text_lines(m, col);
		buf_addz(&m->b, single ? "  two'" : "  two\"");
		end(m);
	} else {
		buf_addz(&m->b, PICK(m, scalars, 17));
		end(m);
	}
}

static void mapping(struct maker *m, size_t col, bool here)
{
	for (uint32_t n = 1 + test_rand(&m->rng, 4); n; n--) {
		if (!here)
			indent(m, col);
		here = false;
		if (m->calm)
			buf_addf(&m->b, "%s%u", keys[test_rand(&m->rng, 4)], n);
		else
			buf_addz(&m->b, keys[test_rand(&m->rng, ARRAY_LEN(keys))]);
		buf_addz(&m->b, m->calm || test_rand(&m->rng, 30) ? ":" : " :");
		node(m, col);
	}
}

static void sequence(struct maker *m, size_t col, bool here)
{
	for (uint32_t n = 1 + test_rand(&m->rng, 3); n; n--) {
		if (!here)
			indent(m, col);
		here = false;
		buf_addc(&m->b, '-');
		if (m->depth < 6 && test_rand(&m->rng, 2)) {
			size_t blanks = 1 + test_rand(&m->rng, 3);

			m->depth++;
			buf_fill(&m->b, ' ', blanks);
			if (test_rand(&m->rng, 3))
				mapping(m, col + 1 + blanks, true);
			else
				sequence(m, col + 1 + blanks, true);
			m->depth--;
		} else {
			node(m, col);
		}
	}
}

/* The value after "key:" or "-" of a collection in column col. */
static void node(struct maker *m, size_t col)
{
	uint32_t kind = test_rand(&m->rng, m->depth < 6 ? 10 : 6);
	size_t in = col + (test_rand(&m->rng, 2) ? 2 : test_rand(&m->rng, 5));

	m->depth++;
	if (kind < 5) {
		buf_addc(&m->b, ' ');
		scalar(m, col);
	} else if (kind == 5) {
		end(m);
	} else if (kind < 9) {
		end(m);
		mapping(m, in > col || !m->calm ? in : col + 2, false);
	} else {
		end(m);
		sequence(m, in, false);
	}
	m->depth--;
}

static void document(struct maker *m)
{
	if (test_rand(&m->rng, 8) == 0)
		buf_addz(&m->b, test_rand(&m->rng, 2) ? "---\n" : "# head\n");
	if (test_rand(&m->rng, 6))
		mapping(m, 0, false);
	else
		sequence(m, 0, false);
}

/* True when both parse text to the same tree; *taken when the fast one accepted it. */
static bool alike(struct arena *a, struct str text, bool *taken)
{
	struct err err = ERR_INIT(a);
	struct yml_opts opts = { .flags = JSON_DUP_ERROR };
	struct json *fast = NULL, *slow = NULL;

	*taken = yml_fast(a, text, &fast);
	if (!*taken)
		return true;
	if (yml_parse_events(a, text, &opts, &slow, &err) < 0) {
		test_show("refused by the library", err.msg);
		return false;
	}
	return same_tree(slow, fast);
}

TEST generated_documents_are_read_alike(void)
{
	struct test_rng rng = { 7 };
	size_t taken = 0, calm_taken = 0;

	for (int i = 0; i < DOCUMENTS; i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct maker m = { .rng = rng, .calm = i % 2 == 0 };
		bool took;

		buf_init(&m.b, &a);
		document(&m);
		rng = m.rng;
		if (!alike(&a, buf_str(&m.b), &took)) {
			test_show("document", buf_str(&m.b));
			FAILm("read otherwise");
		}
		taken += took;
		calm_taken += took && m.calm;
	}
	(void)printf("%d documents, %zu read the fast way\n", DOCUMENTS, taken);
	/* a reader that declines everything would pass, too */
	ASSERT(calm_taken > DOCUMENTS / 2 / 2);
	ASSERT(taken - calm_taken > DOCUMENTS / 2 / 20);
	PASS();
}

/* Every prefix of a document with all features. */
TEST cut_documents_are_read_alike(void)
{
	static const char text[] = "# head\n---\na: b # c\n'q': \"x\\ty\"\nl:\n- 1\n- k: v\n"
				   "  m: |\n    one\n     two\n\n  n: |-\n    x\n-\n- - a\n  - b\n"
				   "long: one\n  two\n\n  three\nf: {a: [1, 'b'], \"c\":d}\n"
				   "e:\nlast: |+\n  x\n\n";
	bool took = false;

	for (size_t n = 0; n < sizeof(text); n++) {
		AUTO(arena) struct arena a = ARENA_INIT;

		ASSERT(alike(&a, (struct str){ text, n }, &took));
	}
	PASS();
}

struct tally {
	size_t files, docs, fast, differ;
};

static void compare(const char *path, struct tally *t)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct yml_docs docs;
	struct str doc;
	size_t line;

	t->files++;
	yml_docs_init(&a, &docs, test_file(&a, path));
	while (yml_docs_next(&docs, &doc, &line, &err) > 0) {
		bool took;

		if (!alike(&a, doc, &took)) {
			(void)printf("%s:%zu: read otherwise\n", path, line);
			t->differ++;
		}
		t->docs++;
		t->fast += took;
	}
}

static void walk(const char *dir, struct tally *t)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		AUTO(arena) struct arena a = ARENA_INIT;
		const char *path = str_fmt(&a, "%s/%s", dir, e->d_name).p;
		struct stat st;

		if (e->d_name[0] == '.' || stat(path, &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode))
			walk(path, t);
		else if (str_ends(str_of(path), S(".yaml")))
			compare(path, t);
	}
	if (d)
		(void)closedir(d);
}

TEST upstreams_files_are_read_alike(void)
{
	struct tally t = { 0 };

	walk("test/golden", &t);
	walk("examples", &t);
	(void)printf("%zu files, %zu documents, %zu read the fast way\n", t.files, t.docs, t.fast);
	ASSERT_INT(0, (long long)t.differ);
	ASSERT(t.fast > 0);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(generated_documents_are_read_alike);
	RUN_TEST(cut_documents_are_read_alike);
	RUN_TEST(upstreams_files_are_read_alike);
}

TEST_MAIN(suite)
