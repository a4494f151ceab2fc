/* The Prometheus text format, byte for byte. */
#include "../test.h"

#include "io/metrics_text.h"
#include "io/process_metrics.h"

TEST a_metric_is_a_head_and_samples(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct metrics_label code[] = { { S("code"), S("200") } };
	const struct metrics_label two[] = { { S("b"), S("") }, { S("a"), S("x y") } };
	struct buf b;

	buf_init(&b, &a);
	metrics_head(&b, "requests_total", "counter", "Requests, by status.");
	metrics_series(&b, "requests_total", code, 1);
	metrics_int(&b, 12);
	metrics_head(&b, "temperature", "gauge", "In kelvin.");
	metrics_series(&b, "temperature", two, 2);
	metrics_float(&b, 1.5);
	metrics_series(&b, "temperature", NULL, 0);
	metrics_int(&b, -1);
	ASSERT_STR("# HELP requests_total Requests, by status.\n"
		   "# TYPE requests_total counter\n"
		   "requests_total{code=\"200\"} 12\n"
		   "# HELP temperature In kelvin.\n"
		   "# TYPE temperature gauge\n"
		   "temperature{b=\"\",a=\"x y\"} 1.5\n"
		   "temperature -1\n",
		   buf_str(&b));
	PASS();
}

TEST label_values_are_escaped(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct metrics_label l = { S("err"), S("a\"b\\c\nd\te") };
	struct buf b;

	buf_init(&b, &a);
	metrics_series(&b, "m", &l, 1);
	ASSERT_STR("m{err=\"a\\\"b\\\\c\\nd\te\"}", buf_str(&b));
	PASS();
}

TEST floats_are_gos(void)
{
	static const struct {
		double value;
		const char *want;
	} cases[] = {
		{ 0, " 0\n" },
		{ 1, " 1\n" },
		{ 0.25, " 0.25\n" },
		{ 1.79208e+09, " 1.79208e+09\n" },
		{ 1048576, " 1.048576e+06\n" },
		{ -3, " -3\n" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct buf b;

		buf_init(&b, &a);
		metrics_float(&b, cases[i].value);
		ASSERT_STR(cases[i].want, buf_str(&b));
	}
	PASS();
}

/* Names and types in the order of the output; values differ. */
TEST a_process_has_six_metrics(void)
{
	static const char *const want[] = {
		"# TYPE process_cpu_seconds_total counter",
		"# TYPE process_max_fds gauge",
		"# TYPE process_open_fds gauge",
		"# TYPE process_resident_memory_bytes gauge",
		"# TYPE process_virtual_memory_bytes gauge",
		"# TYPE process_start_time_seconds gauge",
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str rest, line;
	size_t n = 0;
	struct buf b;

	buf_init(&b, &a);
	process_metrics(&b);
	for (rest = buf_str(&b); str_line(&rest, &line);)
		if (str_starts(line, S("# TYPE "))) {
			ASSERT(n < ARRAY_LEN(want));
			ASSERT_STR(want[n++], line);
		}
	ASSERT_INT(6, n);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(a_metric_is_a_head_and_samples);
	RUN_TEST(label_values_are_escaped);
	RUN_TEST(floats_are_gos);
	RUN_TEST(a_process_has_six_metrics);
}

TEST_MAIN(suite)
