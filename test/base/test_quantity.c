#include "../test.h"

#include "base/duration.h"
#include "base/quantity.h"

#define FORM                                            \
	"quantities must match the regular expression " \
	"'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
#define SUFFIX "unable to parse quantity's suffix"

struct quantity_case {
	const char *in, *text;
	int sign;
	int64_t value;
	const char *err;
};

static const struct quantity_case quantities[] = {
	{ "12G", "12G", 1, 12000000000, NULL },
	{ "64Ki", "64Ki", 1, 65536, NULL },
	{ "1024Ki", "1Mi", 1, 1048576, NULL },
	{ "1025Ki", "1025Ki", 1, 1049600, NULL },
	{ "1.5Gi", "1536Mi", 1, 1610612736, NULL },
	{ "0.5", "500m", 1, 1, NULL },
	{ "500m", "500m", 1, 1, NULL },
	{ "1.5G", "1500M", 1, 1500000000, NULL },
	{ "12000", "12k", 1, 12000, NULL },
	{ "8192", "8192", 1, 8192, NULL },
	{ "+5Gi", "+5Gi", 1, 5368709120, NULL },
	{ "012G", "012G", 1, 12000000000, NULL },
	{ "-3Mi", "-3Mi", -1, -3145728, NULL },
	{ "-8Mi", "-8Mi", -1, -8388608, NULL },
	{ "0", "0", 0, 0, NULL },
	{ "-0", "0", 0, 0, NULL },
	{ "000Mi", "0", 0, 0, NULL },
	{ "512Ki", "512Ki", 1, 524288, NULL },
	{ "0.5Ki", "512", 1, 512, NULL },
	{ "0.0001Ki", "102400u", 1, 1, NULL },
	{ "1e3", "1e3", 1, 1000, NULL },
	{ "1e4", "10e3", 1, 10000, NULL },
	{ "12E", "12E", 1, INT64_MAX, NULL },
	{ "100Ei", "9223372036854775807", 1, INT64_MAX, NULL },
	{ "1.", "1.", 1, 1, NULL },
	{ "0.1n", "1n", 1, 1, NULL },
	{ "1n", "1n", 1, 1, NULL },
	{ "123456789012345678901", NULL, 0, 0, "quantity of more than 20 digits" },
	{ "", NULL, 0, 0, FORM },
	{ "abc", NULL, 0, 0, FORM },
	{ "1Xi", NULL, 0, 0, FORM },
	{ "1ki", NULL, 0, 0, SUFFIX },
	{ "1e", NULL, 0, 0, SUFFIX },
	{ "5i", NULL, 0, 0, SUFFIX },
};

TEST quantities_come_back_as_the_api_machinery_writes_them(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(quantities); i++) {
		const struct quantity_case *c = &quantities[i];
		struct err err = ERR_INIT(&a);
		struct quantity q = { 0 };
		int rc = quantity_parse(&a, str_of(c->in), &q, &err);

		ASSERT_INT_M(c->in, !c->err, rc == 0);
		if (c->err) {
			ASSERT_STR_M(c->in, str_of(c->err), err.msg);
			continue;
		}
		ASSERT_STR_M(c->in, str_of(c->text), q.text);
		ASSERT_INT_M(c->in, c->sign, q.sign);
		ASSERT_INT_M(c->in, c->value, q.value);
	}
	PASS();
}

static const struct {
	const char *in, *out, *err;
} durations[] = {
	{ "90s", "1m30s", NULL },
	{ "1.5s", "1.5s", NULL },
	{ "36h", "36h0m0s", NULL },
	{ "0", "0s", NULL },
	{ "-1h", "-1h0m0s", NULL },
	{ "+2m", "2m0s", NULL },
	{ "1h0m0.000000001s", "1h0m0.000000001s", NULL },
	{ "1500ns", "1.5\xC2\xB5s", NULL },
	{ "2500us", "2.5ms", NULL },
	{ "7ns", "7ns", NULL },
	{ ".5m", "30s", NULL },
	{ "-9223372036854775808ns", "-2562047h47m16.854775808s", NULL },
	{ "9223372036854775807ns", "2562047h47m16.854775807s", NULL },
	{ "", NULL, "time: invalid duration \"\"" },
	{ "sometimes", NULL, "time: invalid duration \"sometimes\"" },
	{ "10", NULL, "time: missing unit in duration \"10\"" },
	{ "10d", NULL, "time: unknown unit \"d\" in duration \"10d\"" },
	{ ".s", NULL, "time: invalid duration \".s\"" },
	{ "9223372036854775808ns", NULL, "time: invalid duration \"9223372036854775808ns\"" },
	{ "99999999999h", NULL, "time: invalid duration \"99999999999h\"" },
};

TEST durations_are_read_and_written_as_go_does(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(durations); i++) {
		const char *in = durations[i].in;
		struct err err = ERR_INIT(&a);
		int64_t ns;
		struct buf b;
		int rc = duration_parse(str_of(in), &ns, &err);

		ASSERT_INT_M(in, !durations[i].err, rc == 0);
		if (rc < 0) {
			ASSERT_STR_M(in, str_of(durations[i].err), err.msg);
			continue;
		}
		buf_init(&b, &a);
		duration_add(&b, ns);
		ASSERT_STR_M(in, str_of(durations[i].out), buf_str(&b));
	}
	PASS();
}

SUITE(quantity)
{
	RUN_TEST(quantities_come_back_as_the_api_machinery_writes_them);
	RUN_TEST(durations_are_read_and_written_as_go_does);
}

TEST_MAIN(quantity)
