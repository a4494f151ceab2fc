/*
 * Masks secrets line by line, without a parser of any format, because invalid text can contain
 * secrets, too. When the end of a value is unclear, more is masked, not less. A multi-line value
 * is one of four kinds (enum more).
 */
#include "base/map.h"
#include "mc/secret.h"

/* What the next line is, after a secret key. */
enum more {
	MORE_NONE,
	MORE_INDENTED, /* part of the value while it is indented further */
	MORE_JOINED, /* the last one ended in a backslash */
	MORE_QUOTED, /* up to the closing quote */
	MORE_NESTED, /* up to the closing bracket */
};

struct masker {
	struct buf out;
	bool any; /* something is masked */
	struct map *found; /* collects the values; or NULL */
	const struct map *known; /* the other side's values; or NULL */
	const char *mark; /* of a value that is not known */
	enum more more;
	size_t column; /* INDENTED: of the key */
	bool list; /* INDENTED: items of a list may start at the column */
	struct str quote; /* QUOTED: the closing quote */
	size_t depth; /* NESTED: of brackets */
	char inside; /* NESTED: the quote of a string that is open */
};

/* ---- names of keys ------------------------------------------------------- */

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool in_name(char c)
{
	return is_upper(c) || is_lower(c) || is_digit(c) || c == '_' || c == '-' || c == '.';
}

#define WORD_MAX 32

/* The next word of a name in lower case, without plural and number: "auth" and
 * "token" of authTokens2. "" at the end. */
static struct str next_word(struct str name, size_t *at, char out[WORD_MAX])
{
	size_t i = *at, n = 0, from;

	while (i < name.n && !is_upper(name.p[i]) && !is_lower(name.p[i]))
		i++;
	for (from = i; i < name.n; i++) {
		char c = name.p[i];
		bool next_low = i + 1 < name.n && is_lower(name.p[i + 1]);

		if (!is_upper(c) && !is_lower(c))
			break;
		if (i > from && is_upper(c) && (is_lower(name.p[i - 1]) || next_low))
			break;
		if (n == WORD_MAX) { /* keep the end of a long word */
			memmove(out, out + 1, WORD_MAX - 1);
			n--;
		}
		out[n++] = (char)(c | 0x20);
	}
	*at = i;
	if (n > 1 && out[n - 1] == 's' && out[n - 2] != 's')
		n--;
	return (struct str){ out, n };
}

static bool one_of(struct str word, const char *const *list, size_t n,
		   bool (*fits)(struct str word, struct str item))
{
	for (size_t i = 0; i < n; i++)
		if (fits(word, str_of(list[i])))
			return true;
	return false;
}

static bool contains(struct str word, struct str item)
{
	return str_find(word, item) >= 0;
}

static bool secret_word(struct str w)
{
	static const char *const inside[] = { "password", "passwd", "passphrase", "secret",
					      "credential" };
	static const char *const ends[] = { "token", "key", "auth", "psk", "pwd" };
	static const char *const public[] = { "pubkey", "publickey", "gpgkey" };

	return one_of(w, inside, 5, contains) ||
	       (one_of(w, ends, 5, str_ends) && !one_of(w, public, 3, str_eq));
}

/* "tokenFile", "keyType": the place or type of a secret, not the secret. */
static bool about_secrets(struct str last)
{
	static const char *const words[] = {
		"file",	   "path",	"dir", "directory", "name",   "ref",	  "type",    "kind",
		"size",	   "length",	"bit", "ttl",	    "age",    "second",	  "timeout", "mode",
		"version", "algorithm", "url", "config",    "policy", "provider", "enabled",
	};

	return one_of(last, words, ARRAY_LEN(words), str_eq);
}

static bool secret_name(struct str name)
{
	char text[WORD_MAX];
	struct str w = S("");
	bool secret = false, public = false, about = false;

	for (size_t at = 0; at < name.n;) {
		w = next_word(name, &at, text);
		if (!w.n)
			break;
		secret = secret || secret_word(w);
		public = public || str_is(w, "public");
		about = about_secrets(w);
	}
	return secret && !public && !about;
}

/* ---- values -------------------------------------------------------------- */

static void hide(struct masker *m, struct str value)
{
	m->any = true;
	if (m->found)
		(void)map_put(m->found, value, m);
	buf_addz(&m->out, MC_MASK);
	if (m->known && !map_find(m->known, value))
		buf_addz(&m->out, m->mark);
}

static size_t indent_of(struct str line)
{
	size_t i = 0;

	while (i < line.n && (line.p[i] == ' ' || line.p[i] == '\t'))
		i++;
	return i;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Masks a line except its indent. */
static void hide_line(struct masker *m, struct str line)
{
	size_t i = indent_of(line);

	buf_add(&m->out, str_sub(line, 0, i));
	if (str_trim(line).n)
		hide(m, str_trim(line));
}

/* The offset of the closing quote from at on; line.n when it is not closed. */
static size_t find_close(struct str line, size_t at, struct str quote)
{
	for (; at < line.n; at++) {
		if (line.p[at] == '\\' && quote.p[0] == '"')
			at++;
		else if (str_starts(str_from(line, at), quote)) {
			/* YAML's '' inside of '…' */
			if (!str_is(quote, "'") || at + 1 == line.n || line.p[at + 1] != '\'')
				return at;
			at++;
		}
	}
	return line.n;
}

/* Counts brackets; returns the offset where the last one closes, or line.n. */
static size_t close_nested(struct masker *m, struct str line, size_t at)
{
	for (; at < line.n; at++) {
		char c = line.p[at];

		if (m->inside) {
			if (c == '\\')
				at++;
			else if (c == m->inside)
				m->inside = 0;
		} else if (c == '"' || c == '\'') {
			m->inside = c;
		} else if (c == '{' || c == '[') {
			m->depth++;
		} else if ((c == '}' || c == ']') && --m->depth == 0) {
			return at;
		}
	}
	return line.n;
}

/* One key and where its value is. */
struct place {
	size_t at; /* of the value */
	size_t column; /* of the key */
	bool quoted; /* "key": */
	bool option; /* --key */
	bool yaml; /* "key:" starts the line: the value may continue below it */
};

static size_t quoted_value(struct masker *m, struct str line, size_t at)
{
	struct str rest = str_from(line, at);
	struct str quote = str_starts(rest, S("\"\"\"")) || str_starts(rest, S("'''"))
				   ? str_sub(rest, 0, 3)
				   : str_sub(rest, 0, 1);
	size_t from = at + quote.n, end = find_close(line, from, quote);

	buf_add(&m->out, quote);
	if (end > from)
		hide(m, str_sub(line, from, end));
	if (end == line.n) {
		m->more = MORE_QUOTED;
		/* a view of the caller's text, which outlives the masker */
		m->quote = quote;
	}
	return end;
}

static size_t nested_value(struct masker *m, struct str line, size_t at)
{
	size_t end;

	buf_addc(&m->out, line.p[at]);
	m->depth = 0;
	m->inside = 0;
	end = close_nested(m, line, at);
	if (str_trim(str_sub(line, at + 1, end)).n)
		hide(m, str_trim(str_sub(line, at + 1, end)));
	if (end == line.n)
		m->more = MORE_NESTED;
	return end;
}

/* Values that are never secret, whatever the key. */
static bool harmless(struct str v)
{
	static const char *const words[] = { "true", "false", "yes",  "no", "on",
					     "off",  "null",  "none", "~" };

	return one_of(v, words, ARRAY_LEN(words), str_eq_fold);
}

/* "|", ">-", "|2": the head of a YAML block. */
static bool block_head(struct str v)
{
	if (!v.n || (v.p[0] != '|' && v.p[0] != '>'))
		return false;
	for (size_t i = 1; i < v.n; i++)
		if (v.p[i] != '-' && v.p[i] != '+' && !is_digit(v.p[i]))
			return v.p[i] == ' ' || v.p[i] == '#';
	return true;
}

static bool ends_plain(const struct place *p, char c)
{
	if (p->option)
		return is_space(c) || c == '"' || c == '\'' || c == ',';
	return p->quoted && (c == ',' || c == '}' || c == ']');
}

static size_t plain_value(struct masker *m, struct str line, const struct place *p)
{
	size_t end = p->at, last;
	struct str v;

	while (end < line.n && !ends_plain(p, line.p[end]))
		end++;
	for (last = end; last > p->at && is_space(line.p[last - 1]);)
		last--;
	v = str_sub(line, p->at, last);
	if (harmless(v)) {
		buf_add(&m->out, v);
		return last;
	}
	if (p->yaml) {
		m->more = MORE_INDENTED;
		m->column = p->column;
		m->list = !v.n;
	} else if (!p->option && str_ends(v, S("\\"))) {
		m->more = MORE_JOINED;
	}
	if (block_head(v))
		buf_add(&m->out, v);
	else if (v.n)
		hide(m, v);
	return last;
}

/* Writes the value masked; returns the offset after it. */
static size_t mask_value(struct masker *m, struct str line, const struct place *p)
{
	char c = p->at < line.n ? line.p[p->at] : '\0';

	if (c == '"' || c == '\'')
		return quoted_value(m, line, p->at);
	if ((c == '{' || c == '[') && !p->option)
		return nested_value(m, line, p->at);
	return plain_value(m, line, p);
}

/* ---- lines --------------------------------------------------------------- */

static bool is_in(char c, const char *set)
{
	return c && strchr(set, c);
}

static size_t skip_set(struct str line, size_t at, const char *set)
{
	while (at < line.n && is_in(line.p[at], set))
		at++;
	return at;
}

#define SPACES " \t\r"

/* Whether [from, end) is a key; *out is the place of its value. */
static bool find_value(struct str line, size_t from, size_t end, struct place *out)
{
	size_t at = end;
	char before = from ? line.p[from - 1] : '\0';

	*out = (struct place){ .option = line.p[from] == '-' };
	out->quoted = at < line.n && line.p[at] == before && is_in(before, "\"'");
	out->column = from - out->quoted;
	at = skip_set(line, at + out->quoted, SPACES);
	if (at == line.n)
		return false;
	if (is_in(line.p[at], ":=")) {
		out->yaml = line.p[at] == ':' && !out->option &&
			    skip_set(line, 0, SPACES "-") == out->column;
		at = skip_set(line, skip_set(line, at, ":=>"), SPACES);
	} else if (!out->option || at == end || line.p[at] == '-') {
		return false; /* only "--key value" has no separator */
	}
	out->at = at;
	return true;
}

/* The password of scheme://user:PASSWORD@host; at is the offset after the scheme. */
static bool find_userinfo(struct str line, size_t at, struct str *out)
{
	size_t colon = 0, i = at + 3;

	if (!str_starts(str_from(line, at), S("://")))
		return false;
	for (; i < line.n && !is_in(line.p[i], "@/ \t\"'?#<>"); i++)
		if (line.p[i] == ':' && !colon)
			colon = i + 1;
	if (i == line.n || line.p[i] != '@' || !colon)
		return false;
	*out = str_sub(line, colon, i);
	return out->n > 0;
}

static void mask_line(struct masker *m, struct str line, size_t done)
{
	size_t i = done;

	while (i < line.n && m->more == MORE_NONE) {
		struct place p;
		struct str secret;
		size_t from = i;

		if (!in_name(line.p[i])) {
			i++;
			continue;
		}
		while (i < line.n && in_name(line.p[i]))
			i++;
		if (find_userinfo(line, i, &secret)) {
			size_t at = (size_t)(secret.p - line.p);

			buf_add(&m->out, str_sub(line, done, at));
			hide(m, secret);
			i = done = at + secret.n;
		} else if (find_value(line, from, i, &p) && secret_name(str_sub(line, from, i))) {
			buf_add(&m->out, str_sub(line, done, p.at));
			i = done = mask_value(m, line, &p);
		}
	}
	buf_add(&m->out, str_from(line, done));
}

static bool goes_on(const struct masker *m, struct str line)
{
	size_t indent = indent_of(line);

	if (!str_trim(line).n || indent > m->column)
		return true;
	return m->list && indent == m->column && str_starts(str_from(line, indent), S("-"));
}

/* Masks a line inside of a value, up to the end of the value. */
static void mask_more(struct masker *m, struct str line)
{
	size_t end = 0;

	switch (m->more) {
	case MORE_NONE:
		break;
	case MORE_INDENTED:
		if (goes_on(m, line)) {
			hide_line(m, line);
			return;
		}
		break;
	case MORE_JOINED:
		hide_line(m, line);
		if (!str_ends(str_trim(line), S("\\")))
			m->more = MORE_NONE;
		return;
	case MORE_QUOTED:
		end = find_close(line, 0, m->quote);
		hide_line(m, str_sub(line, 0, end));
		if (end == line.n)
			return;
		break;
	case MORE_NESTED:
		end = close_nested(m, line, 0);
		hide_line(m, str_sub(line, 0, end));
		if (end == line.n)
			return;
		break;
	}
	m->more = MORE_NONE;
	mask_line(m, line, end);
}

static struct str mask(struct masker *m, struct str text)
{
	struct str rest = text, line;

	while (str_line(&rest, &line)) {
		mask_more(m, line);
		if (line.p + line.n < text.p + text.n)
			buf_addc(&m->out, '\n');
	}
	return m->any ? buf_str(&m->out) : text;
}

struct str mc_mask(struct arena *a, struct str text)
{
	struct masker m = { 0 };

	buf_init(&m.out, a);
	return mask(&m, text);
}

static void collect(struct arena *a, struct str text, struct map *found)
{
	struct masker m = { .found = found };

	map_init(found, a);
	buf_init(&m.out, a);
	(void)mask(&m, text);
}

void mc_mask_both(struct arena *a, struct str *before, struct str *after)
{
	struct map old, new;
	struct masker x = { .known = &new, .mark = " (before)" };
	struct masker y = { .known = &old, .mark = " (after)" };

	collect(a, *before, &old);
	collect(a, *after, &new);
	buf_init(&x.out, a);
	buf_init(&y.out, a);
	*before = mask(&x, *before);
	*after = mask(&y, *after);
}
