/*
 * bench_plan: the update controller on pools of growing size. Prints "nodes ms
 * bytes-per-node" lines for run.sh: the time of one plan in the middle of a
 * rollout, best of several, and the memory of a cached node.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "plan/pool.h"

#define ROUNDS 7

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static struct json *parse(struct arena *a, struct str text)
{
	struct err err = ERR_INIT(a);
	struct json *j = NULL;

	if (json_parse(a, text, NULL, &j, &err) < 0)
		abort();
	return j;
}

/* Like the nodes of a cloud: twenty labels, a few annotations. */
static const struct knode *make_node(struct arena *a, size_t i)
{
	struct knode n, *copy;
	struct buf b;

	buf_init(&b, a);
	buf_addf(&b,
		 "{\"metadata\":{\"name\":\"ip-10-0-%zu-%zu.example.internal\","
		 "\"uid\":\"0b6b2ed0-0000-4000-8000-%012zu\","
		 "\"resourceVersion\":\"%zu\",\"creationTimestamp\":"
		 "\"2025-01-01T00:%02zu:00Z\",\"labels\":{\"" LABEL_ZONE
		 "\":\"zone-%zu\",\"" LABEL_WORKER "\":\"\"",
		 i / 256, i % 256, i, 100000 + i, i % 60, i % 3);
	for (int k = 0; k < 18; k++)
		buf_addf(&b, ",\"label.example.com/key-%d\":\"value-%d\"", k, k);
	buf_addf(&b,
		 "},\"annotations\":{\"" ANNO_CURRENT_CONFIG
		 "\":\"rendered-worker-%032d\",\"" ANNO_DESIRED_CONFIG
		 "\":\"rendered-worker-%032d\",\"" ANNO_STATE "\":\"Done\",\"" ANNO_TOPOLOGY
		 "\":\"HighlyAvailable\"}},\"spec\":{\"taints\":[{\"key\":"
		 "\"UpdateInProgress\",\"effect\":\"PreferNoSchedule\"}]},"
		 "\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":"
		 "\"True\"}]}}",
		 (int)(i % 2), (int)(i % 2));
	knode_decode(a, parse(a, buf_str(&b)), &n);
	copy = knode_copy(arena_alloc(a, knode_size(&n)), &n);
	return copy;
}

static void run(size_t n)
{
	static const char pool_text[] = "{\"metadata\":{\"name\":\"worker\"},\"spec\":{"
					"\"maxUnavailable\":\"10%\",\"configuration\":{\"name\":"
					"\"rendered-worker-00000000000000000000000000000001\"}}}";
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	const struct knode **nodes = arena_array(&a, n, sizeof(*nodes));
	struct mcp_list none = { 0 };
	struct mcp pool;
	double best = 1e9;
	size_t bytes = 0;

	for (size_t i = 0; i < n; i++) {
		nodes[i] = make_node(&a, i);
		bytes += knode_size(nodes[i]);
	}
	if (mcp_read(&a, parse(&a, str_of(pool_text)), &pool, &err) < 0)
		abort();
	for (int i = 0; i < ROUNDS; i++) {
		AUTO(arena) struct arena work = ARENA_INIT;
		struct pool_view v = { .now = { 1700000000, 0 },
				       .pool = &pool,
				       .pools = &none,
				       .nodes = nodes,
				       .n_nodes = n,
				       .controller_config = pool.tree };
		struct actions out = { 0 };
		double t = now();

		if (plan_pool(&work, &v, &out, &err) < 0 || !out.n)
			abort();
		t = now() - t;
		if (t < best)
			best = t;
	}
	(void)printf("%zu %.2f %zu\n", n, best, bytes / n);
}

int main(void)
{
	static const size_t sizes[] = { 100, 1000, 5000, 10000 };

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		run(sizes[i]);
	return 0;
}
