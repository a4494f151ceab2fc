/*
 * Compares our results with those of the peers: reads the cases of main.go on
 * standard input and prints how many agree. A difference is shown with its
 * input; with WORDS in the environment, so is one in the wording only.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/codec.h"
#include "base/num.h"
#include "data/yml.h"

static struct str failed(struct arena *a, struct str text)
{
	return str_fmt(a, "!%.*s", STRF(text));
}

/* Our result for one input, in the format of main.go. */
static struct str ours(struct arena *a, char kind, struct str in)
{
	struct err err = ERR_INIT(a);
	struct yml_fault fault = { 0 };
	struct yml_opts yopts = { .fault = &fault };
	struct json_fault jfault = { 0 };
	struct json_opts jopts = { .flags = JSON_FIX_UTF8 | JSON_DUP_LAST, .fault = &jfault };
	struct dataurl url;
	struct json *j;
	struct buf b;
	double f;

	buf_init(&b, a);
	switch (kind) {
	case 'Y':
		if (json_parse(a, in, &jopts, &j, &err) < 0 || yml_emit(&b, j, &err) < 0)
			return failed(a, err.msg);
		return buf_str(&b);
	case 'J':
		if (yml_parse(a, in, &yopts, &j, &err) < 0)
			return failed(a, fault.upstream);
		json_encode(&b, j, JSON_SORTED);
		return buf_str(&b);
	case 'D':
		if (dataurl_parse(a, in, &url, &err) < 0)
			return failed(a, err.msg);
		return url.data;
	case 'S':
		if (json_parse(a, in, &jopts, &j, &err) < 0)
			return str_fmt(a, "!%zu %.*s", jfault.offset, STRF(jfault.problem));
		json_encode(&b, j, JSON_SORTED);
		return buf_str(&b);
	case 'N':
		if (!num_parse_float(in, &f))
			return S("!");
		num_add_float_json(&b, f);
		buf_addc(&b, ' ');
		num_add_float_g(&b, f, 64);
		buf_addc(&b, ' ');
		num_add_float_g(&b, f, 32);
		return buf_str(&b);
	default:
		return S("?");
	}
}

static void show(const char *what, struct str s)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b;

	buf_init(&b, &a);
	json_add_quoted(&b, s, JSON_NO_HTML);
	(void)printf("  %-9s %s\n", what, b.p);
}

enum verdict { AGREE, OTHER_WORDS, DIFFER };

/* One line of input. Where both refuse a YAML text, the wording may differ. */
static enum verdict check(struct arena *a, struct str line)
{
	struct err err = ERR_INIT(a);
	struct str in64, want64, in, want, got;
	bool words;

	if (!str_cut(str_from(line, 2), ' ', &in64, &want64) ||
	    base64_decode(a, in64, &in, &err) < 0 || base64_decode(a, want64, &want, &err) < 0) {
		(void)printf("bad line: %.*s\n", STRF(line));
		exit(2);
	}
	/* Debian's ghodss/yaml capitalises this word, sigs.k8s.io/yaml does not */
	if (str_starts(want, S("!Unsupported map key")))
		((char *)(uintptr_t)want.p)[1] = 'u';
	got = ours(a, line.p[0], in);
	if (str_eq(got, want))
		return AGREE;
	words = line.p[0] == 'J' && str_starts(got, S("!")) && str_starts(want, S("!"));
	if (words && !getenv("WORDS"))
		return OTHER_WORDS;
	(void)printf("%c differs\n", line.p[0]);
	show("input", in);
	show("expected", want);
	show("got", got);
	return words ? OTHER_WORDS : DIFFER;
}

/* This many of a thousand refusals may be worded differently from the peer's; when
 * there are few refusals, OTHER_WORDS_FEW of them. */
#define OTHER_WORDS_MAX 2
#define OTHER_WORDS_FEW 3

int main(void)
{
	size_t count[3] = { 0 }, cap = 0, bad;
	char *text = NULL;
	ssize_t n;

	while ((n = getline(&text, &cap, stdin)) > 0) {
		AUTO(arena) struct arena a = ARENA_INIT;

		if (text[n - 1] == '\n')
			n--;
		count[check(&a, (struct str){ text, (size_t)n })]++;
	}
	free(text);
	bad = count[DIFFER];
	if (count[OTHER_WORDS] > OTHER_WORDS_FEW &&
	    count[OTHER_WORDS] * 1000 > count[AGREE] * OTHER_WORDS_MAX)
		bad += count[OTHER_WORDS];
	(void)printf("refused by both in other words: %zu\n", count[OTHER_WORDS]);
	(void)printf("%zu passed, %zu failed\n", count[AGREE], bad);
	return bad != 0;
}
