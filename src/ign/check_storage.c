/*
 * The validation rules of storage: disks, partitions, filesystems, luks, raid; and conflicts
 * between files, directories and links.
 */
#include "check.h"

#include "base/map.h"

static bool is_false(const struct ign_obj *o, int field)
{
	return ign_is_set(o, field) && !o->v[field].u.b;
}

/* ---- disks --------------------------------------------------------------- */

static bool guid_ok(struct str s)
{
	if (s.n != 36)
		return s.n == 0;
	for (size_t i = 0; i < s.n; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? s.p[i] != '-' : !s.p[i] || !strchr("0123456789abcdefABCDEF", s.p[i]))
			return false;
	}
	return true;
}

static void check_guid(struct ign_check *c, const struct ign_obj *o, int field, const char *name)
{
	if (!guid_ok(ign_str(o, field)))
		ign_error(c, name,
			  "doesn't match the form "
			  "\"01234567-89AB-CDEF-EDCB-A98765432101\"");
}

void ign_check_partition(struct ign_check *c, const struct ign_obj *o)
{
	struct str label = ign_str(o, IGN_PARTITION_LABEL);
	bool has_label = ign_is_set(o, IGN_PARTITION_LABEL);

	if (is_false(o, IGN_PARTITION_EXIST) &&
	    (has_label || ign_filled(o, IGN_PARTITION_TYPE_GUID) ||
	     ign_filled(o, IGN_PARTITION_GUID) || ign_is_set(o, IGN_PARTITION_START) ||
	     ign_is_set(o, IGN_PARTITION_SIZE)))
		ign_error(c, "",
			  "shouldExist specified false with other options also "
			  "specified");
	if (!o->v[IGN_PARTITION_NUMBER].u.i && !has_label)
		ign_error(c, "",
			  "a partition number >= 1 or a label must be "
			  "specified");
	if (label.n > 36)
		ign_error(c, "label", "partition labels may not exceed 36 characters");
	else if (str_chr(label, ':') >= 0)
		ign_error(c, "label",
			  "partition label will be truncated to text before the "
			  "colon");
	check_guid(c, o, IGN_PARTITION_GUID, "guid");
	check_guid(c, o, IGN_PARTITION_TYPE_GUID, "typeGuid");
}

struct extent {
	int64_t start, end;
	bool known;
};

static struct extent extent_of(const struct ign_obj *p)
{
	struct extent e = { .start = ign_int(p, IGN_PARTITION_START, 0) };
	int64_t size = ign_int(p, IGN_PARTITION_SIZE, 0);

	e.known = ign_is_set(p, IGN_PARTITION_START) && ign_is_set(p, IGN_PARTITION_SIZE) &&
		  e.start != 0;
	/* size 0 means all free space: only the start is known */
	e.end = size ? (int64_t)((uint64_t)e.start + (uint64_t)size - 1) : e.start;
	return e;
}

static bool overlap(struct extent p, struct extent o)
{
	return (p.start >= o.start && p.start <= o.end) || (p.end >= o.start && p.end <= o.end) ||
	       (p.start < o.start && p.end > o.end);
}

/* The index of the first partition that another one overlaps, or -1. */
static ptrdiff_t overlapped(const struct ign_objs *list)
{
	for (size_t i = 0; i < list->n; i++) {
		struct extent p = extent_of(list->v[i]);

		for (size_t k = 0; p.known && k < list->n; k++) {
			struct extent o = extent_of(list->v[k]);

			if (k != i && o.known && overlap(p, o))
				return (ptrdiff_t)k;
		}
	}
	return -1;
}

/* The index of the second of two with the same number (or else label), or -1. */
static ptrdiff_t repeated(struct ign_check *c, const struct ign_objs *list, bool numbers)
{
	struct map seen;

	map_init(&seen, c->a);
	for (size_t i = 0; i < list->n; i++) {
		const struct ign_obj *p = list->v[i];
		struct str key = ign_str(p, IGN_PARTITION_LABEL);

		if (numbers ? !p->v[IGN_PARTITION_NUMBER].u.i : !ign_is_set(p, IGN_PARTITION_LABEL))
			continue;
		if (numbers)
			key = ign_key(c->a, p);
		if (!map_put(&seen, key, c))
			return (ptrdiff_t)i;
	}
	return -1;
}

void ign_check_disk(struct ign_check *c, const struct ign_obj *o)
{
	const struct ign_objs *list = ign_list(o, IGN_DISK_PARTITIONS);
	bool zero = false, gone = false;
	ptrdiff_t i;

	if (!ign_filled(o, IGN_DISK_DEVICE)) {
		ign_error(c, "device", "disk device is required");
		return;
	}
	ign_error_if(c, "device", ign_bad_path(ign_str(o, IGN_DISK_DEVICE)));
	i = repeated(c, list, true);
	if (i >= 0)
		ign_error(c, ign_item(c, "partitions", (size_t)i, ""), "partition numbers collide");
	i = overlapped(list);
	if (i >= 0)
		ign_error(c, ign_item(c, "partitions", (size_t)i, ""), "partitions overlap");
	for (size_t k = 0; k < list->n; k++) {
		zero |= list->v[k]->v[IGN_PARTITION_NUMBER].u.i == 0;
		gone |= is_false(list->v[k], IGN_PARTITION_EXIST);
	}
	if (zero && gone)
		ign_error(c, "partitions",
			  "shouldExist is false for a partition and other "
			  "partition(s) has start or size 0");
	i = repeated(c, list, false);
	if (i >= 0)
		ign_error(c, ign_item(c, "partitions", (size_t)i, ""),
			  "cannot use the same partition label twice");
}

/* ---- filesystems --------------------------------------------------------- */

static const struct {
	const char *name;
	size_t label_max; /* 0: any */
} formats[] = {
	{ "ext4", 16 }, { "btrfs", 256 }, { "xfs", 12 },
	{ "swap", 15 }, { "vfat", 11 },	  { "none", 0 },
};

static const char *bad_format(struct ign_check *c, const struct ign_obj *o)
{
	struct str format = ign_str(o, IGN_FILESYSTEM_FORMAT);

	if (!format.n) {
		if (ign_filled(o, IGN_FILESYSTEM_PATH) || ign_filled(o, IGN_FILESYSTEM_LABEL) ||
		    ign_filled(o, IGN_FILESYSTEM_UUID) || ign_is_true(o, IGN_FILESYSTEM_WIPE) ||
		    ign_strings(o, IGN_FILESYSTEM_MOUNT_OPTIONS)->n ||
		    ign_strings(o, IGN_FILESYSTEM_OPTIONS)->n)
			return "format cannot be empty when path, label, uuid, "
			       "wipeFilesystem, options, or mountOptions is "
			       "specified";
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (str_is(format, formats[i].name) && (c->minor >= 3 || formats[i].label_max))
			return NULL;
	return "invalid filesystem format";
}

static const char *bad_label(struct ign_check *c, const struct ign_obj *o)
{
	struct str format = ign_str(o, IGN_FILESYSTEM_FORMAT);
	struct str label = ign_str(o, IGN_FILESYSTEM_LABEL);

	if (!label.n)
		return NULL;
	if (!format.n)
		return "filesystem must specify format if label is specified";
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (str_is(format, formats[i].name) && formats[i].label_max &&
		    label.n > formats[i].label_max)
			return str_fmt(c->a,
				       "filesystem labels cannot be longer than "
				       "%zu characters when using %s",
				       formats[i].label_max, formats[i].name)
				.p;
	return NULL;
}

void ign_check_filesystem(struct ign_check *c, const struct ign_obj *o)
{
	if (ign_filled(o, IGN_FILESYSTEM_PATH))
		ign_error_if(c, "path", ign_bad_path(ign_str(o, IGN_FILESYSTEM_PATH)));
	ign_error_if(c, "device", ign_bad_path(ign_str(o, IGN_FILESYSTEM_DEVICE)));
	ign_error_if(c, "format", bad_format(c, o));
	ign_error_if(c, "label", bad_label(c, o));
}

/* ---- luks and raid ------------------------------------------------------- */

void ign_check_tang(struct ign_check *c, const struct ign_obj *o)
{
	struct err ignored = ERR_INIT(c->a);
	struct json_opts go = { .flags = JSON_FIX_UTF8 };
	struct json *j;
	struct str scheme;

	if (!ign_url_scheme(c->a, ign_str(o, IGN_TANG_URL), &scheme))
		ign_error(c, "url", "unable to parse url");
	else if (!str_is(scheme, "http") && !str_is(scheme, "https"))
		ign_error(c, "url", "invalid url scheme");
	if (!ign_filled(o, IGN_TANG_THUMBPRINT))
		ign_error(c, "thumbprint", "thumbprint is required");
	if (ign_filled(o, IGN_TANG_ADVERTISEMENT) &&
	    json_parse(c->a, ign_str(o, IGN_TANG_ADVERTISEMENT), &go, &j, &ignored) < 0)
		ign_error(c, "advertisement", "advertisement is not valid JSON");
}

void ign_check_custom(struct ign_check *c, const struct ign_obj *o)
{
	struct str pin = ign_str(o, IGN_CUSTOM_PIN);

	/* 3.2 has plain strings here: a missing pin counts as an unknown one */
	if (!pin.n && !ign_filled(o, IGN_CUSTOM_CONFIG) &&
	    (c->minor < 3 || !ign_is_true(o, IGN_CUSTOM_NETWORK)))
		return;
	if (!pin.n && c->minor >= 3)
		ign_error(c, "pin", "missing required custom clevis pin");
	else if (!str_is(pin, "tpm2") && !str_is(pin, "tang") && !str_is(pin, "sss"))
		ign_error(c, "pin", "unsupported clevis pin");
	if (!ign_filled(o, IGN_CUSTOM_CONFIG))
		ign_error(c, "config", "missing required custom clevis config");
}

static bool clevis_others(const struct ign_obj *clevis)
{
	return ign_list(clevis, IGN_CLEVIS_TANG)->n || ign_is_true(clevis, IGN_CLEVIS_TPM2) ||
	       ign_int(clevis, IGN_CLEVIS_THRESHOLD, 0) != 0;
}

void ign_check_luks(struct ign_check *c, const struct ign_obj *o)
{
	const struct ign_obj *clevis = ign_sub(o, IGN_LUKS_CLEVIS);
	const struct ign_obj *key = ign_sub(o, IGN_LUKS_KEY_FILE);
	const struct ign_obj *own = ign_sub(clevis, IGN_CLEVIS_CUSTOM);
	bool custom = c->minor < 3 ? own != NULL : ign_filled(own, IGN_CUSTOM_PIN);
	bool cex = ign_is_true(ign_sub(o, IGN_LUKS_CEX), IGN_CEX_ENABLED);

	if (str_chr(ign_str(o, IGN_LUKS_NAME), '/') >= 0)
		ign_error(c, "name", "device names cannot contain slashes");
	if (ign_str(o, IGN_LUKS_LABEL).n > 47)
		ign_error(c, "label",
			  "luks device labels cannot be longer than 47 "
			  "characters");
	if (!ign_filled(o, IGN_LUKS_DEVICE))
		ign_error(c, "device", "disk device is required");
	else
		ign_error_if(c, "device", ign_bad_path(ign_str(o, IGN_LUKS_DEVICE)));
	if (custom && clevis_others(clevis))
		ign_error(c, "clevis",
			  "cannot use custom clevis config with tpm2, tang, or "
			  "threshold");
	if (ign_filled(key, IGN_RESOURCE_SOURCE) &&
	    ign_bad_url(c->a, ign_str(key, IGN_RESOURCE_SOURCE), c->minor))
		ign_error(c, "keys", "invalid key-file source");
	if (cex && (custom || clevis_others(clevis)))
		ign_error(c, "cex", "cannot use cex with clevis");
	if (cex && ign_filled(key, IGN_RESOURCE_SOURCE))
		ign_error(c, "cex", "cannot use key file with cex");
}

static const char *bad_level(struct ign_check *c, const struct ign_obj *o)
{
	static const char *const spared[] = { "raid1", "1",	"mirror", "raid4",  "4", "raid5",
					      "5",     "raid6", "6",	  "raid10", "10" };
	static const char *const flat[] = { "linear", "raid0", "0", "stripe" };
	struct str level = ign_str(o, IGN_RAID_LEVEL);

	if (!level.n && c->minor >= 3)
		return "raid level is required";
	for (size_t i = 0; i < ARRAY_LEN(flat); i++)
		if (str_is(level, flat[i]))
			return ign_int(o, IGN_RAID_SPARES, 0)
				       ? "spares unsupported for linear and raid0 "
					 "arrays"
				       : NULL;
	for (size_t i = 0; i < ARRAY_LEN(spared); i++)
		if (str_is(level, spared[i]))
			return NULL;
	return "unrecognized raid level";
}

void ign_check_raid(struct ign_check *c, const struct ign_obj *o)
{
	const struct strs *devices = ign_strings(o, IGN_RAID_DEVICES);

	ign_error_if(c, "level", bad_level(c, o));
	if (!devices->n)
		ign_error(c, "devices", "raid devices required");
	for (size_t i = 0; i < devices->n; i++)
		ign_error_if(c, ign_item(c, "devices", i, ""), ign_bad_path(devices->v[i]));
}

/* ---- nodes among each other ---------------------------------------------- */

/* Counts the links of each path. */
static void count_links(struct ign_check *c, const struct ign_objs *links, struct map *out)
{
	map_init(out, c->a);
	for (size_t i = 0; i < links->n; i++) {
		struct str path = ign_str(links->v[i], IGN_LINK_PATH);
		uintptr_t n = (uintptr_t)map_get(out, path);

		(void)map_put(out, path, (void *)(n + 1));
	}
}

/* The number of links whose path is a parent directory of path. */
static uintptr_t links_above(const struct map *links, struct str path)
{
	uintptr_t n = 0;

	for (size_t i = 0; links->n && i < path.n; i++)
		if (path.p[i] == '/')
			n += (uintptr_t)map_get(links, str_sub(path, 0, i));
	return n;
}

static void above(struct ign_check *c, const struct ign_objs *nodes, const struct map *links,
		  const char *list, const char *message)
{
	for (size_t i = 0; i < nodes->n; i++)
		for (uintptr_t n = links_above(links, ign_str(nodes->v[i], IGN_FILE_PATH)); n; n--)
			ign_error(c, ign_item(c, list, i, ""), message);
}

static void check_hard(struct ign_check *c, const struct ign_obj *link, size_t i,
		       const struct map *dirs)
{
	static const struct {
		int owner, field;
		const char *name;
	} owners[] = {
		{ IGN_LINK_USER, IGN_NODE_USER_ID, "user.id" },
		{ IGN_LINK_USER, IGN_NODE_USER_NAME, "user.name" },
		{ IGN_LINK_GROUP, IGN_NODE_GROUP_ID, "group.id" },
		{ IGN_LINK_GROUP, IGN_NODE_GROUP_NAME, "group.name" },
	};
	struct str target = ign_clean_path(c->a, ign_str(link, IGN_LINK_TARGET));

	if (!ign_str(link, IGN_LINK_PATH).n && !ign_str(link, IGN_LINK_TARGET).n)
		target = S(""); /* as Go: joining empty parts gives "" */
	else if (target.p[0] != '/')
		target = ign_clean_path(c->a, str_fmt(c->a, "%.*s/%.*s",
						      STRF(ign_str(link, IGN_LINK_PATH)),
						      STRF(ign_str(link, IGN_LINK_TARGET))));
	for (uintptr_t n = (uintptr_t)map_get(dirs, target); n; n--)
		ign_error(c, ign_item(c, "links", i, ""), "hard link target is a directory");
	for (size_t k = 0; k < ARRAY_LEN(owners); k++)
		if (ign_is_set(ign_sub(link, owners[k].owner), owners[k].field))
			ign_warn(c, ign_item(c, "links", i, owners[k].name),
				 "user/group ignored for hard link");
}

static void check_links(struct ign_check *c, const struct ign_objs *links, const struct map *paths,
			const struct ign_objs *dirs)
{
	struct map by_path;

	map_init(&by_path, c->a);
	for (size_t i = 0; i < dirs->n; i++) {
		struct str path = ign_str(dirs->v[i], IGN_DIRECTORY_PATH);
		uintptr_t n = (uintptr_t)map_get(&by_path, path);

		(void)map_put(&by_path, path, (void *)(n + 1));
	}
	for (size_t i = 0; i < links->n; i++) {
		const struct ign_obj *l = links->v[i];

		for (uintptr_t n = links_above(paths, ign_str(l, IGN_LINK_PATH)); n; n--)
			ign_error(c, ign_item(c, "links", i, ""),
				  "link path includes link in config");
		if (c->minor >= 3 && !ign_filled(l, IGN_LINK_TARGET)) {
			ign_error(c, ign_item(c, "links", i, "target"), "link target is required");
			continue;
		}
		if (ign_is_true(l, IGN_LINK_HARD))
			check_hard(c, l, i, &by_path);
	}
}

static void check_devices(struct ign_check *c, const struct ign_obj *storage)
{
	const struct ign_objs *disks = ign_list(storage, IGN_STORAGE_DISKS);
	const struct ign_objs *list = ign_list(storage, IGN_STORAGE_FILESYSTEMS);
	struct map by_device;

	map_init(&by_device, c->a);
	for (size_t i = 0; i < disks->n; i++)
		(void)map_put(&by_device, ign_str(disks->v[i], IGN_DISK_DEVICE), disks->v[i]);
	for (size_t i = 0; i < list->n; i++) {
		const struct ign_obj *fs = list->v[i];
		const struct ign_obj *disk =
			map_get(&by_device, ign_str(fs, IGN_FILESYSTEM_DEVICE));

		if (ign_list(disk, IGN_DISK_PARTITIONS)->n)
			ign_warn(c, ign_item(c, "filesystems", i, "device"),
				 "filesystem overwrites partitioned device");
		else if (!ign_is_true(fs, IGN_FILESYSTEM_WIPE) && ign_is_true(disk, IGN_DISK_WIPE))
			ign_warn(c, ign_item(c, "filesystems", i, "device"),
				 "device matches disk with wipeTable enabled; "
				 "filesystem will be wiped");
	}
}

void ign_check_storage(struct ign_check *c, const struct ign_obj *o)
{
	const struct ign_objs *dirs = ign_list(o, IGN_STORAGE_DIRECTORIES);
	const struct ign_objs *links = ign_list(o, IGN_STORAGE_LINKS);
	struct map paths;

	count_links(c, links, &paths);
	above(c, dirs, &paths, "directories", "directory path includes link in config");
	above(c, ign_list(o, IGN_STORAGE_FILES), &paths, "files",
	      "file path includes link in config");
	check_links(c, links, &paths, dirs);
	check_devices(c, o);
}
