/*
 * Awkward strings of all kinds, generated from a fixed seed: emitting and parsing must return the
 * same string, in the style that its contents require. Upstream's own files, parsed and emitted,
 * must keep every byte.
 */
#include "../test.h"

#include <dirent.h>
#include <sys/stat.h>

#include "base/utf8.h"
#include "data/docs.h"
#include "data/yml.h"

#define STRINGS 6000

static const char *const pieces[] = {
	"a",
	"b",
	"Z",
	"0",
	"1",
	"9",
	" ",
	"  ",
	"\n",
	"\n\n",
	"\t",
	"\r",
	"\r\n",
	":",
	": ",
	" #",
	"#",
	"-",
	"- ",
	"---",
	"...",
	"?",
	"? ",
	",",
	"[",
	"]",
	"{",
	"}",
	"&",
	"*",
	"!",
	"|",
	">",
	"'",
	"\"",
	"%",
	"@",
	"`",
	"\\",
	"~",
	"=",
	"<<",
	"_",
	".",
	"+",
	"e",
	"0x",
	"0o",
	"0b",
	"\xC3\xA9",
	"\xE6\x97\xA5",
	"\xC2\xA0",
	"\xE2\x80\xA8",
	"\xE2\x80\xA9",
	"\xEF\xBB\xBF",
	"\xF0\x9F\x98\x80",
	"\x07",
	"\x1b",
	"word ",
	"yes",
	"no",
	"null",
	"true",
	"12:30",
	"2001-01-02",
	"1e3",
	".5",
	".nan",
	"key: value",
	"/etc/passwd",
};

static struct str nasty(struct arena *a, struct test_rng *r)
{
	uint32_t n = 1 + test_rand(r, 6);
	struct buf b;

	if (test_rand(r, 10) == 0)
		n = 30 + test_rand(r, 60); /* long enough to be folded */
	buf_init(&b, a);
	for (; n; n--)
		buf_addz(&b,
			 pieces[test_rand(r, n > 6 && test_rand(r, 3) ? 8 : ARRAY_LEN(pieces))]);
	return buf_str(&b);
}

/* Uses s in the positions of strings in rendered configs: value, item and key. */
static struct json *around(struct arena *a, struct str s)
{
	struct json *o = json_new(a, JSON_OBJECT);
	struct json *l = json_new(a, JSON_ARRAY), *in = json_new(a, JSON_OBJECT);

	json_push(l, json_new_str(a, s));
	json_add(in, s, l);
	json_add(o, S("spec"), in);
	json_add(o, S("v"), json_new_str(a, s));
	return o;
}

/* The style of s as the only value of a document. */
static char style_of(struct arena *a, struct str s)
{
	struct json *o = json_new(a, JSON_OBJECT);
	struct err err = ERR_INIT(a);
	struct buf b;

	json_add(o, S("v"), json_new_str(a, s));
	buf_init(&b, a);
	if (yml_emit(&b, o, &err) < 0)
		abort();
	return strchr("'\"|", b.p[3]) ? b.p[3] : 'p';
}

/* Properties that hold for every correct emitter. */
static const char *broken_rule(struct str s, char style)
{
	bool special = false, lf = str_chr(s, '\n') >= 0;

	for (size_t i = 0, len; i < s.n; i += len) {
		uint32_t r = utf8_at(s, i, &len);

		special |= (r < 0x20 && r != '\n') || r > 0xFFFF || r == 0xFEFF;
	}
	if (special && style != '"')
		return "special characters are only ever double-quoted";
	if (style == '|' && !lf)
		return "a literal block has a line feed";
	if (style == '|' && (str_find(s, S(" \n")) >= 0 || s.p[s.n - 1] == ' '))
		return "no space before the end of a literal line";
	if (lf && (style == 'p' || style == '\''))
		return "a line feed is never plain nor single-quoted";
	if (style == 'p' && (s.p[0] == ' ' || s.p[s.n - 1] == ' '))
		return "plain text has no space at its ends";
	if (style == 'p' && strchr("#,[]{}&*!|>'\"%@`", s.p[0]))
		return "plain text does not begin with an indicator";
	if (style == 'p' && (str_find(s, S(": ")) >= 0 || str_find(s, S(" #")) >= 0))
		return "plain text has no ': ' nor ' #'";
	return NULL;
}

TEST what_is_emitted_reads_back(void)
{
	struct test_rng rng = { 42 };
	size_t seen[128] = { 0 };

	for (int i = 0; i < STRINGS; i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct str s = nasty(&a, &rng);
		struct json *in = around(&a, s), *out;
		struct buf b;
		const char *rule;
		char style;

		if (str_is(s, "<<"))
			continue; /* as a key upstream writes a merge */
		buf_init(&b, &a);
		ASSERT_INT(0, yml_emit(&b, in, &err));
		if (yml_parse(&a, buf_str(&b), NULL, &out, &err) < 0) {
			test_show("string", s);
			test_show("emitted", buf_str(&b));
			test_show("error", err.msg);
			FAILm("what was emitted does not parse");
		}
		ASSERT_STR_M("value", s, json_str(out, "v"));
		ASSERT_STR_M("key", s, json_key(json_first(json_at(out, "spec"))));
		ASSERT(json_eq(in, out));
		style = style_of(&a, s);
		rule = broken_rule(s, style);
		if (rule) {
			test_show("string", s);
			test_show("emitted", buf_str(&b));
			FAILm(rule);
		}
		seen[(unsigned char)style]++;
	}
	/* the corpus must reach every style */
	ASSERT(seen['p'] > 500 && seen['"'] > 500);
	ASSERT(seen['\''] > 200 && seen['|'] > 200);
	PASS();
}

/* ---- upstream's files ---------------------------------------------------- */

struct tally {
	size_t files, differ;
};

static void collect(void *b, struct str piece)
{
	buf_add(b, piece);
}

static bool same_bytes(const char *path)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str text = test_file(&a, path);
	struct err err = ERR_INIT(&a);
	struct json *j;
	struct buf b;

	buf_init(&b, &a);
	if (yml_parse(&a, text, NULL, &j, &err) < 0 || yml_emit(&b, j, &err) < 0) {
		(void)printf("%s: %.*s\n", path, STRF(err.msg));
		return false;
	}
	if (!test_same(path, text, buf_str(&b)))
		return false;
	b.n = 0;
	if (yml_emit_to(collect, &b, j, &err) < 0)
		return false;
	return test_same(path, text, buf_str(&b));
}

static void walk(const char *dir, bool expected, struct tally *t)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		AUTO(arena) struct arena a = ARENA_INIT;
		const char *path = str_fmt(&a, "%s/%s", dir, e->d_name).p;
		struct stat st;

		if (e->d_name[0] == '.' || stat(path, &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode)) {
			walk(path, expected || !strcmp(e->d_name, "expected"), t);
		} else if (expected && str_ends(str_of(path), S(".yaml"))) {
			t->files++;
			t->differ += !same_bytes(path);
		}
	}
	if (d)
		(void)closedir(d);
}

TEST upstreams_files_keep_every_byte(void)
{
	struct tally t = { 0 };

	walk("test/golden/render", false, &t);
	walk("test/golden/controllers", false, &t);
	(void)printf("%zu files\n", t.files);
	ASSERT(t.files >= 400);
	ASSERT_INT(0, (long long)t.differ);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(what_is_emitted_reads_back);
	RUN_TEST(upstreams_files_keep_every_byte);
}

TEST_MAIN(suite)
