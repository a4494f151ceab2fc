/* The cells of tables; the REST suite masks times. */
#include "sandbox/table.h"
#include "../test.h"

static struct arena arena;

TEST durations(void)
{
	enum { MINUTE = 60, HOUR = 3600, DAY = 86400, YEAR = 365 * DAY };
	static const struct {
		int64_t s;
		const char *want;
	} cases[] = {
		{ -2, "<invalid>" },
		{ -1, "0s" },
		{ 0, "0s" },
		{ 119, "119s" },
		{ 120, "2m" },
		{ 125, "2m5s" },
		{ 10 * MINUTE + 5, "10m" },
		{ 3 * HOUR - 1, "179m" },
		{ 3 * HOUR, "3h" },
		{ 3 * HOUR + 2 * MINUTE, "3h2m" },
		{ 8 * HOUR + 2 * MINUTE, "8h" },
		{ 2 * DAY - 1, "47h" },
		{ 2 * DAY, "2d" },
		{ 2 * DAY + 3 * HOUR, "2d3h" },
		{ 8 * DAY + 3 * HOUR, "8d" },
		{ 2 * (int64_t)YEAR - 1, "729d" },
		{ 2 * (int64_t)YEAR, "2y" },
		{ 2 * (int64_t)YEAR + 5 * DAY, "2y5d" },
		{ 9 * (int64_t)YEAR + 5 * DAY, "9y" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		ASSERT_STR_EQ(cases[i].want, str_z(&arena, cell_duration(&arena, cases[i].s)));
	ASSERT_STR_EQ("<unknown>", str_z(&arena, cell_age(&arena, S("x"), 0)));
	ASSERT_STR_EQ("5s", str_z(&arena, cell_age(&arena, S("1970-01-01T00:00:05Z"), 10)));
	PASS();
}

struct cell_case {
	const char *code, *object, *want;
};

static const struct cell_case texts[] = {
	{ "p", "{\"status\":{\"phase\":\"Running\"}}", "Running" },
	{ "p", "{\"status\":{\"phase\":\"Failed\",\"reason\":\"Evicted\"}}", "Evicted" },
	{ "p",
	  "{\"spec\":{\"initContainers\":[{},{}]},\"status\":{"
	  "\"initContainerStatuses\":[{\"state\":{\"terminated\":{\"exitCode\":"
	  "0}}},{\"state\":{\"waiting\":{\"reason\":\"PodInitializing\"}}}]}}",
	  "Init:1/2" },
	{ "p",
	  "{\"status\":{\"initContainerStatuses\":[{\"state\":{\"terminated\":"
	  "{\"exitCode\":3}}}]}}",
	  "Init:ExitCode:3" },
	{ "p",
	  "{\"status\":{\"initContainerStatuses\":[{\"state\":{\"waiting\":{"
	  "\"reason\":\"ErrImagePull\"}}}]}}",
	  "Init:ErrImagePull" },
	{ "p",
	  "{\"status\":{\"containerStatuses\":[{\"state\":{\"terminated\":{"
	  "\"exitCode\":1,\"signal\":9}}}]}}",
	  "Signal:9" },
	{ "p",
	  "{\"status\":{\"containerStatuses\":[{\"state\":{\"waiting\":{"
	  "\"reason\":\"A\"}}},{\"state\":{\"waiting\":{\"reason\":\"B\"}}}]}}",
	  "A" },
	{ "p",
	  "{\"metadata\":{\"deletionTimestamp\":\"x\"},\"status\":{\"reason\":"
	  "\"NodeLost\"}}",
	  "Unknown" },
	{ "p", "{\"metadata\":{\"deletionTimestamp\":\"x\"}}", "Terminating" },
	{ "g",
	  "{\"spec\":{\"readinessGates\":[{\"conditionType\":\"a\"},{"
	  "\"conditionType\":\"b\"}]},\"status\":{\"conditions\":[{\"type\":"
	  "\"b\",\"status\":\"True\"}]}}",
	  "1/2" },
	{ "x", "{\"spec\":{\"type\":\"ClusterIP\"}}", "<none>" },
	{ "x", "{\"spec\":{\"type\":\"LoadBalancer\"}}", "<pending>" },
	{ "x",
	  "{\"spec\":{\"type\":\"LoadBalancer\",\"externalIPs\":[\"2\"]},"
	  "\"status\":{\"loadBalancer\":{\"ingress\":[{\"ip\":\"1\"}]}}}",
	  "1,2" },
	{ "P",
	  "{\"spec\":{\"ports\":[{\"port\":80,\"protocol\":\"TCP\"},{\"port\":"
	  "53,\"nodePort\":30053,\"protocol\":\"UDP\"}]}}",
	  "80/TCP,53:30053/UDP" },
	{ "j", "{\"spec\":{\"parallelism\":3},\"status\":{\"succeeded\":2}}", "2/1 of 3" },
	{ "D", "{\"status\":{\"startTime\":\"1970-01-01T00:00:00Z\"}}", "100s" },
	{ "r", "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}", "<none>" },
};

TEST cells(void)
{
	struct sb_request r = { .now = 100 };
	struct sb_call c = { .a = &arena, .r = &r };

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct err err = ERR_INIT(&arena);
		struct json *o = NULL;

		ASSERT_EQ(0, json_parse(&arena, str_of(texts[i].object), NULL, &o, &err));
		ASSERT_STR_EQ(texts[i].want,
			      str_z(&arena, cell_text(&c, o, str_of(texts[i].code))));
	}
	PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(durations);
	RUN_TEST(cells);
	arena_free(&arena);
	GREATEST_MAIN_END();
}
