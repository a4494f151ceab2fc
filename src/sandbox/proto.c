/*
 * Decodes objects that Go clients send in protobuf to the JSON that they would send otherwise.
 *
 * The body is "k8s\0" and an envelope: the type, and the bytes of the object. builtin/types has the
 * numbers of the fields. Go's encoder writes every field that is not a pointer, so zero values of
 * fields that JSON omits are dropped. An embedded struct is a message of its own in protobuf;
 * its fields are members of the outer object in JSON.
 */
#include "proto.h"

#include "base/codec.h"
#include "base/rfc3339.h"

#define DEPTH_MAX 32
#define MAGIC ((struct str){ "k8s\0", 4 })

enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

struct field {
	uint32_t num;
	uint64_t value; /* of a varint */
	struct str bytes;
};

struct decoder {
	struct arena *a;
	const struct sb_types *types;
	bool bad;
};

static bool take_varint(struct str *in, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; in->n && shift < 64; shift += 7) {
		uint8_t b = (uint8_t)in->p[0];

		*in = str_from(*in, 1);
		*out |= (uint64_t)(b & 127) << shift;
		if (b < 128)
			return true;
	}
	return false;
}

/* False at the end, or when the bytes are malformed. */
static bool take_field(struct decoder *d, struct str *in, struct field *out)
{
	uint64_t tag, n = 0;

	*out = (struct field){ 0 };
	if (d->bad || !in->n)
		return false;
	d->bad = !take_varint(in, &tag) || tag >> 3 > UINT32_MAX;
	if (d->bad)
		return false;
	out->num = (uint32_t)(tag >> 3);
	switch (tag & 7) {
	case WIRE_VARINT:
		d->bad = !take_varint(in, &out->value);
		return !d->bad;
	case WIRE_BYTES:
		d->bad = !take_varint(in, &n);
		break;
	case WIRE_64:
		n = 8;
		break;
	case WIRE_32:
		n = 4;
		break;
	default:
		d->bad = true;
	}
	d->bad = d->bad || n > in->n;
	if (d->bad)
		return false;
	out->bytes = str_sub(*in, 0, (size_t)n);
	*in = str_from(*in, (size_t)n);
	return true;
}

/* ---- values -------------------------------------------------------------- */

static struct json *decode_time(struct decoder *d, struct str in, bool micro)
{
	struct instant t = { 0 };
	struct field f;
	struct buf b;

	if (!in.n)
		return NULL;
	while (take_field(d, &in, &f))
		if (f.num == 1)
			t.sec = (int64_t)f.value;
		else if (f.num == 2)
			t.nsec = (int32_t)f.value;
	buf_init(&b, d->a);
	if (micro)
		rfc3339_add_micro(&b, t);
	else
		rfc3339_add(&b, t);
	return json_new_str(d->a, buf_str(&b));
}

/* A message with one string. */
static struct json *decode_quantity(struct decoder *d, struct str in)
{
	struct str text = S("0");
	struct field f;

	while (take_field(d, &in, &f))
		if (f.num == 1)
			text = f.bytes;
	return json_new_str(d->a, text);
}

static struct json *decode_intstr(struct decoder *d, struct str in)
{
	bool text = false;
	struct str s = S("");
	int64_t n = 0;
	struct field f;

	while (take_field(d, &in, &f))
		if (f.num == 1)
			text = f.value != 0;
		else if (f.num == 2)
			n = (int64_t)f.value;
		else if (f.num == 3)
			s = f.bytes;
	return text ? json_new_str(d->a, s) : json_new_i64(d->a, n);
}

static struct json *decode_bytes(struct decoder *d, struct str in)
{
	struct buf b;

	buf_init(&b, d->a);
	base64_add(&b, in);
	return json_new_str(d->a, buf_str(&b));
}

static void decode_struct(struct decoder *d, uint16_t type, uint16_t outer, struct str in,
			  struct json *into, unsigned depth);

/* NULL for a time that is not set, and for types without a protobuf form here. */
static struct json *decode_value(struct decoder *d, uint16_t row, const struct field *f,
				 unsigned depth)
{
	const struct shape_row *r = &d->types->shapes.rows[row];
	struct json *object;

	switch ((enum shape_kind)r->kind) {
	case SHAPE_STRING:
		return json_new_str(d->a, f->bytes);
	case SHAPE_BOOL:
		return json_new_bool(d->a, f->value != 0);
	case SHAPE_INT32:
	case SHAPE_INT64:
		return json_new_i64(d->a, (int64_t)f->value);
	case SHAPE_BYTES:
		return decode_bytes(d, f->bytes);
	case SHAPE_TIME:
		return decode_time(d, f->bytes, false);
	case SHAPE_QUANTITY:
		return decode_quantity(d, f->bytes);
	case SHAPE_INTSTR:
		return decode_intstr(d, f->bytes);
	case SHAPE_STRUCT:
		object = json_new(d->a, JSON_OBJECT);
		decode_struct(d, r->type, 0, f->bytes, object, depth + 1);
		return object;
	case SHAPE_RAW:
		return d->types->rules[row].micro ? decode_time(d, f->bytes, true) : NULL;
	case SHAPE_UINT32:
	case SHAPE_FLOAT64:
	case SHAPE_DURATION:
	case SHAPE_TIMEDUR:
		return NULL; /* builtin/types has none */
	}
	return NULL;
}

/* ---- structs ------------------------------------------------------------- */

static bool is_zero(const struct json *v)
{
	switch (json_kind(v)) {
	case JSON_STRING:
		return !json_text(v).n;
	case JSON_NUMBER:
		return str_is(json_text(v), "0");
	case JSON_BOOL:
		return !json_is_true(v);
	case JSON_NULL:
		return true;
	case JSON_ARRAY:
	case JSON_OBJECT:
		break;
	}
	return false;
}

static struct json *member_of(struct decoder *d, struct json *into, struct str name,
			      enum json_kind kind)
{
	struct json *v = json_member(into, name);

	if (!v) {
		v = json_new(d->a, kind);
		json_add(into, name, v);
	}
	return v;
}

static void add_entry(struct decoder *d, struct json *map, uint16_t row, struct str in,
		      unsigned depth)
{
	struct field f, value = { 0 };
	struct str key = S("");
	struct json *v;

	while (take_field(d, &in, &f))
		if (f.num == 1)
			key = f.bytes;
		else
			value = f;
	v = decode_value(d, row, &value, depth);
	if (v)
		json_set(map, key, v);
}

static void add_member(struct decoder *d, uint16_t row, const struct field *f, struct json *into,
		       unsigned depth)
{
	const struct shape_row *r = &d->types->shapes.rows[row];
	struct str name = str_of(d->types->shapes.pool + r->name);
	struct json *v;

	if (r->flags & SHAPE_MAP) {
		add_entry(d, member_of(d, into, name, JSON_OBJECT), row, f->bytes, depth);
		return;
	}
	v = decode_value(d, row, f, depth);
	if (r->flags & SHAPE_LIST) {
		if (v)
			json_push(member_of(d, into, name, JSON_ARRAY), v);
		return;
	}
	if (r->flags & SHAPE_PTR ? !v : r->flags & (SHAPE_OMIT | SHAPE_ZERO) && is_zero(v))
		return;
	json_set(into, name, v ? v : json_new(d->a, JSON_NULL));
}

/* The embedded struct, or one in it. */
static bool within(uint16_t outer, uint16_t embedded)
{
	return embedded && (outer == embedded || outer >> 8 == embedded);
}

/* The row of a field; outer is the embedded struct that has it, or 0. */
static uint16_t find_field(const struct sb_types *t, uint16_t type, uint16_t outer, uint32_t num,
			   bool *embedded)
{
	*embedded = false;
	for (uint16_t i = type + 1; i < t->shapes.n; i++) {
		if (t->shapes.rows[i].flags & SHAPE_OPEN)
			break;
		if (t->rules[i].outer == outer && t->rules[i].num == num)
			return i;
		*embedded = *embedded || within(t->rules[i].outer, SB_EMBEDDED(outer, num));
	}
	return 0;
}

static void decode_struct(struct decoder *d, uint16_t type, uint16_t outer, struct str in,
			  struct json *into, unsigned depth)
{
	bool embedded;
	struct field f;

	d->bad = d->bad || depth > DEPTH_MAX;
	while (take_field(d, &in, &f)) {
		uint16_t row = find_field(d->types, type, outer, f.num, &embedded);

		if (row)
			add_member(d, row, &f, into, depth);
		else if (embedded)
			decode_struct(d, type, SB_EMBEDDED(outer, f.num), f.bytes, into, depth + 1);
	}
}

/* ---- the body ------------------------------------------------------------ */

struct envelope {
	struct str version, kind, object;
};

static void open_envelope(struct decoder *d, struct str in, struct envelope *out)
{
	struct field f, part;

	*out = (struct envelope){ 0 };
	while (take_field(d, &in, &f)) {
		if (f.num == 2)
			out->object = f.bytes;
		while (f.num == 1 && take_field(d, &f.bytes, &part))
			if (part.num == 1)
				out->version = part.bytes;
			else if (part.num == 2)
				out->kind = part.bytes;
	}
}

/* Objects have their metadata as the first field; options have none. */
static void decode_meta(struct decoder *d, struct str in, struct json *object)
{
	uint16_t meta = types_find(d->types, S("ObjectMeta"));
	struct field f;

	while (take_field(d, &in, &f))
		if (f.num == 1)
			decode_struct(d, meta, 0, f.bytes,
				      json_add_object(d->a, object, "metadata"), 1);
}

bool proto_to_json(struct sb_call *c)
{
	struct decoder d = { .a = c->a, .types = &c->sb->kinds.types };
	struct str body = c->r->body;
	struct envelope e;
	struct json *object;
	uint16_t type;
	struct buf b;

	if (str_find(c->r->content_type, S("application/vnd.kubernetes.protobuf")) != 0 ||
	    !str_starts(body, MAGIC))
		return true;
	open_envelope(&d, str_from(body, MAGIC.n), &e);
	type = types_find(&c->sb->kinds.types, e.kind);
	if (!d.bad && !type)
		return true;
	object = json_new(c->a, JSON_OBJECT);
	json_add_opt(c->a, object, "kind", e.kind);
	json_add_opt(c->a, object, "apiVersion", e.version);
	if (!str_is(e.kind, "DeleteOptions"))
		decode_meta(&d, e.object, object);
	decode_struct(&d, type, 0, e.object, object, 0);
	if (d.bad) {
		reply_bad(c->a, c->out, "the protobuf body of the request is malformed");
		return false;
	}
	buf_init(&b, c->a);
	json_encode(&b, object, 0);
	c->r->body = buf_str(&b);
	c->r->content_type = S("application/json");
	return true;
}
