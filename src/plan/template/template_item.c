/*
 * From a rendered template to a file or unit of Ignition.
 *
 * The text is YAML for a Go struct (fcct's File or Unit, without JSON names): keys match
 * ignoring case, scalars become strings where a string is expected, unknown keys are
 * ignored. The structs have the fields that Ignition's table has for spec 3.0, and
 * contents may be inline.
 */
#include "base/codec.h"
#include "base/num.h"
#include "data/yml.h"
#include "template_parts.h"

/* The place of a value, for messages: the innermost struct, and the path. */
struct place {
	const struct place *up;
	const char *go; /* name of the struct */
	struct str field;
};

static void add_way(struct buf *b, const struct place *p)
{
	if (p->up) {
		add_way(b, p->up);
		if (p->up->field.n)
			buf_addc(b, '.');
	}
	buf_add(b, p->field);
}

/* Go's field of that JSON name. */
static struct str go_name(struct arena *a, const char *name)
{
	char *z = arena_dup(a, name, strlen(name));

	if (strcmp(z, "id") == 0)
		return S("ID");
	z[0] = (char)(z[0] - ('a' - 'A'));
	return str_of(z);
}

static int misfit(struct arena *a, const struct place *p, const struct json *j, const char *go,
		  struct err *err)
{
	struct buf b;

	buf_init(&b, a);
	buf_addz(&b, json_kind_name(j));
	if (json_kind(j) == JSON_NUMBER) /* a number, but not of the expected type */
		buf_addf(&b, " %.*s", STRF(json_text(j)));
	buf_addf(&b, " into Go struct field %s.", p->go);
	add_way(&b, p);
	return err_set(err, ERR_INVALID, "json: cannot unmarshal %s of type %s", b.p, go);
}

/* The member, ignoring case; the last one wins. */
static const struct json *member(const struct json *j, const char *name)
{
	const struct json *found = NULL;

	for (const struct json *m = json_first(j); m; m = json_next(m))
		if (str_eq_fold(json_key(m), str_of(name)))
			found = m;
	return found;
}

/* Converts a scalar to a string. */
static bool as_string(struct arena *a, const struct json *j, struct str *out)
{
	struct str text = json_text(j);
	struct buf b;
	int64_t i;
	double f;

	switch (json_kind(j)) {
	case JSON_STRING:
		*out = text;
		return true;
	case JSON_BOOL:
		*out = json_is_true(j) ? S("true") : S("false");
		return true;
	case JSON_NUMBER:
		*out = text;
		if (str_to_i64(text, &i) || !num_parse_float(text, &f))
			return true;
		buf_init(&b, a);
		num_add_float_g(&b, f, 32); /* upstream's library parses it as a float32 */
		*out = buf_str(&b);
		return true;
	default:
		return false;
	}
}

static int fill(struct arena *a, const struct place *p, const struct json *j, struct ign_obj *o,
		struct err *err);

static int fill_list(struct arena *a, const struct place *p, const struct json *j,
		     const struct ign_type *type, struct ign_val *v, struct err *err)
{
	v->set = true;
	for (const struct json *e = json_first(j); e; e = json_next(e)) {
		struct ign_obj *o = ign_new(a, type);
		int rc = fill(a, p, e, o, err);

		if (rc < 0)
			return rc;
		VEC_PUSH(a, &v->u.objs, o);
	}
	return 0;
}

static int fill_field(struct arena *a, const struct place *p, const struct json *j,
		      const struct ign_field *f, struct ign_val *v, struct err *err)
{
	switch (f->kind) {
	case IGN_STR:
		v->set = as_string(a, j, &v->u.s);
		return v->set ? 0 : misfit(a, p, j, "string", err);
	case IGN_INT:
		v->set = json_kind(j) == JSON_NUMBER && str_to_i64(json_text(j), &v->u.i);
		return v->set ? 0 : misfit(a, p, j, "int", err);
	case IGN_BOOL:
		v->set = json_kind(j) == JSON_BOOL;
		v->u.b = json_is_true(j);
		return v->set ? 0 : misfit(a, p, j, "bool", err);
	case IGN_OBJ:
		v->u.o = ign_new(a, f->sub);
		return fill(a, p, j, v->u.o, err);
	case IGN_OBJS:
		if (json_kind(j) == JSON_ARRAY)
			return fill_list(a, p, j, f->sub, v, err);
		return misfit(a, p, j,
			      f->sub == &ign_type_DROPIN ? "[]v0_1.Dropin" : "[]v0_1.FileContents",
			      err);
	case IGN_STRS:
		break; /* files and units have none */
	}
	return 0;
}

/* contents.inline: literal bytes instead of a source. */
static int fill_inline(struct arena *a, const struct place *p, const struct json *j,
		       struct ign_obj *o, struct err *err)
{
	struct place at = { p, "FileContents", S("Inline") };
	struct ign_val *v = &o->v[IGN_RESOURCE_SOURCE];
	struct str text;

	if (!as_string(a, j, &text))
		return misfit(a, &at, j, "string", err);
	v->set = true;
	v->u.s = dataurl_text(a, text);
	return 0;
}

static int fill(struct arena *a, const struct place *p, const struct json *j, struct ign_obj *o,
		struct err *err)
{
	bool contents = o->type == &ign_type_RESOURCE;
	const char *go = contents ? "FileContents" : o->type->go;
	const struct json *m;
	int rc = 0;

	if (json_kind(j) == JSON_NULL)
		return 0;
	if (json_kind(j) != JSON_OBJECT)
		return misfit(a, p, j, str_fmt(a, "v0_1.%s", go).p, err);
	for (size_t i = 0; i < o->type->n && rc == 0; i++) {
		const struct ign_field *f = &o->type->fields[i];
		struct place at = { p, go, go_name(a, f->name) };

		m = f->since ? NULL : member(j, f->name);
		if (json_kind(m) != JSON_NULL)
			rc = fill_field(a, &at, m, f, &o->v[i], err);
	}
	m = contents ? member(j, "inline") : NULL;
	if (rc == 0 && json_kind(m) != JSON_NULL)
		rc = fill_inline(a, p, m, o, err);
	return rc;
}

static int read_item(struct arena *a, struct str text, struct ign_obj *o, struct err *err)
{
	struct place top = { NULL, o->type->go, S("") };
	struct yml_fault fault = { 0 };
	struct yml_opts opts = { .fault = &fault };
	struct json *j = NULL;
	int rc = yml_parse(a, text, &opts, &j, err);

	if (rc < 0)
		return err_set(err, err_code(rc), "error converting YAML to JSON: %.*s",
			       STRF(fault.upstream.n ? fault.upstream : err->msg));
	if (json_kind(j) != JSON_NULL && json_kind(j) != JSON_OBJECT)
		rc = err_set(err, ERR_INVALID,
			     "json: cannot unmarshal %s into Go value of type "
			     "v0_1.%s",
			     json_kind_name(j), o->type->go);
	else
		rc = fill(a, &top, j, o, err);
	return rc < 0 ? err_wrap(err, "error unmarshaling JSON") : 0;
}

/* An Ignition config of 3.5 with that item only. */
static struct ign_obj *config_of(struct arena *a, struct ign_obj *item)
{
	struct ign_obj *config = ign_empty(a), *section;
	bool file = item->type == &ign_type_FILE;
	struct ign_val *list;

	section = ign_new(a, file ? &ign_type_STORAGE : &ign_type_SYSTEMD);
	list = &section->v[file ? IGN_STORAGE_FILES : IGN_SYSTEMD_UNITS];
	list->set = true;
	VEC_PUSH(a, &list->u.objs, item);
	config->v[file ? IGN_CONFIG_STORAGE : IGN_CONFIG_SYSTEMD].u.o = section;
	return config;
}

int template_item(struct arena *a, struct str text, bool unit, struct ign_obj **out,
		  struct err *err)
{
	struct ign_obj *o = ign_new(a, unit ? &ign_type_UNIT : &ign_type_FILE);
	int rc = read_item(a, text, o, err);
	struct buf quoted;

	if (rc < 0 && unit)
		return err_wrap(err, "failed to unmarshal systemd unit into struct");
	if (rc < 0) {
		buf_init(&quoted, a);
		go_quote(&quoted, text);
		return err_wrap(err, "failed to unmarshal %.*s into struct",
				STRF(buf_str(&quoted)));
	}
	if (!unit) {
		o->v[IGN_FILE_OVERWRITE].set = true;
		o->v[IGN_FILE_OVERWRITE].u.b = true;
	}
	*out = config_of(a, o);
	return 0;
}
