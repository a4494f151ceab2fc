#include "base/rfc3339.h"
#include "sandbox/sandbox.h"

/*
 * Tables, as `kubectl get` asks for them: columns of custom kinds come from
 * their definitions, those of the built-in kinds from here. A column is
 * "Name|path" with "+" before the name when only `-o wide` shows it; paths that
 * begin with @ are computed.
 */
static const struct {
	const char *plural, *columns;
} builtin[] = {
	{ "nodes", "Status|@node;Roles|@roles;Age|@age;"
		   "Version|.status.nodeInfo.kubeletVersion;"
		   "+Internal-IP|.status.addresses[?(@.type==\"InternalIP\")]."
		   "address;+OS-Image|.status.nodeInfo.osImage;"
		   "+Kernel-Version|.status.nodeInfo.kernelVersion" },
	{ "pods", "Ready|@ready;Status|@phase;Restarts|@restarts;Age|@age;"
		  "+IP|.status.podIP;+Node|.spec.nodeName" },
	{ "namespaces", "Status|.status.phase;Age|@age" },
	{ "configmaps", "Data|@data;Age|@age" },
	{ "secrets", "Type|.type;Data|@data;Age|@age" },
	{ "leases", "Holder|.spec.holderIdentity;Age|@age" },
	{ "customresourcedefinitions", "Created At|.metadata."
				       "creationTimestamp" },
	{ "poddisruptionbudgets", "Min Available|.spec.minAvailable;Max "
				  "Unavailable|.spec.maxUnavailable;Allowed "
				  "Disruptions|.status.disruptionsAllowed;"
				  "Age|@age" },
	{ "events", "Last Seen|@seen;Type|.type;Reason|.reason;Object|@object;"
		    "Message|.message" },
	{ "machineconfigs",
	  "GeneratedByController|.metadata.annotations.machineconfiguration\\."
	  "openshift\\.io/generated-by-controller-version;IgnitionVersion|."
	  "spec.config.ignition.version;Age|@age" },
	{ "machineconfigpools",
	  "Config|.status.configuration.name;Updated|.status.conditions[?(@."
	  "type==\"Updated\")].status;Updating|.status.conditions[?(@.type==\""
	  "Updating\")].status;Degraded|.status.conditions[?(@.type==\""
	  "Degraded\")].status;MachineCount|.status.machineCount;"
	  "ReadyMachineCount|.status.readyMachineCount;UpdatedMachineCount|."
	  "status.updatedMachineCount;DegradedMachineCount|.status."
	  "degradedMachineCount;Age|@age" },
	{ "machineconfignodes",
	  "PoolName|.spec.pool.name;DesiredConfig|.spec.configVersion.desired;"
	  "CurrentConfig|.status.configVersion.current;Updated|.status."
	  "conditions[?(@.type==\"Updated\")].status;Age|@age" },
};

struct column {
	struct str name, type, path;
	int64_t priority;
};

struct columns {
	struct column *v;
	size_t n, cap;
};

static void builtin_columns(struct arena *a, const char *text,
			    struct columns *out)
{
	struct str rest = str_of(text), one;
	bool more = true;

	while (more) {
		struct column c = { .type = S("string") };

		more = str_cut(rest, ';', &one, &rest);
		if (!more)
			one = rest;
		(void)str_cut(one, '|', &c.name, &c.path);
		if (c.name.p[0] == '+') {
			c.name = str_from(c.name, 1);
			c.priority = 1;
		}
		if (str_ends(c.name, S("Count")) || str_is(c.path, "@restarts"))
			c.type = S("integer");
		VEC_PUSH(a, out, c);
	}
}

static void columns_of(struct arena *a, const struct sb_kind *k,
		       const struct sb_version *v, struct columns *out)
{
	struct column name = { S("Name"), S("string"), S(".metadata.name"), 0 };
	struct column age = { S("Age"), S("date"), S("@age"), 0 };

	VEC_PUSH(a, out, name);
	for (const struct json *j = json_first(v->columns); j;
	     j = json_next(j)) {
		struct column c = { json_str(j, "name", S("")),
				    json_str(j, "type", S("string")),
				    json_str(j, "jsonPath", S("")),
				    json_i64(j, "priority", 0) };

		VEC_PUSH(a, out, c);
	}
	for (size_t i = 0;
	     !v->columns && i < sizeof(builtin) / sizeof(builtin[0]); i++)
		if (str_is(k->plural, builtin[i].plural) &&
		    !str_is(k->group, "config.openshift.io"))
			builtin_columns(a, builtin[i].columns, out);
	if (out->n == 1)
		VEC_PUSH(a, out, age);
}

/* ---- paths -------------------------------------------------------------------- */

/* The next member name of a JSONPath, with "\." for a dot in it. */
static struct str path_name(struct arena *a, struct str *path)
{
	struct buf b;
	size_t i = 0;

	buf_init(&b, a);
	for (; i < path->n && path->p[i] != '.' && path->p[i] != '['; i++) {
		if (path->p[i] == '\\' && i + 1 < path->n)
			i++;
		buf_addc(&b, path->p[i]);
	}
	*path = str_from(*path, i);
	return buf_str(&b);
}

/* [?(@.key=="value")] or [n]: the first element that fits */
static const struct json *path_element(const struct json *list, struct str in)
{
	const struct json *v = json_first(list);
	struct str key, value;
	int64_t n;

	if (str_to_i64(in, &n)) {
		while (v && n-- > 0)
			v = json_next(v);
		return v;
	}
	if (!str_starts(in, S("?(@.")) || !str_cut(in, '=', &key, &value))
		return v;
	key = str_from(key, 4);
	value = str_from(value, 1); /* the second '=' */
	if (value.n < 3)
		return NULL;
	value = str_sub(value, 1, value.n - 2); /* quotes and ')' */
	while (v && !str_eq(json_text(json_member(v, key)), value))
		v = json_next(v);
	return v;
}

static const struct json *path_find(struct arena *a, const struct json *j,
				    struct str path)
{
	while (j && path.n) {
		ptrdiff_t end;

		if (path.p[0] == '[') {
			end = str_chr(path, ']');
			if (end < 0)
				return NULL;
			j = path_element(j, str_sub(path, 1, (size_t)end));
			path = str_from(path, (size_t)end + 1);
		} else {
			path = str_from(path, path.p[0] == '.');
			j = json_member(j, path_name(a, &path));
		}
	}
	return j;
}

/* ---- computed cells ------------------------------------------------------------- */

/* As kubectl writes ages. */
static struct str age(struct arena *a, struct str since, int64_t now)
{
	struct instant t;
	int64_t s;

	if (!rfc3339_parse(since, &t))
		return S("<unknown>");
	s = now > t.sec ? now - t.sec : 0;
	if (s < 120)
		return str_fmt(a, "%llds", (long long)s);
	if (s < 600 && s % 60)
		return str_fmt(a, "%lldm%llds", (long long)s / 60,
			       (long long)s % 60);
	if (s < 3 * 3600)
		return str_fmt(a, "%lldm", (long long)s / 60);
	if (s < 8 * 3600 && s / 60 % 60)
		return str_fmt(a, "%lldh%lldm", (long long)s / 3600,
			       (long long)s / 60 % 60);
	if (s < 48 * 3600)
		return str_fmt(a, "%lldh", (long long)s / 3600);
	return str_fmt(a, "%lldd", (long long)s / 86400);
}

static struct str node_status(struct arena *a, const struct json *node)
{
	const struct json *c = json_first(json_at(node, "status.conditions"));
	const char *ready = "Unknown";

	for (; c; c = json_next(c))
		if (str_is(json_str(c, "type", S("")), "Ready"))
			ready = str_is(json_str(c, "status", S("")), "True")
					? "Ready"
					: "NotReady";
	return str_fmt(a, "%s%s", ready,
		       json_bool(node, "spec.unschedulable", false)
			       ? ",SchedulingDisabled"
			       : "");
}

static struct str node_roles(struct arena *a, const struct json *node)
{
	const struct str prefix = S("node-role.kubernetes.io/");
	const struct json *m = json_first(json_at(node, "metadata.labels"));
	struct buf b;

	buf_init(&b, a);
	for (; m; m = json_next(m)) {
		struct str key = json_key(m);

		if (!str_starts(key, prefix) || key.n == prefix.n)
			continue;
		buf_addz(&b, b.n ? "," : "");
		buf_add(&b, str_from(key, prefix.n));
	}
	return b.n ? buf_str(&b) : S("<none>");
}

static struct str pod_ready(struct arena *a, const struct json *pod)
{
	const struct json *c =
		json_first(json_at(pod, "status.containerStatuses"));
	size_t ready = 0;

	for (; c; c = json_next(c))
		ready += json_bool(c, "ready", false);
	return str_fmt(a, "%zu/%zu", ready,
		       json_len(json_at(pod, "spec.containers")));
}

static struct str computed(struct sb_call *c, const struct json *o,
			   struct str what)
{
	struct arena *a = c->a;

	if (str_is(what, "@age"))
		return age(a, json_str(o, "metadata.creationTimestamp", S("")),
			   c->r->now);
	if (str_is(what, "@seen"))
		return age(a, json_str(o, "lastTimestamp", S("")), c->r->now);
	if (str_is(what, "@node"))
		return node_status(a, o);
	if (str_is(what, "@roles"))
		return node_roles(a, o);
	if (str_is(what, "@ready"))
		return pod_ready(a, o);
	if (str_is(what, "@phase"))
		return json_at(o, "metadata.deletionTimestamp")
			       ? S("Terminating")
			       : json_str(o, "status.phase", S(""));
	return str_fmt(a, "%.*s/%.*s",
		       STRF(json_str(o, "involvedObject.kind", S(""))),
		       STRF(json_str(o, "involvedObject.name", S(""))));
}

static struct json *cell(struct sb_call *c, const struct column *col,
			 const struct json *o)
{
	const struct json *v;

	if (str_is(col->path, "@restarts"))
		return json_new_i64(c->a, 0);
	if (str_is(col->path, "@data"))
		return json_new_i64(c->a,
				    (int64_t)json_len(json_at(o, "data")));
	if (col->path.p[0] == '@')
		return json_new_str(c->a, computed(c, o, col->path));
	v = path_find(c->a, o, col->path);
	if (str_is(col->type, "date") && v)
		return json_new_str(c->a, age(c->a, json_text(v), c->r->now));
	if (v && (!str_is(col->type, "string") || json_kind(v) == JSON_STRING))
		return json_clone(c->a, v);
	return v ? json_new_str(c->a, json_text(v)) : json_new(c->a, JSON_NULL);
}

/* ---- the table -------------------------------------------------------------------- */

bool sb_wants_table(struct str accept)
{
	return str_find(accept, S("as=Table")) >= 0;
}

static struct json *row(struct sb_call *c, const struct columns *cols,
			const struct json *o)
{
	struct json *r = json_new(c->a, JSON_OBJECT);
	struct json *cells = json_new(c->a, JSON_ARRAY);
	struct json *part = json_new(c->a, JSON_OBJECT);
	struct str include = request_param(c->r, "includeObject");

	for (size_t i = 0; i < cols->n; i++)
		json_push(cells, cell(c, &cols->v[i], o));
	json_add(r, S("cells"), cells);
	if (str_is(include, "Object")) {
		part = json_clone(c->a, o);
	} else if (!str_is(include, "None")) {
		json_add(part, S("kind"),
			 json_new_str(c->a, S("PartialObjectMetadata")));
		json_add(part, S("apiVersion"),
			 json_new_str(c->a, S("meta.k8s.io/v1")));
		json_add(part, S("metadata"),
			 json_clone(c->a, json_member(o, S("metadata"))));
	}
	json_add(r, S("object"), part);
	return r;
}

static struct json *definitions(struct arena *a, const struct columns *cols)
{
	struct json *list = json_new(a, JSON_ARRAY);

	for (size_t i = 0; i < cols->n; i++) {
		const struct column *c = &cols->v[i];
		struct json *d = json_new(a, JSON_OBJECT);

		json_add(d, S("name"), json_new_str(a, c->name));
		json_add(d, S("type"), json_new_str(a, c->type));
		json_add(d, S("format"),
			 json_new_str(a, i ? S("") : S("name")));
		json_add(d, S("description"), json_new_str(a, S("")));
		json_add(d, S("priority"), json_new_i64(a, c->priority));
		json_push(list, d);
	}
	return list;
}

bool sb_table(struct sb_call *c, const struct json *object,
	      const struct json *list)
{
	struct columns cols = { 0 };
	struct json *table, *rows, *meta;
	const struct json *from;

	if (!sb_wants_table(c->r->accept) || !c->r->kind)
		return false;
	columns_of(c->a, c->r->kind, c->r->version, &cols);
	table = json_new(c->a, JSON_OBJECT);
	json_add(table, S("kind"), json_new_str(c->a, S("Table")));
	json_add(table, S("apiVersion"),
		 json_new_str(c->a, S("meta.k8s.io/v1")));
	from = json_at(list ? list : object, "metadata.resourceVersion");
	meta = list ? json_clone(c->a, json_at(list, "metadata"))
		    : json_new(c->a, JSON_OBJECT);
	if (!json_str(meta, "continue", S("x")).n)
		(void)json_remove(meta, S("continue"));
	if (!list && from)
		json_add(meta, S("resourceVersion"), json_clone(c->a, from));
	json_add(table, S("metadata"), meta);
	json_add(table, S("columnDefinitions"), definitions(c->a, &cols));
	rows = json_new(c->a, JSON_ARRAY);
	if (object)
		json_push(rows, row(c, &cols, object));
	for (const struct json *o = json_first(json_at(list, "items")); o;
	     o = json_next(o))
		json_push(rows, row(c, &cols, o));
	json_add(table, S("rows"), rows);
	reply_json(c->a, c->out, 200, table);
	return true;
}
