/*
 * Documents decoded into Go's struct shapes: the output reads back equal, and
 * checking gives the same result as decoding. Also quantities and durations.
 */
#include "fuzz.h"

#include "base/duration.h"
#include "base/quantity.h"
#include "mc/types.h"

static struct str text_of(struct arena *a, const struct json *j)
{
	struct buf b;

	buf_init(&b, a);
	json_encode(&b, j, 0);
	return buf_str(&b);
}

static void hold(struct arena *a, uint16_t type, unsigned mode, const struct json *in)
{
	struct err err = ERR_INIT(a), check = ERR_INIT(a);
	struct json *held, *out, *again;
	struct shape_unknowns unknown = { 0 };
	int rc = shape_hold(a, &mc_shapes, type, mode, in, &held, &err);

	shape_find_unknown(a, &mc_shapes, type, mode, in, S(""), &unknown);
	MUST(unknown.n <= SHAPE_UNKNOWN_MAX);

	MUST(rc == shape_hold(a, &mc_shapes, type, mode, in, NULL, &check));
	MUST(str_eq(err.msg, check.msg));
	if (rc < 0)
		return;
	out = shape_marshal(a, &mc_shapes, type, held);
	MUST(shape_hold(a, &mc_shapes, type, 0, out, &held, &err) == 0);
	again = shape_marshal(a, &mc_shapes, type, held);
	MUST(str_eq(text_of(a, out), text_of(a, again)));
}

static void texts(struct arena *a, struct str in)
{
	struct err err = ERR_INIT(a);
	struct quantity q, q2;
	int64_t ns, again;
	struct buf b;

	if (quantity_parse(a, in, &q, &err) == 0) {
		MUST(quantity_parse(a, q.text, &q2, &err) == 0 || err.code == ERR_LIMIT);
		if (err.code != ERR_LIMIT)
			MUST(q.sign == q2.sign);
	}
	if (duration_parse(in, &ns, &err) == 0) {
		buf_init(&b, a);
		duration_add(&b, ns);
		MUST(duration_parse(buf_str(&b), &again, &err) == 0);
		MUST(ns == again);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t types[] = {
		MC_T_MachineConfig,
		MC_T_MachineConfigPool,
		MC_T_ControllerConfig,
		MC_T_KubeletConfiguration,
		MC_T_ContainerRuntimeConfig,
		MC_T_APIServer,
		MC_T_ImagePolicy,
		MC_T_Secret,
	};
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str in = { (const char *)data, size };
	struct json *j;

	if (size && json_parse(&a, str_from(in, 1), NULL, &j, &err) == 0)
		hold(&a, types[data[0] % 8], (data[0] >> 3) & 3, j);
	texts(&a, in);
	arena_free(&a);
	return 0;
}
