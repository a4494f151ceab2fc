/*
 * Parses JSON text to an object of the shape of spec 3.5: finds the version, decodes as Go's
 * encoding/json does (with the texts of its errors), validates by the rules of that version, and
 * converts to 3.5.
 */
#include "check.h"

#include "base/utf8.h"
#include "v2.h"

struct decoder {
	struct arena *a;
	int minor;
	bool exact; /* see ign_take */
	struct ign_misfits *misfits; /* not NULL: collect misfits and continue */
	struct buf at; /* with misfits: the path, with indices */
	struct buf path; /* field names from the root, for messages */
	struct str problem; /* the first misfit, or "" */
	size_t offset;
};

/* ---- messages ------------------------------------------------------------ */

const struct ign_type *ign_sub_type(const struct ign_field *f, int minor)
{
	if (f->sub != &ign_type_RESOURCE || minor > 0 || *ign_word(f->embed))
		return f->sub;
	return strcmp(f->name, "certificateAuthorities") == 0 ? &ign_type_CA_REFERENCE
							      : &ign_type_REFERENCE;
}

/* Some types have other names in 3.0 and 3.2. */
static const char *go_name(const struct ign_field *f, int minor)
{
	const struct ign_type *sub = ign_sub_type(f, minor);

	if (sub == &ign_type_RESOURCE && minor == 0)
		return "FileContents";
	if (sub == &ign_type_CUSTOM && minor == 2)
		return "Custom";
	return sub ? sub->go : ign_word(f->go);
}

/* The offset that Go's decoder reports: after a scalar or an opening bracket. */
static size_t notice_offset(const struct json *j)
{
	size_t start, end;

	json_span(j, &start, &end);
	if (json_kind(j) == JSON_ARRAY || json_kind(j) == JSON_OBJECT)
		return start + 1;
	return end;
}

static int misfit(struct decoder *d, const struct json *j, struct str what, const char *in,
		  const char *type)
{
	if (d->problem.n)
		return -ERR_INVALID;
	d->offset = notice_offset(j);
	d->problem = str_fmt(d->a,
			     "json: cannot unmarshal %.*s into Go struct field "
			     "%s.%.*s of type %s",
			     STRF(what), in, STRF(buf_str(&d->path)), type);
	if (d->misfits) {
		struct ign_misfit m = { j, str_dup(d->a, buf_str(&d->at)), d->problem };

		VEC_PUSH(d->a, d->misfits, m);
		d->problem = S("");
		return 0;
	}
	return -ERR_INVALID;
}

/* A value that is not a string is replaced by its JSON text, which is unique. */
static struct str text_of(struct decoder *d, const struct json *j)
{
	if (json_kind(j) == JSON_STRING || json_kind(j) == JSON_NULL)
		return json_text(j);
	return json_format(d->a, j, 0);
}

static size_t enter_item(struct decoder *d, size_t i)
{
	size_t n = d->at.n;

	if (d->misfits)
		buf_addf(&d->at, ".%zu", i);
	return n;
}

/* "error at line L col C: problem\n"; without a position if offset is after the text. */
static struct str place_text(struct arena *a, struct str text, size_t offset, struct str problem)
{
	size_t line = 0, col = 0;

	if (offset < text.n)
		json_line_col(text, offset, &line, &col);
	return str_fmt(a, "error at line %zu col %zu: %.*s\n", line, col, STRF(problem));
}

/* ---- decoding ------------------------------------------------------------ */

static int decode(struct decoder *d, struct ign_obj *o, const struct json *j, const char *in);

static int decode_int(struct decoder *d, struct ign_val *v, const struct json *j, const char *in)
{
	struct str text = json_text(j);

	if (json_kind(j) != JSON_NUMBER)
		return misfit(d, j, str_of(json_kind_name(j)), in, "int");
	if (!str_to_i64(text, &v->u.i))
		return misfit(d, j, str_fmt(d->a, "number %.*s", STRF(text)), in, "int");
	v->set = true;
	return 0;
}

static int decode_strs(struct decoder *d, const struct ign_field *f, struct ign_val *v,
		       const struct json *j, const char *in)
{
	if (json_kind(j) != JSON_ARRAY)
		return misfit(d, j, str_of(json_kind_name(j)), in,
			      str_fmt(d->a, "[]types.%s", ign_word(f->go)).p);
	v->set = true;
	v->u.strs = (struct strs){ 0 };
	for (const struct json *e = json_first(j); e; e = json_next(e)) {
		size_t n = enter_item(d, v->u.strs.n);

		if (json_kind(e) != JSON_STRING && json_kind(e) != JSON_NULL &&
		    misfit(d, e, str_of(json_kind_name(e)), in,
			   str_fmt(d->a, "types.%s", ign_word(f->go)).p) < 0)
			return -ERR_INVALID;
		d->at.n = n;
		if (d->exact && !utf8_valid(json_text(e)))
			return -ERR_INVALID;
		VEC_PUSH(d->a, &v->u.strs, text_of(d, e));
	}
	return 0;
}

/* A second list under the same key is decoded over the first, entry by entry. */
static int decode_objs(struct decoder *d, const struct ign_field *f, struct ign_val *v,
		       const struct json *j, const char *in)
{
	const char *go = go_name(f, d->minor);
	struct ign_objs old = v->u.objs;
	int rc = 0;

	if (json_kind(j) != JSON_ARRAY) {
		bool headers = f->sub == &ign_type_HEADER;

		return misfit(d, j, str_of(json_kind_name(j)), in,
			      str_fmt(d->a, "%stypes.%s", headers ? "" : "[]",
				      headers ? ign_word(f->go) : go)
				      .p);
	}
	v->set = true;
	v->u.objs = (struct ign_objs){ 0 };
	for (const struct json *e = json_first(j); e && rc == 0; e = json_next(e)) {
		size_t i = v->u.objs.n, n = enter_item(d, i);
		struct ign_obj *o = i < old.n ? old.v[i] : ign_new(d->a, ign_sub_type(f, d->minor));

		if (json_kind(e) == JSON_OBJECT)
			rc = decode(d, o, e, go);
		else if (json_kind(e) != JSON_NULL)
			rc = misfit(d, e, str_of(json_kind_name(e)), in,
				    str_fmt(d->a, "types.%s", go).p);
		d->at.n = n;
		VEC_PUSH(d->a, &v->u.objs, o);
	}
	return rc;
}

static int decode_obj(struct decoder *d, const struct ign_field *f, struct ign_val *v,
		      const struct json *j, const char *in)
{
	const char *go = go_name(f, d->minor);

	if (json_kind(j) != JSON_OBJECT)
		return misfit(d, j, str_of(json_kind_name(j)), in, str_fmt(d->a, "types.%s", go).p);
	if (!v->u.o)
		v->u.o = ign_new(d->a, ign_sub_type(f, d->minor));
	return decode(d, v->u.o, j, go);
}

/* null unsets pointers and lists of Go, and changes nothing else. */
static void decode_null(const struct ign_field *f, struct ign_val *v)
{
	if (f->kind != IGN_OBJ && !(f->flags & IGN_PLAIN))
		*v = (struct ign_val){ 0 };
}

static int decode_field(struct decoder *d, const struct ign_field *f, struct ign_val *v,
			const struct json *j, const char *in)
{
	if (json_kind(j) == JSON_NULL) {
		decode_null(f, v);
		return 0;
	}
	switch (f->kind) {
	case IGN_STR:
		if (json_kind(j) != JSON_STRING &&
		    misfit(d, j, str_of(json_kind_name(j)), in, "string") < 0)
			return -ERR_INVALID;
		v->set = true;
		v->u.s = text_of(d, j);
		return d->exact && !utf8_valid(v->u.s) ? -ERR_INVALID : 0;
	case IGN_INT:
		return decode_int(d, v, j, in);
	case IGN_BOOL:
		if (json_kind(j) != JSON_BOOL)
			return misfit(d, j, str_of(json_kind_name(j)), in, "bool");
		v->set = true;
		v->u.b = json_is_true(j);
		return 0;
	case IGN_OBJ:
		return decode_obj(d, f, v, j, in);
	case IGN_STRS:
		return decode_strs(d, f, v, j, in);
	case IGN_OBJS:
		return decode_objs(d, f, v, j, in);
	}
	return 0;
}

/* The field of that name, or else one whose name differs only in case. */
static ptrdiff_t field_of(const struct ign_type *type, struct str key, int minor)
{
	char first = key.n ? key.p[0] : '\0';

	for (size_t i = 0; i < type->n; i++)
		if (type->fields[i].name[0] == first && type->fields[i].since <= minor &&
		    str_is(key, type->fields[i].name))
			return (ptrdiff_t)i;
	for (size_t i = 0; i < type->n; i++)
		if (type->fields[i].since <= minor &&
		    str_eq_fold(str_of(type->fields[i].name), key))
			return (ptrdiff_t)i;
	return -1;
}

static int decode(struct decoder *d, struct ign_obj *o, const struct json *j, const char *in)
{
	size_t n = d->path.n, at = d->at.n;
	int rc = 0;

	for (const struct json *m = json_first(j); m && rc == 0; m = json_next(m)) {
		ptrdiff_t i = field_of(o->type, json_key(m), d->minor);
		const struct ign_field *f;

		if (i < 0)
			continue;
		f = &o->type->fields[i];
		if (d->exact) {
			/* no path for messages: a misfit only fails */
			rc = str_is(json_key(m), f->name) ? decode_field(d, f, &o->v[i], m, in)
							  : -ERR_INVALID;
			continue;
		}
		if (*ign_word(f->embed))
			buf_addf(&d->path, "%s%s", n ? "." : "", ign_word(f->embed));
		buf_addf(&d->path, "%s%s", d->path.n ? "." : "", f->name);
		if (d->misfits)
			buf_addf(&d->at, "%s%.*s", at ? "." : "", STRF(json_key(m)));
		rc = decode_field(d, f, &o->v[i], m, in);
		d->path.n = n;
		d->at.n = at;
	}
	return rc;
}

int ign_decode(struct arena *a, struct ign_obj *o, const struct json *j, int minor,
	       struct str *problem, size_t *offset)
{
	struct decoder d = { .a = a, .minor = minor };
	int rc;

	buf_init(&d.path, a);
	rc = decode(&d, o, j, o->type->go);
	*problem = d.problem;
	*offset = d.offset;
	return rc;
}

void ign_decode_some(struct arena *a, struct ign_obj *o, const struct json *j, int minor,
		     struct ign_misfits *misfits)
{
	struct decoder d = { .a = a, .minor = minor, .misfits = misfits };

	buf_init(&d.path, a);
	buf_init(&d.at, a);
	(void)decode(&d, o, j, o->type->go);
}

/* ---- the version --------------------------------------------------------- */

static const char supported[] = "Supported spec versions: 2.2,3.0,3.1,3.2,3.3,3.4,3.5";

static int v3_failed(struct err *err, const char *why, struct str report)
{
	return err_set(err, ERR_INVALID,
		       "parsing Ignition config spec v3 failed with error: %s\n"
		       "Report: %.*s",
		       why, STRF(report));
}

/* The version in one "ignition" member; see ign_version_of. */
static const char *version_in(const struct json *ignition, struct str *version,
			      const struct json **blame)
{
	for (const struct json *v = json_first(ignition); v; v = json_next(v)) {
		if (!str_eq_fold(json_key(v), S("version")) || json_kind(v) == JSON_NULL)
			continue;
		*blame = v;
		if (json_kind(v) != JSON_STRING)
			return "struct field .Ignition.Version of type string";
		*version = json_text(v);
	}
	return NULL;
}

const char *ign_version_of(const struct json *j, struct str *version, const struct json **blame)
{
	const char *into = NULL;

	*version = S("");
	*blame = j;
	if (json_kind(j) == JSON_NULL)
		return NULL;
	if (json_kind(j) != JSON_OBJECT)
		return "value of type util.versionStub";
	for (const struct json *m = json_first(j); m && !into; m = json_next(m)) {
		if (!str_eq_fold(json_key(m), S("ignition")) || json_kind(m) == JSON_NULL)
			continue;
		*blame = m;
		if (json_kind(m) != JSON_OBJECT)
			return "struct field versionStub.Ignition of type "
			       "struct { Version string }";
		into = version_in(m, version, blame);
	}
	return into;
}

/* ignition.version; keys match in any case, the last one wins; "" when absent. */
static int stub_version(struct arena *a, struct str text, const struct json *j, struct str *version,
			struct err *err)
{
	const struct json *blame;
	const char *into = ign_version_of(j, version, &blame);

	if (!into)
		return 0;
	return v3_failed(err, "config is not valid",
			 place_text(a, text, notice_offset(blame),
				    str_fmt(a, "json: cannot unmarshal %s into Go %s",
					    json_kind_name(blame), into)));
}

/* ---- up to 3.5 ----------------------------------------------------------- */

static void set_if_unset(struct ign_obj *o, int field)
{
	if (!o->v[field].set) {
		o->v[field].set = true;
		o->v[field].u.s = S("");
	}
}

static void drop_mode_bits(const struct ign_objs *list, int field)
{
	for (size_t i = 0; i < list->n; i++)
		list->v[i]->v[field].u.i &= ~(int64_t)07000;
}

static void mend_luks(const struct ign_objs *list, int minor)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct ign_obj *clevis = ign_sub(list->v[i], IGN_LUKS_CLEVIS);
		const struct ign_objs *tang = ign_list(clevis, IGN_CLEVIS_TANG);
		struct ign_obj *custom = clevis ? clevis->v[IGN_CLEVIS_CUSTOM].u.o : NULL;

		if (custom && minor < 3) {
			set_if_unset(custom, IGN_CUSTOM_CONFIG);
			set_if_unset(custom, IGN_CUSTOM_PIN);
		}
		for (size_t k = 0; k < tang->n; k++)
			tang->v[k]->v[IGN_TANG_ADVERTISEMENT] = (struct ign_val){ 0 };
	}
}

/* The two reference types of 3.0 have the same fields at the same indices. */
static struct ign_obj *resource(struct arena *a, struct ign_obj *ref)
{
	struct ign_obj *r = ign_new(a, &ign_type_RESOURCE);

	if (ref->type == &ign_type_RESOURCE)
		return ref;
	r->v[IGN_RESOURCE_SOURCE] = ref->v[IGN_REFERENCE_SOURCE];
	r->v[IGN_RESOURCE_VERIFICATION] = ref->v[IGN_REFERENCE_VERIFICATION];
	if (ref->type == &ign_type_CA_REFERENCE)
		set_if_unset(r, IGN_RESOURCE_SOURCE);
	return r;
}

static void mend_references(struct arena *a, const struct ign_obj *ignition)
{
	const struct ign_obj *config = ign_sub(ignition, IGN_IGNITION_CONFIG);
	const struct ign_objs *merge = ign_list(config, IGN_IGNITION_CONFIG_MERGE);
	const struct ign_objs *cas = ign_list(
		ign_sub(ign_sub(ignition, IGN_IGNITION_SECURITY), IGN_SECURITY_TLS), IGN_TLS_CAS);

	for (size_t i = 0; i < merge->n; i++)
		merge->v[i] = resource(a, merge->v[i]);
	for (size_t i = 0; i < cas->n; i++)
		cas->v[i] = resource(a, cas->v[i]);
	if (ign_sub(config, IGN_IGNITION_CONFIG_REPLACE)) {
		struct ign_obj *c = ignition->v[IGN_IGNITION_CONFIG].u.o;

		c->v[IGN_IGNITION_CONFIG_REPLACE].u.o =
			resource(a, c->v[IGN_IGNITION_CONFIG_REPLACE].u.o);
	}
}

void ign_up(struct arena *a, struct ign_obj *config, int minor)
{
	struct ign_obj *ignition = config->v[IGN_CONFIG_IGNITION].u.o;
	const struct ign_obj *storage = ign_sub(config, IGN_CONFIG_STORAGE);
	const struct ign_objs *links = ign_list(storage, IGN_STORAGE_LINKS);
	const struct ign_objs *raid = ign_list(storage, IGN_STORAGE_RAID);

	if (minor >= 5)
		return;
	ignition->v[IGN_IGNITION_VERSION].u.s = S("3.5.0");
	if (minor < 1)
		mend_references(a, ignition);
	for (size_t i = 0; minor < 3 && i < links->n; i++)
		set_if_unset(links->v[i], IGN_LINK_TARGET);
	for (size_t i = 0; minor < 3 && i < raid->n; i++)
		set_if_unset(raid->v[i], IGN_RAID_LEVEL);
	if (minor < 4) {
		drop_mode_bits(ign_list(storage, IGN_STORAGE_FILES), IGN_FILE_MODE);
		drop_mode_bits(ign_list(storage, IGN_STORAGE_DIRECTORIES), IGN_DIRECTORY_MODE);
	}
	mend_luks(ign_list(storage, IGN_STORAGE_LUKS), minor);
}

/* ---- all of it ----------------------------------------------------------- */

static int parse_v3(struct arena *a, struct str text, int minor, struct ign_parsed *out,
		    struct err *err)
{
	struct ign_obj *config = ign_new(a, &ign_type_CONFIG);
	struct str problem;
	size_t offset;

	if (ign_decode(a, config, out->root, minor, &problem, &offset) < 0)
		return v3_failed(err, "config is not valid", place_text(a, text, offset, problem));
	ign_validate(a, config, minor, out->root, &out->report);
	if (out->report.fatal)
		return v3_failed(err, "config is not valid",
				 ign_report_text(a, &out->report, out->root, text));
	ign_up(a, config, minor);
	out->config = config;
	out->minor = minor;
	return 0;
}

bool ign_is_v3(struct semver v)
{
	return v.major == 3 && v.minor >= 0 && v.minor <= 5 && v.patch == 0 && !v.pre.n &&
	       !v.meta.n;
}

int ign_parse(struct arena *a, struct str text, struct ign_parsed *out, struct err *err)
{
	struct json_fault fault = { 0 };
	struct json_opts opts = { .flags = JSON_FIX_UTF8, .fault = &fault };
	struct ign_parsed p = { 0 };
	struct semver v;
	struct str version;
	struct json *root;
	int rc;

	if (!text.n)
		return v3_failed(err, "not a config (empty)", S(""));
	rc = json_parse(a, text, &opts, &root, err);
	if (rc == -ERR_INVALID)
		return v3_failed(err, "config is not valid",
				 place_text(a, text, fault.offset, fault.problem));
	if (rc < 0)
		return rc;
	p.root = root;
	rc = stub_version(a, text, root, &version, err);
	if (rc < 0)
		return rc;
	if (!semver_parse(version, &v))
		return err_set(err, ERR_INVALID,
			       "parsing Ignition config failed: invalid "
			       "version. %s",
			       supported);
	if (ign_is_v3(v))
		rc = parse_v3(a, text, (int)v.minor, &p, err);
	else
		rc = ign_v2_parse(a, text, root, &p, err);
	if (rc == -ERR_NOTFOUND) /* an unknown version */
		return err_set(err, ERR_INVALID,
			       "parsing Ignition config failed: unknown "
			       "version. %s",
			       supported);
	if (rc == 0)
		*out = p;
	else
		*out = (struct ign_parsed){ .report = p.report };
	return rc;
}

/*
 * Keys must match exactly: of several keys that differ only in case, the order decides, and the
 * tree may not have kept it. Strings must be valid UTF-8: encoding them as text would change them.
 */
bool ign_take(struct arena *a, const struct json *tree, struct ign_parsed *out)
{
	struct decoder d = { .a = a, .exact = true };
	struct ign_parsed p = { .root = tree };
	struct semver v;

	if (!semver_parse(json_str(tree, "ignition.version"), &v) || !ign_is_v3(v))
		return false;
	p.minor = d.minor = (int)v.minor;
	p.config = ign_new(a, &ign_type_CONFIG);
	if (decode(&d, p.config, tree, "") < 0)
		return false;
	ign_validate(a, p.config, p.minor, NULL, &p.report);
	if (p.report.fatal)
		return false;
	ign_up(a, p.config, p.minor);
	*out = p;
	return true;
}

int ign_parse_35(struct arena *a, struct str text, struct ign_obj **out, struct err *err)
{
	struct ign_parsed p = { 0 };
	int rc = ign_parse(a, text, &p, err);

	if (rc < 0)
		return rc;
	if (p.v2)
		return ign_v2_convert(a, p.old, out, err);
	*out = p.config;
	return 0;
}
