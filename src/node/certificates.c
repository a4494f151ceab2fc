/*
 * Certificate authorities and the pull secret of a ControllerConfig, written outside of any update:
 * they change without a new config, and are not in the journal.
 *
 * Files are written one by one, each atomically; writing them again is idempotent.
 */
#include "node/certificates.h"

#include "base/codec.h"
#include "io/log.h"
#include "node/rotate.h"

#define REGISTRIES "/etc/docker/certs.d"

static int bytes_of(struct arena *a, const struct json *j, struct str *out, struct err *err)
{
	return base64_decode(a, json_text(j), out, err);
}

/* The file ends with a newline; an existing file keeps its mode and owner. */
static int write_data(struct node *n, struct arena *a, const char *path, const struct json *j,
		      struct err *err)
{
	struct err ignored = ERR_INIT(a);
	struct tree_attr attr = TREE_DEFAULT;
	struct stat st;
	struct str data = S("");
	int rc = bytes_of(a, j, &data, err);

	if (rc < 0)
		return err_wrap(err, "%s", path);
	if (!str_ends(data, S("\n")))
		data = str_fmt(a, "%.*s\n", STRF(data));
	if (tree_lstat(&n->tree, path, &st, &ignored) == 0 && S_ISREG(st.st_mode)) {
		attr.mode = st.st_mode & 07777;
		attr.uid = st.st_uid;
		attr.gid = st.st_gid;
	}
	return tree_write(&n->tree, path, data, attr, err);
}

static bool has_file(const struct json *list, struct str name)
{
	for (const struct json *e = json_first(list); e; e = json_next(e))
		if (str_eq(json_str(e, "file"), name))
			return true;
	return false;
}

/* Removes directories of registries that no bundle names any more. Best effort. */
static int drop_stale(struct node *n, struct arena *a, const struct strs *names,
		      const struct json *x, const struct json *y, struct err *err)
{
	for (size_t i = 0; i < names->n; i++) {
		struct str path = str_fmt(a, REGISTRIES "/%.*s", STRF(names->v[i]));
		struct stat st;
		int rc = tree_lstat(&n->tree, path.p, &st, err);

		if (rc == 0 && S_ISDIR(st.st_mode) && !has_file(x, names->v[i]) &&
		    !has_file(y, names->v[i]))
			rc = tree_remove_all(&n->tree, path.p, err);
		if (rc < 0)
			log_warn("Could not remove old certificate: %.*s", STRF(path));
	}
	return 0;
}

/* "host..port" stands for "host:port", which cannot be a ConfigMap key. */
static struct str dir_of(struct arena *a, struct str file)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < file.n; i++) {
		if (str_starts(str_from(file, i), S(".."))) {
			buf_addc(&b, ':');
			i++;
		} else {
			buf_addc(&b, file.p[i]);
		}
	}
	return buf_str(&b);
}

static int write_bundles(struct node *n, struct arena *a, const struct json *list, struct err *err)
{
	int rc = 0;

	for (const struct json *e = json_first(list); rc == 0 && e; e = json_next(e)) {
		struct str dir = dir_of(a, json_str(e, "file"));
		struct str data = S("");

		if (!dir.n || memchr(dir.p, '/', dir.n) || str_is(dir, ".")) {
			log_warn("the name of the registry bundle \"%.*s\" is not a "
				 "valid directory name",
				 STRF(dir));
			continue;
		}
		rc = bytes_of(a, json_at(e, "data"), &data, err);
		if (rc == 0)
			rc = tree_put(&n->tree, str_fmt(a, REGISTRIES "/%.*s/ca.crt", STRF(dir)).p,
				      data, err);
	}
	return rc;
}

int certificates_secret(struct arena *a, const struct json *controller, struct str *out,
			struct err *err)
{
	int rc = bytes_of(a, json_at(controller, "spec.internalRegistryPullSecret"), out, err);

	if (rc == 0 && !str_ends(*out, S("\n")))
		*out = str_fmt(a, "%.*s\n", STRF(*out));
	return rc;
}

int certificates_write_secret(struct node *n, struct arena *a, const struct json *controller,
			      struct err *err)
{
	int rc = write_data(n, a, STEPS_PULL_SECRET,
			    json_at(controller, "spec.internalRegistryPullSecret"), err);

	if (rc == 0)
		rc = tree_sync(&n->tree, err);
	return rc < 0 ? err_wrap(err, "could not write image pull secret data "
				      "to node filesystem")
		      : 0;
}

int certificates_write(struct node *n, struct arena *a, const struct json *controller,
		       struct str bundle, struct err *err)
{
	const struct json *spec = json_at(controller, "spec");
	const struct json *x = json_at(spec, "imageRegistryBundleData");
	const struct json *y = json_at(spec, "imageRegistryBundleUserData");
	struct strs names = { 0 };
	int rc = certificates_write_secret(n, a, controller, err);

	if (rc == 0)
		rc = write_data(n, a, STEPS_KUBELET_CA, json_at(spec, "kubeAPIServerServingCAData"),
				err);
	if (rc == 0)
		rc = write_data(n, a, STEPS_CLOUD_CA, json_at(spec, "cloudProviderCAData"), err);
	if (rc == 0 && bundle.n)
		rc = rotate_cas(n, a, bundle, err);
	if (rc == 0 && !tree_exists(&n->tree, REGISTRIES)) {
		log_error(REGISTRIES " does not exist yet: open " REGISTRIES
				     ": no such file or directory");
		return tree_sync(&n->tree, err);
	}
	if (rc == 0)
		rc = tree_list(a, &n->tree, REGISTRIES, &names, err);
	if (rc == 0)
		rc = drop_stale(n, a, &names, x, y, err);
	if (rc == 0)
		rc = write_bundles(n, a, x, err);
	if (rc == 0)
		rc = write_bundles(n, a, y, err);
	return rc < 0 ? rc : tree_sync(&n->tree, err);
}
