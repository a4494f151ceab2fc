/*
 * Private to ign: the context of a type's rules, and the rules by type.
 */
#ifndef IGN_CHECK_H
#define IGN_CHECK_H

#include "ign/ign.h"

struct ign_check {
	struct arena *a;
	int minor;
	struct buf path; /* of the object being checked */
	struct ign_report *report;
};

/* Adds an entry at the object's path, or at below in it when below is not NULL. */
void ign_error(struct ign_check *c, const char *below, const char *message);
void ign_warn(struct ign_check *c, const char *below, const char *message);

/* The same unless message is NULL. */
void ign_error_if(struct ign_check *c, const char *below, const char *message);

/* An entry of one of the object's lists: "links.3" or "links.3.target". */
const char *ign_item(struct ign_check *c, const char *list, size_t i, const char *below);

/* Whether the field is set and not "". */
bool ign_filled(const struct ign_obj *o, int field);

/* The last dot of a name and what follows it, or "". */
struct str ign_extension(struct str name);

void ign_check_header(struct ign_check *c, const struct ign_obj *o);
void ign_check_verification(struct ign_check *c, const struct ign_obj *o);
void ign_check_resource(struct ign_check *c, const struct ign_obj *o);
void ign_check_reference(struct ign_check *c, const struct ign_obj *o);
void ign_check_ca_reference(struct ign_check *c, const struct ign_obj *o);
void ign_check_ignition_config(struct ign_check *c, const struct ign_obj *o);
void ign_check_proxy(struct ign_check *c, const struct ign_obj *o);
void ign_check_tls(struct ign_check *c, const struct ign_obj *o);
void ign_check_ignition(struct ign_check *c, const struct ign_obj *o);
void ign_check_owner(struct ign_check *c, const struct ign_obj *o);
void ign_check_node(struct ign_check *c, const struct ign_obj *o);
void ign_check_link(struct ign_check *c, const struct ign_obj *o);
void ign_check_directory(struct ign_check *c, const struct ign_obj *o);
void ign_check_file(struct ign_check *c, const struct ign_obj *o);
void ign_check_partition(struct ign_check *c, const struct ign_obj *o);
void ign_check_disk(struct ign_check *c, const struct ign_obj *o);
void ign_check_filesystem(struct ign_check *c, const struct ign_obj *o);
void ign_check_tang(struct ign_check *c, const struct ign_obj *o);
void ign_check_custom(struct ign_check *c, const struct ign_obj *o);
void ign_check_luks(struct ign_check *c, const struct ign_obj *o);
void ign_check_raid(struct ign_check *c, const struct ign_obj *o);
void ign_check_storage(struct ign_check *c, const struct ign_obj *o);
void ign_check_dropin(struct ign_check *c, const struct ign_obj *o);
void ign_check_unit(struct ign_check *c, const struct ign_obj *o);
void ign_check_systemd(struct ign_check *c, const struct ign_obj *o);
void ign_check_config(struct ign_check *c, const struct ign_obj *o);

/* The struct a field holds in spec 3.minor. */
const struct ign_type *ign_sub_type(const struct ign_field *f, int minor);

/* Whether the extension is that of a unit. */
bool ign_unit_name_ok(struct str name);

/* NULL when a path is clean and absolute, else the message. */
const char *ign_bad_path(struct str path);
/* The message for a name that a system call would truncate, or NULL. */
const char *ign_has_nul(struct str name);
/* The lexically cleaned path, as Go's path.Clean. */
struct str ign_clean_path(struct arena *a, struct str path);

/* NULL when url is a source that spec 3.minor accepts, else the message. */
const char *ign_bad_url(struct arena *a, struct str url, int minor);
/* False when Go's url.Parse would fail; *scheme is in lower case. */
bool ign_url_scheme(struct arena *a, struct str url, struct str *scheme);

/* Parses a unit's text; NULL or the lexer's message. install: whether an option is in
 * an [Install] section. v2 words one message differently. */
const char *ign_lex_unit(struct arena *a, struct str text, bool v2, bool *install);

#endif
