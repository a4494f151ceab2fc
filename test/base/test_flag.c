#include "../test.h"

#include "base/flag.h"

struct opts {
	bool all, wide;
	struct str pool;
	struct strs files;
	int64_t n, wait, size, v;
};

static const struct flag flags[] = {
	{ .texts = FLAG_TEXT("all", "", "everything"),
	  .letter = 'A',
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, all) },
	{ .texts = FLAG_TEXT("wide", "", "more columns"),
	  .letter = 'w',
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, wide) },
	{ .texts = FLAG_TEXT("pool-name", "POOL", "one pool"),
	  .letter = 'p',
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, pool),
	  .env = "POOL_NAME" },
	{ .texts = FLAG_TEXT("filename", "FILE", "a file"),
	  .letter = 'f',
	  .kind = FLAG_STRS,
	  .offset = offsetof(struct opts, files) },
	{ .texts = FLAG_TEXT("count", "N", "how many"),
	  .kind = FLAG_INT,
	  .offset = offsetof(struct opts, n) },
	{ .texts = FLAG_TEXT("timeout", "TIME", "how long"),
	  .kind = FLAG_DURATION,
	  .offset = offsetof(struct opts, wait) },
	{ .texts = FLAG_TEXT("max", "SIZE", "how large"),
	  .kind = FLAG_SIZE,
	  .offset = offsetof(struct opts, size) },
	{ .texts = FLAG_TEXT("v", "N", "how loud"),
	  .letter = 'v',
	  .kind = FLAG_COUNT,
	  .offset = offsetof(struct opts, v) },
	{ .texts = FLAG_TEXT("secret", "", "?"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, all),
	  .hidden = true },
	{ 0 },
};

static const char *env(void *ctx, const char *name)
{
	return strcmp(name, "POOL_NAME") == 0 ? ctx : NULL;
}

/* Formats options and arguments in one line. */
static struct str told(struct arena *a, const struct opts *o, const struct strs *words)
{
	struct buf b;

	buf_init(&b, a);
	buf_addf(&b, "%s%s", o->all ? "all " : "", o->wide ? "wide " : "");
	if (o->pool.p)
		buf_addf(&b, "pool=%.*s ", STRF(o->pool));
	for (size_t i = 0; i < o->files.n; i++)
		buf_addf(&b, "f=%.*s ", STRF(o->files.v[i]));
	if (o->n)
		buf_addf(&b, "n=%lld ", (long long)o->n);
	if (o->wait)
		buf_addf(&b, "wait=%lld ", (long long)o->wait);
	if (o->size)
		buf_addf(&b, "size=%lld ", (long long)o->size);
	if (o->v)
		buf_addf(&b, "v=%lld ", (long long)o->v);
	for (size_t i = 0; i < words->n; i++)
		buf_addf(&b, "<%.*s> ", STRF(words->v[i]));
	if (b.n)
		b.n--;
	return buf_str(&b);
}

static struct str parse_over(struct arena *a, const char *line, const char *pool_env, bool stop,
			     struct strs *unknown)
{
	struct opts o = { 0 };
	struct flag_table tables[] = { { flags, &o }, { 0 } };
	struct flag_parse p = { .tables = tables,
				.env = env,
				.env_ctx = (void *)(uintptr_t)pool_env,
				.stop_at_word = stop,
				.unknown = unknown };
	struct err err = ERR_INIT(a);
	struct strs words = { 0 };
	struct str rest = str_of(line), word;
	char *argv[20];
	int argc = 0;

	while (str_cut(rest, ' ', &word, &rest))
		argv[argc++] = str_z(a, word);
	if (rest.n)
		argv[argc++] = str_z(a, rest);
	if (flag_parse(a, &p, argc, argv, &words, &err) < 0)
		return str_fmt(a, "Error: %.*s", STRF(err.msg));
	return told(a, &o, &words);
}

static struct str parse(struct arena *a, const char *line, const char *pool_env, bool stop)
{
	return parse_over(a, line, pool_env, stop, NULL);
}

TEST forms(void)
{
	static const struct {
		const char *in, *want;
	} cases[] = {
		{ "", "" },
		{ "--all", "all" },
		{ "--all=false", "" },
		{ "--all=T -w", "all wide" },
		{ "-Aw", "all wide" },
		{ "--pool-name worker", "pool=worker" },
		{ "--pool-name=worker", "pool=worker" },
		{ "--pool_name=a=b", "pool=a=b" },
		{ "--pool-name=", "pool=" },
		{ "-p worker", "pool=worker" },
		{ "-pworker", "pool=worker" },
		{ "-p=worker", "pool=worker" },
		{ "-Apworker", "all pool=worker" },
		{ "-f a -f b --filename=c", "f=a f=b f=c" },
		{ "x -f a y", "f=a <x> <y>" },
		{ "-- -f a", "<-f> <a>" },
		{ "x -- --all", "<x> <--all>" },
		{ "- x", "<-> <x>" },
		{ "--count -3", "n=-3" },
		{ "--timeout 1h30m", "wait=5400000000000" },
		{ "--timeout=250ms", "wait=250000000" },
		{ "--max 64Ki", "size=65536" },
		{ "-v", "v=1" },
		{ "-vv", "v=2" },
		{ "-v 4", "v=4" },
		{ "-v4", "v=4" },
		{ "--v=2", "v=2" },
		{ "--v 2 x", "v=2 <x>" },
		{ "--pol-name x", "Error: unknown flag: --pol-name (did you mean --pool-name?)" },
		{ "--zzzzzz", "Error: unknown flag: --zzzzzz" },
		{ "--secre", "Error: unknown flag: --secre" },
		{ "-x", "Error: unknown shorthand flag: 'x' in -x" },
		{ "-Ax", "Error: unknown shorthand flag: 'x' in -Ax" },
		{ "--pool-name", "Error: flag needs an argument: --pool-name" },
		{ "-p", "Error: flag needs an argument: -p" },
		{ "--count x",
		  "Error: invalid argument \"x\" for --count: must be a whole number" },
		{ "--all=maybe",
		  "Error: invalid argument \"maybe\" for --all: must be true or false" },
		{ "--timeout 5",
		  "Error: invalid argument \"5\" for --timeout: must be a duration such as 90s or 1h30m" },
		{ "--max 5Q",
		  "Error: invalid argument \"5Q\" for --max: must be a size such as 512, 64Ki or 10M" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		ASSERT_STR_M(cases[i].in, str_of(cases[i].want),
			     parse(&a, cases[i].in, NULL, false));
	PASS();
}

TEST a_variable_stands_in_for_a_flag(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	ASSERT_STR("pool=infra", parse(&a, "", "infra", false));
	ASSERT_STR("pool=worker", parse(&a, "-p worker", "infra", false));
	ASSERT_STR("", parse(&a, "", "", false));
	PASS();
}

TEST stopping_at_a_subcommand(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	ASSERT_STR("all <diff> <-w> <x>", parse(&a, "--all diff -w x", NULL, true));
	PASS();
}

TEST flags_of_newer_releases(void)
{
	static const struct {
		const char *in, *want, *unknown;
	} cases[] = {
		{ "--streams-cache --all", "all", "streams-cache" },
		{ "--streams-cache=/a --all", "all", "streams-cache" },
		{ "--streams-cache /a --all", "all", "streams-cache" },
		{ "--streams-cache= x", "<x>", "streams-cache" },
		{ "--streams-cache -p worker", "pool=worker", "streams-cache" },
		{ "--new=1 --newer 2 -w", "wide", "new newer" },
		{ "--all --new", "all", "new" },
		{ "--all -- --new", "all <--new>", "" },
		{ "--new -- x", "<x>", "new" },
		{ "--poolname x", "Error: unknown flag: --poolname (did you mean --pool-name?)",
		  "" },
		{ "--pool-nmae x", "Error: unknown flag: --pool-nmae (did you mean --pool-name?)",
		  "" },
		{ "--pool-mane x", "", "pool-mane" },
		{ "--new -x", "Error: unknown shorthand flag: 'x' in -x", "new" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct strs unknown = { 0 };
		struct buf b;

		ASSERT_STR_M(cases[i].in, str_of(cases[i].want),
			     parse_over(&a, cases[i].in, NULL, false, &unknown));
		buf_init(&b, &a);
		for (size_t k = 0; k < unknown.n; k++)
			buf_addf(&b, "%s%.*s", k ? " " : "", STRF(unknown.v[k]));
		ASSERT_STR_M(cases[i].in, str_of(cases[i].unknown), buf_str(&b));
	}
	PASS();
}

TEST durations_and_sizes(void)
{
	static const struct {
		const char *in;
		bool ok;
		int64_t ns;
	} cases[] = {
		{ "0", true, 0 },
		{ "1ns", true, 1 },
		{ "1.5s", true, 1500000000 },
		{ ".5m", true, 30000000000 },
		{ "-2h", true, -7200000000000 },
		{ "1h2m3s4ms5us6ns", true, 3723004005006 },
		{ "", false, 0 },
		{ "5", false, 0 },
		{ "s", false, 0 },
		{ ".s", false, 0 },
		{ "1d", false, 0 },
		{ "99999999999h", false, 0 },
	};
	int64_t got;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		got = 0;
		ASSERT_INT_M(cases[i].in, cases[i].ok, flag_duration(str_of(cases[i].in), &got));
		if (cases[i].ok)
			ASSERT_INT_M(cases[i].in, cases[i].ns, got);
	}
	ASSERT(flag_size(S("10M"), &got) && got == 10000000);
	ASSERT(flag_size(S("2Gi"), &got) && got == (int64_t)2 << 30);
	ASSERT(!flag_size(S("99999999999Gi"), &got));
	ASSERT(!flag_size(S("Ki"), &got));
	PASS();
}

TEST help_comes_from_the_table(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct flag two[] = { flags[2], flags[8], flags[7], { 0 } };
	struct buf b;

	buf_init(&b, &a);
	flag_help(&b, two, NULL, 80);
	ASSERT_STR("  -p, --pool-name POOL        one pool [$POOL_NAME]\n"
		   "  -v, --v N                   how loud\n",
		   buf_str(&b));
	PASS();
}

struct inner {
	struct str format;
	bool on;
};

struct outer {
	int64_t span, count;
	struct inner inner;
	struct str free;
};

static const struct flag inner_flags[] = {
	{ .texts = FLAG_TEXT("format", "FORMAT", "how it looks"),
	  .letter = 'o',
	  .kind = FLAG_CHOICE,
	  .offset = offsetof(struct inner, format),
	  .choices = "yaml|json|name" },
	{ .texts = FLAG_TEXT("on", "", "whether it is"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct inner, on) },
	{ 0 },
};

static const struct flag outer_flags[] = {
	{ .texts = FLAG_TEXT("span", "TIME", "how long"),
	  .kind = FLAG_DURATION,
	  .offset = offsetof(struct outer, span) },
	{ .texts = FLAG_TEXT("more", "", ""),
	  .kind = FLAG_GROUP,
	  .offset = offsetof(struct outer, inner),
	  .group = inner_flags },
	{ .texts = FLAG_TEXT("free", "WORD", "any word (default none)"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct outer, free) },
	{ .texts = FLAG_TEXT("count-of-all-the-many-things", "N",
			     "how many of them there are to be at the most, at any time"),
	  .kind = FLAG_INT,
	  .offset = offsetof(struct outer, count) },
	{ 0 },
};

static const char *no_env(void *ctx, const char *name)
{
	(void)ctx;
	(void)name;
	return NULL;
}

static int parse_outer(struct arena *a, char *word, struct outer *o, struct err *err)
{
	struct flag_table tables[] = { { outer_flags, o }, { 0 } };
	struct flag_parse p = { .tables = tables, .env = no_env };
	struct strs words = { 0 };

	return flag_parse(a, &p, 1, &word, &words, err);
}

TEST groups_and_choices(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct outer o = { 0 };
	char good[] = "--format=json", on[] = "--on", letter[] = "-oname", near[] = "--format=josn",
	     far[] = "-otoml", slip[] = "--formt=x";

	ASSERT_INT(0, parse_outer(&a, good, &o, &err));
	ASSERT_STR("json", o.inner.format);
	ASSERT_INT(0, parse_outer(&a, on, &o, &err));
	ASSERT(o.inner.on);
	ASSERT_INT(0, parse_outer(&a, letter, &o, &err));
	ASSERT_STR("name", o.inner.format);
	ASSERT_INT(-ERR_INVALID, parse_outer(&a, near, &o, &err));
	ASSERT_STR("invalid argument \"josn\" for --format (did you mean "
		   "json?): use yaml, json or name",
		   err.msg);
	ASSERT_INT(-ERR_INVALID, parse_outer(&a, far, &o, &err));
	ASSERT_STR("invalid argument \"toml\" for -o: use yaml, json or name", err.msg);
	ASSERT_STR("name", o.inner.format);
	ASSERT_INT(-ERR_INVALID, parse_outer(&a, slip, &o, &err));
	ASSERT_STR("unknown flag: --formt (did you mean --format?)", err.msg);
	PASS();
}

TEST help_has_defaults_and_fits(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct outer o = {
		.span = 90000000000, .count = 7, .inner = { S("yaml"), true }, .free = S("seen")
	};
	struct buf b;

	buf_init(&b, &a);
	flag_help(&b, outer_flags, &o, 70);
	ASSERT_STR("      --span TIME             how long (default 1m30s)\n"
		   "      --free WORD             any word (default none)\n"
		   "      --count-of-all-the-many-things N\n"
		   "                              how many of them there are to be at the\n"
		   "                              most, at any time (default 7)\n",
		   buf_str(&b));
	b.n = 0;
	flag_help(&b, inner_flags, &o.inner, 50);
	ASSERT_STR("  -o, --format FORMAT\n"
		   "          how it looks: yaml, json or name\n"
		   "          (default yaml)\n"
		   "      --on\n"
		   "          whether it is (default true)\n",
		   buf_str(&b));
	PASS();
}

SUITE(suite)
{
	RUN_TEST(groups_and_choices);
	RUN_TEST(help_has_defaults_and_fits);
	RUN_TEST(forms);
	RUN_TEST(a_variable_stands_in_for_a_flag);
	RUN_TEST(stopping_at_a_subcommand);
	RUN_TEST(flags_of_newer_releases);
	RUN_TEST(durations_and_sizes);
	RUN_TEST(help_comes_from_the_table);
}

TEST_MAIN(suite)
