/*
 * The effect of an update on a node as text and as JSON.
 */
#include "view/update_text.h"

const char *update_plan_words(const struct update_plan *p)
{
	if (p->reboot)
		return p->drain ? "drain and reboot" : "reboot";
	if (p->drain)
		return "drain, no reboot";
	return "no drain, no reboot";
}

void update_plan_reasons(struct buf *b, const struct update_plan *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct update_action *a = &p->v[i];

		buf_addf(b, "  %s%s%.*s: %.*s: %.*s\n", update_kind_name(a->kind),
			 a->service.n ? " " : "", STRF(a->service), STRF(a->cause), STRF(a->rule));
	}
	if (p->drain && !p->reboot)
		buf_addf(b, "  drain because %.*s\n", STRF(p->drain_reason));
	if (!p->n)
		buf_addz(b, "  only the order of entries differs\n");
}

struct json *update_plan_json(struct arena *a, const struct update_plan *p)
{
	struct json *list = json_new(a, JSON_ARRAY);

	for (size_t i = 0; i < p->n; i++) {
		struct json *act = json_new(a, JSON_OBJECT);

		json_add(act, S("type"), json_new_str(a, str_of(update_kind_name(p->v[i].kind))));
		if (p->v[i].service.n)
			json_add(act, S("service"), json_new_str(a, p->v[i].service));
		json_add(act, S("cause"), json_new_str(a, p->v[i].cause));
		json_add(act, S("rule"), json_new_str(a, p->v[i].rule));
		json_push(list, act);
	}
	return list;
}

struct json *update_changes_json(struct arena *a, const struct update_changes *c)
{
	struct json *j = json_new(a, JSON_OBJECT);

	json_add(j, S("files"), json_new_strs(a, &c->file_paths));
	json_add(j, S("units"), json_new_strs(a, &c->unit_names));
	json_add(j, S("users"), json_new_bool(a, c->passwd));
	json_add(j, S("kernelArguments"), json_new_bool(a, c->kargs));
	json_add(j, S("extensions"), json_new_bool(a, c->extensions));
	json_add(j, S("kernelType"), json_new_bool(a, c->kernel_type));
	json_add(j, S("fips"), json_new_bool(a, c->fips));
	json_add(j, S("osImageURL"), json_new_bool(a, c->os_image));
	return j;
}
