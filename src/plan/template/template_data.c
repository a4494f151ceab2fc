/*
 * The data of templates: upstream's RenderConfig, which is the ControllerConfig's spec
 * and some more fields. Structs of the API are looked up by JSON names (mc/types),
 * derived from Go's names with a few exceptions.
 */
#include "base/codec.h"
#include "mc/types.h"
#include "template_parts.h"

static const struct shapes *const api = &mc_shapes;

static const char *pool(uint16_t at)
{
	return api->pool + at;
}

/* ---- structs of the API -------------------------------------------------- */

/* The JSON name of a Go field: its first word in lower case. */
static struct str json_name(struct arena *a, struct str go)
{
	static const struct {
		const char *go, *json;
	} odd[] = {
		{ "APIServerInternalURL", "apiServerInternalURI" },
		{ "BareMetal", "baremetal" },
		{ "OpenStack", "openstack" },
		{ "VSphere", "vsphere" },
		{ "IBMCloud", "ibmcloud" },
		{ "PowerVS", "powervs" },
		{ "VCenters", "vcenters" },
		{ "NetworkSubnetCIDR", "networkSubnetCidr" },
		{ "ExcludeNetworkSubnetCIDR", "excludeNetworkSubnetCidr" },
		{ "ObjectMeta", "metadata" },
	};
	size_t upper = 0;
	char *z;

	for (size_t i = 0; i < ARRAY_LEN(odd); i++)
		if (str_is(go, odd[i].go))
			return str_of(odd[i].json);
	while (upper < go.n && go.p[upper] >= 'A' && go.p[upper] <= 'Z')
		upper++;
	if (!upper)
		return S(""); /* unexported in Go */
	if (upper > 1 && upper < go.n)
		upper--; /* the last capital starts the next word: DNSType */
	z = str_z(a, go);
	for (size_t i = 0; i < upper; i++)
		z[i] = (char)(z[i] | 0x20);
	return (struct str){ z, go.n };
}

static const struct tmpl_class api_class;

static struct tmpl_value api_struct(struct arena *a, uint16_t type, bool ptr, const struct json *j)
{
	const char *go = pool(api->rows[type].name);
	struct tmpl_value v = { .kind = TMPL_STRUCT,
				.ptr = ptr,
				.map = j,
				.go = go,
				.class = &api_class,
				.type = &api->rows[type] };

	if (ptr)
		v.go = str_fmt(a, "*%s", go).p;
	if (ptr && json_kind(j) == JSON_NULL)
		v = (struct tmpl_value){ .kind = TMPL_NIL, .go = v.go };
	return v;
}

/* Go's type name of such a value; NULL when the kind implies it. */
static const char *named(const struct shape_row *row)
{
	static const char *const names[] = {
		[SHAPE_INT32] = "int32",
		[SHAPE_INT64] = "int64",
		[SHAPE_UINT32] = "uint32",
		[SHAPE_TIME] = "v1.Time",
	};

	if (row->kind == SHAPE_STRUCT)
		return pool(api->rows[row->type].name);
	if (row->type)
		return pool(row->type);
	if (row->kind < ARRAY_LEN(names))
		return names[row->kind];
	return NULL;
}

static struct tmpl_value bytes_of(struct arena *a, const struct json *j)
{
	struct err err = ERR_INIT(a);
	struct str bytes = S("");

	(void)base64_decode(a, json_text(j), &bytes, &err);
	return tmpl_bytes(bytes);
}

static struct tmpl_value scalar(struct arena *a, const struct shape_row *row, const struct json *j)
{
	struct tmpl_value v = tmpl_str(json_text(j));

	switch ((enum shape_kind)row->kind) {
	case SHAPE_BOOL:
		v = tmpl_bool(json_is_true(j));
		break;
	case SHAPE_INT32:
	case SHAPE_INT64:
	case SHAPE_UINT32:
		v = tmpl_int(0);
		(void)str_to_i64(json_text(j), &v.i);
		break;
	case SHAPE_FLOAT64:
	case SHAPE_RAW:
		v = tmpl_from_json(a, j);
		break;
	case SHAPE_BYTES:
		return bytes_of(a, j);
	case SHAPE_STRUCT:
	case SHAPE_STRING:
	case SHAPE_TIME:
	case SHAPE_DURATION:
	case SHAPE_TIMEDUR:
	case SHAPE_QUANTITY:
	case SHAPE_INTSTR:
		break; /* converted to text */
	}
	v.go = named(row);
	return v;
}

static struct tmpl_value list_of(struct arena *a, const struct shape_row *row, const struct json *j)
{
	const char *of = named(row);
	struct tmpl_value v = { .kind = TMPL_LIST };

	v.list = ARENA_NEW(a, struct tmpl_values);
	v.list->strings = !of && row->kind == SHAPE_STRING;
	if (of)
		v.go = str_fmt(a, "[]%s", of).p;
	for (const struct json *e = json_first(j); e; e = json_next(e))
		VEC_PUSH(a, v.list,
			 row->kind == SHAPE_STRUCT ? api_struct(a, row->type, false, e)
						   : scalar(a, row, e));
	return v;
}

static struct tmpl_value value_of(struct arena *a, const struct shape_row *row,
				  const struct json *j)
{
	bool ptr = row->flags & SHAPE_PTR;
	struct tmpl_value v;

	if (row->flags & SHAPE_MAP)
		return (struct tmpl_value){ .kind = TMPL_MAP, .map = j, .go = "map[string]string" };
	if (row->flags & SHAPE_LIST)
		return list_of(a, row, j);
	if (row->kind == SHAPE_STRUCT)
		return api_struct(a, row->type, ptr, j);
	v = scalar(a, row, j);
	if (!ptr)
		return v;
	v.ptr = true;
	v.go = str_fmt(a, "*%s", tmpl_type(&v)).p;
	if (json_kind(j) == JSON_NULL)
		v = (struct tmpl_value){ .kind = TMPL_NIL, .go = v.go };
	return v;
}

static bool api_field(struct arena *a, const struct tmpl_value *v, struct str name,
		      struct tmpl_value *out)
{
	const struct shape_row *type = v->type;
	uint16_t at = (uint16_t)(type - api->rows), row;
	struct str json = json_name(a, name);
	const struct json *j = v->map;

	row = shape_field(api, at, json);
	if (!row) { /* members of the embedded metadata are the object's, too */
		row = shape_field(api, at, S("metadata"));
		if (!row)
			return false;
		j = json_member(j, S("metadata"));
		row = shape_field(api, api->rows[row].type, json);
		if (!row)
			return false;
	}
	*out = value_of(a, &api->rows[row], json_member(j, json));
	return true;
}

/* The fields in order; Go prints inner pointers as addresses. */
static void api_print(struct buf *b, const struct tmpl_value *v)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct shape_row *first = v->type, *row = first + 1;

	for (; row < api->rows + api->n && !(row->flags & SHAPE_OPEN); row++) {
		struct tmpl_value f =
			value_of(&a, row, json_member(v->map, str_of(pool(row->name))));

		if (row > first + 1)
			buf_addc(b, ' ');
		if (f.ptr)
			buf_addz(b, "0xc000000000");
		else
			tmpl_print(b, &f);
	}
}

static const struct tmpl_class api_class = { api_field, api_print };

/* ---- RenderConfig -------------------------------------------------------- */

struct config {
	struct tmpl_value spec, pull_secret, tls_min, tls_suites, constants;
	bool *secret_read;
};

static const struct tmpl_value *read_secret(const struct config *c)
{
	*c->secret_read = true;
	return &c->pull_secret;
}

static bool config_field(struct arena *a, const struct tmpl_value *v, struct str name,
			 struct tmpl_value *out)
{
	const struct config *c = v->type;

	if (str_is(name, "PullSecret"))
		*out = *read_secret(c);
	else if (str_is(name, "TLSMinVersion"))
		*out = c->tls_min;
	else if (str_is(name, "TLSCipherSuites"))
		*out = c->tls_suites;
	else if (str_is(name, "Constants"))
		*out = c->constants;
	else if (str_is(name, "ControllerConfigSpec"))
		*out = c->spec;
	else
		return api_field(a, &c->spec, name, out);
	return true;
}

static void config_print(struct buf *b, const struct tmpl_value *v)
{
	const struct config *c = v->type;
	const struct tmpl_value *all[] = { read_secret(c), &c->tls_min, &c->tls_suites,
					   &c->constants };

	buf_addz(b, "0xc000000000");
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		buf_addc(b, ' ');
		tmpl_print(b, all[i]);
	}
}

static const struct tmpl_class config_class = { config_field, config_print };

static struct tmpl_value constants(struct arena *a)
{
	struct json *j = json_new(a, JSON_OBJECT);

	json_add(j, S("APIServerURLFile"), json_new_str(a, S("/etc/kubernetes/apiserver-url.env")));
	return (struct tmpl_value){ .kind = TMPL_MAP, .map = j, .go = "map[string]string" };
}

void template_data_secret(struct render_data *d, struct str pull_secret)
{
	d->config->pull_secret = tmpl_str(pull_secret);
}

bool template_data_secret_read(struct render_data *d)
{
	bool read = *d->config->secret_read;

	*d->config->secret_read = false;
	return read;
}

int template_data(struct arena *a, const struct json *spec, bool fold, struct str tls_min_version,
		  const struct strs *tls_cipher_suites, struct render_data *out, struct err *err)
{
	struct config *c = ARENA_NEW(a, struct config);
	struct render_data d = { 0 };
	struct json *held = NULL;
	int rc = 0;

	if (json_kind(spec) != JSON_NULL)
		rc = shape_hold(a, api, MC_T_ControllerConfigSpec, fold ? SHAPE_FOLD : 0, spec,
				&held, err);
	if (rc < 0)
		return rc;
	c->spec = api_struct(a, MC_T_ControllerConfigSpec, false, held);
	c->pull_secret = tmpl_str(S(""));
	c->secret_read = ARENA_NEW(a, bool);
	c->tls_min = tmpl_str(tls_min_version);
	c->tls_suites = tmpl_strs(a, tls_cipher_suites);
	c->constants = constants(a);
	d.dot = (struct tmpl_value){ .kind = TMPL_STRUCT,
				     .go = "template.RenderConfig",
				     .class = &config_class,
				     .type = c };
	d.config = c;
	d.infra = json_at(held, "infra");
	d.platform = json_at(d.infra, "status.platformStatus");
	d.type = json_str(d.platform, "type");
	*out = d;
	return 0;
}
