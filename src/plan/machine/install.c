/*
 * Parses [Install] sections as systemd does: lists add up, an empty value resets one.
 */
#include "plan/install.h"

struct str install_template(struct arena *a, struct str unit, struct str *instance)
{
	ptrdiff_t at = str_chr(unit, '@'), dot = str_rchr(unit, '.');

	*instance = S("");
	if (at < 0 || dot < at)
		return S("");
	*instance = str_sub(unit, (size_t)at + 1, (size_t)dot);
	return str_fmt(a, "%.*s@%.*s", (int)at, unit.p, STRF(str_from(unit, (size_t)dot)));
}

/* Expands %i, %n, %p and the other specifiers that depend only on the unit's name. */
static struct str expand(struct arena *a, struct str word, struct str unit)
{
	struct str instance;
	ptrdiff_t dot = str_rchr(unit, '.'), at = str_chr(unit, '@');
	size_t stem = dot < 0 ? unit.n : (size_t)dot;
	struct buf b;

	(void)install_template(a, unit, &instance);
	buf_init(&b, a);
	for (size_t i = 0; i < word.n; i++) {
		if (word.p[i] != '%' || i + 1 == word.n) {
			buf_addc(&b, word.p[i]);
			continue;
		}
		switch (word.p[++i]) {
		case 'i':
			buf_add(&b, instance);
			break;
		case 'n':
			buf_add(&b, unit);
			break;
		case 'N':
			buf_add(&b, str_sub(unit, 0, stem));
			break;
		case 'p':
			buf_add(&b, str_sub(unit, 0, at > 0 ? (size_t)at : stem));
			break;
		default:
			buf_addc(&b, word.p[i]);
		}
	}
	return buf_str(&b);
}

static void add_words(struct arena *a, struct str value, struct str unit, struct strs *out)
{
	size_t i = 0;

	if (!value.n)
		out->n = 0; /* an empty value resets the list */
	while (i < value.n) {
		size_t start;

		while (i < value.n && (value.p[i] == ' ' || value.p[i] == '\t'))
			i++;
		for (start = i; i < value.n && value.p[i] != ' ' && value.p[i] != '\t'; i++)
			;
		if (i > start)
			VEC_PUSH(a, out, expand(a, str_sub(value, start, i), unit));
	}
}

void install_parse(struct arena *a, struct str text, struct str unit, struct install *out)
{
	struct {
		const char *key;
		struct strs *to;
	} keys[] = {
		{ "WantedBy", &out->wanted }, { "RequiredBy", &out->required },
		{ "UpheldBy", &out->upheld }, { "Alias", &out->alias },
		{ "Also", &out->also },
	};
	struct str line, key, value;
	bool inside = false;

	while (str_line(&text, &line)) {
		struct buf b;

		buf_init(&b, a);
		while (line.n && line.p[line.n - 1] == '\\') {
			buf_add(&b, str_sub(line, 0, line.n - 1));
			buf_addc(&b, ' ');
			if (!str_line(&text, &line))
				line = S("");
		}
		buf_add(&b, line);
		line = str_trim(buf_str(&b));
		if (line.n && line.p[0] == '[') {
			inside = str_is(line, "[Install]");
			continue;
		}
		if (!inside || !line.n || line.p[0] == '#' || line.p[0] == ';' ||
		    !str_cut(line, '=', &key, &value))
			continue;
		key = str_trim(key);
		value = str_trim(value);
		for (size_t i = 0; i < ARRAY_LEN(keys); i++)
			if (str_is(key, keys[i].key))
				add_words(a, value, unit, keys[i].to);
		if (str_is(key, "DefaultInstance"))
			out->instance = expand(a, value, unit);
	}
}

bool install_is_links_dir(struct str name)
{
	return str_ends(name, S(".wants")) || str_ends(name, S(".requires")) ||
	       str_ends(name, S(".upholds"));
}
