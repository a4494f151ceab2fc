/*
 * bench_template CONTROLLERCONFIG [DIR]: renders all MachineConfigs of the
 * built-in template tree or of the one in DIR. CPU time, best of several
 * rounds; the files are read beforehand. Prints "templates MachineConfigs bytes
 * ms" for run.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "io/file.h"
#include "io/template_dir.h"
#include "mc/load.h"
#include "mc/tls_profile.h"

#define ROUNDS 15

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void check(int rc, const struct err *err)
{
	if (rc == 0)
		return;
	(void)fprintf(stderr, "Error: %.*s\n", STRF(err->msg));
	exit(1);
}

int main(int argc, char **argv)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct template_tree tree;
	struct template_input in = { .tree = &tree, .pull_secret = S("{}") };
	struct tls_profile tls = mc_tls_profile(&a, NULL);
	struct mc_fault fault = { 0 };
	struct mc_set set = { 0 };
	size_t count = 0, bytes = 0;
	double best = 1e9;
	struct str text;

	if (argc < 2)
		return 2;
	check(file_read(&a, argv[1], (size_t)1 << 20, &text, &err), &err);
	check(mc_load(&a, str_of(argv[1]), text, &set, &fault, &err), &err);
	if (argc > 2)
		check(template_dir_read(&a, argv[2], &tree, &err), &err);
	else
		template_builtin(&a, &tree);
	in.controller_config = set.controller_config;
	in.tls_min_version = tls.min_version;
	in.tls_cipher_suites = tls.suites;
	for (int i = 0; i < ROUNDS; i++) {
		AUTO(arena) struct arena round = ARENA_INIT;
		struct mc_list mcs = { 0 };
		double start = now(), took;

		check(plan_template(&round, &in, &mcs, &err), &err);
		took = now() - start;
		best = took < best ? took : best;
		count = mcs.n;
		bytes = 0;
		for (size_t k = 0; k < mcs.n; k++)
			bytes += mc_config_text(&round, mcs.v[k]).n;
	}
	(void)printf("%zu %zu %zu %.2f\n", tree.n, count, bytes, best);
	return 0;
}
