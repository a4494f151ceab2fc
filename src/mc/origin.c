#include "mc/origin.h"

#include "base/map.h"

struct collector {
	struct arena *a;
	struct map by_key;
	struct mc_origins *out;
};

static void add(struct collector *c, const struct mc *mc,
		const struct ign_objs *list, bool unit)
{
	for (size_t i = 0; i < list->n; i++) {
		struct str key = ign_key(c->a, list->v[i]);
		struct mc_say say = { mc, list->v[i] };
		struct mc_origin *o = map_get(&c->by_key, key);

		if (!o) {
			o = ARENA_NEW(c->a, struct mc_origin);
			o->key = key;
			o->unit = unit;
			(void)map_put(&c->by_key, key, o);
			VEC_PUSH(c->a, c->out, o);
		}
		VEC_PUSH(c->a, o, say);
	}
}

int mc_origins(struct arena *a, const struct mcs *sources,
	       struct mc_origins *out, struct err *err)
{
	struct ign_obj **configs = arena_array(a, sources->n, sizeof(*configs));
	struct collector c = { .a = a, .out = out };

	for (size_t i = 0; i < sources->n; i++) {
		int rc = 0;

		configs[i] = sources->v[i]->ignition;
		if (!configs[i] && mc_has_config(sources->v[i]))
			rc = ign_parse_35(a, mc_config_text(a, sources->v[i]),
					  &configs[i], err);
		if (rc < 0)
			return err_wrap(err, "MachineConfig %.*s",
					STRF(sources->v[i]->meta.name));
	}
	for (int unit = 0; unit < 2; unit++) {
		map_init(&c.by_key, a);
		for (size_t i = 0; i < sources->n; i++)
			add(&c, sources->v[i],
			    unit ? ign_units(configs[i])
				 : ign_files(configs[i]),
			    unit);
	}
	return 0;
}
