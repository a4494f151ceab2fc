/*
 * The files of a ContainerRuntimeConfig: CRI-O drop-ins and storage.conf.
 */
#include "plan/config/runtime.h"

#include "base/codec.h"
#include "base/quantity.h"
#include "data/toml.h"
#include "storage_conf.h"

#define PIDS_MIN 20
#define LOG_SIZE_MIN 8192

static const char *const stores[] = { "additionalLayerStores", "additionalImageStores",
				      "additionalArtifactStores" };
enum { LAYERS, IMAGES, ARTIFACTS };

static const struct json *settings(const struct mc_object *crc)
{
	return json_at(crc->tree, "spec.containerRuntimeConfig");
}

/* Quantities are well-formed when decoded. Zero when absent. */
static struct quantity quantity_at(struct arena *a, const struct json *j, const char *name)
{
	struct err err = ERR_INIT(a);
	struct quantity q = { 0 };

	(void)quantity_parse(a, json_str_or(j, name, S("0")), &q, &err);
	return q;
}

static bool one_of(struct str s, const char *words)
{
	struct str rest = str_of(words), word;

	while (str_cut(rest, ' ', &word, &rest))
		if (str_eq(s, word))
			return true;
	return str_eq(s, rest);
}

static const char *path_fault(struct str path)
{
	bool plain = path.n > 1 && path.p[0] == '/';

	for (size_t i = 0; i < path.n; i++) {
		char c = path.p[i];

		plain = plain &&
			((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			 (c >= '0' && c <= '9') || c == '/' || c == '.' || c == '_' || c == '-');
	}
	if (!plain)
		return "must be an absolute path containing only alphanumeric "
		       "characters, '/', '.', '_', and '-'";
	if (str_find(path, S("//")) >= 0)
		return "must not contain consecutive forward slashes";
	return NULL;
}

static int check_stores(struct arena *a, const struct json *spec, struct err *err)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t k = 0; k < 3; k++)
		for (const struct json *e = json_first(json_at(spec, stores[k])); e;
		     e = json_next(e)) {
			struct str path = json_str(e, "path");
			const char *fault = path_fault(path);

			if (!fault)
				continue;
			buf_addf(&b, "%sinvalid A%s", b.n ? "\n" : "", stores[k] + 1);
			if (path.n)
				buf_addf(&b, " path %.*s: %s", STRF(go_quoted(a, path)), fault);
			else
				buf_addz(&b, ": path must not be empty");
		}
	if (!b.n)
		return 0;
	return err_set(err, ERR_INVALID, "%.*s", STRF(buf_str(&b)));
}

int runtime_validate(struct arena *a, const struct mc_object *crc, struct err *err)
{
	const struct json *spec = settings(crc);
	int64_t pids = json_i64(spec, "pidsLimit", 0);
	struct quantity log = quantity_at(a, spec, "logSizeMax");
	struct quantity overlay = quantity_at(a, spec, "overlaySize");
	struct str level = json_str(spec, "logLevel");
	struct str runtime = json_str(spec, "defaultRuntime");

	if (pids && pids < PIDS_MIN)
		return err_set(err, ERR_INVALID, "invalid PidsLimit %lld", (long long)pids);
	if (log.value > 0 && log.value <= LOG_SIZE_MIN)
		return err_set(err, ERR_INVALID,
			       "invalid LogSizeMax %.*s, cannot be less than "
			       "8kB",
			       STRF(go_quoted(a, log.text)));
	if (overlay.value < 0)
		return err_set(err, ERR_INVALID,
			       "invalid overlaySize %.*s, cannot be less than "
			       "0",
			       STRF(go_quoted(a, overlay.text)));
	if (level.n && !one_of(level, "error fatal panic warn info debug trace"))
		return err_set(err, ERR_INVALID,
			       "invalid LogLevel %.*s, must be one of error, "
			       "fatal, panic, warn, info, debug, or trace",
			       STRF(go_quoted(a, level)));
	if (runtime.n && !one_of(runtime, "runc crun"))
		return err_set(err, ERR_INVALID,
			       "invalid DefaultRuntime %.*s, must be one of "
			       "crun, runc",
			       STRF(go_quoted(a, runtime)));
	return check_stores(a, spec, err);
}

/* ---- files --------------------------------------------------------------- */

/* The paths of a list of stores, each with a required suffix; NULL when the list is empty. */
static struct json *paths(struct arena *a, const struct json *spec, const char *list,
			  const char *ending)
{
	struct json *out = json_new(a, JSON_ARRAY);

	for (const struct json *e = json_first(json_at(spec, list)); e; e = json_next(e)) {
		struct str path = json_str(e, "path");

		if (!str_ends(path, str_of(ending)))
			path = str_fmt(a, "%.*s%s", STRF(path), ending);
		json_push(out, json_new_str(a, path));
	}
	return json_first(out) ? out : NULL;
}

static int storage_file(struct arena *a, const struct runtime_in *in, const struct json *spec,
			struct mc_files *files, struct err *err)
{
	struct quantity size = quantity_at(a, spec, "overlaySize");
	struct storage_changes c = { 0 };
	struct str conf;
	int rc;

	if (in->more_stores) {
		/* container storage then resolves layers by reference */
		c.layers = paths(a, spec, stores[LAYERS], ":ref");
		c.images = paths(a, spec, stores[IMAGES], "");
	}
	if (size.sign)
		c.size = size.text;
	if (!size.sign && !c.layers && !c.images)
		return 0;
	rc = storage_conf(a, in->storage, &c, &conf, err);
	if (rc == 0)
		mc_files_add(a, files, STORAGE_CONF, conf);
	return rc;
}

/* A drop-in with one setting, so that all others keep CRI-O's defaults. */
static void dropin(struct arena *a, struct mc_files *files, const char *file, const char *key,
		   struct json *value)
{
	struct json *runtime = json_new(a, JSON_OBJECT);
	struct json *crio = json_new(a, JSON_OBJECT);
	struct json *root = json_new(a, JSON_OBJECT);
	struct buf b;

	json_add(runtime, str_of(key), value);
	json_add(crio, S("runtime"), runtime);
	json_add(root, S("crio"), crio);
	buf_init(&b, a);
	toml_emit(&b, root);
	mc_files_add(a, files, str_fmt(a, "/etc/crio/crio.conf.d/01-ctrcfg-%s", file).p,
		     buf_str(&b));
}

static void crio_files(struct arena *a, const struct runtime_in *in, const struct json *spec,
		       struct mc_files *files)
{
	struct str level = json_str(spec, "logLevel");
	const struct json *pids = json_at(spec, "pidsLimit");
	struct quantity log = quantity_at(a, spec, "logSizeMax");
	struct str runtime = json_str(spec, "defaultRuntime");
	struct json *more = in->more_stores ? paths(a, spec, stores[ARTIFACTS], "") : NULL;

	if (level.n)
		dropin(a, files, "logLevel", "log_level", json_new_str(a, level));
	if (pids)
		dropin(a, files, "pidsLimit", "pids_limit", json_new_num(a, json_text(pids)));
	if (log.value)
		dropin(a, files, "logSizeMax", "log_size_max", json_new_i64(a, log.value));
	if (runtime.n)
		dropin(a, files, "defaultRuntime", "default_runtime", json_new_str(a, runtime));
	if (more)
		dropin(a, files, "additionalArtifactStores", "additional_artifact_stores", more);
}

int runtime_config(struct arena *a, const struct runtime_in *in, const struct mc_object *crc,
		   struct str name, struct mc **out, struct str *note, struct err *err)
{
	const struct json *spec = settings(crc);
	struct err left_out = ERR_INIT(a);
	struct mc_files files = { 0 };

	if (!spec)
		return err_set(err, ERR_INVALID,
			       "ContainerRuntimeConfig %.*s has no "
			       "spec.containerRuntimeConfig",
			       STRF(crc->meta.name));
	*note = S("");
	if (storage_file(a, in, spec, &files, &left_out) < 0)
		*note = str_fmt(a,
				"could not update container runtime config "
				"with new changes: %.*s",
				STRF(left_out.msg));
	crio_files(a, in, spec, &files);
	*out = mc_generated(a, name, in->pool, &files);
	mc_annotate(a, *out, S(ANNO_BY_CONTROLLER), in->hash);
	return 0;
}
