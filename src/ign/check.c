/*
 * The validation rules of the v3 specs: one function per type. A rule reports at the path of its
 * object or below it; the walk over the config is in ign_validate.c.
 */
#include "check.h"

#include "base/map.h"

void ign_error_if(struct ign_check *c, const char *below, const char *message)
{
	if (message)
		ign_error(c, below, message);
}

const char *ign_item(struct ign_check *c, const char *list, size_t i, const char *below)
{
	return str_fmt(c->a, "%s.%zu%s%s", list, i, *below ? "." : "", below).p;
}

bool ign_filled(const struct ign_obj *o, int field)
{
	return ign_str(o, field).n > 0;
}

struct str ign_extension(struct str name)
{
	ptrdiff_t slash = str_rchr(name, '/'), dot = str_rchr(name, '.');

	return dot > slash ? str_from(name, (size_t)dot) : S("");
}

void ign_check_header(struct ign_check *c, const struct ign_obj *o)
{
	if (!ign_filled(o, IGN_HEADER_NAME))
		ign_error(c, "name", "HTTP header name can't be empty");
	if (ign_is_set(o, IGN_HEADER_VALUE) && !ign_filled(o, IGN_HEADER_VALUE))
		ign_error(c, "value", "unable to parse HTTP header");
}

void ign_check_verification(struct ign_check *c, const struct ign_obj *o)
{
	struct str function, sum;
	size_t want;

	if (!ign_is_set(o, IGN_VERIFICATION_HASH))
		return;
	if (!str_cut(ign_str(o, IGN_VERIFICATION_HASH), '-', &function, &sum)) {
		ign_error(c, "hash", "malformed hash specifier");
		return;
	}
	if (str_is(function, "sha512")) {
		want = 128;
	} else if (str_is(function, "sha256") && c->minor >= 1) {
		want = 64;
	} else {
		ign_error(c, "hash", "unrecognized hash function");
		return;
	}
	if (sum.n != want)
		ign_error(c, "hash", "incorrect size for hash sum");
}

static const char *bad_headers(struct ign_check *c, const struct ign_obj *o)
{
	struct str scheme;

	if (!ign_list(o, IGN_RESOURCE_HEADERS)->n)
		return NULL;
	if (!ign_filled(o, IGN_RESOURCE_SOURCE) ||
	    !ign_url_scheme(c->a, ign_str(o, IGN_RESOURCE_SOURCE), &scheme))
		return "unable to parse url";
	if (str_is(scheme, "http") || str_is(scheme, "https"))
		return NULL;
	return "cannot use HTTP headers with this source scheme";
}

static const char *bad_source(struct ign_check *c, const struct ign_obj *o)
{
	struct str source = ign_str(o, IGN_RESOURCE_SOURCE);

	return source.n ? ign_bad_url(c->a, source, c->minor) : NULL;
}

void ign_check_resource(struct ign_check *c, const struct ign_obj *o)
{
	struct str compression = ign_str(o, IGN_RESOURCE_COMPRESSION);
	const struct ign_obj *v = ign_sub(o, IGN_RESOURCE_VERIFICATION);

	if (compression.n && !str_is(compression, "gzip"))
		ign_error(c, "compression", "invalid compression method");
	if (ign_is_set(v, IGN_VERIFICATION_HASH) && !ign_is_set(o, IGN_RESOURCE_SOURCE))
		ign_error(c, "verification.hash",
			  "source must be specified if verification is "
			  "specified");
	ign_error_if(c, "source", bad_source(c, o));
	ign_error_if(c, "httpHeaders", bad_headers(c, o));
}

static const char *bad_required(struct ign_check *c, const struct ign_obj *o)
{
	if (!ign_filled(o, IGN_RESOURCE_SOURCE))
		return "source is required";
	return bad_source(c, o);
}

void ign_check_reference(struct ign_check *c, const struct ign_obj *o)
{
	struct str source = ign_str(o, IGN_REFERENCE_SOURCE);

	if (source.n)
		ign_error_if(c, "source", ign_bad_url(c->a, source, c->minor));
}

void ign_check_ca_reference(struct ign_check *c, const struct ign_obj *o)
{
	ign_error_if(c, "source", ign_bad_url(c->a, ign_str(o, IGN_CA_REFERENCE_SOURCE), c->minor));
}

void ign_check_ignition_config(struct ign_check *c, const struct ign_obj *o)
{
	const struct ign_objs *merge = ign_list(o, IGN_IGNITION_CONFIG_MERGE);

	if (c->minor == 0)
		return; /* 3.0 has no rule here */
	for (size_t i = 0; i < merge->n; i++)
		ign_error_if(c, ign_item(c, "merge", i, ""), bad_required(c, merge->v[i]));
}

static void check_proxy(struct ign_check *c, const struct ign_obj *o, int field, const char *name,
			bool http_ok)
{
	struct str scheme;

	if (!ign_is_set(o, field))
		return;
	if (!ign_url_scheme(c->a, ign_str(o, field), &scheme))
		ign_error(c, name, "unable to parse url");
	else if (!str_is(scheme, "https") && !str_is(scheme, "http"))
		ign_error(c, name, "proxies must be http(s)");
	else if (str_is(scheme, "http") && !http_ok)
		ign_warn(c, name,
			 "insecure plaintext HTTP proxy specified for HTTPS "
			 "resources");
}

void ign_check_proxy(struct ign_check *c, const struct ign_obj *o)
{
	check_proxy(c, o, IGN_PROXY_HTTP, "httpProxy", true);
	check_proxy(c, o, IGN_PROXY_HTTPS, "httpsProxy", false);
}

void ign_check_tls(struct ign_check *c, const struct ign_obj *o)
{
	const struct ign_objs *cas = ign_list(o, IGN_TLS_CAS);

	if (c->minor == 0)
		return; /* 3.0 has no rule here, either */
	for (size_t i = 0; i < cas->n; i++)
		ign_error_if(c, ign_item(c, "certificateAuthorities", i, ""),
			     bad_required(c, cas->v[i]));
}

void ign_check_ignition(struct ign_check *c, const struct ign_obj *o)
{
	struct semver v, want = { .major = 3, .minor = c->minor };

	if (!semver_parse(ign_str(o, IGN_IGNITION_VERSION), &v))
		ign_error(c, "version", "invalid config version (couldn't parse)");
	else if (!semver_eq(v, want))
		ign_error(c, "version", "unsupported config version");
}

void ign_check_owner(struct ign_check *c, const struct ign_obj *o)
{
	if (ign_is_set(o, IGN_NODE_USER_ID) && ign_filled(o, IGN_NODE_USER_NAME))
		ign_error(c, "", "cannot set both id and name");
}

void ign_check_node(struct ign_check *c, const struct ign_obj *o)
{
	ign_error_if(c, "path", ign_bad_path(ign_str(o, IGN_FILE_PATH)));
}

void ign_check_link(struct ign_check *c, const struct ign_obj *o)
{
	ign_check_node(c, o);
	ign_error_if(c, "target", ign_has_nul(ign_str(o, IGN_LINK_TARGET)));
}

static void check_mode(struct ign_check *c, const struct ign_obj *o, int field)
{
	int64_t mode = ign_int(o, field, 0);

	if (mode < 0 || mode > 07777)
		ign_error(c, "mode", "illegal file mode");
	if (c->minor < 4 && (mode & 07000))
		ign_warn(c, "mode",
			 "setuid/setgid/sticky bits are not supported in spec "
			 "versions older than 3.4.0");
}

void ign_check_directory(struct ign_check *c, const struct ign_obj *o)
{
	ign_check_node(c, o);
	check_mode(c, o, IGN_DIRECTORY_MODE);
}

void ign_check_file(struct ign_check *c, const struct ign_obj *o)
{
	ign_check_node(c, o);
	check_mode(c, o, IGN_FILE_MODE);
	if (ign_is_true(o, IGN_FILE_OVERWRITE) &&
	    !ign_is_set(ign_sub(o, IGN_FILE_CONTENTS), IGN_RESOURCE_SOURCE))
		ign_error(c, "overwrite", "overwrite must be false if source is unspecified");
}

/* ---- units --------------------------------------------------------------- */

/* The fault of the text, or NULL; *install is set by ign_lex_unit. */
static const char *bad_contents(struct ign_check *c, const struct ign_obj *o, int field,
				bool *install)
{
	const char *bad;

	*install = false;
	if (!ign_is_set(o, field))
		return NULL;
	bad = ign_lex_unit(c->a, ign_str(o, field), false, install);
	return bad ? str_fmt(c->a, "invalid unit content: %s", bad).p : NULL;
}

void ign_check_dropin(struct ign_check *c, const struct ign_obj *o)
{
	bool install;

	ign_error_if(c, "contents", bad_contents(c, o, IGN_DROPIN_CONTENTS, &install));
	if (!str_is(ign_extension(ign_str(o, IGN_DROPIN_NAME)), ".conf"))
		ign_error(c, "name", "invalid systemd drop-in extension");
	ign_error_if(c, "name", ign_has_nul(ign_str(o, IGN_DROPIN_NAME)));
}

bool ign_unit_name_ok(struct str name)
{
	static const char *const known[] = {
		".service", ".socket", ".device", ".mount",    ".automount", ".swap",
		".target",  ".path",   ".timer",  ".snapshot", ".slice",     ".scope",
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (str_is(ign_extension(name), known[i]))
			return true;
	return false;
}

void ign_check_unit(struct ign_check *c, const struct ign_obj *o)
{
	struct str name = ign_str(o, IGN_UNIT_NAME);
	const char *bad;
	bool install;

	if (!ign_unit_name_ok(name))
		ign_error(c, "name", "invalid systemd unit extension");
	ign_error_if(c, "name", ign_has_nul(name));
	bad = bad_contents(c, o, IGN_UNIT_CONTENTS, &install);
	ign_error_if(c, "contents", bad);
	if (!bad && !install && ign_is_true(o, IGN_UNIT_ENABLED) &&
	    ign_filled(o, IGN_UNIT_CONTENTS))
		ign_warn(c, "contents",
			 str_fmt(c->a,
				 "unit \"%.*s\" is enabled, but has no install "
				 "section so enable does nothing",
				 STRF(name))
				 .p);
}

/* "X@.service" for "X@Y.service" with X and Y not empty; else "". */
static struct str template_of(struct arena *a, struct str name)
{
	ptrdiff_t at = str_chr(name, '@');

	if (!str_ends(name, S(".service")))
		return S("");
	/* the shortest X of at least one character */
	while (at == 0) {
		struct str rest = str_from(name, 1);

		at = str_chr(rest, '@');
		at = at < 0 ? -1 : at + 1;
	}
	if (at < 0 || (size_t)at + 1 + strlen(".service") >= name.n)
		return S("");
	return str_fmt(a, "%.*s@.service", (int)at, name.p);
}

void ign_check_systemd(struct ign_check *c, const struct ign_obj *o)
{
	const struct ign_objs *units = ign_list(o, IGN_SYSTEMD_UNITS);
	struct map by_name;

	map_init(&by_name, c->a);
	for (size_t i = 0; i < units->n; i++)
		(void)map_put(&by_name, ign_str(units->v[i], IGN_UNIT_NAME), units->v[i]);
	for (size_t i = 0; i < units->n; i++) {
		struct str name = ign_str(units->v[i], IGN_UNIT_NAME);
		struct str base = template_of(c->a, name);
		const struct ign_obj *t;
		bool install;

		if (!base.n || !ign_is_true(units->v[i], IGN_UNIT_ENABLED))
			continue;
		t = map_get(&by_name, base);
		if (!ign_filled(t, IGN_UNIT_CONTENTS) ||
		    bad_contents(c, t, IGN_UNIT_CONTENTS, &install) || install)
			continue;
		ign_warn(c, ign_item(c, "units", i, "contents"),
			 str_fmt(c->a,
				 "template unit \"%.*s\" for \"%.*s\" doesn't "
				 "have Install section",
				 STRF(base), STRF(name))
				 .p);
	}
}

/* ---- the whole config ---------------------------------------------------- */

static void put_path(struct ign_check *c, struct map *m, struct str path)
{
	(void)map_put(m, path, c);
}

static void unit_paths(struct ign_check *c, const struct ign_obj *config, struct map *out)
{
	const struct ign_objs *units = ign_units(config);

	for (size_t i = 0; i < units->n; i++) {
		const struct ign_obj *u = units->v[i];
		const struct ign_objs *dropins = ign_list(u, IGN_UNIT_DROPINS);
		struct str name = ign_str(u, IGN_UNIT_NAME);

		if (ign_filled(u, IGN_UNIT_CONTENTS))
			put_path(c, out, str_fmt(c->a, "/etc/systemd/system/%.*s", STRF(name)));
		for (size_t k = 0; k < dropins->n; k++)
			if (ign_filled(dropins->v[k], IGN_DROPIN_CONTENTS))
				put_path(c, out,
					 str_fmt(c->a,
						 "/etc/systemd/system/"
						 "%.*s.d/%.*s",
						 STRF(name),
						 STRF(ign_str(dropins->v[k], IGN_DROPIN_NAME))));
	}
}

static void conflicts(struct ign_check *c, const struct map *paths, const struct ign_objs *nodes,
		      const char *list)
{
	for (size_t i = 0; i < nodes->n; i++)
		if (map_find(paths, ign_str(nodes->v[i], IGN_FILE_PATH)))
			ign_error(c, ign_item(c, list, i, "path"),
				  "path conflicts with systemd unit or dropin");
}

void ign_check_config(struct ign_check *c, const struct ign_obj *o)
{
	const struct ign_obj *s = ign_sub(o, IGN_CONFIG_STORAGE);
	struct map paths;

	map_init(&paths, c->a);
	unit_paths(c, o, &paths);
	if (!paths.n)
		return;
	conflicts(c, &paths, ign_list(s, IGN_STORAGE_FILES), "storage.files");
	conflicts(c, &paths, ign_list(s, IGN_STORAGE_DIRECTORIES), "storage.directories");
	conflicts(c, &paths, ign_list(s, IGN_STORAGE_LINKS), "storage.links");
}
