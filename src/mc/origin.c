/*
 * Which MachineConfig set which part of a merged config. The parts of every source are
 * collected by key and attributed to the parts of the config; a part is attributed only
 * when merging the sources gives the value that the config has.
 */
#include "mc/origin.h"

#include "base/map.h"

/* The location of the entries of each part in an Ignition config. */
static const struct {
	int section, list;
} places[] = {
	[MC_PART_FILE] = { IGN_CONFIG_STORAGE, IGN_STORAGE_FILES },
	[MC_PART_DIRECTORY] = { IGN_CONFIG_STORAGE, IGN_STORAGE_DIRECTORIES },
	[MC_PART_LINK] = { IGN_CONFIG_STORAGE, IGN_STORAGE_LINKS },
	[MC_PART_UNIT] = { IGN_CONFIG_SYSTEMD, IGN_SYSTEMD_UNITS },
	[MC_PART_DROPIN] = { IGN_CONFIG_SYSTEMD, IGN_SYSTEMD_UNITS },
	[MC_PART_USER] = { IGN_CONFIG_PASSWD, IGN_PASSWD_USERS },
	[MC_PART_SSH_KEY] = { IGN_CONFIG_PASSWD, IGN_PASSWD_USERS },
	[MC_PART_GROUP] = { IGN_CONFIG_PASSWD, IGN_PASSWD_GROUPS },
	[MC_PART_DISK] = { IGN_CONFIG_STORAGE, IGN_STORAGE_DISKS },
	[MC_PART_FILESYSTEM] = { IGN_CONFIG_STORAGE, IGN_STORAGE_FILESYSTEMS },
	[MC_PART_LUKS] = { IGN_CONFIG_STORAGE, IGN_STORAGE_LUKS },
	[MC_PART_RAID] = { IGN_CONFIG_STORAGE, IGN_STORAGE_RAID },
};

/* ---- collecting ---------------------------------------------------------- */

struct collector {
	struct arena *a;
	struct map by_key;
	struct mc_origins *out;
};

static struct str id(struct arena *a, enum mc_part part, struct str key)
{
	return str_fmt(a, "%d %.*s", (int)part, STRF(key));
}

static void add_setting(struct collector *c, enum mc_part part, struct str key,
			struct mc_setting setting)
{
	struct str name = id(c->a, part, key);
	struct mc_origin *o = map_get(&c->by_key, name);

	if (!o) {
		o = ARENA_NEW(c->a, struct mc_origin);
		o->part = part;
		o->key = key;
		(void)map_put(&c->by_key, name, o);
		VEC_PUSH(c->a, c->out, o);
	}
	o->entry = setting.entry;
	o->value = setting.value;
	VEC_PUSH(c->a, o, setting);
}

static bool is_given(const struct ign_field *f, const struct ign_val *v)
{
	switch (f->kind) {
	case IGN_OBJ:
		return !ign_is_zero(v->u.o);
	case IGN_OBJS:
		return v->u.objs.n > 0;
	case IGN_STRS:
		return v->u.strs.n > 0;
	case IGN_STR:
	case IGN_INT:
	case IGN_BOOL:
		break;
	}
	return v->set;
}

/* The field whose elements are separate parts, or -1. */
static int divided(const struct ign_obj *entry)
{
	if (entry->type == &ign_type_UNIT)
		return IGN_UNIT_DROPINS;
	return entry->type == &ign_type_USER ? (int)IGN_USER_KEYS : -1;
}

bool mc_entry_sets(const struct ign_obj *entry, size_t i)
{
	return !(entry->type->fields[i].flags & IGN_KEY) && (int)i != divided(entry) &&
	       is_given(&entry->type->fields[i], &entry->v[i]);
}

/* Whether an entry sets only fields whose elements are separate parts. */
static bool is_shell(const struct ign_obj *entry)
{
	int field = divided(entry);

	for (size_t i = 0; i < entry->type->n; i++)
		if (mc_entry_sets(entry, i))
			return false;
	return field >= 0 && is_given(&entry->type->fields[field], &entry->v[field]);
}

static void add_dropins(struct collector *c, const struct mc *mc, const struct ign_obj *unit)
{
	const struct ign_objs *list = ign_list(unit, IGN_UNIT_DROPINS);

	for (size_t i = 0; i < list->n; i++)
		add_setting(c, MC_PART_DROPIN,
			    str_fmt(c->a, "%.*s/%.*s", STRF(ign_str(unit, IGN_UNIT_NAME)),
				    STRF(ign_str(list->v[i], IGN_DROPIN_NAME))),
			    (struct mc_setting){ .mc = mc, .entry = list->v[i] });
}

/* The value is the type and the comment of the key. */
static void add_keys(struct collector *c, const struct mc *mc, const struct ign_obj *user)
{
	const struct strs *list = ign_strings(user, IGN_USER_KEYS);

	for (size_t i = 0; i < list->n; i++)
		add_setting(
			c, MC_PART_SSH_KEY,
			str_fmt(c->a, "%.*s/%.*s", STRF(ign_str(user, IGN_USER_NAME)),
				STRF(mc_ssh_fingerprint(c->a, list->v[i]))),
			(struct mc_setting){ .mc = mc, .value = mc_ssh_label(c->a, list->v[i]) });
}

static void add_entries(struct collector *c, const struct mc *mc, const struct ign_obj *config,
			enum mc_part part)
{
	const struct ign_objs *list =
		ign_list(ign_sub(config, places[part].section), places[part].list);

	for (size_t i = 0; i < list->n; i++) {
		if (part == MC_PART_DROPIN)
			add_dropins(c, mc, list->v[i]);
		else if (part == MC_PART_SSH_KEY)
			add_keys(c, mc, list->v[i]);
		else if (!is_shell(list->v[i]))
			add_setting(c, part, ign_key(c->a, list->v[i]),
				    (struct mc_setting){ .mc = mc, .entry = list->v[i] });
	}
}

static void add_value(struct collector *c, const struct mc *mc, enum mc_part part, struct str key,
		      struct str value)
{
	if (value.n)
		add_setting(c, part, key, (struct mc_setting){ .mc = mc, .value = value });
}

/* Adds a field of the spec with the value that merging uses. */
static void add_field(struct collector *c, const struct mc *mc, enum mc_part part)
{
	/* the images of a generated one are the ControllerConfig's */
	bool generated = mc_annotation(&mc->meta, ANNO_BY_CONTROLLER).n > 0;

	switch (part) {
	case MC_PART_KARG:
		for (size_t i = 0; i < mc->kargs.n; i++)
			add_value(c, mc, part, mc->kargs.v[i], mc->kargs.v[i]);
		return;
	case MC_PART_EXTENSION:
		for (size_t i = 0; i < mc->extensions.n; i++)
			add_value(c, mc, part, mc->extensions.v[i], mc->extensions.v[i]);
		return;
	case MC_PART_KERNEL_TYPE:
		add_value(c, mc, part, S(""), mc->kernel_type);
		return;
	case MC_PART_FIPS:
		add_value(c, mc, part, S(""), mc->fips ? S("true") : S(""));
		return;
	case MC_PART_OS_IMAGE:
		add_value(c, mc, part, S(""), generated ? S("") : mc->os_image);
		return;
	case MC_PART_EXTENSIONS_IMAGE:
		add_value(c, mc, part, S(""), generated ? S("") : mc->extensions_image);
		return;
	case MC_PART_FILE:
	case MC_PART_DIRECTORY:
	case MC_PART_LINK:
	case MC_PART_UNIT:
	case MC_PART_DROPIN:
	case MC_PART_USER:
	case MC_PART_SSH_KEY:
	case MC_PART_GROUP:
	case MC_PART_DISK:
	case MC_PART_FILESYSTEM:
	case MC_PART_LUKS:
	case MC_PART_RAID:
	case MC_PARTS:
		return;
	}
}

static void collect(struct collector *c, const struct mc_list *sources)
{
	AUTO(arena) struct arena scratch = ARENA_INIT;
	struct err ignored = ERR_INIT(&scratch);
	struct ign_obj **configs = arena_array(c->a, sources->n, sizeof(*configs));

	map_init(&c->by_key, c->a);
	for (size_t i = 0; i < sources->n; i++) {
		struct mc *mc = sources->v[i];

		configs[i] = mc->ignition;
		if (!configs[i] && mc_has_config(mc) &&
		    ign_parse_35(c->a, mc_config_text(c->a, mc), &configs[i], &ignored) < 0)
			VEC_PUSH(c->a, &c->out->unread, mc);
	}
	for (int part = 0; part < MC_PARTS; part++)
		for (size_t i = 0; i < sources->n; i++)
			if (part < MC_PART_KARG)
				add_entries(c, sources->v[i], configs[i], (enum mc_part)part);
			else
				add_field(c, sources->v[i], (enum mc_part)part);
}

void mc_settings_of(struct arena *a, const struct mc_list *sources, struct mc_origins *out)
{
	struct collector c = { .a = a, .out = out };

	collect(&c, sources);
}

/* ---- attributing --------------------------------------------------------- */

/* The parts of a merged config, collected as those of one MachineConfig. */
static void parts_of(struct arena *a, const struct mc_merged *m, struct collector *c,
		     struct mc_origins *out)
{
	struct mc *mc = ARENA_NEW(a, struct mc);
	struct mc_list one = { 0 };

	*mc = (struct mc){
		.ignition = m->config,
		.kargs = m->kargs,
		.extensions = m->extensions,
		.kernel_type = m->kernel_type,
		.os_image = m->os_image,
		.extensions_image = m->extensions_image,
		.fips = m->fips,
	};
	VEC_PUSH(a, &one, mc);
	*c = (struct collector){ .a = a, .out = out };
	collect(c, &one);
}

/* The entry without fields whose elements are separate parts. */
static const struct ign_obj *undivided(struct arena *a, const struct ign_obj *o)
{
	int field = divided(o);
	struct ign_obj *c;

	if (field < 0)
		return o;
	c = ign_new(a, o->type);
	memcpy(c->v, o->v, o->type->n * sizeof(struct ign_val));
	c->v[field] = (struct ign_val){ 0 };
	return c;
}

static bool same_part(struct arena *a, const struct mc_origin *x, const struct mc_origin *y)
{
	if (!y)
		return false;
	return x->entry ? ign_eq(undivided(a, x->entry), undivided(a, y->entry))
			: str_eq(x->value, y->value);
}

/* Lists are concatenated, so elements of a list are not overridden. */
static bool is_overridden(const struct mc_origin *o, size_t i)
{
	const struct ign_obj *e = o->v[i].entry;

	if (!e)
		return o->part != MC_PART_SSH_KEY && !str_eq(o->v[i].value, o->value);
	for (size_t f = 0; f < e->type->n; f++) {
		enum ign_kind kind = e->type->fields[f].kind;
		bool again = false;

		if (!mc_entry_sets(e, f))
			continue;
		for (size_t k = i + 1; k < o->n; k++)
			again = again || mc_entry_sets(o->v[k].entry, f);
		if (!again || kind == IGN_STRS || kind == IGN_OBJS)
			return false;
	}
	return i + 1 < o->n;
}

static bool is_image(enum mc_part part)
{
	return part == MC_PART_OS_IMAGE || part == MC_PART_EXTENSIONS_IMAGE;
}

/* Attributes part o of the config to the sources in s, which may be NULL. */
static void attribute(struct arena *a, struct mc_origin *o, const struct mc_origin *s, bool fits)
{
	struct mc_setting base = { .value = o->value };

	o->v = NULL;
	o->n = o->cap = 0;
	if (s && fits)
		for (size_t i = 0; i < s->n; i++)
			VEC_PUSH(a, o, s->v[i]);
	else if (!s && is_image(o->part))
		VEC_PUSH(a, o, base);
	for (size_t i = 0; i < o->n; i++)
		o->v[i].overridden = is_overridden(o, i);
}

/* Merges the sources; *out stays empty when they cannot be merged. */
static void merge_now(struct arena *a, const struct mc_origins_in *in, const struct mc_list *unread,
		      struct collector *c)
{
	struct mc_origins *parts = ARENA_NEW(a, struct mc_origins);
	struct err ignored = ERR_INIT(a);
	struct mc_list sources = { 0 };
	struct mc_merged m;

	*c = (struct collector){ .a = a, .out = parts };
	map_init(&c->by_key, a);
	for (size_t i = 0; i < in->sources->n; i++) {
		bool skip = false;

		for (size_t k = 0; k < unread->n; k++)
			skip = skip || unread->v[k] == in->sources->v[i];
		if (!skip)
			VEC_PUSH(a, &sources, in->sources->v[i]);
	}
	if (sources.n && mc_merge(a, &sources, S(""), S(""), &m, &ignored) == 0)
		parts_of(a, &m, c, parts);
}

/* Every config has a kernel type; the default is a part only if a source sets it. */
static bool is_usual(const struct mc_origin *o, const struct mc_origin *s)
{
	return o->part == MC_PART_KERNEL_TYPE && !s && str_is(o->value, "default");
}

void mc_origins(struct arena *a, const struct mc_origins_in *in, struct mc_origins *out)
{
	struct mc_origins *says = ARENA_NEW(a, struct mc_origins);
	struct mc_origins *parts = ARENA_NEW(a, struct mc_origins);
	struct collector said = { .a = a, .out = says }, all, now;

	*out = (struct mc_origins){ 0 };
	collect(&said, in->sources);
	out->unread = says->unread;
	parts_of(a, in->config, &all, parts);
	if (!in->exact)
		merge_now(a, in, &says->unread, &now);
	for (size_t i = 0; i < parts->n; i++) {
		struct mc_origin *o = parts->v[i];
		struct str name = id(a, o->part, o->key);
		const struct mc_origin *s = map_get(&said.by_key, name);

		if (is_usual(o, s))
			continue;
		attribute(a, o, s, in->exact || same_part(a, o, map_get(&now.by_key, name)));
		out->unknown += o->n == 0;
		VEC_PUSH(a, out, o);
	}
}
