/*
 * The OS of a node: parses os-release and the status of rpm-ostree, bootc and podman, and
 * builds rpm-ostree's arguments for kernels, kernel arguments and extensions.
 */
#include "plan/os.h"

#include <stdlib.h>

#include "base/map.h"

/* ---- os-release ---------------------------------------------------------- */

/* The second of the parts between '=', without one quote at each end. */
static struct str value_of(struct str line)
{
	struct str key, v, more;

	if (!str_cut(line, '=', &key, &v))
		return S("");
	if (str_cut(v, '=', &v, &more) && !v.n)
		return S("");
	if (v.n && v.p[0] == '"')
		v = str_from(v, 1);
	if (v.n && v.p[v.n - 1] == '"')
		v.n--;
	return v;
}

static int number(struct str *rest)
{
	struct str part;
	int64_t v;

	if (!str_cut(*rest, '.', &part, rest)) {
		part = *rest;
		*rest = S("");
	}
	return str_to_i64(part, &v) && v >= 0 && v < 10000 ? (int)v : -1;
}

static struct str without_dots(struct arena *a, struct str s)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '.')
			buf_addc(&b, s.p[i]);
	return buf_str(&b);
}

struct fields {
	struct str id, variant, version, version_id, rhel, openshift;
};

static struct str os_version(struct arena *a, const struct fields *f)
{
	struct str prefix;

	if (f->rhel.n)
		return f->rhel;
	prefix = str_fmt(a, "%.*s.", STRF(without_dots(a, f->openshift)));
	if (f->openshift.n && str_starts(f->version, prefix))
		return str_from(f->version, prefix.n);
	if (str_is(f->version_id, "4.1"))
		return S("8.1");
	if (str_is(f->version_id, "4.2"))
		return S("8.2");
	return f->version_id;
}

int os_release_parse(struct arena *a, struct str text, struct os_release *out, struct err *err)
{
	struct fields f = { 0 };
	struct {
		const char *key;
		struct str *to;
	} keys[] = {
		{ "ID=", &f.id },
		{ "VARIANT_ID=", &f.variant },
		{ "VERSION=", &f.version },
		{ "VERSION_ID=", &f.version_id },
		{ "RHEL_VERSION=", &f.rhel },
		{ "OPENSHIFT_VERSION=", &f.openshift },
	};
	struct str line, rest = text;
	bool coreos, el9;

	if (!str_trim(text).n)
		return err_set(err, ERR_INVALID, "No content available from os-release files");
	while (str_line(&rest, &line))
		for (size_t i = 0; i < ARRAY_LEN(keys); i++)
			if (str_starts(line, str_of(keys[i].key)))
				*keys[i].to = value_of(line);
	*out = (struct os_release){ .id = f.id, .version = os_version(a, &f) };
	coreos = str_is(f.variant, "coreos");
	out->el = str_is(f.id, "rhcos") || str_is(f.id, "scos") || (str_is(f.id, "rhel") && coreos);
	out->fcos = str_is(f.id, "fedora") && coreos;
	out->core_os = coreos || out->el;
	rest = out->version;
	out->major = number(&rest);
	out->minor = number(&rest);
	el9 = (out->el &&
	       (str_starts(out->version, S("9.")) || str_starts(out->version, S("10.")))) ||
	      str_is(out->version, "9") || str_is(out->version, "10");
	out->new_keys = el9 || out->fcos || str_is(f.id, "scos");
	return 0;
}

/* ---- kernel arguments ---------------------------------------------------- */

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

void os_kargs_split(struct arena *a, struct str text, struct strs *out)
{
	size_t i = 0;

	while (i < text.n) {
		size_t start;
		bool quoted = false;

		while (i < text.n && is_space(text.p[i]))
			i++;
		for (start = i; i < text.n && (quoted || !is_space(text.p[i])); i++)
			if (text.p[i] == '"')
				quoted = !quoted;
		if (i > start)
			VEC_PUSH(a, out, str_sub(text, start, i));
	}
}

static void split_all(struct arena *a, const struct strs *list, struct strs *out)
{
	for (size_t i = 0; i < list->n; i++)
		os_kargs_split(a, list->v[i], out);
}

void os_kargs_args(struct arena *a, const struct strs *from, const struct strs *to,
		   struct strs *out)
{
	struct strs old = { 0 }, new = { 0 };

	split_all(a, from, &old);
	split_all(a, to, &new);
	for (size_t i = 0; i < old.n; i++)
		VEC_PUSH(a, out, str_fmt(a, "--delete-if-present=%.*s", STRF(old.v[i])));
	for (size_t i = 0; i < new.n; i++)
		VEC_PUSH(a, out, str_fmt(a, "--append=%.*s", STRF(new.v[i])));
}

void os_kargs_missing(struct arena *a, const struct strs *want, struct str cmdline,
		      struct strs *out)
{
	struct strs tokens = { 0 }, have = { 0 };
	struct str rest = str_trim(cmdline), one;
	bool more = true;

	split_all(a, want, &tokens);
	while (more) {
		more = str_cut(rest, ' ', &one, &rest);
		VEC_PUSH(a, &have, more ? one : rest);
	}
	os_missing(a, &tokens, &have, out);
}

/* ---- rpm-ostree status --------------------------------------------------- */

static void strings(struct arena *a, const struct json *list, struct strs *out)
{
	for (const struct json *e = json_first(list); e; e = json_next(e))
		VEC_PUSH(a, out, json_text(e));
}

/* The image in "scheme:[remote:][transport:]image". */
static int image_of(struct str ref, struct str *out, struct err *err)
{
	static const struct {
		const char *scheme;
		int skip; /* arguments before the image */
	} schemes[] = {
		{ "ostree-unverified-registry:", 0 }, { "ostree-image-signed:", 1 },
		{ "ostree-unverified-image:", 1 },    { "ostree-remote-registry:", 1 },
		{ "ostree-remote-image:", 2 },
	};

	for (size_t i = 0; i < ARRAY_LEN(schemes); i++) {
		struct str s = str_of(schemes[i].scheme), word, rest;

		if (!str_starts(ref, s))
			continue;
		rest = str_from(ref, s.n);
		for (int k = 0; k < schemes[i].skip; k++)
			if (!str_cut(rest, ':', &word, &rest))
				break;
		if (str_starts(rest, S("//")))
			rest = str_from(rest, 2);
		*out = rest;
		return 0;
	}
	return err_set(err, ERR_INVALID, "invalid ostree image reference (unmatched scheme): %.*s",
		       STRF(ref));
}

static const struct json *deployment(const struct json *root, const char *which)
{
	for (const struct json *d = json_first(json_at(root, "deployments")); d; d = json_next(d))
		if (json_bool(d, which, false))
			return d;
	return NULL;
}

static void words(struct arena *a, const char *text, const char *before, struct strs *out)
{
	struct str rest = str_of(text), one;
	bool more = true;

	while (more) {
		more = str_cut(rest, ' ', &one, &rest);
		if (*before)
			VEC_PUSH(a, out, str_of(before));
		VEC_PUSH(a, out, more ? one : rest);
	}
}

static const struct {
	const char *name, *packages;
} extensions_table[] = {
	{ "two-node-ha", "pacemaker pcs fence-agents-all" },
	{ "ipsec", "NetworkManager-libreswan libreswan" },
	{ "usbguard", "usbguard" },
	{ "kerberos", "krb5-workstation libkadm5" },
	{ "kernel-devel", "kernel-devel kernel-headers" },
	{ "sandboxed-containers", "kata-containers" },
	{ "sysstat", "sysstat" },
};
#define EXTENSIONS (ARRAY_LEN(extensions_table))

static void all_packages(struct arena *a, struct strs *out)
{
	for (size_t i = 0; i < EXTENSIONS; i++)
		words(a, extensions_table[i].packages, "", out);
}

/* The number of changed packages that belong to no extension. */
static size_t unsupported(struct arena *a, const struct json *booted)
{
	static const char *const lists[] = { "packages", "local-packages",
					     "local-fileoverride-packages", "base-removals",
					     "base-local-replacements" };
	struct strs changed = { 0 }, known = { 0 }, foreign = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		strings(a, json_member(booted, str_fmt(a, "requested-%s", lists[i])), &changed);
	all_packages(a, &known);
	os_missing(a, &changed, &known, &foreign);
	return foreign.n;
}

int os_status_parse(struct arena *a, struct str text, struct os_status *out, struct err *err)
{
	const struct json *booted, *staged;
	struct os_status s = { 0 };
	struct json *root = NULL;
	struct str pivot, ref;
	int rc = json_parse(a, text, NULL, &root, err);

	if (rc < 0)
		return err_wrap(err, "failed to parse `rpm-ostree status --json` output");
	booted = deployment(root, "booted");
	staged = deployment(root, "staged");
	if (!booted)
		return err_set(err, ERR_INVALID, "no booted deployment found");
	pivot = json_text(json_first(json_at(booted, "custom-origin")));
	if (str_starts(pivot, S("pivot://")))
		s.image = str_from(pivot, 8);
	ref = json_str(booted, "container-image-reference");
	if (ref.n)
		rc = image_of(ref, &s.image, err);
	if (rc < 0)
		return rc;
	s.version = json_str(booted, "version");
	s.checksum = json_str_or(booted, "base-checksum", json_str(booted, "checksum"));
	strings(a, json_at(booted, "requested-packages"), &s.packages);
	strings(a, json_at(booted, "requested-base-removals"), &s.removals);
	s.unsupported = unsupported(a, booted);
	s.staged = staged != NULL;
	strings(a, json_at(staged, "requested-packages"), &s.staged_packages);
	*out = s;
	return 0;
}

int os_bootc_parse(struct arena *a, struct str text, struct os_status *out, struct err *err)
{
	const struct json *booted, *staged;
	struct json *root = NULL;
	int rc = json_parse(a, text, NULL, &root, err);

	if (rc < 0)
		return err_wrap(err, "failed to parse `bootc status --json` output");
	booted = json_at(root, "status.booted");
	staged = json_at(root, "status.staged");
	if (json_kind(booted) != JSON_OBJECT)
		return err_set(err, ERR_INVALID, "no booted deployment found");
	*out = (struct os_status){
		.image = json_str(booted, "image.image.image"),
		.version = json_str(booted, "image.version"),
		.checksum = json_str(booted, "ostree.checksum"),
		.staged = json_kind(staged) == JSON_OBJECT,
	};
	return 0;
}

/* ---- images -------------------------------------------------------------- */

int os_image_parse(struct arena *a, struct str text, struct str name, struct os_image *out,
		   struct err *err)
{
	const struct json *first;
	struct json *root = NULL;
	int rc = json_parse(a, text, NULL, &root, err);

	if (rc < 0)
		return err_wrap(err, "failed to decode podman image ls output");
	first = json_first(root);
	*out = (struct os_image){ .there = first != NULL, .id = json_str(first, "Id") };
	for (const struct json *d = json_first(json_at(first, "RepoDigests")); d; d = json_next(d))
		if (str_eq(json_text(d), name))
			out->digest = name;
	return 0;
}

int os_image_scope(struct arena *a, struct str text, const struct os_image *image, struct str *out,
		   struct err *err)
{
	struct json *root = NULL;
	int rc = json_parse(a, text, NULL, &root, err);

	if (rc < 0)
		return err_wrap(err, "failed to decode podman system info output");
	*out = str_fmt(a, "[%.*s@%.*s]%.*s@%.*s", STRF(json_str(root, "store.graphDriverName")),
		       STRF(json_str(root, "store.graphRoot")), STRF(image->digest),
		       STRF(image->id));
	return 0;
}

/* ---- kernels ------------------------------------------------------------- */

void os_kernel_reset(struct arena *a, const struct os_status *s, struct strs *out)
{
	struct strs l = { 0 };
	size_t packages = 0;

	words(a, "override reset", "", &l);
	for (size_t i = 0; i < s->removals.n; i++)
		if (str_is(s->removals.v[i], "kernel") ||
		    str_starts(s->removals.v[i], S("kernel-")))
			VEC_PUSH(a, &l, s->removals.v[i]);
	if (l.n == 2)
		return;
	for (size_t i = 0; i < s->packages.n; i++) {
		if (!str_starts(s->packages.v[i], S("kernel-rt-")) &&
		    !str_starts(s->packages.v[i], S("kernel-64k-")))
			continue;
		VEC_PUSH(a, &l, S("--uninstall"));
		VEC_PUSH(a, &l, s->packages.v[i]);
		packages++;
	}
	if (packages)
		*out = l;
}

void os_kernel_switch(struct arena *a, struct str to, struct strs *out)
{
	words(a,
	      "override remove kernel kernel-core kernel-modules "
	      "kernel-modules-core kernel-modules-extra",
	      "", out);
	if (str_is(to, "realtime"))
		words(a, "kernel-rt-core kernel-rt-modules kernel-rt-modules-extra", "--install",
		      out);
	else
		words(a,
		      "kernel-64k-core kernel-64k-modules "
		      "kernel-64k-modules-core kernel-64k-modules-extra",
		      "--install", out);
}

/* ---- extensions ---------------------------------------------------------- */

static int by_name(const void *x, const void *y)
{
	return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

static void sort(struct strs *l)
{
	size_t n = 0;

	if (l->n > 1)
		qsort(l->v, l->n, sizeof(*l->v), by_name);
	for (size_t i = 0; i < l->n; i++)
		if (!n || !str_eq(l->v[n - 1], l->v[i]))
			l->v[n++] = l->v[i];
	l->n = n;
}

void os_missing(struct arena *a, const struct strs *want, const struct strs *have, struct strs *out)
{
	struct map set;

	map_init(&set, a);
	for (size_t i = 0; i < have->n; i++)
		(void)map_put(&set, have->v[i], out);
	for (size_t i = 0; i < want->n; i++)
		if (!map_find(&set, want->v[i]))
			VEC_PUSH(a, out, want->v[i]);
}

void os_extension_packages(struct arena *a, const struct strs *extensions, struct strs *out)
{
	for (size_t i = 0; i < EXTENSIONS; i++)
		for (size_t k = 0; k < extensions->n; k++)
			if (str_is(extensions->v[k], extensions_table[i].name))
				words(a, extensions_table[i].packages, "", out);
	sort(out);
}

struct str os_list(struct arena *a, const struct strs *l)
{
	struct buf b;

	buf_init(&b, a);
	buf_addc(&b, '[');
	for (size_t i = 0; i < l->n; i++)
		buf_addf(&b, "%s%.*s", i ? " " : "", STRF(l->v[i]));
	buf_addc(&b, ']');
	return buf_str(&b);
}

int os_check_extensions(struct arena *a, const struct strs *extensions, struct err *err)
{
	struct strs known = { 0 }, bad = { 0 };

	for (size_t i = 0; i < EXTENSIONS; i++)
		VEC_PUSH(a, &known, str_of(extensions_table[i].name));
	os_missing(a, extensions, &known, &bad);
	return bad.n ? err_set(err, ERR_INVALID, "invalid extensions found: %.*s",
			       STRF(os_list(a, &bad)))
		     : 0;
}

int os_extension_args(struct arena *a, const struct strs *packages, const struct strs *extensions,
		      struct strs *out, struct err *err)
{
	struct strs all = { 0 }, required = { 0 }, install = { 0 };
	struct strs managed = { 0 }, foreign = { 0 }, uninstall = { 0 };
	struct strs have = { 0 };
	int rc = os_check_extensions(a, extensions, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < packages->n; i++)
		VEC_PUSH(a, &have, packages->v[i]);
	sort(&have);
	all_packages(a, &all);
	os_extension_packages(a, extensions, &required);
	os_missing(a, &required, &have, &install);
	os_missing(a, &have, &all, &foreign);
	os_missing(a, &have, &foreign, &managed);
	os_missing(a, &managed, &required, &uninstall);
	if (!install.n && !uninstall.n)
		return 0;
	VEC_PUSH(a, out, S("update"));
	for (size_t i = 0; i < install.n; i++) {
		VEC_PUSH(a, out, S("--install"));
		VEC_PUSH(a, out, install.v[i]);
	}
	for (size_t i = 0; i < uninstall.n; i++) {
		VEC_PUSH(a, out, S("--uninstall"));
		VEC_PUSH(a, out, uninstall.v[i]);
	}
	return 0;
}
