/*
 * origin: which MachineConfigs set each part of a config.
 *
 * Parts are the entries of Ignition's lists (files, units and their drop-ins, users,
 * …) and the fields of a MachineConfig's spec (kernelArguments, osImageURL, …).
 */
#ifndef MC_ORIGIN_H
#define MC_ORIGIN_H

#include "mc/merge.h"

enum mc_part {
	MC_PART_FILE,
	MC_PART_DIRECTORY,
	MC_PART_LINK,
	MC_PART_UNIT,
	MC_PART_DROPIN, /* key: UNIT/NAME */
	MC_PART_USER,
	MC_PART_SSH_KEY, /* key: USER/FINGERPRINT */
	MC_PART_GROUP,
	MC_PART_DISK,
	MC_PART_FILESYSTEM,
	MC_PART_LUKS,
	MC_PART_RAID,
	/* from here on: fields of the spec */
	MC_PART_KARG, /* key: one argument */
	MC_PART_EXTENSION, /* key: one extension */
	MC_PART_KERNEL_TYPE,
	MC_PART_FIPS,
	MC_PART_OS_IMAGE,
	MC_PART_EXTENSIONS_IMAGE,
	MC_PARTS, /* the number of parts */
};

/* What one source sets of a part. */
struct mc_setting {
	const struct mc *mc; /* NULL: the ControllerConfig */
	const struct ign_obj *entry; /* the entry of that source; NULL for fields */
	struct str value; /* of a field of the spec */
	bool overridden; /* later sources override everything that it sets */
	struct strs made_from; /* see mc/made_from.h */
};

struct mc_origin {
	enum mc_part part;
	struct str key; /* a path or name; "" for fields with one value */
	const struct ign_obj *entry; /* the entry of the config; NULL for fields */
	struct str value; /* of a field of the spec */
	struct mc_setting *v; /* in merge order */
	size_t n, cap; /* n 0: no current source sets it */
};

struct mc_origins {
	struct mc_origin **v; /* by part, each in the order of the config */
	size_t n, cap;
	struct mc_list unread; /* sources whose Ignition config does not parse */
	size_t unknown; /* number of parts without a source */
};

struct mc_origins_in {
	const struct mc_merged *config;
	const struct mc_list *sources; /* in merge order */
	/* config was just merged from the sources. If false, they may have been edited since,
	 * and only values that still match are attributed. */
	bool exact;
};

void mc_origins(struct arena *a, const struct mc_origins_in *in, struct mc_origins *out);

/*
 * What the sources set, part by part, without comparing it to the result. Sources that do not parse
 * are omitted.
 */
void mc_settings_of(struct arena *a, const struct mc_list *sources, struct mc_origins *out);

/* "file", "dropin", "kernelArguments", … */
const char *mc_part_kind(enum mc_part part);

/*
 * The name of a part in input and output: "/etc/x", "unit/a.service", "dropin/a.service/b.conf",
 * "user/core", "sshkey/core/SHA256:…" (as ssh-keygen -l and sshd print it),
 * "kernelArguments=nosmt" (masked), "osImageURL".
 */
struct str mc_part_text(struct arena *a, const struct mc_origin *o);

/*
 * Whether a selector names a part: by its name, a path on the node, the name of a unit (also its
 * drop-ins), a user (also the keys), or a kind with or without an s ("units", "kernelArguments").
 */
bool mc_part_matches(struct arena *a, const struct mc_origin *o, struct str selector);

/*
 * Keeps only the parts that the selector names; "": all. ERR_NOTFOUND when it names none, with a
 * hint at a part or kind of a similar name. config: its name, for the message.
 */
int mc_parts_select(struct arena *a, struct str config, struct str selector,
		    struct mc_origins *origins, struct err *err);

/* Whether an entry sets its field i. The name does not count, and neither do the drop-ins of a
 * unit and the SSH keys of a user, which are separate parts. */
bool mc_entry_sets(const struct ign_obj *entry, size_t i);

/* The fingerprint of a line of authorized_keys: "SHA256:…", or "invalid-…" if it has no key. */
struct str mc_ssh_fingerprint(struct arena *a, struct str line);

/* The type and the comment of a line of authorized_keys. */
struct str mc_ssh_label(struct arena *a, struct str line);

/* What a source sets of a part: names of fields, or a value, masked. */
struct strs mc_setting_fields(struct arena *a, const struct mc_setting *setting);

#endif
