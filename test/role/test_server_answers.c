/* Answers are built once, and again after their inputs changed. */
#include "../test.h"

#include <fcntl.h>
#include <unistd.h>

#include "data/json.h"
#include "io/clock.h"
#include "io/file.h"
#include "io/log.h"
#include "role/server/server_answers.h"

#define MC "{\"spec\":{\"config\":{\"ignition\":{\"version\":\"3.4.0\"}}}}"
#define CC "{\"spec\":{\"kubeAPIServerServingCAData\":\"Q0E=\"}}"

static const struct semver v35 = { .major = 3, .minor = 5 }, v22 = { .major = 2, .minor = 2 };
static char file[] = "/tmp/mco-answers-XXXXXX";

/* Serves the pool "good", has no pool "gone", and fails for all others. */
struct fake {
	struct origin origin;
	unsigned loads;
};

static int check(struct origin *o, struct str pool, struct err *err)
{
	(void)o;
	return str_is(pool, "never") ? err_set(err, ERR_INVALID, "not served here") : 0;
}

static int load(struct origin *o, struct arena *a, struct str pool, struct serve_in *in,
		struct depends *files, struct err *err)
{
	struct json *mc, *cc;
	struct str text;

	((struct fake *)o)->loads++;
	if (str_is(pool, "gone"))
		return err_set(err, ERR_NOTFOUND, "none");
	if (!str_is(pool, "good"))
		return err_set(err, ERR_INVALID, "broken");
	if (json_parse(a, S(MC), NULL, &mc, err) < 0 || json_parse(a, S(CC), NULL, &cc, err) < 0)
		return -(int)err->code;
	in->config_name = S("rendered");
	in->mc = mc;
	in->controller_config = cc;
	in->kubeconfig = S("clusters: []\n");
	return origin_read(a, file, files, &text, err);
}

static struct fake fake;
static struct answers *answers;

static void setup(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	if (file_replace(file, S("x"), 0600, &err) < 0)
		abort();
	clock_sleep_ms(120); /* a file that was just written is not cached yet */
	fake = (struct fake){ .origin = { .check = check, .load = load } };
	answers = answers_new(&fake.origin);
}

static int get(const char *pool, struct semver v, bool *made)
{
	struct answer *a = answers_get(answers, str_of(pool), v, made);
	int status = a->status;

	answer_unref(a);
	return status;
}

TEST made_once_per_pool_and_version(void)
{
	bool made;

	setup();
	ASSERT_INT(200, get("good", v35, &made));
	ASSERT(made);
	ASSERT_INT(200, get("good", v35, &made));
	ASSERT(!made);
	ASSERT_INT(200, get("good", v22, &made));
	ASSERT(made);
	ASSERT_INT(200, get("good", v35, &made));
	ASSERT(!made);
	ASSERT_INT(2, fake.loads);
	answers_free(answers);
	PASS();
}

TEST made_again_after_a_change(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	setup();
	ASSERT_INT(200, get("good", v35, NULL));
	fake.origin.generation++;
	ASSERT_INT(200, get("good", v35, NULL));
	ASSERT_INT(2, fake.loads);
	ASSERT_INT(0, file_replace(file, S("other"), 0600, &err));
	ASSERT_INT(200, get("good", v35, NULL));
	ASSERT_INT(3, fake.loads);
	ASSERT_INT(0, unlink(file));
	ASSERT_INT(404, get("good", v35, NULL));
	answers_free(answers);
	PASS();
}

TEST an_answer_outlives_its_entry(void)
{
	struct answer *old, *now;

	setup();
	old = answers_get(answers, S("good"), v35, NULL);
	fake.origin.generation++;
	now = answers_get(answers, S("good"), v35, NULL);
	ASSERT(old != now);
	ASSERT(str_eq(old->body, now->body));
	answer_unref(now);
	answers_free(answers);
	ASSERT(old->body.n > 0);
	answer_unref(old);
	PASS();
}

TEST errors_push_out_no_config(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct answer *broken;
	bool made;

	setup();
	ASSERT_INT(200, get("good", v35, NULL));
	ASSERT_INT(404, get("gone", v35, &made));
	ASSERT(made);
	ASSERT_INT(404, get("gone", v35, &made));
	ASSERT(!made);
	for (int i = 0; i < 100; i++)
		ASSERT_INT(500, get(str_fmt(&a, "pool-%d", i).p, v35, NULL));
	ASSERT_INT(200, get("good", v35, &made));
	ASSERT(!made);
	broken = answers_get(answers, S("bad"), v35, NULL);
	ASSERT_STR("couldn't get config for req: {machineConfigPool:bad version:3.5.0}, error: "
		   "broken",
		   broken->why);
	answer_unref(broken);
	answers_free(answers);
	PASS();
}

TEST a_pool_that_is_never_served_is_not_looked_for(void)
{
	bool made;

	setup();
	ASSERT_INT(500, get("never", v35, &made));
	ASSERT(made);
	ASSERT_INT(0, fake.loads);
	answers_free(answers);
	PASS();
}

SUITE(suite)
{
	int fd = mkstemp(file);

	if (fd < 0)
		abort();
	(void)close(fd);
	log_init(0, open("/dev/null", O_WRONLY | O_CLOEXEC));
	RUN_TEST(made_once_per_pool_and_version);
	RUN_TEST(made_again_after_a_change);
	RUN_TEST(an_answer_outlives_its_entry);
	RUN_TEST(errors_push_out_no_config);
	RUN_TEST(a_pool_that_is_never_served_is_not_looked_for);
	(void)unlink(file);
}

TEST_MAIN(suite)
