/*
 * Input that a node reads about itself: os-release, rpm-ostree's status, kernel
 * arguments, podman's images, lsblk's disks, and its current config with every
 * plan made from it.
 */
#include "fuzz.h"

#include "plan/esp.h"
#include "plan/os.h"
#include "plan/registries.h"
#include "plan/steps.h"
#include "plan/verify.h"

static void config(struct arena *a, struct str text)
{
	struct err err = ERR_INIT(a);
	struct mc_current none, c;
	struct steps_in in = { .core_os = true };
	struct steps steps;
	struct verify_items items;
	struct mc_current again;

	mc_current_empty(a, &none);
	if (mc_current_parse(a, text, &c, &err) < 0)
		return;
	/* written text parses, and writing it again changes nothing */
	if (mc_current_parse(a, c.text, &again, &err) < 0 || !str_eq(again.text, c.text))
		abort();
	in.from = &none.spec;
	in.to = &c.spec;
	if (plan_steps(a, &in, &steps, &err) == 0)
		for (size_t i = 0; i < steps.paths.n; i++)
			if (str_find(steps.paths.v[i], S("/../")) >= 0)
				abort();
	in.from = &c.spec;
	in.to = &none.spec;
	(void)plan_steps(a, &in, &steps, &err);
	(void)verify_items(a, &c, &items, &err);
}

/* Output of other programs on the node. */
static void told(struct arena *a, struct str text)
{
	struct err err = ERR_INIT(a);
	struct os_image image = { 0 };
	struct strs esps = { 0 };
	struct str out;

	if (os_image_parse(a, text, S("q/os@sha256:a"), &image, &err) == 0)
		(void)os_image_scope(a, text, &image, &out, &err);
	if (esp_choose(a, text, S("/dev/md0"), &esps, &err) == 0 && !esps.n)
		abort();
	for (size_t i = 0; i < esps.n; i++)
		if (!str_starts(esps.v[i], S("/")))
			abort();
	(void)registries_accept(a, text, S("t"), S("s"), &out, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str text = { (const char *)data, n };
	struct err err = ERR_INIT(&a);
	struct os_release release;
	struct os_status status;
	struct strs kargs = { 0 };

	(void)os_release_parse(&a, text, &release, &err);
	(void)os_status_parse(&a, text, &status, &err);
	os_kargs_split(&a, text, &kargs);
	told(&a, text);
	config(&a, text);
	return 0;
}
