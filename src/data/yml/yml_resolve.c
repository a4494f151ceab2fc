/*
 * Resolves plain scalars of YAML 1.1 as go-yaml v2 does. The first byte decides which forms are
 * tried.
 */
#include <math.h>

#include "base/rfc3339.h"
#include "yml_node.h"

enum meaning { IS_FALSE, IS_TRUE, IS_NULL, IS_NAN, IS_INF, IS_MINUS_INF };

#define WORD_MAX 5

static const struct {
	char word[WORD_MAX + 1];
	unsigned char meaning;
} words[] = {
	{ "y", IS_TRUE },	   { "Y", IS_TRUE },	      { "yes", IS_TRUE },
	{ "Yes", IS_TRUE },	   { "YES", IS_TRUE },	      { "true", IS_TRUE },
	{ "True", IS_TRUE },	   { "TRUE", IS_TRUE },	      { "on", IS_TRUE },
	{ "On", IS_TRUE },	   { "ON", IS_TRUE },	      { "n", IS_FALSE },
	{ "N", IS_FALSE },	   { "no", IS_FALSE },	      { "No", IS_FALSE },
	{ "NO", IS_FALSE },	   { "false", IS_FALSE },     { "False", IS_FALSE },
	{ "FALSE", IS_FALSE },	   { "off", IS_FALSE },	      { "Off", IS_FALSE },
	{ "OFF", IS_FALSE },	   { "", IS_NULL },	      { "~", IS_NULL },
	{ "null", IS_NULL },	   { "Null", IS_NULL },	      { "NULL", IS_NULL },
	{ ".nan", IS_NAN },	   { ".NaN", IS_NAN },	      { ".NAN", IS_NAN },
	{ ".inf", IS_INF },	   { ".Inf", IS_INF },	      { ".INF", IS_INF },
	{ "+.inf", IS_INF },	   { "+.Inf", IS_INF },	      { "+.INF", IS_INF },
	{ "-.inf", IS_MINUS_INF }, { "-.Inf", IS_MINUS_INF }, { "-.INF", IS_MINUS_INF },
};

static struct yml_value value_of(enum meaning m)
{
	switch (m) {
	case IS_FALSE:
	case IS_TRUE:
		return (struct yml_value){ .type = YML_BOOL, .truth = m == IS_TRUE };
	case IS_NULL:
		return (struct yml_value){ .type = YML_NULL };
	case IS_NAN:
		return (struct yml_value){ .type = YML_FLOAT, .f = NAN };
	case IS_INF:
	case IS_MINUS_INF:
		break;
	}
	return (struct yml_value){ .type = YML_FLOAT, .f = m == IS_INF ? HUGE_VAL : -HUGE_VAL };
}

static bool find_word(struct str s, struct yml_value *out)
{
	if (s.n > WORD_MAX)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (words[i].word[0] == (s.n ? s.p[0] : '\0') && str_is(s, words[i].word)) {
			*out = value_of((enum meaning)words[i].meaning);
			return true;
		}
	return false;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t digits(struct str s, size_t i)
{
	size_t start = i;

	while (i < s.n && is_digit(s.p[i]))
		i++;
	return i - start;
}

/* One or two digits at *i, at most max. */
static bool field(struct str s, size_t *i, int64_t min, int64_t max, int64_t *out)
{
	size_t n = digits(s, *i);

	if (n < 1)
		return false;
	if (n > 2)
		n = 2;
	if (!str_to_i64(str_sub(s, *i, *i + n), out))
		return false;
	*i += n;
	return *out >= min && *out <= max;
}

static bool take_byte(struct str s, size_t *i, char c)
{
	if (*i >= s.n || s.p[*i] != c)
		return false;
	(*i)++;
	return true;
}

/* h:m:s[.frac] */
static bool clock_time(struct str s, size_t *i)
{
	int64_t h, m, sec;

	if (!field(s, i, 0, 23, &h) || !take_byte(s, i, ':') || !field(s, i, 0, 59, &m) ||
	    !take_byte(s, i, ':') || !field(s, i, 0, 59, &sec))
		return false;
	if (*i < s.n && (s.p[*i] == '.' || s.p[*i] == ',')) {
		size_t n = digits(s, *i + 1); /* any number, as Go 1.21 */

		if (n)
			*i += 1 + n;
	}
	return true;
}

static bool zone(struct str s, size_t *i)
{
	int64_t h, m;

	if (take_byte(s, i, 'Z'))
		return true;
	if (*i >= s.n || (s.p[*i] != '+' && s.p[*i] != '-'))
		return false;
	(*i)++;
	return digits(s, *i) == 2 && field(s, i, 0, 24, &h) && take_byte(s, i, ':') &&
	       digits(s, *i) == 2 && field(s, i, 0, 60, &m);
}

static bool is_timestamp(struct str s)
{
	int64_t y, m, d;
	size_t i = 4;

	if (digits(s, 0) != 4 || !str_to_i64(str_sub(s, 0, 4), &y) || !take_byte(s, &i, '-') ||
	    !field(s, &i, 1, 12, &m) || !take_byte(s, &i, '-') || !field(s, &i, 1, 31, &d) ||
	    !rfc3339_is_date(y, m, d))
		return false;
	if (i == s.n)
		return true;
	if (take_byte(s, &i, ' ')) {
		while (take_byte(s, &i, ' ')) /* a space in the layout matches several */
			;
		return clock_time(s, &i) && i == s.n;
	}
	if (!take_byte(s, &i, 'T') && !take_byte(s, &i, 't'))
		return false;
	return clock_time(s, &i) && zone(s, &i) && i == s.n;
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? */
static bool is_float(struct str s)
{
	size_t i = 0, whole, part = 0;

	if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
		i++;
	whole = digits(s, i);
	i += whole;
	if (take_byte(s, &i, '.')) {
		part = digits(s, i);
		i += part;
	}
	if (!whole && !part)
		return false;
	if (i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
		i++;
		if (i < s.n && (s.p[i] == '-' || s.p[i] == '+'))
			i++;
		if (!digits(s, i))
			return false;
		i += digits(s, i);
	}
	return i == s.n;
}

/* s without underscores, in buf; s itself when it has none or is too long. */
static struct str strip_underscores(struct str s, char *buf, size_t room)
{
	size_t n = 0;

	if (str_chr(s, '_') < 0 || s.n > room)
		return s;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '_')
			buf[n++] = s.p[i];
	return (struct str){ buf, n };
}

/* "0b" and "-0b" followed by another sign, as old versions allowed. */
static bool odd_binary(struct str s, struct num_int *out)
{
	bool neg = str_starts(s, S("-0b"));
	struct num_int v = { .neg = neg };

	if (!neg && !str_starts(s, S("0b")))
		return false;
	s = str_from(s, neg ? 3 : 2);
	if (!neg && s.n && (s.p[0] == '-' || s.p[0] == '+')) {
		v.neg = s.p[0] == '-';
		s = str_from(s, 1);
	}
	if (!s.n)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if ((s.p[i] != '0' && s.p[i] != '1') || v.abs >> 63)
			return false;
		v.abs = v.abs << 1 | (uint64_t)(s.p[i] - '0');
	}
	if (v.neg && v.abs > (uint64_t)1 << 63)
		return false;
	*out = v;
	return true;
}

/* Numbers with underscores that are longer than this are strings. */
#define NUMBER_MAX 4096

static struct yml_value number(struct str tag, struct str text)
{
	struct yml_value v = { .type = YML_STR };
	char buf[NUMBER_MAX];
	struct str plain;

	if ((!tag.n || str_is(tag, YML_TAG("timestamp"))) && is_timestamp(text)) {
		v.type = YML_TIMESTAMP;
		return v;
	}
	plain = strip_underscores(text, buf, sizeof(buf));
	/* ParseUint takes no sign, so a signed number must fit int64 */
	if ((num_parse_int(plain, &v.i) && !(plain.p[0] == '+' && v.i.abs > INT64_MAX)) ||
	    odd_binary(plain, &v.i))
		v.type = YML_INT;
	else if (is_float(plain) && num_parse_float(plain, &v.f))
		v.type = YML_FLOAT;
	return v;
}

/* A scalar with another first byte is a string. */
static bool may_mean(char c)
{
	switch (c) {
	case '+':
	case '-':
	case '.':
	case '~':
	case 'y':
	case 'Y':
	case 'n':
	case 'N':
	case 't':
	case 'T':
	case 'f':
	case 'F':
	case 'o':
	case 'O':
		return true;
	default:
		return is_digit(c);
	}
}

struct yml_value yml_resolve(struct str tag, struct str text)
{
	struct yml_value v = { .type = YML_STR };
	char c = text.n ? text.p[0] : '~';

	if (!may_mean(c) || str_is(tag, YML_TAG("str")))
		return v;
	if (find_word(text, &v))
		return v;
	if (c == '.') {
		if (num_parse_float(text, &v.f))
			v.type = YML_FLOAT;
		return v;
	}
	if (is_digit(c) || c == '+' || c == '-')
		return number(tag, text);
	return v;
}

/* [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)? */
static bool is_base60(struct str s)
{
	size_t i = 0, groups = 0;

	if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
		i++;
	if (i >= s.n || !is_digit(s.p[i]))
		return false;
	while (i < s.n && (is_digit(s.p[i]) || s.p[i] == '_'))
		i++;
	while (take_byte(s, &i, ':')) {
		size_t n = digits(s, i);

		if (n < 1 || n > 2 || (n == 2 && s.p[i] > '5'))
			return false;
		i += n;
		groups++;
	}
	if (take_byte(s, &i, '.'))
		while (i < s.n && (is_digit(s.p[i]) || s.p[i] == '_'))
			i++;
	return groups && i == s.n;
}

bool yml_plain_is_string(struct str text)
{
	return yml_resolve(S(""), text).type == YML_STR && !is_base60(text);
}

const char *yml_type_name(enum yml_type type)
{
	switch (type) {
	case YML_STR:
		return "!!str";
	case YML_NULL:
		return "!!null";
	case YML_BOOL:
		return "!!bool";
	case YML_INT:
		return "!!int";
	case YML_FLOAT:
		return "!!float";
	case YML_TIMESTAMP:
		return "!!timestamp";
	}
	return "";
}
