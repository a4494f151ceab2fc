/*
 * The Ignition engine: properties that hold for any config, tested on generated
 * configs, and examples of merging.
 */
#include "generate.h"

#include "base/map.h"

#define CONFIGS 10000

static struct str text_of(struct arena *a, const struct ign_obj *o)
{
	struct buf b;

	buf_init(&b, a);
	json_encode(&b, ign_encode(a, o), 0);
	return buf_str(&b);
}

static struct ign_obj *fold(struct arena *a, struct ign_obj **list, size_t n)
{
	struct ign_objs all = { 0 };

	for (size_t i = 0; i < n; i++)
		VEC_PUSH(a, &all, list[i]);
	return ign_fold(a, &all);
}

/* Keys are unique in every keyed list, as validation requires. */
static void without_duplicates(struct arena *a, struct ign_obj *o)
{
	struct map grouped;

	map_init(&grouped, a);
	for (size_t i = 0; i < o->type->n; i++) {
		const struct ign_field *f = &o->type->fields[i];
		struct ign_val *v = &o->v[i];
		struct map own, *seen = f->flags & IGN_GROUPED ? &grouped : &own;
		size_t n = 0;

		map_init(&own, a);
		if (f->kind == IGN_OBJ && v->u.o)
			without_duplicates(a, v->u.o);
		if (f->flags & IGN_CONCAT)
			continue;
		for (size_t k = 0; f->kind == IGN_STRS && k < v->u.strs.n; k++)
			if (map_put(seen, v->u.strs.v[k], o))
				v->u.strs.v[n++] = v->u.strs.v[k];
		if (f->kind == IGN_STRS)
			v->u.strs.n = n;
		for (size_t k = 0; f->kind == IGN_OBJS && k < v->u.objs.n; k++) {
			without_duplicates(a, v->u.objs.v[k]);
			if (map_put(seen, ign_key(a, v->u.objs.v[k]), o))
				v->u.objs.v[n++] = v->u.objs.v[k];
		}
		if (f->kind == IGN_OBJS)
			v->u.objs.n = n;
	}
}

static struct ign_obj *make(struct arena *a, struct test_rng *r)
{
	struct ign_obj *o = generate(a, r, &ign_type_CONFIG);

	without_duplicates(a, o);
	return o;
}

/* No list whose entries move between lists, and no header that removes another. */
static void simple(struct ign_obj *o)
{
	for (size_t i = 0; o && i < o->type->n; i++) {
		const struct ign_field *f = &o->type->fields[i];

		if (f->flags & (IGN_GROUPED | IGN_DROP_UNSET))
			o->v[i] = (struct ign_val){ 0 };
		if (f->kind == IGN_OBJ)
			simple(o->v[i].u.o);
		for (size_t k = 0; f->kind == IGN_OBJS && k < o->v[i].u.objs.n; k++)
			simple(o->v[i].u.objs.v[k]);
	}
}

TEST merging_with_nothing_changes_nothing(void)
{
	struct test_rng rng = { 1 };

	for (int i = 0; i < CONFIGS; i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct ign_obj *x = make(&a, &rng);
		struct ign_obj *none = ign_new(&a, &ign_type_CONFIG);
		struct ign_obj *both[2] = { x, none };
		struct str want = text_of(&a, x);

		ASSERT_STR_M("x + nothing", want, text_of(&a, fold(&a, both, 2)));
		both[0] = none;
		both[1] = x;
		ASSERT_STR_M("nothing + x", want, text_of(&a, fold(&a, both, 2)));
		ASSERT(ign_eq(x, x));
		ASSERT_STR_M("x is not changed", want, text_of(&a, x));
	}
	PASS();
}

TEST a_fold_is_merges_one_after_the_other(void)
{
	struct test_rng rng = { 2 };

	for (int i = 0; i < CONFIGS / 2; i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct ign_obj *l[4], *two[2];

		for (int k = 0; k < 4; k++)
			l[k] = make(&a, &rng);
		two[0] = l[0];
		for (int k = 1; k < 4; k++) {
			two[1] = l[k];
			two[0] = fold(&a, two, 2);
		}
		ASSERT_STR_M("fold", text_of(&a, two[0]), text_of(&a, fold(&a, l, 4)));
	}
	PASS();
}

TEST merging_is_associative_where_nothing_moves(void)
{
	struct test_rng rng = { 3 };

	for (int i = 0; i < CONFIGS / 2; i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct ign_obj *l[3], *left[2], *right[2];

		for (int k = 0; k < 3; k++) {
			l[k] = make(&a, &rng);
			simple(l[k]);
		}
		left[0] = fold(&a, l, 2);
		left[1] = l[2];
		right[0] = l[0];
		right[1] = fold(&a, l + 1, 2);
		ASSERT_STR_M("(x + y) + z", text_of(&a, fold(&a, right, 2)),
			     text_of(&a, fold(&a, left, 2)));
	}
	PASS();
}

TEST merging_twice_is_merging_once(void)
{
	struct test_rng rng = { 4 };

	for (int i = 0; i < CONFIGS / 2; i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct ign_obj *l[3];
		struct str once;

		l[0] = make(&a, &rng);
		l[1] = l[2] = make(&a, &rng);
		/* merging appends appended contents a second time */
		for (size_t k = 0; k < 2; k++) {
			const struct ign_objs *f = ign_files(l[k]);
			struct ign_obj *s = l[k]->v[IGN_CONFIG_STORAGE].u.o;

			for (size_t n = 0; n < f->n; n++)
				f->v[n]->v[IGN_FILE_APPEND] = (struct ign_val){ 0 };
			if (!s)
				continue;
			s->v[IGN_STORAGE_FILESYSTEMS] = (struct ign_val){ 0 };
			s->v[IGN_STORAGE_RAID] = (struct ign_val){ 0 };
			s->v[IGN_STORAGE_LUKS] = (struct ign_val){ 0 };
		}
		simple(l[0]);
		simple(l[1]);
		once = text_of(&a, fold(&a, l, 2));
		ASSERT_STR_M("x + y + y", once, text_of(&a, fold(&a, l, 3)));
	}
	PASS();
}

/* parse(encode(x)) == x for configs that parse; the others fail with a report. */
TEST what_is_written_reads_back(void)
{
	struct test_rng rng = { 5 };
	int valid = 0;

	for (int i = 0; i < CONFIGS; i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct ign_obj *x = i % 4 ? make(&a, &rng) : ign_empty(&a), *y;

		/* few fields, so that some configs are valid */
		if (i % 4 == 0 && test_rand(&rng, 2))
			x->v[IGN_CONFIG_PASSWD].u.o = generate(&a, &rng, &ign_type_PASSWD);
		if (i % 4 == 0)
			without_duplicates(&a, x);
		if (ign_parse_35(&a, text_of(&a, x), &y, &err) < 0) {
			ASSERT(err.msg.n > 0);
			continue;
		}
		valid++;
		ASSERT_STR_M("read back", text_of(&a, x), text_of(&a, y));
	}
	ASSERT(valid > CONFIGS / 20);
	PASS();
}

TEST down_and_up_again(void)
{
	static const char *const versions[] = { "3.4.0", "3.3.0", "3.2.0", "3.1.0" };
	struct test_rng rng = { 6 };
	int converted = 0;

	for (int i = 0; i < 2000; i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct ign_obj *x = ign_empty(&a), *back;
		struct ign_obj *p = generate(&a, &rng, &ign_type_PASSWD);
		struct semver v;
		struct json *j;
		struct buf b;

		without_duplicates(&a, p);
		x->v[IGN_CONFIG_PASSWD].u.o = p;
		ASSERT(semver_parse(str_of(versions[i % 4]), &v));
		if (ign_down(&a, x, v, &j, &err) < 0)
			continue;
		converted++;
		buf_init(&b, &a);
		json_encode(&b, j, 0);
		ASSERT_INT(0, ign_parse_35(&a, buf_str(&b), &back, &err));
		if (v.minor >= 2) /* 3.1 has no shouldExist: true */
			ASSERT_STR_M(versions[i % 4], text_of(&a, x), text_of(&a, back));
	}
	ASSERT(converted > 500);
	PASS();
}

/* ---- by example ---------------------------------------------------------- */

#define V "{\"ignition\":{\"version\":\"3.5.0\"},"

TEST merges(void)
{
	static const struct {
		const char *name, *x, *y, *want;
	} cases[] = {
		{ "a set empty value counts as set",
		  V "\"passwd\":{\"users\":[{\"name\":\"core\",\"shell\":\"/bin/sh\"}]}}",
		  V "\"passwd\":{\"users\":[{\"name\":\"core\",\"shell\":\"\"}]}}",
		  V "\"passwd\":{\"users\":[{\"name\":\"core\",\"shell\":\"\"}]}}" },
		{ "keys of a user are joined once",
		  V
		  "\"passwd\":{\"users\":[{\"name\":\"core\",\"sshAuthorizedKeys\":[\"a\",\"b\"]}]}}",
		  V
		  "\"passwd\":{\"users\":[{\"name\":\"core\",\"sshAuthorizedKeys\":[\"c\",\"a\"]}]}}",
		  V
		  "\"passwd\":{\"users\":[{\"name\":\"core\",\"sshAuthorizedKeys\":[\"a\",\"b\",\"c\"]}]}}" },
		{ "a directory takes a file's place",
		  V "\"storage\":{\"files\":[{\"path\":\"/a\"},{\"path\":\"/b\"}]}}",
		  V "\"storage\":{\"directories\":[{\"path\":\"/a\"}]}}",
		  V
		  "\"storage\":{\"directories\":[{\"path\":\"/a\"}],\"files\":[{\"path\":\"/b\"}]}}" },
		{ "kernel arguments move between their lists",
		  V
		  "\"kernelArguments\":{\"shouldExist\":[\"a=1\",\"b=2\"],\"shouldNotExist\":[\"c=3\"]}}",
		  V
		  "\"kernelArguments\":{\"shouldExist\":[\"d=4\",\"c=3\"],\"shouldNotExist\":[\"a=1\"]}}",
		  V
		  "\"kernelArguments\":{\"shouldExist\":[\"b=2\",\"d=4\",\"c=3\"],\"shouldNotExist\":[\"a=1\"]}}" },
		{ "a header without a value removes",
		  V
		  "\"storage\":{\"files\":[{\"path\":\"/f\",\"contents\":{\"source\":\"https://h\",\"httpHeaders\":[{\"name\":\"A\",\"value\":\"1\"},{\"name\":\"B\",\"value\":\"2\"}]}}]}}",
		  V
		  "\"storage\":{\"files\":[{\"path\":\"/f\",\"contents\":{\"source\":\"https://h\",\"httpHeaders\":[{\"name\":\"B\"},{\"name\":\"C\",\"value\":\"3\"}]}}]}}",
		  V
		  "\"storage\":{\"files\":[{\"path\":\"/f\",\"contents\":{\"httpHeaders\":[{\"name\":\"A\",\"value\":\"1\"},{\"name\":\"C\",\"value\":\"3\"}],\"source\":\"https://h\"}}]}}" },
		{ "appended lists keep duplicates",
		  V
		  "\"storage\":{\"files\":[{\"path\":\"/f\",\"append\":[{\"source\":\"data:,a\"}]}]}}",
		  V
		  "\"storage\":{\"files\":[{\"path\":\"/f\",\"append\":[{\"source\":\"data:,a\"}]}]}}",
		  V
		  "\"storage\":{\"files\":[{\"path\":\"/f\",\"append\":[{\"source\":\"data:,a\"},{\"source\":\"data:,a\"}]}]}}" },
		{ "dropins of a unit are joined",
		  V
		  "\"systemd\":{\"units\":[{\"name\":\"u.service\",\"dropins\":[{\"name\":\"a.conf\",\"contents\":\"\"}]}]}}",
		  V
		  "\"systemd\":{\"units\":[{\"name\":\"u.service\",\"enabled\":false,\"dropins\":[{\"name\":\"b.conf\"}]}]}}",
		  V
		  "\"systemd\":{\"units\":[{\"dropins\":[{\"contents\":\"\",\"name\":\"a.conf\"},{\"name\":\"b.conf\"}],\"enabled\":false,\"name\":\"u.service\"}]}}" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = ERR_INIT(&a);
		struct ign_obj *two[2];

		if (ign_parse_35(&a, str_of(cases[i].x), &two[0], &err) < 0 ||
		    ign_parse_35(&a, str_of(cases[i].y), &two[1], &err) < 0)
			FAILm(cases[i].name);
		ASSERT_STR_M(cases[i].name, str_of(cases[i].want), text_of(&a, fold(&a, two, 2)));
	}
	PASS();
}

/* How the version is read, and the message for what is not a version. */
TEST versions(void)
{
	static const struct {
		const char *version, *want; /* want: NULL when it is accepted */
	} cases[] = {
		{ "\"3.5.0\"", NULL },	    { "\"3.0.0\"", NULL },
		{ "\"3.05.0\"", NULL },	    { "\"2.2.0\"", NULL },
		{ "\"2.0.0\"", NULL },	    { "\"3.6.0\"", "unknown" },
		{ "\"3.5.1\"", "unknown" }, { "\"3.5.0-x\"", "unknown" },
		{ "\"2.3.0\"", "unknown" }, { "\"1.0.0\"", "unknown" },
		{ "\"4.0.0\"", "unknown" }, { "\"3.5\"", "invalid" },
		{ "\"3\"", "invalid" },	    { "\"\"", "invalid" },
		{ "null", "invalid" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = ERR_INIT(&a);
		struct ign_parsed p;
		struct str text = str_fmt(&a, "{\"ignition\":{\"version\":%s}}", cases[i].version);
		int rc = ign_parse(&a, text, &p, &err);

		ASSERT_INT_M(cases[i].version, cases[i].want ? -ERR_INVALID : 0, rc);
		if (cases[i].want)
			ASSERT_STR_M(
				cases[i].version,
				str_fmt(&a,
					"parsing Ignition config failed: %s version. Supported spec versions: 2.2,3.0,3.1,3.2,3.3,3.4,3.5",
					cases[i].want),
				err.msg);
	}
	PASS();
}

/* Parsing from a JSON tree gives the same config as parsing from text. */
TEST trees_and_texts_say_the_same(void)
{
	static const struct {
		const char *config;
		bool taken;
	} cases[] = {
		{ "{\"ignition\":{\"version\":\"3.5.0\"}}", true },
		{ "{\"ignition\":{\"version\":\"3.2.0\"},\"storage\":{\"files\":[{\"path\":\"/etc/a\",\"mode\":1023}]}}",
		  true },
		{ "{\"ignition\":{\"version\":\"3.5.0\"},\"unknown\":1}", true },
		{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"files\":[{\"path\":\"/a\",\"path\":\"/b\"}]}}",
		  true },
		{ "{\"ignition\":{\"version\":\"3.5.0\"},\"passwd\":null}", true },
		/* the order in the text decides which spelling of the key wins */
		{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"files\":[{\"Path\":\"/a\",\"path\":\"/b\"}]}}",
		  false },
		{ "{\"ignition\":{\"version\":\"2.2.0\"}}", false },
		{ "{\"ignition\":{\"version\":\"3.6.0\"}}", false },
		{ "{\"ignition\":{\"version\":3}}", false },
		{ "{}", false },
		{ "[]", false },
		{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"files\":[{\"path\":7}]}}",
		  false },
		{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"files\":[{\"path\":\"a\"}]}}",
		  false },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str text = str_of(cases[i].config);
		struct err err = ERR_INIT(&a);
		struct ign_parsed p, q;
		struct json *tree;

		ASSERT_INT(0, json_parse(&a, text, NULL, &tree, &err));
		ASSERT_INT_M(cases[i].config, cases[i].taken, ign_take(&a, tree, &p));
		if (!cases[i].taken)
			continue;
		ASSERT_INT(0, ign_parse(&a, text, &q, &err));
		ASSERT_INT(q.minor, p.minor);
		ASSERT(ign_eq(q.config, p.config));
	}
	PASS();
}

/* YAML's !!binary can produce bytes that are not UTF-8. */
TEST mended_bytes_are_not_taken(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct ign_parsed p;
	struct json *tree;

	ASSERT_INT(0, json_parse(&a,
				 S("{\"ignition\":{\"version\":\"3.5.0\"},"
				   "\"storage\":{\"files\":[{\"path\":\"/a\"}]}}"),
				 NULL, &tree, &err));
	ASSERT(ign_take(&a, tree, &p));
	json_set(json_first(json_at(tree, "storage.files")), S("path"),
		 json_new_str(&a, S("/\xFF")));
	ASSERT(!ign_take(&a, tree, &p));
	PASS();
}

SUITE(suite)
{
	RUN_TEST(trees_and_texts_say_the_same);
	RUN_TEST(mended_bytes_are_not_taken);
	RUN_TEST(merging_with_nothing_changes_nothing);
	RUN_TEST(a_fold_is_merges_one_after_the_other);
	RUN_TEST(merging_is_associative_where_nothing_moves);
	RUN_TEST(merging_twice_is_merging_once);
	RUN_TEST(what_is_written_reads_back);
	RUN_TEST(down_and_up_again);
	RUN_TEST(merges);
	RUN_TEST(versions);
}

TEST_MAIN(suite)
