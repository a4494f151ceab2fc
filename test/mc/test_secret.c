/* What is masked, and what is not. */
#include "mc/secret.h"

#include "../test.h"

static const struct {
	const char *name, *text, *want;
} cases[] = {
	{ "nothing secret", "a: b\nserver = x\n", "a: b\nserver = x\n" },
	{ "YAML", "user: me\npassword: hunter2\nport: 1\n", "user: me\npassword: ***\nport: 1\n" },
	{ "no line feed at the end", "token: abc", "token: ***" },
	{ "CR LF", "token: abc\r\nx: y\r\n", "token: ***\r\nx: y\r\n" },
	{ "each of the names", "password=1\ntoken=2\nsecret=3\nkey=4\ncredential=5\nauth=6\n",
	  "password=***\ntoken=***\nsecret=***\nkey=***\ncredential=***\nauth=***\n" },
	{ "a word of a name",
	  "HTTP_PASSWORD=a\nsecretAccessKey: b\naws_secret_access_key = c\n"
	  "client-key-data: d\nAPIKey=e\noauthTokens2: f\npasswordHash: g\n"
	  "registry.auth: h\n",
	  "HTTP_PASSWORD=***\nsecretAccessKey: ***\naws_secret_access_key = ***\n"
	  "client-key-data: ***\nAPIKey=***\noauthTokens2: ***\npasswordHash: ***\n"
	  "registry.auth: ***\n" },
	{ "where it is, not what it is",
	  "tokenFile: /a\nkeyType: rsa\nsecretName: x\ntlsPrivateKeyFile: /b\n"
	  "authentication: c\npublicKey: d\ngpgkey=file:///e\n"
	  "imageCredentialProviderConfig: f\n",
	  "tokenFile: /a\nkeyType: rsa\nsecretName: x\ntlsPrivateKeyFile: /b\n"
	  "authentication: c\npublicKey: d\ngpgkey=file:///e\n"
	  "imageCredentialProviderConfig: f\n" },
	{ "no secrets as values", "auth: true\ntoken: \"\"\nkey: null\nsecret:\n",
	  "auth: true\ntoken: \"\"\nkey: null\nsecret:\n" },
	{ "JSON on one line", "{\"a\":1,\"token\":\"x\\\"y\",\"key\":12,\"b\":2}",
	  "{\"a\":1,\"token\":\"***\",\"key\":***,\"b\":2}" },
	{ "JSON inside", "{\"auth\":{\"a\":\"b}\",\"c\":[1]},\"d\":2}",
	  "{\"auth\":{***},\"d\":2}" },
	{ "JSON over lines, not indented", "{\n\"tokens\": [\n\"abc\",\n\"def\"\n],\n\"b\": 2\n}\n",
	  "{\n\"tokens\": [\n***\n***\n],\n\"b\": 2\n}\n" },
	{ "a YAML block", "key: |\n  one\n\n  two\nnext: 1\n",
	  "key: |\n  ***\n\n  ***\nnext: 1\n" },
	{ "a YAML map", "secret:\n  name: x\n  more: y\nnext: 1\n",
	  "secret:\n  ***\n  ***\nnext: 1\n" },
	{ "a YAML list at the same column", "tokens:\n- a\n- b\nnext: 1\n",
	  "tokens:\n***\n***\nnext: 1\n" },
	{ "an item's other keys", "- key: a\n  effect: b\n- key: c\n",
	  "- key: ***\n  effect: b\n- key: ***\n" },
	{ "a YAML scalar over lines", "token: abc\n  def\nnext: 1\n",
	  "token: ***\n  ***\nnext: 1\n" },
	{ "a YAML flow map", "a: {password: x, y: z}\n", "a: {password: ***\n" },
	{ "a quote over lines", "token = \"abc\ndef\"\nnext = 1\n",
	  "token = \"***\n***\"\nnext = 1\n" },
	{ "a TOML text over lines", "key = \"\"\"\nabc\n\"x\"\n\"\"\"\nnext = 1\n",
	  "key = \"\"\"\n***\n***\n\"\"\"\nnext = 1\n" },
	{ "YAML's quotes in quotes", "token: 'it''s'\nnext: 'a'\n", "token: '***'\nnext: 'a'\n" },
	{ "a quote that never closes", "token: 'abc\nx: y\n", "token: '***\n***\n" },
	{ "joined lines", "TOKEN=abc\\\ndef\\\nghi\nX=1\n", "TOKEN=***\n***\n***\nX=1\n" },
	{ "options", "ExecStart=/bin/x --token=abc --port=1 --password def -v \"--key=x\"\n",
	  "ExecStart=/bin/x --token=*** --port=1 --password *** -v \"--key=***\"\n" },
	{ "an option without a value", "x --token --port\n", "x --token --port\n" },
	{ "a unit's environment", "Environment=A=1 TOKEN=abc\n", "Environment=A=1 TOKEN=***\n" },
	{ "a quoted environment", "Environment=\"TOKEN=a b\" \"X=1\"\n",
	  "Environment=\"TOKEN=***\n" },
	{ "a password in a URL", "HTTP_PROXY=http://me:hunter2@proxy:3128/x\nssh://core@host:22/\n",
	  "HTTP_PROXY=http://me:***@proxy:3128/x\nssh://core@host:22/\n" },
	{ "a script", "if [ \"$token\" = x ]; then\n  echo a\nfi\n",
	  "if [ \"$token\" = x ]; then\n  echo a\nfi\n" },
	{ "a script that assigns", "key=$(cat /x)\n  echo a\n", "key=***\n  echo a\n" },
};

TEST masks_values(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str text = str_of(cases[i].text);
		struct str got = mc_mask(&a, text);

		ASSERT_STR_M(cases[i].name, str_of(cases[i].want), got);
		ASSERT_STR_M(cases[i].name, got, mc_mask(&a, got));
		if (str_eq(got, text))
			ASSERTm(cases[i].name, got.p == text.p);
	}
	PASS();
}

TEST bytes_that_are_no_text(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	ASSERT_STR_M("NUL", S("token\0: ab\0key:***"), mc_mask(&a, S("token\0: ab\0key:\0cd")));
	PASS();
}

/* No value of a secret key leaks, wherever the text is cut. */
TEST any_prefix(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str text = S("a: 1\ntoken: [\n{\"x\": \"Zz'\"},\nZz]\nkey: |\n Zz\n"
			    "password = \"Zz\\\"Zz\nZz\" # b\n--auth 'Zz");

	for (size_t n = 0; n <= text.n; n++)
		ASSERT(str_find(mc_mask(&a, str_sub(text, 0, n)), S("Z")) < 0);
	PASS();
}

TEST both_sides(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str x = S("user: a\npassword: one\ntoken: same\n");
	struct str y = S("user: b\ntoken: same\npassword: two\n");

	mc_mask_both(&a, &x, &y);
	ASSERT_STR("user: a\npassword: *** (before)\ntoken: ***\n", x);
	ASSERT_STR("user: b\ntoken: ***\npassword: *** (after)\n", y);
	PASS();
}

TEST whole_files(void)
{
	static const struct {
		const char *path, *bytes;
		int64_t mode;
		bool secret;
	} files[] = {
		{ "/etc/a", "x", 0644, false },
		{ "/etc/a", "x", 0600, true },
		{ "/etc/a", "x", 0400, true },
		{ "/etc/a", "x", 0, true },
		{ "/etc/a", "x", 0700, true },
		{ "/etc/a", "x", 0640, false },
		{ "/etc/a", "x", 0601, false },
		{ "/etc/a.key", "x", 0644, true },
		{ "/etc/a", "-----BEGIN PRIVATE KEY-----", 0644, true },
	};

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		ASSERT_INT_M(
			files[i].path, files[i].secret,
			mc_is_secret(str_of(files[i].path), files[i].mode, str_of(files[i].bytes)));
	PASS();
}

SUITE(secret)
{
	RUN_TEST(masks_values);
	RUN_TEST(bytes_that_are_no_text);
	RUN_TEST(any_prefix);
	RUN_TEST(both_sides);
	RUN_TEST(whole_files);
}

TEST_MAIN(secret)
