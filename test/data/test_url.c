/* URLs, and the proxy for them, with the test cases of Go's httpproxy. */
#include "../test.h"

#include "data/url.h"

TEST parsing(void)
{
	static const struct {
		const char *in, *want;
	} cases[] = {
		{ "http://a/b?c", "http a 80 [] /b?c" },
		{ "https://A.example:6443", "https A.example 6443 [] " },
		{ "https://[::1]:8443/", "https ::1 8443 [] /" },
		{ "https://[fe80::1%25eth0]/", "https fe80::1%25eth0 443 [] /" },
		{ "http://u:p%40@h:1/x", "http h 1 [u:p%40] /x" },
		{ "http://a?x=/y", "http a 80 [] ?x=/y" },
		{ "http://h:", "http h 80 [] " },
		{ "ftp://a", "URL is neither http:// nor https://" },
		{ "http://", "URL has an invalid host: " },
		{ "http://:80", "URL has an invalid host: :80" },
		{ "http://h:0", "URL has an invalid host: h:0" },
		{ "http://h:65536", "URL has an invalid host: h:65536" },
		{ "http://h:+1", "URL has an invalid host: h:+1" },
		{ "http://[::1", "URL has an invalid host: [::1" },
		{ "http://[::1]x", "URL has an invalid host: [::1]x" },
		{ "http://::1", "URL has an invalid host: ::1" },
		{ "http://h/a b", "URL has invalid characters" },
		{ "http://h/\r\nX: y", "URL has invalid characters" },
		{ "http://h/#x", "URL has invalid characters" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct url u;
		int rc = url_parse(str_of(cases[i].in), &u, &err);

		ASSERT_STR_M(cases[i].in, str_of(cases[i].want),
			     rc < 0 ? err.msg
				    : str_fmt(&a, "%s %.*s %u [%.*s] %.*s",
					      u.https ? "https" : "http", STRF(u.host), u.port,
					      STRF(u.user), STRF(u.path)));
	}
	PASS();
}

TEST proxies(void)
{
	static const char no[] = "foobar.com, .barbaz.net, *.quux.dev, 192.168.1.1, "
				 "192.168.1.2:81, 192.168.1.3:80, 10.0.0.0/30, 2001:db8::52:0:1, "
				 "[2001:db8::52:0:2]:443, [2002:db8:a::45]:80, 2002:db8:a::45/128";
	static const struct {
		const char *url;
		bool proxy;
	} cases[] = {
		{ "http://localhost/", false },
		{ "http://127.0.0.1/", false },
		{ "http://127.0.0.2/", false },
		{ "http://[::1]/", false },
		{ "http://[::2]/", true },
		{ "http://192.168.1.1/", false },
		{ "http://192.168.1.2/", true },
		{ "http://192.168.1.3/", false },
		{ "http://192.168.1.4/", true },
		{ "http://10.0.0.2/", false },
		{ "http://10.0.0.4/", true },
		{ "http://[2001:db8::52:0:1]/", false },
		{ "http://[2001:db8::52:0:2]/", true },
		{ "https://[2001:db8::52:0:2]/", false },
		{ "http://[2002:db8:a::45]/", false },
		{ "http://[2002:db8:a::46]/", true },
		{ "http://foobar.com/", false },
		{ "http://www.FooBar.com/", false },
		{ "http://xfoobar.com/", true },
		{ "http://barbaz.net/", true },
		{ "http://www.barbaz.net/", false },
		{ "http://quux.dev/", true },
		{ "http://a.quux.dev/", false },
		{ "http://aquux.dev/", true },
		{ "http://other.example/", true },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct proxy_conf p = { S("proxy:3128"), S("http://u:p@[::1]:8080"), str_of(no), false };
	struct url u, out;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		ASSERT_INT(0, url_parse(str_of(cases[i].url), &u, &err));
		ASSERT_INT_M(cases[i].url, cases[i].proxy, proxy_for(&a, &p, &u, &out, &err));
	}
	ASSERT_INT(0, url_parse(S("http://x/"), &u, &err));
	ASSERT_INT(1, proxy_for(&a, &p, &u, &out, &err));
	ASSERT_STR("proxy", out.host);
	ASSERT_INT(3128, out.port);
	u.https = true;
	ASSERT_INT(1, proxy_for(&a, &p, &u, &out, &err));
	ASSERT_STR("::1", out.host);
	ASSERT_STR("u:p", out.user);
	p.no = S("a, *");
	ASSERT_INT(0, proxy_for(&a, &p, &u, &out, &err));
	p.always = true;
	ASSERT_INT(1, proxy_for(&a, &p, &u, &out, &err));
	p = (struct proxy_conf){ .https = S("socks5://secret@h") };
	ASSERT_INT(-ERR_INVALID, proxy_for(&a, &p, &u, &out, &err));
	ASSERT_STR("proxy address is not supported: give http://host:port", err.msg);
	u.https = false;
	ASSERT_INT(0, proxy_for(&a, &p, &u, &out, &err));
	PASS();
}

TEST for_messages(void)
{
	static const char *const cases[][2] = {
		{ "https://h:1/p", "https://h:1/p" },
		{ "https://u:p@h:1/p?q", "https://h:1/p" },
		{ "https://u:p@h:1?q@x/y", "https://h:1" },
		{ "https://u:p@h/a@b#f", "https://h/a@b" },
		{ "ftp://u:p@h x/y?q", "ftp://h x/y" },
		{ "/path?x=https://h", "/path" },
		{ "data:,contents", "data:…" },
		{ "http://u:a@b@[::1]", "http://[::1]" },
		{ "no address", "no address" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		ASSERT_STR(cases[i][1], url_public(&a, str_of(cases[i][0])));
	PASS();
}

SUITE(suite)
{
	RUN_TEST(parsing);
	RUN_TEST(proxies);
	RUN_TEST(for_messages);
}

TEST_MAIN(suite)
