/*
 * Command-line parsing. Arguments are read first; environment variables then set the
 * flags that were not given. Options are written while reading: after an error they are
 * partly set.
 */
#include "base/flag.h"

const char *flag_name(const struct flag *f)
{
	return f->texts;
}

const char *flag_value(const struct flag *f)
{
	return f->texts + strlen(f->texts) + 1;
}

const char *flag_purpose(const struct flag *f)
{
	const char *value = flag_value(f);

	return value + strlen(value) + 1;
}

struct reader {
	struct arena *a;
	const struct flag_parse *p;
	int argc, at;
	char **argv;
	struct strs *words;
	struct strs given; /* names of flags that were given */
	struct err *err;
};

static bool same_name(struct str typed, const char *name)
{
	struct str s = str_of(name);

	if (typed.n != s.n)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != (typed.p[i] == '_' ? '-' : typed.p[i]))
			return false;
	return true;
}

static const struct flag *find_in(const struct flag_table *t, struct str name, char letter,
				  void **opts)
{
	for (const struct flag *f = t->flags; f->texts; f++) {
		struct flag_table inner = { f->group, (char *)t->opts + f->offset };

		if (f->kind == FLAG_GROUP) {
			const struct flag *in = find_in(&inner, name, letter, opts);

			if (in)
				return in;
		} else if (letter ? f->letter == letter : same_name(name, flag_name(f))) {
			*opts = t->opts;
			return f;
		}
	}
	return NULL;
}

static const struct flag *find_flag(const struct reader *r, struct str name, char letter,
				    void **opts)
{
	const struct flag *f = NULL;

	for (const struct flag_table *t = r->p->tables; t->flags && !f; t++)
		f = find_in(t, name, letter, opts);
	return f;
}

/*
 * True for an unknown flag when flags of newer releases are skipped. The next argument
 * is taken as its value unless it looks like a flag, as pflag does.
 */
static bool pass_over(struct reader *r, struct str name, bool has_value, const char *near)
{
	if (!r->p->unknown || (near && flag_slip(name, str_of(near))))
		return false;
	VEC_PUSH(r->a, r->p->unknown, name);
	if (!has_value && r->at < r->argc && r->argv[r->at][0] != '-')
		r->at++;
	return true;
}

struct names {
	const char **v;
	size_t n, cap;
};

static void shown_names(struct arena *a, const struct flag *f, struct names *out)
{
	for (; f->texts; f++)
		if (f->kind == FLAG_GROUP)
			shown_names(a, f->group, out);
		else if (!f->hidden)
			VEC_PUSH(a, out, flag_name(f));
}

static int unknown(struct reader *r, struct str name, bool has_value)
{
	struct names names = { 0 };
	const char *near;

	for (const struct flag_table *t = r->p->tables; t->flags; t++)
		shown_names(r->a, t->flags, &names);
	VEC_PUSH(r->a, &names, NULL);
	near = flag_nearest(name, names.v);
	if (pass_over(r, name, has_value, near))
		return 0;
	if (near)
		return err_set(r->err, ERR_INVALID, "unknown flag: --%.*s (did you mean --%s?)",
			       STRF(name), near);
	return err_set(r->err, ERR_INVALID, "unknown flag: --%.*s", STRF(name));
}

static bool parse_bool(struct str s, bool *out)
{
	static const char *const yes[] = { "1", "t", "T", "true", "TRUE", "True" };
	static const char *const no[] = { "0", "f", "F", "false", "FALSE", "False" };

	for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
		if (str_is(s, yes[i]) || str_is(s, no[i])) {
			*out = str_is(s, yes[i]);
			return true;
		}
	}
	return false;
}

static int bad_value(struct reader *r, const struct flag *f, struct str v, const char *source,
		     const char *want)
{
	return err_set(r->err, ERR_INVALID, "invalid argument \"%.*s\" for %s: %s", STRF(v), source,
		       want ? want : flag_value(f));
}

/* One line: the fault, the likely meaning, the known choices. */
static int bad_choice(struct reader *r, const struct flag *f, struct str v, struct str near,
		      const char *source)
{
	struct buf b;

	buf_init(&b, r->a);
	if (strcmp(flag_name(f), "output") == 0)
		buf_addf(&b, "unknown output format \"%.*s\"", STRF(v));
	else
		buf_addf(&b, "invalid argument \"%.*s\" for %s", STRF(v), source);
	if (near.n)
		buf_addf(&b, " (did you mean %.*s?)", STRF(near));
	buf_addz(&b, ": use ");
	flag_choices(&b, f->choices);
	return err_set(r->err, ERR_INVALID, "%s", b.p);
}

/* source names the flag or the variable in messages. */
static int store_value(struct reader *r, const struct flag *f, void *opts, struct str v,
		       const char *source)
{
	char *field = (char *)opts + f->offset;
	struct str near;

	switch ((enum flag_kind)f->kind) {
	case FLAG_BOOL:
		if (!parse_bool(v, (bool *)field))
			return bad_value(r, f, v, source, "must be true or false");
		return 0;
	case FLAG_CHOICE:
		if (!flag_choose(f->choices, v, &near))
			return bad_choice(r, f, v, near, source);
		*(struct str *)field = v;
		return 0;
	case FLAG_STR:
		*(struct str *)field = v;
		return 0;
	case FLAG_STRS:
		VEC_PUSH(r->a, (struct strs *)field, v);
		return 0;
	case FLAG_INT:
	case FLAG_COUNT:
		if (!str_to_i64(v, (int64_t *)field))
			return bad_value(r, f, v, source, "must be a whole number");
		return 0;
	case FLAG_DURATION:
		if (!flag_duration(v, (int64_t *)field))
			return bad_value(r, f, v, source,
					 "must be a duration such as 90s or 1h30m");
		return 0;
	case FLAG_SIZE:
		if (!flag_size(v, (int64_t *)field))
			return bad_value(r, f, v, source,
					 "must be a size such as 512, 64Ki or 10M");
		return 0;
	case FLAG_GROUP: /* never found */
		return 0;
	}
	return 0;
}

static bool all_digits(const char *z)
{
	return *z && z[strspn(z, "0123456789")] == '\0';
}

/* A flag whose value did not come with it: the next word, or none needed. */
static int without_value(struct reader *r, const struct flag *f, void *opts, const char *source)
{
	char *field = (char *)opts + f->offset;
	const char *next = r->at < r->argc ? r->argv[r->at] : NULL;

	if (f->kind == FLAG_BOOL) {
		*(bool *)field = true;
		return 0;
	}
	if (f->kind == FLAG_COUNT && !(next && all_digits(next))) {
		++*(int64_t *)field;
		return 0;
	}
	if (!next)
		return err_set(r->err, ERR_INVALID, "flag needs an argument: %s", source);
	r->at++;
	return store_value(r, f, opts, str_of(next), source);
}

static int long_flag(struct reader *r, struct str arg)
{
	struct str name = arg, v;
	bool has_value = str_cut(arg, '=', &name, &v);
	void *opts = NULL;
	const struct flag *f = find_flag(r, name, 0, &opts);
	const char *source;

	if (!f)
		return unknown(r, name, has_value);
	source = str_fmt(r->a, "--%s", flag_name(f)).p;
	VEC_PUSH(r->a, &r->given, str_of(flag_name(f)));
	return has_value ? store_value(r, f, opts, v, source) : without_value(r, f, opts, source);
}

/* "-abc": letters in a row, until one takes the rest as its value. */
static int parse_letters(struct reader *r, const char *arg)
{
	int rc = 0;

	for (const char *c = arg; *c && rc == 0; c++) {
		void *opts = NULL;
		const struct flag *f = find_flag(r, S(""), *c, &opts);
		const char *source = str_fmt(r->a, "-%c", *c).p;

		if (!f)
			return err_set(r->err, ERR_INVALID, "unknown shorthand flag: '%c' in -%s",
				       *c, arg);
		VEC_PUSH(r->a, &r->given, str_of(flag_name(f)));
		if (c[1] == '=')
			return store_value(r, f, opts, str_of(c + 2), source);
		if (f->kind == FLAG_COUNT && all_digits(c + 1))
			return store_value(r, f, opts, str_of(c + 1), source);
		if (c[1] && f->kind != FLAG_BOOL && f->kind != FLAG_COUNT)
			return store_value(r, f, opts, str_of(c + 1), source);
		if (c[1] && f->kind == FLAG_BOOL) {
			*(bool *)((char *)opts + f->offset) = true;
			continue;
		}
		if (c[1])
			++*(int64_t *)((char *)opts + f->offset);
		else
			rc = without_value(r, f, opts, source);
	}
	return rc;
}

/* -pool most likely means --pool. */
static int wrong_letters(struct reader *r, const char *arg, int rc)
{
	struct str name = str_of(arg), v;
	void *opts = NULL;
	const struct flag *f;

	(void)str_cut(name, '=', &name, &v);
	f = find_flag(r, name, 0, &opts);
	if (!f || f->hidden || name.n < 2)
		return rc;
	return err_set(r->err, ERR_INVALID, "%s (did you mean --%s?)", str_z(r->a, r->err->msg),
		       flag_name(f));
}

static bool was_given(const struct reader *r, const char *name)
{
	for (size_t i = 0; i < r->given.n; i++)
		if (str_is(r->given.v[i], name))
			return true;
	return false;
}

static int from_env(struct reader *r, const struct flag_table *t)
{
	int rc = 0;

	for (const struct flag *f = t->flags; f->texts && rc == 0; f++) {
		struct flag_table inner = { f->group, (char *)t->opts + f->offset };
		const char *v;

		if (f->kind == FLAG_GROUP) {
			rc = from_env(r, &inner);
			continue;
		}
		if (f->kind == FLAG_CHOICE || !f->env || was_given(r, flag_name(f)))
			continue;
		v = r->p->env(r->p->env_ctx, f->env);
		if (v && *v)
			rc = store_value(r, f, t->opts, str_of(v), f->env);
	}
	return rc;
}

int flag_parse(struct arena *a, const struct flag_parse *p, int argc, char **argv,
	       struct strs *words, struct err *err)
{
	struct reader r = {
		.a = a, .p = p, .argc = argc, .argv = argv, .words = words, .err = err
	};
	int rc = 0;

	while (r.at < argc && rc == 0) {
		const char *arg = argv[r.at++];

		if (strcmp(arg, "--") == 0)
			break;
		if (strncmp(arg, "--", 2) == 0) {
			rc = long_flag(&r, str_of(arg + 2));
		} else if (arg[0] == '-' && arg[1]) {
			rc = parse_letters(&r, arg + 1);
			if (rc < 0)
				rc = wrong_letters(&r, arg + 1, rc);
		} else {
			VEC_PUSH(a, words, str_of(arg));
			if (p->stop_at_word)
				break;
		}
	}
	while (r.at < argc && rc == 0)
		VEC_PUSH(a, words, str_of(argv[r.at++]));
	for (const struct flag_table *t = p->tables; p->env && t->flags && rc == 0; t++)
		rc = from_env(&r, t);
	return rc;
}
