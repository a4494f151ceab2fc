/*
 * Finds EFI system partitions in the output of lsblk.
 */
#include "plan/esp.h"

#include "data/json.h"

#define LSBLK_MAX ((size_t)1 << 20)
#define ESP_TYPE "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"

/* The path of the device; other text is never passed to mount. */
static struct str name_of(const struct json *device)
{
	struct str name = json_str(device, "name");

	return str_starts(name, S("/")) ? name : S("");
}

static bool is_esp(const struct json *part)
{
	return str_is(json_str(part, "parttype"), ESP_TYPE) && name_of(part).n;
}

/* True when the device consists of it. */
static bool holds(const struct json *part, struct str device)
{
	for (const struct json *d = json_first(json_at(part, "children")); d; d = json_next(d))
		if (str_eq(name_of(d), device))
			return true;
	return false;
}

enum { OF_RAID, OF_BOOT, ANY };

struct found {
	struct strs esps[3];
	size_t disks; /* disks that have one */
	bool boot, raid; /* /boot was found; it is on a RAID */
};

static void look_at(struct arena *a, const struct json *disk, struct str boot, struct found *f)
{
	const struct json *parts = json_at(disk, "children"), *p;
	bool of[3] = { false, false, true };
	size_t had = f->esps[ANY].n;

	for (p = json_first(parts); p; p = json_next(p)) {
		bool in = holds(p, boot), is = str_eq(name_of(p), boot);

		if ((in || is) && !f->boot) {
			f->boot = true;
			f->raid = str_is(json_str(p, "fstype"), "linux_raid_member");
		}
		of[OF_RAID] |= in;
		of[OF_BOOT] |= is;
	}
	for (p = json_first(parts); p; p = json_next(p))
		for (int k = 0; k < 3 && is_esp(p); k++)
			if (of[k])
				VEC_PUSH(a, &f->esps[k], name_of(p));
	f->disks += f->esps[ANY].n > had;
}

int esp_choose(struct arena *a, struct str lsblk, struct str boot, struct strs *out,
	       struct err *err)
{
	static const char none[][48] = {
		"no ESP replicas found for RAID device ",
		"could not find ESP on boot disk containing ",
		"no EFI System Partition found",
	};
	const struct json_opts opts = { .size_max = LSBLK_MAX };
	struct found f = { 0 };
	struct json *j = NULL;
	int rc = json_parse(a, lsblk, &opts, &j, err), which;

	if (rc < 0)
		return err_wrap(err, "parsing lsblk output");
	for (const struct json *d = json_first(json_at(j, "blockdevices")); d; d = json_next(d))
		look_at(a, d, boot, &f);
	which = f.raid ? OF_RAID : f.disks > 1 ? OF_BOOT : ANY;
	*out = f.esps[which];
	if (!out->n)
		return err_set(err, ERR_INVALID, "%s%.*s", none[which],
			       STRF(which == ANY ? S("") : boot));
	if (which != OF_RAID)
		out->n = 1;
	return 0;
}
