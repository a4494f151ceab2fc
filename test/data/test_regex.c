/* Patterns of schemas, with the results of RE2. */
#include "data/regex.h"
#include "../test.h"

struct one {
	const char *pattern, *text;
	bool matches;
};

#define NAME "^([a-z0-9]|[a-z0-9][a-z0-9\\-]{0,3}[a-z0-9])(\\.[a-z]+)*$"
#define QUANTITY                                                           \
	"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGT" \
	"PE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"

static const struct one cases[] = {
	{ "", "", true },
	{ "", "x", true },
	{ "a", "xay", true },
	{ "^a", "xa", false },
	{ "a$", "ab", false },
	{ "^a$", "a", true },
	{ "^$", "", true },
	{ "^$", "x", false },
	{ "a|b|cd", "xcdx", true },
	{ "^(a|b)c$", "bc", true },
	{ "^(?:a|b)*$", "abba", true },
	{ "^(a|)b$", "b", true },
	{ "^a*$", "aaab", false },
	{ "^a+?$", "aaa", true },
	{ "^a?b$", "aab", false },
	{ "^a{2}$", "aa", true },
	{ "^a{2}$", "aaa", false },
	{ "^a{2,}$", "aaaaa", true },
	{ "^a{2,}$", "a", false },
	{ "^a{1,3}$", "aaaa", false },
	{ "^a{0,2}$", "", true },
	{ "^a{0}b$", "b", true },
	{ "^a{0}b$", "ab", false },
	{ "^(ab){2,3}$", "ababab", true },
	{ "^(ab){2,3}$", "abababab", false },
	{ "^(a{1,2}){2}$", "aaaa", true },
	{ "^(a|b{2}){3}$", "abba", true },
	{ "^(a|b{2}){3}$", "abab", false },
	{ "a{,2}", "a{,2}", true },
	{ "^[a-c]+$", "abcabc", true },
	{ "^[^a-c]+$", "abd", false },
	{ "^[]a]$", "]", true },
	{ "^[a-]$", "-", true },
	{ "^[\\d_]+$", "12_3", true },
	{ "^\\w+\\s\\D$", "ab9 x", true },
	{ "^\\w+\\s\\D$", "ab9 7", false },
	{ "^\\.\\-\\/$", ".-/", true },
	{ "^.$", "\n", false },
	{ "^.$", "\xC3\xA9", true },
	{ "^[\xC3\xA0-\xC3\xBF]$", "\xC3\xA9", true },
	{ "^\\S\\W$", "a-", true },
	{ NAME, "a", true },
	{ NAME, "ab-cd", true },
	{ NAME, "ab-c-", false },
	{ NAME, "abcdef", false },
	{ NAME, "ab.c.d", true },
	{ QUANTITY, "10Mi", true },
	{ QUANTITY, "-1.5e3", true },
	{ QUANTITY, "ten", false },
	{ "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$", "AsExpected", true },
	{ "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$", "As,", false },
	/* linear where backtracking would take exponential time */
	{ "^(a*)*b$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false },
	{ "^(a|aa)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", false },
};

TEST matching(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct one *c = &cases[i];
		struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct regex *r = NULL;
		bool got;

		ASSERT_EQm(c->pattern, 0, regex_compile(&a, str_of(c->pattern), &r, &err));
		got = regex_matches(&a, r, str_of(c->text));
		arena_free(&a);
		ASSERT_EQm(c->pattern, c->matches, got);
	}
	PASS();
}
TEST refusing(void)
{
	static const char *const bad[] = {
		"(",	   "a)",    "[",  "[a",	   "*",	  "a**",	 "a{3,2}",
		"a{1001}", "[b-a]", "\\", "(?=a)", "\\b", "[[:alpha:]]", "((a{1000}){1000})",
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct regex *r;
		int rc = regex_compile(&a, str_of(bad[i]), &r, &err);

		arena_free(&a);
		ASSERTm(bad[i], rc < 0);
	}
	PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(matching);
	RUN_TEST(refusing);
	GREATEST_MAIN_END();
}
