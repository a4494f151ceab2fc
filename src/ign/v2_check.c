/*
 * The validation rules of spec 2.2 and its reports, in which a position is the last byte of a
 * value. The rule of a type is checked first; if it fails, nothing below it is checked. Then, field
 * by field, the rule of the field and its contents.
 */
#include "base/map.h"
#include "check.h"
#include "v2.h"

struct checker {
	struct arena *a;
	int minor;
	struct str text;
	struct buf out;
	bool fatal;
	/* the value at which entries are reported, or NULL */
	const struct json *at;
	bool highlight, at_key;
};

/* ---- the report ---------------------------------------------------------- */

static void add_highlight(struct checker *c, size_t last, size_t line, size_t start, size_t col)
{
	if (line > 1) {
		struct str before = str_sub(c->text, 0, start - 1);
		ptrdiff_t nl = str_rchr(before, '\n');

		buf_addf(&c->out, "%5zu: %.*s\n", line - 1,
			 STRF(str_from(before, (size_t)(nl + 1))));
	}
	buf_addf(&c->out, "%5zu: %.*s\n", line, STRF(str_sub(c->text, start, last)));
	buf_fill(&c->out, ' ', col + 5);
	buf_addz(&c->out, "^\n");
}

/* The offset after the quote that ends the key of a member. */
static size_t key_end(const struct checker *c)
{
	size_t i = json_key_pos(c->at) + 1;

	while (i < c->text.n && c->text.p[i] != '"')
		i += c->text.p[i] == '\\' ? 2 : 1;
	return i + 1;
}

/* The position of a value is its last byte, that of a key the byte after it; columns of the first
 * line count from 0. */
static void add_place(struct checker *c)
{
	size_t start, end, line, col;

	json_span(c->at, &start, &end);
	if (c->at_key)
		end = key_end(c) + 1;
	json_line_col(c->text, end - 1, &line, &col);
	start = end - col;
	if (line == 1)
		col--;
	buf_addf(&c->out, " at line %zu, column %zu\n", line, col);
	if (c->highlight)
		add_highlight(c, end - 1, line, start, col);
}

static void entry(struct checker *c, const char *kind, const char *message)
{
	if (!message)
		return;
	if (c->out.n)
		buf_addc(&c->out, '\n');
	buf_addz(&c->out, kind);
	if (c->at)
		add_place(c);
	else
		buf_addz(&c->out, ": ");
	buf_addz(&c->out, message);
}

static void error(struct checker *c, const char *message)
{
	entry(c, "error", message);
	c->fatal = c->fatal || message;
}

static void warn(struct checker *c, const char *message)
{
	entry(c, "warning", message);
}

/* ---- the rules ----------------------------------------------------------- */

static const char *bad_path(struct str path)
{
	return str_starts(path, S("/")) ? ign_has_nul(path) : "path not absolute";
}

static const char *bad_source(struct checker *c, struct str source)
{
	struct str scheme;

	if (!source.n)
		return NULL;
	if (!ign_url_scheme(c->a, source, &scheme))
		return "unable to parse url";
	if (str_is(scheme, "oem"))
		return NULL;
	return ign_bad_url(c->a, source, 0);
}

static const char *bad_hash(const struct ign_obj *v)
{
	struct str function, sum;

	if (!ign_is_set(v, IGN_V2_VERIFICATION_HASH))
		return NULL;
	if (!str_cut(ign_str(v, IGN_V2_VERIFICATION_HASH), '-', &function, &sum))
		return "malformed hash specifier";
	if (!str_is(function, "sha512"))
		return "unrecognized hash function";
	return sum.n == 128 ? NULL : "incorrect size for hash sum";
}

static const char *bad_unit_text(struct checker *c, const struct ign_obj *o, int field,
				 bool *install)
{
	const char *bad = ign_lex_unit(c->a, ign_str(o, field), true, install);

	return bad ? str_fmt(c->a, "invalid unit content: %s", bad).p : NULL;
}

static bool network_name_ok(struct str name)
{
	struct str ext = ign_extension(name);

	return str_is(ext, ".link") || str_is(ext, ".netdev") || str_is(ext, ".network");
}

static void check_create(struct checker *c, const struct ign_obj *o)
{
	static const int fields[] = {
		IGN_V2_USER_GECOS,  IGN_V2_USER_GROUPS,	  IGN_V2_USER_HOME,    IGN_V2_USER_NO_HOME,
		IGN_V2_USER_NO_LOG, IGN_V2_USER_NO_GROUP, IGN_V2_USER_PRIMARY, IGN_V2_USER_SHELL,
		IGN_V2_USER_SYSTEM, IGN_V2_USER_UID,
	};

	if (!ign_sub(o, IGN_V2_USER_CREATE))
		return;
	warn(c, "the create object has been deprecated in favor of user-level "
		"options");
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		const struct ign_field *f = &o->type->fields[fields[i]];
		bool used = false;

		if (f->kind == IGN_STR)
			used = ign_filled(o, fields[i]);
		else if (f->kind == IGN_STRS)
			used = ign_strings(o, fields[i])->n;
		else if (f->kind == IGN_BOOL)
			used = ign_is_true(o, fields[i]);
		else
			used = ign_is_set(o, fields[i]);
		if (used)
			error(c, str_fmt(c->a,
					 "cannot use both the create object and "
					 "the user-level %s field",
					 f->name)
					 .p);
	}
}

static void check_filesystem(struct checker *c, const struct ign_obj *o)
{
	const struct ign_obj *mount = ign_sub(o, IGN_V2_FILESYSTEM_MOUNT);
	bool path = ign_is_set(o, IGN_V2_FILESYSTEM_PATH);

	if (!mount && !path)
		error(c, "filesystem is missing mount or path");
	if (mount && path)
		error(c, "filesystem has both mount and path defined");
	if (!ign_sub(mount, IGN_V2_MOUNT_CREATE))
		return;
	if (ign_is_true(mount, IGN_V2_MOUNT_WIPE))
		error(c, "cannot use both create object and wipeFilesystem field");
	if (ign_strings(mount, IGN_V2_MOUNT_OPTIONS)->n)
		error(c, "cannot use both create object and mount-level options "
			 "field");
	warn(c, "the create object has been deprecated in favor of mount-level "
		"options");
}

/* Reports nodes on filesystems that are not defined. */
static void check_nodes(struct checker *c, const struct ign_objs *nodes, const struct map *known,
			const char *what)
{
	for (size_t i = 0; i < nodes->n; i++) {
		struct str fs = ign_str(nodes->v[i], IGN_V2_FILE_FILESYSTEM);
		struct buf b;

		if (!fs.n || map_find(known, fs))
			continue;
		buf_init(&b, c->a);
		buf_addf(&b, "%s ", what);
		json_add_quoted(&b, ign_str(nodes->v[i], IGN_V2_FILE_PATH), JSON_NO_HTML);
		buf_addz(&b, " references nonexistent filesystem ");
		json_add_quoted(&b, fs, JSON_NO_HTML);
		buf_addz(&b, ". (This is ok if it is defined in a referenced "
			     "config)");
		warn(c, b.p);
	}
}

static void check_config(struct checker *c, const struct ign_obj *o)
{
	const struct ign_obj *s = ign_sub(o, IGN_V2_CONFIG_STORAGE);
	const struct ign_objs *fs = ign_list(s, IGN_V2_STORAGE_FILESYSTEMS);
	struct map known, seen;

	map_init(&known, c->a);
	map_init(&seen, c->a);
	(void)map_put(&known, S("root"), c);
	(void)map_put(&seen, S("root"), c);
	for (size_t i = 0; i < fs->n; i++)
		(void)map_put(&known, ign_str(fs->v[i], IGN_V2_FILESYSTEM_NAME), c);
	check_nodes(c, ign_list(s, IGN_V2_STORAGE_FILES), &known, "File");
	check_nodes(c, ign_list(s, IGN_V2_STORAGE_LINKS), &known, "Link");
	check_nodes(c, ign_list(s, IGN_V2_STORAGE_DIRECTORIES), &known, "Directory");
	for (size_t i = 0; i < fs->n; i++) {
		struct str name = ign_str(fs->v[i], IGN_V2_FILESYSTEM_NAME);
		struct buf b;

		if (map_put(&seen, name, c))
			continue;
		buf_init(&b, c->a);
		buf_addz(&b, "Filesystem ");
		json_add_quoted(&b, name, JSON_NO_HTML);
		buf_addz(&b, " shadows exising filesystem definition");
		warn(c, b.p);
	}
}

/* The rule of a type. */
static void check_own(struct checker *c, const struct ign_obj *o)
{
	const struct ign_type *t = o->type;
	bool install;

	if (t == &ign_type_V2_CONFIG) {
		check_config(c, o);
	} else if (t == &ign_type_V2_FILE) {
		if (ign_is_true(o, IGN_V2_FILE_OVERWRITE) && ign_is_true(o, IGN_V2_FILE_APPEND))
			error(c, "cannot set both append and overwrite to true");
	} else if (t == &ign_type_V2_OWNER) {
		if (ign_is_set(o, IGN_V2_OWNER_ID) && ign_filled(o, IGN_V2_OWNER_NAME))
			error(c, "cannot set both id and name");
	} else if (t == &ign_type_V2_VERIFICATION) {
		error(c, bad_hash(o));
	} else if (t == &ign_type_V2_USER) {
		check_create(c, o);
	} else if (t == &ign_type_V2_FILESYSTEM) {
		check_filesystem(c, o);
	} else if (t == &ign_type_V2_MOUNT) {
		static const char *const ok[] = { "ext4", "btrfs", "xfs", "swap", "vfat" };
		bool known = false;

		for (size_t i = 0; i < ARRAY_LEN(ok); i++)
			known = known || str_is(ign_str(o, IGN_V2_MOUNT_FORMAT), ok[i]);
		if (!known)
			error(c, "invalid filesystem format");
	} else if (t == &ign_type_V2_DROPIN) {
		error(c, bad_unit_text(c, o, IGN_V2_DROPIN_CONTENTS, &install));
		if (!str_is(ign_extension(ign_str(o, IGN_V2_DROPIN_NAME)), ".conf"))
			error(c, "invalid systemd drop-in extension");
		error(c, ign_has_nul(ign_str(o, IGN_V2_DROPIN_NAME)));
	} else if (t == &ign_type_V2_NETWORK_UNIT) {
		error(c, bad_unit_text(c, o, IGN_V2_NETWORK_UNIT_CONTENTS, &install));
		if (!network_name_ok(ign_str(o, IGN_V2_NETWORK_UNIT_NAME)))
			error(c, "invalid networkd unit extension");
	} else if (t == &ign_type_V2_NETWORK_DROPIN) {
		error(c, bad_unit_text(c, o, IGN_V2_NETWORK_DROPIN_CONTENTS, &install));
		if (!str_is(ign_extension(ign_str(o, IGN_V2_NETWORK_DROPIN_NAME)), ".conf"))
			error(c, "invalid networkd drop-in extension");
	}
}

static void check_mode(struct checker *c, const struct ign_obj *o, int field)
{
	int64_t mode = ign_int(o, field, 0);

	if (mode < 0 || mode > 07777)
		error(c, "illegal file mode");
	if (!ign_is_set(o, field) && c->minor == 2)
		warn(c, "permissions unset, defaulting to 0000");
}

static void check_unit_text(struct checker *c, const struct ign_obj *o, int field)
{
	bool install;
	const char *bad = bad_unit_text(c, o, field, &install);
	bool enabled = ign_is_true(o, IGN_V2_UNIT_ENABLE) || ign_is_true(o, IGN_V2_UNIT_ENABLED);

	error(c, bad);
	if (!bad && enabled && !install && ign_filled(o, field))
		warn(c, str_fmt(c->a,
				"unit \"%.*s\" is enabled, but has no install "
				"section so enable does nothing",
				STRF(ign_str(o, IGN_V2_UNIT_NAME)))
				.p);
}

/* Upstream compares partitions by value, so equal ones count as the same partition. */
static bool same_partition(const struct ign_obj *x, const struct ign_obj *y)
{
	static const int texts[] = { IGN_V2_PARTITION_GUID, IGN_V2_PARTITION_LABEL,
				     IGN_V2_PARTITION_TYPE_GUID };
	static const int numbers[] = { IGN_V2_PARTITION_NUMBER, IGN_V2_PARTITION_SIZE,
				       IGN_V2_PARTITION_START };

	for (size_t i = 0; i < 3; i++)
		if (!str_eq(ign_str(x, texts[i]), ign_str(y, texts[i])) ||
		    ign_int(x, numbers[i], 0) != ign_int(y, numbers[i], 0))
			return false;
	return true;
}

static void check_partitions(struct checker *c, const struct ign_obj *disk, int field)
{
	const struct ign_objs *list = ign_list(disk, field);
	bool collide = false, overlap = false, odd = false;

	for (size_t i = 0; i < list->n; i++) {
		const struct ign_obj *p = list->v[i];
		int64_t start = ign_int(p, IGN_V2_PARTITION_START, 0);
		int64_t size = ign_int(p, IGN_V2_PARTITION_SIZE, 0);
		int64_t end = size ? start + size - 1 : start;
		int64_t number = ign_int(p, IGN_V2_PARTITION_NUMBER, 0);

		odd = odd || (start & 2047);
		for (size_t k = 0; k < list->n; k++) {
			const struct ign_obj *o = list->v[k];
			int64_t os = ign_int(o, IGN_V2_PARTITION_START, 0);
			int64_t oz = ign_int(o, IGN_V2_PARTITION_SIZE, 0);
			int64_t oe = oz ? os + oz - 1 : os;

			if (k == i)
				continue;
			collide = collide ||
				  (number && number == ign_int(o, IGN_V2_PARTITION_NUMBER, 0));
			overlap = overlap || (start && os && !same_partition(p, o) && start <= oe &&
					      end >= os);
		}
	}
	if (collide)
		error(c, "partition numbers collide");
	if (overlap)
		error(c, "partitions overlap");
	if (odd)
		error(c, "partitions misaligned");
}

static void check_level(struct checker *c, const struct ign_obj *o, int field)
{
	static const char *const flat[] = { "linear", "raid0", "0", "stripe" };
	static const char *const other[] = { "raid1", "1",     "mirror", "raid4",  "4", "raid5",
					     "5",     "raid6", "6",	 "raid10", "10" };
	struct str level = ign_str(o, field);

	for (size_t i = 0; i < ARRAY_LEN(flat); i++)
		if (str_is(level, flat[i])) {
			if (ign_int(o, IGN_V2_RAID_SPARES, 0))
				error(c, "spares unsupported for arrays with a "
					 "level greater than 0");
			return;
		}
	for (size_t i = 0; i < ARRAY_LEN(other); i++)
		if (str_is(level, other[i]))
			return;
	error(c, "unrecognized raid level");
}

static void check_label(struct checker *c, const struct ign_obj *mount, int field)
{
	static const struct {
		const char *format;
		size_t max;
	} limits[] = {
		{ "ext4", 16 }, { "btrfs", 256 }, { "xfs", 12 }, { "swap", 15 }, { "vfat", 11 }
	};

	for (size_t i = 0; i < ARRAY_LEN(limits); i++)
		if (str_is(ign_str(mount, IGN_V2_MOUNT_FORMAT), limits[i].format) &&
		    ign_str(mount, field).n > limits[i].max)
			error(c, str_fmt(c->a,
					 "filesystem labels cannot be longer "
					 "than %zu characters when using %s",
					 limits[i].max, limits[i].format)
					 .p);
}

static void check_filesystem_named(struct checker *c, const struct ign_obj *o, int field)
{
	if (!ign_filled(o, field))
		error(c, "no filesystem specified");
}

static void check_path(struct checker *c, const struct ign_obj *o, int field)
{
	error(c, bad_path(ign_str(o, field)));
}

static void check_path_if_any(struct checker *c, const struct ign_obj *o, int field)
{
	if (ign_is_set(o, field))
		check_path(c, o, field);
}

static void check_paths(struct checker *c, const struct ign_obj *o, int field)
{
	const struct strs *d = ign_strings(o, field);

	for (size_t k = 0; k < d->n; k++)
		error(c, bad_path(d->v[k]));
}

static void check_disk(struct checker *c, const struct ign_obj *o, int field)
{
	struct str device = ign_str(o, field);

	error(c, device.n ? bad_path(device) : "disk device is required");
}

static void check_compression(struct checker *c, const struct ign_obj *o, int field)
{
	struct str z = ign_str(o, field);

	if (z.n && !str_is(z, "gzip"))
		error(c, "invalid compression method");
}

static void check_source(struct checker *c, const struct ign_obj *o, int field)
{
	error(c, bad_source(c, ign_str(o, field)));
}

static void check_unit_name(struct checker *c, const struct ign_obj *o, int field)
{
	if (!ign_unit_name_ok(ign_str(o, field)))
		error(c, "invalid systemd unit extension");
	error(c, ign_has_nul(ign_str(o, field)));
}

static void check_partition_label(struct checker *c, const struct ign_obj *o, int field)
{
	struct str label = ign_str(o, field);

	if (label.n > 36)
		error(c, "partition labels may not exceed 36 characters");
	if (str_chr(label, ':') >= 0)
		warn(c, "partition label will be truncated to text before the "
			"colon");
}

/* Rules of single fields. Directories and links start with the same fields as files. */
static const struct {
	const struct ign_type *type;
	int field;
	void (*check)(struct checker *c, const struct ign_obj *o, int field);
} rules[] = {
	{ &ign_type_V2_FILE, IGN_V2_FILE_FILESYSTEM, check_filesystem_named },
	{ &ign_type_V2_DIRECTORY, IGN_V2_FILE_FILESYSTEM, check_filesystem_named },
	{ &ign_type_V2_LINK, IGN_V2_FILE_FILESYSTEM, check_filesystem_named },
	{ &ign_type_V2_FILE, IGN_V2_FILE_PATH, check_path },
	{ &ign_type_V2_DIRECTORY, IGN_V2_FILE_PATH, check_path },
	{ &ign_type_V2_LINK, IGN_V2_FILE_PATH, check_path },
	{ &ign_type_V2_FILE, IGN_V2_FILE_MODE, check_mode },
	{ &ign_type_V2_DIRECTORY, IGN_V2_DIRECTORY_MODE, check_mode },
	{ &ign_type_V2_CONTENTS, IGN_V2_CONTENTS_COMPRESSION, check_compression },
	{ &ign_type_V2_CONTENTS, IGN_V2_CONTENTS_SOURCE, check_source },
	{ &ign_type_V2_REFERENCE, IGN_V2_REFERENCE_SOURCE, check_source },
	{ &ign_type_V2_UNIT, IGN_V2_UNIT_CONTENTS, check_unit_text },
	{ &ign_type_V2_UNIT, IGN_V2_UNIT_NAME, check_unit_name },
	{ &ign_type_V2_DISK, IGN_V2_DISK_DEVICE, check_disk },
	{ &ign_type_V2_DISK, IGN_V2_DISK_PARTITIONS, check_partitions },
	{ &ign_type_V2_PARTITION, IGN_V2_PARTITION_LABEL, check_partition_label },
	{ &ign_type_V2_FILESYSTEM, IGN_V2_FILESYSTEM_PATH, check_path_if_any },
	{ &ign_type_V2_MOUNT, IGN_V2_MOUNT_DEVICE, check_path },
	{ &ign_type_V2_MOUNT, IGN_V2_MOUNT_LABEL, check_label },
	{ &ign_type_V2_RAID, IGN_V2_RAID_LEVEL, check_level },
	{ &ign_type_V2_RAID, IGN_V2_RAID_DEVICES, check_paths },
};

static void check_field(struct checker *c, const struct ign_obj *o, int field)
{
	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		if (rules[i].type == o->type && rules[i].field == field)
			rules[i].check(c, o, field);
}

/* ---- the walk ------------------------------------------------------------ */

static void walk_object(struct checker *c, const struct ign_obj *o, const struct json *j,
			const struct json *nearest);

static void unknown_keys(struct checker *c, const struct ign_obj *o, const struct json *j)
{
	for (const struct json *m = json_first(j); m; m = json_next(m)) {
		const char *near = NULL;
		bool known = false;

		for (size_t i = 0; i < o->type->n; i++) {
			const struct ign_field *f = &o->type->fields[i];

			if (f->since > c->minor)
				continue;
			known = known || str_is(json_key(m), f->name);
			if (str_eq_fold(json_key(m), str_of(f->name)))
				near = f->name;
		}
		if (known)
			continue;
		c->at = m;
		c->highlight = c->at_key = true;
		warn(c, str_fmt(c->a, "Config has unrecognized key: %.*s", STRF(json_key(m))).p);
		if (near)
			entry(c, "info",
			      str_fmt(c->a, "Did you mean %s instead of %.*s", near,
				      STRF(json_key(m)))
				      .p);
		c->at_key = false;
	}
}

static void walk_field(struct checker *c, const struct ign_obj *o, size_t i, const struct json *j,
		       const struct json *nearest)
{
	const struct ign_field *f = &o->type->fields[i];
	const struct json *m = json_member(j, str_of(f->name)), *e;
	const struct ign_objs *list;

	c->at = m ? m : nearest;
	c->highlight = m != NULL;
	check_field(c, o, (int)i);
	if (f->kind == IGN_OBJ && o->v[i].u.o)
		walk_object(c, o->v[i].u.o, m, m ? m : nearest);
	if (f->kind != IGN_OBJS)
		return;
	list = &o->v[i].u.objs;
	e = json_kind(m) == JSON_ARRAY ? json_first(m) : NULL;
	for (size_t k = 0; k < list->n; k++) {
		walk_object(c, list->v[k], e, e ? e : m ? m : nearest);
		e = e ? json_next(e) : NULL;
	}
}

/* j is the JSON of the object, or NULL; nearest is the closest existing value. */
static void walk_object(struct checker *c, const struct ign_obj *o, const struct json *j,
			const struct json *nearest)
{
	bool before = c->fatal, bad;

	c->at = j ? j : nearest;
	c->highlight = j != NULL;
	c->fatal = false;
	check_own(c, o);
	bad = c->fatal;
	c->fatal = c->fatal || before;
	if (bad)
		return;
	for (size_t i = 0; i < o->type->n; i++)
		if (o->type->fields[i].since <= c->minor)
			walk_field(c, o, i, j, j ? j : nearest);
	if (json_kind(j) == JSON_OBJECT)
		unknown_keys(c, o, j);
}

struct str ign_v2_report(struct arena *a, const struct ign_obj *config, int minor,
			 const struct json *root, struct str text)
{
	struct checker c = { .a = a, .minor = minor, .text = text };

	buf_init(&c.out, a);
	walk_object(&c, config, root, root);
	return c.fatal ? buf_str(&c.out) : S("");
}
