/*
 * Decoding of scalars and of types with a text form of their own, with the errors of Go's decoders.
 */
#include "base/codec.h"
#include "base/duration.h"
#include "base/num.h"
#include "base/quantity.h"
#include "base/rfc3339.h"
#include "shape_reader.h"

void shape_path(struct buf *b, const struct shape_frame *f)
{
	if (f->up) {
		shape_path(b, f->up);
		buf_addc(b, '.');
	}
	buf_addz(b, f->name);
}

/* Completes "json: cannot unmarshal": the field and its type. */
static int misfit(struct shape_reader *r, struct str value, struct str type)
{
	struct buf b;

	if (r->saved)
		return 0;
	r->saved = true;
	buf_init(&b, r->a);
	buf_addf(&b, "json: cannot unmarshal %.*s into Go ", STRF(value));
	if (r->at) {
		buf_addf(&b, "struct field %s.", r->in);
		shape_path(&b, r->at);
	} else {
		buf_addz(&b, "value");
	}
	buf_addf(&b, " of type %.*s", STRF(type));
	(void)err_set(r->err, ERR_INVALID, "%.*s", STRF(buf_str(&b)));
	return 0;
}

static const char *const go_names[] = {
	[SHAPE_STRING] = "string",
	[SHAPE_BOOL] = "bool",
	[SHAPE_INT32] = "int32",
	[SHAPE_INT64] = "int64",
	[SHAPE_UINT32] = "uint32",
	[SHAPE_FLOAT64] = "float64",
	[SHAPE_BYTES] = "[]uint8",
	[SHAPE_TIME] = "v1.Time",
	[SHAPE_DURATION] = "v1.Duration",
	[SHAPE_TIMEDUR] = "v1.TimeOrMetaDuration",
	[SHAPE_QUANTITY] = "resource.Quantity",
	[SHAPE_INTSTR] = "intstr.IntOrString",
	[SHAPE_RAW] = "runtime.RawExtension",
};

/* The type as reflection prints it, with the containers of flags. */
static struct str type_text(struct shape_reader *r, const struct shape_row *row, unsigned flags)
{
	const char *elem = row->kind == SHAPE_STRUCT ? shape_pool(r->s, r->s->rows[row->type].name)
			   : row->type		     ? shape_pool(r->s, row->type)
						     : go_names[row->kind];

	return str_fmt(r->a, "%s%s%s", flags & SHAPE_MAP ? "map[string]" : "",
		       flags & SHAPE_LIST ? "[]" : "", elem);
}

int shape_wrong_kind(struct shape_reader *r, const struct json *j, const struct shape_row *row,
		     unsigned flags)
{
	return misfit(r, str_of(json_kind_name(j)), type_text(r, row, flags));
}

/* ---- values -------------------------------------------------------------- */

static int take_string(struct shape_reader *r, const struct json *j, const struct shape_row *row,
		       struct json **out)
{
	struct str s = json_text(j);
	bool text = json_kind(j) == JSON_STRING;

	if (r->mode & SHAPE_TEXT && json_kind(j) == JSON_BOOL)
		s = json_is_true(j) ? S("true") : S("false");
	if (r->mode & SHAPE_TEXT)
		text = text || json_kind(j) == JSON_NUMBER || json_kind(j) == JSON_BOOL;
	if (!text)
		return shape_wrong_kind(r, j, row, 0);
	*out = r->build ? json_new_str(r->a, s) : NULL;
	return 0;
}

static int take_number(struct shape_reader *r, const struct json *j, const struct shape_row *row,
		       struct json **out)
{
	struct str text = json_text(j);
	int64_t v;
	double d;
	bool fits = str_to_i64(text, &v);

	if (json_kind(j) != JSON_NUMBER)
		return shape_wrong_kind(r, j, row, 0);
	if (row->kind == SHAPE_INT32)
		fits = fits && v >= INT32_MIN && v <= INT32_MAX;
	else if (row->kind == SHAPE_UINT32)
		fits = fits && v >= 0 && v <= UINT32_MAX && text.p[0] != '-';
	else if (row->kind == SHAPE_FLOAT64)
		fits = num_parse_float(text, &d);
	if (!fits)
		return misfit(r, str_fmt(r->a, "number %.*s", STRF(text)), type_text(r, row, 0));
	if (row->kind == SHAPE_FLOAT64 && r->build) {
		struct buf b;

		buf_init(&b, r->a);
		num_add_float_json(&b, d);
		text = buf_str(&b);
	}
	*out = r->build ? json_new_num(r->a, text) : NULL;
	return 0;
}

static int take_bytes(struct shape_reader *r, const struct json *j, const struct shape_row *row,
		      struct json **out)
{
	struct err err = ERR_INIT(r->a);
	struct str bytes;
	struct buf b;

	if (json_kind(j) != JSON_STRING)
		return shape_wrong_kind(r, j, row, 0);
	if (base64_decode(r->a, json_text(j), &bytes, &err) < 0) {
		if (!r->saved)
			*r->err = err;
		r->saved = true;
		return 0;
	}
	if (!r->build)
		return 0;
	buf_init(&b, r->a);
	base64_add(&b, bytes);
	*out = json_new_str(r->a, buf_str(&b));
	return 0;
}

/* A type with its own decoder requires a string here. */
static int need_string(struct shape_reader *r, const struct json *j, const char *type)
{
	if (json_kind(j) == JSON_STRING)
		return 0;
	r->saved = false;
	(void)misfit(r, str_of(json_kind_name(j)), str_of(type));
	return -ERR_INVALID;
}

static int bad_time(struct shape_reader *r, struct str whole)
{
	static const char layout[] = "2006-01-02T15:04:05Z07:00";
	static const uint8_t ends[] = { 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 25 };
	size_t from = 0, at = 0, e = 0;
	struct buf b;

	/* the first element of the layout that the text lacks */
	for (; e + 1 < sizeof(ends); from = at, e++) {
		while (at < ends[e] && at < whole.n &&
		       (layout[at] >= '0' && layout[at] <= '9'
				? whole.p[at] >= '0' && whole.p[at] <= '9'
				: whole.p[at] == layout[at]))
			at++;
		if (at < ends[e])
			break;
	}
	buf_init(&b, r->a);
	buf_addz(&b, "parsing time ");
	go_quote(&b, whole);
	buf_addf(&b, " as \"%s\": cannot parse ", layout);
	go_quote(&b, str_from(whole, from));
	buf_addf(&b, " as \"%.*s\"", (int)(ends[e] - from), layout + from);
	return err_set(r->err, ERR_INVALID, "%.*s", STRF(buf_str(&b)));
}

static int take_time(struct shape_reader *r, const struct json *j, struct json **out)
{
	struct instant t;
	struct buf b;

	if (need_string(r, j, "string") < 0)
		return -ERR_INVALID;
	if (!rfc3339_parse(json_text(j), &t))
		return bad_time(r, json_text(j));
	if (!r->build)
		return 0;
	buf_init(&b, r->a);
	rfc3339_add(&b, t);
	*out = json_new_str(r->a, buf_str(&b));
	return 0;
}

static int take_duration(struct shape_reader *r, const struct json *j, struct json **out)
{
	int64_t ns;
	struct buf b;
	int rc;

	/* null decodes as an empty string, which is not a duration */
	if (json_kind(j) != JSON_NULL && need_string(r, j, "string") < 0)
		return -ERR_INVALID;
	rc = duration_parse(json_text(j), &ns, r->err);
	if (rc < 0 || !r->build)
		return rc;
	buf_init(&b, r->a);
	duration_add(&b, ns);
	*out = json_new_str(r->a, buf_str(&b));
	return 0;
}

static int take_quantity(struct shape_reader *r, const struct json *j, struct json **out)
{
	struct quantity q;
	struct str text = json_text(j);
	int rc;

	if (json_kind(j) == JSON_NULL)
		return 0;
	if (json_kind(j) != JSON_STRING && json_kind(j) != JSON_NUMBER)
		text = S("?"); /* anything else is not a quantity */
	rc = quantity_parse(r->a, str_trim(text), &q, r->err);
	if (rc == 0 && r->build)
		*out = json_new_str(r->a, q.text);
	return rc;
}

static int take_intstr(struct shape_reader *r, const struct json *j, struct json **out)
{
	static const struct shape_row int32 = { .kind = SHAPE_INT32 };
	int rc;

	if (json_kind(j) == JSON_STRING) {
		*out = r->build ? json_new_str(r->a, json_text(j)) : NULL;
		return 0;
	}
	r->saved = false;
	rc = take_number(r, j, &int32, out);
	return r->saved ? -ERR_INVALID : rc;
}

static int take_timedur(struct shape_reader *r, const struct json *j, struct json **out)
{
	static const struct shape_row int64 = { .kind = SHAPE_INT64 };

	if (json_kind(j) == JSON_STRING)
		return take_duration(r, j, out);
	if (json_kind(j) == JSON_NUMBER)
		return take_number(r, j, &int64, out);
	return err_set(r->err, ERR_INVALID,
		       "invalid duration: json: cannot unmarshal %s into Go "
		       "value of type time.Duration",
		       json_kind_name(j));
}

int shape_value(struct shape_reader *r, const struct json *j, const struct shape_row *row,
		struct json **out)
{
	switch ((enum shape_kind)row->kind) {
	case SHAPE_STRUCT:
		return 0;
	case SHAPE_STRING:
		return take_string(r, j, row, out);
	case SHAPE_BOOL:
		if (json_kind(j) != JSON_BOOL)
			return shape_wrong_kind(r, j, row, 0);
		*out = r->build ? json_new_bool(r->a, json_is_true(j)) : NULL;
		return 0;
	case SHAPE_INT32:
	case SHAPE_INT64:
	case SHAPE_UINT32:
	case SHAPE_FLOAT64:
		return take_number(r, j, row, out);
	case SHAPE_BYTES:
		return take_bytes(r, j, row, out);
	case SHAPE_TIME:
		return take_time(r, j, out);
	case SHAPE_DURATION:
		return take_duration(r, j, out);
	case SHAPE_TIMEDUR:
		return take_timedur(r, j, out);
	case SHAPE_QUANTITY:
		return take_quantity(r, j, out);
	case SHAPE_INTSTR:
		return take_intstr(r, j, out);
	case SHAPE_RAW:
		*out = r->build ? json_clone(r->a, j) : NULL;
		return 0;
	}
	return 0;
}

struct json *shape_zero(struct arena *a, const struct shape_row *row)
{
	switch ((enum shape_kind)row->kind) {
	case SHAPE_STRUCT:
		return json_new(a, JSON_OBJECT);
	case SHAPE_STRING:
		return json_new_str(a, S(""));
	case SHAPE_BOOL:
		return json_new_bool(a, false);
	case SHAPE_INT32:
	case SHAPE_INT64:
	case SHAPE_UINT32:
	case SHAPE_FLOAT64:
	case SHAPE_TIMEDUR:
	case SHAPE_INTSTR:
		return json_new_num(a, S("0"));
	case SHAPE_DURATION:
		return json_new_str(a, S("0s"));
	case SHAPE_QUANTITY:
		return json_new_str(a, S("0"));
	case SHAPE_BYTES:
	case SHAPE_TIME:
	case SHAPE_RAW:
		return json_new(a, JSON_NULL);
	}
	return NULL;
}
