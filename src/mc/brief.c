/*
 * Brief MachineConfigs. The digest is that of the config with sorted members, because servers and
 * clients do not preserve their order.
 */
#include "mc/brief.h"

#include "base/hash.h"

bool mc_may_be_brief(const struct json *tree)
{
	return str_starts(json_str(tree, "metadata.name"), S("rendered-")) &&
	       !json_len(json_at(tree, "metadata.labels"));
}

static struct json *without(struct arena *a, const struct json *object, const char *member)
{
	struct json *out = json_new(a, JSON_OBJECT);

	for (const struct json *m = json_first(object); m; m = json_next(m))
		if (!str_is(json_key(m), member))
			json_add(out, json_key(m), json_clone(a, m));
	return out;
}

struct json *mc_brief_tree(struct arena *a, const struct json *tree)
{
	struct json *out = json_new(a, JSON_OBJECT);

	for (const struct json *m = json_first(tree); m; m = json_next(m)) {
		bool object = json_kind(m) == JSON_OBJECT;
		struct json *copy;

		if (object && str_is(json_key(m), "metadata"))
			copy = without(a, m, "managedFields");
		else if (object && str_is(json_key(m), "spec"))
			copy = without(a, m, "config");
		else
			copy = json_clone(a, m);
		json_add(out, json_key(m), copy);
	}
	return out;
}

struct str mc_config_digest(struct arena *a, const struct json *tree)
{
	AUTO(arena) struct arena scratch = ARENA_INIT;
	const struct json *config = json_at(tree, "spec.config");

	return hash_hex_of(a, HASH_SHA256,
			   config ? json_format(&scratch, config, JSON_SORTED) : S(""));
}

struct json *mc_brief_complete(struct arena *a, const struct mc *brief, const struct json *from)
{
	struct json *out = json_clone(a, brief->doc.tree);
	const struct json *config = json_at(from, "spec.config");

	if (config)
		json_set(json_at(out, "spec"), S("config"), json_clone(a, config));
	return out;
}
