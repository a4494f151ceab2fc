/*
 * KubeletConfigs and ContainerRuntimeConfigs over any base file: refused with a
 * reason, or converted into a MachineConfig whose kubelet.conf reads back
 * equal.
 */
#include "fuzz.h"

#include "mc/contents.h"
#include "mc/load.h"
#include "plan/config/kubelet.h"
#include "plan/config/runtime.h"

static struct str conf_of(struct arena *a, struct mc *mc)
{
	struct err err = ERR_INIT(a);
	const struct ign_obj *f;
	struct str out = S("");

	MUST(mc_validate(a, mc, &err) == 0);
	f = mc_find_file(mc->ignition, S(KUBELET_CONF));
	MUST(f && mc_contents(a, f, &out, &err) == 0);
	return out;
}

static void kubelet(struct arena *a, const struct mc_object *o, struct str base)
{
	struct kubelet_in in = { .pool = S("worker"), .base = base };
	struct err err = ERR_INIT(a);
	struct mc *mc;

	if (kubelet_validate(a, o, &err) < 0 || kubelet_config(a, &in, o, S("n"), &mc, &err) < 0) {
		MUST(err.msg.n);
		return;
	}
	in.base = conf_of(a, mc);
	MUST(kubelet_features(a, &in, &mc, &err) == 0);
	MUST(str_eq(in.base, conf_of(a, mc)));
}

static void runtime(struct arena *a, const struct mc_object *o, struct str base)
{
	struct runtime_in in = { .pool = S("worker"), .storage = base, .more_stores = true };
	struct err err = ERR_INIT(a);
	struct str note;
	struct mc *mc;

	if (runtime_validate(a, o, &err) < 0 ||
	    runtime_config(a, &in, o, S("n"), &mc, &note, &err) < 0)
		MUST(err.msg.n);
}

/* The manifest, a line of "====", the base file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str in = { (const char *)data, size }, base = S("");
	ptrdiff_t cut = str_find(in, S("\n====\n"));
	struct mc_set set = { 0 };
	struct mc_fault fault;

	if (cut >= 0) {
		base = str_from(in, (size_t)cut + 6);
		in = str_sub(in, 0, (size_t)cut + 1);
	}
	if (mc_load(&a, S("f"), in, &set, &fault, &err) == 0)
		for (size_t i = 0; i < set.others.n && i < 4; i++) {
			if (set.others.v[i]->kind == MC_KUBELET_CONFIG)
				kubelet(&a, set.others.v[i], base);
			if (set.others.v[i]->kind == MC_RUNTIME_CONFIG)
				runtime(&a, set.others.v[i], base);
		}
	arena_free(&a);
	return 0;
}
