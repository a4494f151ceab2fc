/*
 * bench_data FILE.json FILE.yaml: MB/s of parsing and writing, best of several
 * rounds. Prints "name MB/s" lines for run.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "data/yml.h"
#include "io/file.h"

#define ROUNDS 7

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

typedef size_t job(struct arena *a, struct str text, const struct json *tree);

static void fail(struct err *err)
{
	(void)fprintf(stderr, "Error: %.*s\n", STRF(err->msg));
	exit(1);
}

static size_t parse_json(struct arena *a, struct str text, const struct json *j)
{
	struct err err = ERR_INIT(a);
	struct json *out;

	(void)j;
	if (json_parse(a, text, NULL, &out, &err) < 0)
		fail(&err);
	return text.n;
}

static size_t write_json(struct arena *a, struct str text, const struct json *j)
{
	struct buf b;

	(void)text;
	buf_init(&b, a);
	json_encode(&b, j, JSON_SORTED);
	return b.n;
}

static size_t parse_yaml(struct arena *a, struct str text, const struct json *j)
{
	struct err err = ERR_INIT(a);
	struct json *out;

	(void)j;
	if (yml_parse(a, text, NULL, &out, &err) < 0)
		fail(&err);
	return text.n;
}

static size_t write_yaml(struct arena *a, struct str text, const struct json *j)
{
	struct err err = ERR_INIT(a);
	struct buf b;

	(void)text;
	buf_init(&b, a);
	if (yml_emit(&b, j, &err) < 0)
		fail(&err);
	return b.n;
}

static void measure(const char *name, job *run, struct str text, const struct json *tree)
{
	double best = 0;

	for (int i = 0; i < ROUNDS; i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		double start = now(), took, rate;
		size_t n = run(&a, text, tree);

		took = now() - start;
		rate = (double)n / 1e6 / took;
		if (rate > best)
			best = rate;
	}
	(void)printf("%s %.1f\n", name, best);
}

int main(int argc, char **argv)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str json, yaml;
	struct json *tree;

	if (argc != 3)
		return 2;
	if (file_read(&a, argv[1], 1u << 30, &json, &err) < 0 ||
	    file_read(&a, argv[2], 1u << 30, &yaml, &err) < 0 ||
	    json_parse(&a, json, NULL, &tree, &err) < 0)
		fail(&err);
	measure("json-parse", parse_json, json, tree);
	measure("json-write", write_json, json, tree);
	measure("yaml-parse", parse_yaml, yaml, tree);
	measure("yaml-write", write_yaml, yaml, tree);
	return 0;
}
