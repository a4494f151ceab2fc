/*
 * Files and units that are lost when another tree's MachineConfigs replace existing ones.
 * Only names are compared: contents depend on the ControllerConfig and may differ at any
 * start.
 */
#include "plan/template.h"

static const struct part {
	const char *list, *key, *what;
} parts[] = {
	{ "spec.config.storage.files", "path", "file" },
	{ "spec.config.systemd.units", "name", "unit" },
};

static bool has(const struct json *tree, const struct part *p, struct str name)
{
	for (const struct json *e = json_first(json_at(tree, p->list)); e; e = json_next(e))
		if (str_eq(json_str(e, p->key), name))
			return true;
	return false;
}

static void compare(struct arena *a, const struct mc *made, const struct mc *was,
		    struct template_loss *out)
{
	size_t before = out->lost.n, had = 0;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		const struct part *p = &parts[i];

		for (const struct json *e = json_first(json_at(was->doc.tree, p->list)); e;
		     e = json_next(e), had++) {
			struct str name = json_str(e, p->key);

			if (!has(made->doc.tree, p, name))
				VEC_PUSH(a, &out->lost, str_fmt(a, "%s %.*s", p->what, STRF(name)));
		}
	}
	if (out->lost.n == before)
		return;
	out->had += had;
	VEC_PUSH(a, &out->configs, was->meta.name);
}

void template_loss(struct arena *a, const struct mc_list *made, const struct mc_list *existing,
		   struct template_loss *out)
{
	*out = (struct template_loss){ 0 };
	for (size_t i = 0; i < made->n; i++)
		for (size_t k = 0; k < existing->n; k++)
			if (str_eq(made->v[i]->meta.name, existing->v[k]->meta.name))
				compare(a, made->v[i], existing->v[k], out);
}
