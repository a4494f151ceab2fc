/*
 * The Go structs as tables. Upstream's encoder leaves out empty structs too
 * where omitempty says so, which is why a creationTimestamp never shows.
 */
#include "mc/encode.h"

enum kind {
	STR, /* omitted when "" */
	STR_ALWAYS,
	INT, /* omitted when 0 */
	INT_SET, /* a pointer: omitted when absent */
	BOOL_SET,
	BOOL_ALWAYS,
	MAP, /* of strings, sorted; omitted when empty */
	STRS, /* omitted when empty */
	STRS_ALWAYS, /* null when absent */
	RAW, /* any value, keys sorted; omitted when absent */
	OBJECT, /* omitted when it has no members */
	OBJECT_ALWAYS,
	OBJECTS, /* omitted when empty */
};

struct shape {
	const char *name; /* NULL ends the list */
	enum kind kind;
	const struct shape *sub;
};

static const struct shape owner[] = {
	{ "apiVersion", STR_ALWAYS, NULL },
	{ "kind", STR_ALWAYS, NULL },
	{ "name", STR_ALWAYS, NULL },
	{ "uid", STR_ALWAYS, NULL },
	{ "controller", BOOL_SET, NULL },
	{ "blockOwnerDeletion", BOOL_SET, NULL },
	{ 0 },
};

static const struct shape managed[] = {
	{ "manager", STR, NULL },     { "operation", STR, NULL },
	{ "apiVersion", STR, NULL },  { "time", STR, NULL },
	{ "fieldsType", STR, NULL },  { "fieldsV1", RAW, NULL },
	{ "subresource", STR, NULL }, { 0 },
};

static const struct shape metadata[] = {
	{ "name", STR, NULL },
	{ "generateName", STR, NULL },
	{ "namespace", STR, NULL },
	{ "selfLink", STR, NULL },
	{ "uid", STR, NULL },
	{ "resourceVersion", STR, NULL },
	{ "generation", INT, NULL },
	{ "deletionTimestamp", STR, NULL },
	{ "deletionGracePeriodSeconds", INT_SET, NULL },
	{ "labels", MAP, NULL },
	{ "annotations", MAP, NULL },
	{ "ownerReferences", OBJECTS, owner },
	{ "finalizers", STRS, NULL },
	{ "managedFields", OBJECTS, managed },
	{ 0 },
};

static const struct shape spec[] = {
	{ "osImageURL", STR_ALWAYS, NULL },
	{ "baseOSExtensionsContainerImage", STR_ALWAYS, NULL },
	{ "config", RAW, NULL },
	{ "kernelArguments", STRS_ALWAYS, NULL },
	{ "extensions", STRS_ALWAYS, NULL },
	{ "fips", BOOL_ALWAYS, NULL },
	{ "kernelType", STR_ALWAYS, NULL },
	{ 0 },
};

static const struct shape machine_config[] = {
	{ "kind", STR, NULL },
	{ "apiVersion", STR, NULL },
	{ "metadata", OBJECT, metadata },
	{ "spec", OBJECT_ALWAYS, spec },
	{ 0 },
};

struct encoder {
	struct arena *a;
	struct err *err;
	struct str field; /* for messages */
};

static int misfit(struct encoder *e, const struct json *j, const char *type)
{
	return err_set(e->err, ERR_INVALID,
		       "json: cannot unmarshal %s into Go struct field .%.*s "
		       "of type %s",
		       json_kind_name(j), STRF(e->field), type);
}

static int text(struct encoder *e, const struct json *j, struct json **out)
{
	struct str s = json_text(j);

	if (json_kind(j) == JSON_BOOL)
		s = json_is_true(j) ? S("true") : S("false");
	else if (json_kind(j) == JSON_ARRAY || json_kind(j) == JSON_OBJECT)
		return misfit(e, j, "string");
	*out = json_new_str(e->a, s);
	return 0;
}

static int sorted(struct encoder *e, const struct json *j, struct json **out)
{
	static const struct json_opts opts = { .flags = JSON_DUP_LAST };
	struct buf b;

	buf_init(&b, e->a);
	json_encode(&b, j, JSON_SORTED);
	return json_parse(e->a, buf_str(&b), &opts, out, e->err);
}

/* Lists and maps of strings. */
static int texts(struct encoder *e, const struct json *j, enum json_kind kind,
		 struct json **out)
{
	struct json *list = json_new(e->a, kind), *item = NULL;

	if (json_kind(j) != kind)
		return misfit(e, j, kind == JSON_ARRAY ? "[]string" : "map");
	for (const struct json *m = json_first(j); m; m = json_next(m)) {
		int rc = text(e, m, &item);

		if (rc < 0)
			return rc;
		if (kind == JSON_ARRAY)
			json_push(list, item);
		else
			json_add(list, json_key(m), item);
	}
	if (kind == JSON_OBJECT)
		return sorted(e, list, out);
	*out = list;
	return 0;
}

static int object(struct encoder *e, const struct shape *s,
		  const struct json *j, struct json **out);

static int objects(struct encoder *e, const struct shape *sub,
		   const struct json *j, struct json **out)
{
	struct json *list = json_new(e->a, JSON_ARRAY), *item = NULL;

	if (json_kind(j) != JSON_ARRAY)
		return misfit(e, j, "[]struct");
	for (const struct json *m = json_first(j); m; m = json_next(m)) {
		int rc = object(e, sub, m, &item);

		if (rc < 0)
			return rc;
		json_push(list, item);
	}
	*out = list;
	return 0;
}

/* What stands for an absent value; NULL when nothing does. */
static struct json *absent(struct encoder *e, enum kind kind)
{
	switch (kind) {
	case STR_ALWAYS:
		return json_new_str(e->a, S(""));
	case BOOL_ALWAYS:
		return json_new_bool(e->a, false);
	case STRS_ALWAYS:
		return json_new(e->a, JSON_NULL);
	case STR:
	case INT:
	case INT_SET:
	case BOOL_SET:
	case MAP:
	case STRS:
	case RAW:
	case OBJECT:
	case OBJECT_ALWAYS:
	case OBJECTS:
		break;
	}
	return NULL;
}

static int value(struct encoder *e, const struct shape *s, const struct json *j,
		 struct json **out)
{
	switch (s->kind) {
	case STR:
	case STR_ALWAYS:
		return text(e, j, out);
	case INT:
	case INT_SET:
		if (json_kind(j) != JSON_NUMBER)
			return misfit(e, j, "int64");
		*out = json_new_num(e->a, json_text(j));
		return 0;
	case BOOL_SET:
	case BOOL_ALWAYS:
		if (json_kind(j) != JSON_BOOL)
			return misfit(e, j, "bool");
		*out = json_new_bool(e->a, json_is_true(j));
		return 0;
	case MAP:
		return texts(e, j, JSON_OBJECT, out);
	case STRS:
	case STRS_ALWAYS:
		return texts(e, j, JSON_ARRAY, out);
	case RAW:
		return sorted(e, j, out);
	case OBJECT:
	case OBJECT_ALWAYS:
		return object(e, s->sub, j, out);
	case OBJECTS:
		return objects(e, s->sub, j, out);
	}
	return 0;
}

static bool is_omitted(enum kind kind, const struct json *j)
{
	switch (kind) {
	case STR:
		return !json_text(j).n;
	case INT:
		return str_is(json_text(j), "0");
	case MAP:
	case STRS:
	case OBJECT:
	case OBJECTS:
		return !json_first(j);
	case STR_ALWAYS:
	case INT_SET:
	case BOOL_SET:
	case BOOL_ALWAYS:
	case STRS_ALWAYS:
	case RAW:
	case OBJECT_ALWAYS:
		break;
	}
	return false;
}

static int object(struct encoder *e, const struct shape *s,
		  const struct json *j, struct json **out)
{
	struct json *o = json_new(e->a, JSON_OBJECT);

	if (json_kind(j) != JSON_OBJECT && json_kind(j) != JSON_NULL)
		return misfit(e, j, "struct");
	for (; s->name; s++) {
		const struct json *m = json_member(j, str_of(s->name));
		struct json *v = NULL;
		int rc;

		e->field = str_of(s->name);
		if (json_kind(m) == JSON_NULL && s->kind != OBJECT_ALWAYS)
			v = absent(e, s->kind);
		else if ((rc = value(e, s, m, &v)) < 0)
			return rc;
		if (v && !is_omitted(s->kind, v))
			json_add(o, str_of(s->name), v);
	}
	*out = o;
	return 0;
}

int mc_encode(struct arena *a, const struct json *mc, struct json **out,
	      struct err *err)
{
	struct encoder e = { .a = a, .err = err, .field = S("MachineConfig") };

	return object(&e, machine_config, mc, out);
}
