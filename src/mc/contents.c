#include "mc/contents.h"

#include "base/codec.h"
#include "base/utf8.h"
#include "data/flate.h"

int mc_contents(struct arena *a, const struct ign_obj *file, struct str *out,
		struct err *err)
{
	const struct ign_obj *r = ign_sub(file, IGN_FILE_CONTENTS);
	struct str source = ign_str(r, IGN_RESOURCE_SOURCE);
	struct str how = ign_str(r, IGN_RESOURCE_COMPRESSION);
	struct dataurl url;
	int rc;

	*out = S("");
	if (!source.n)
		return 0;
	if (!str_eq_fold(str_sub(source, 0, 5), S("data:"))) {
		*out = source;
		return err_set(err, ERR_NOTFOUND, "contents are at %.*s",
			       STRF(source));
	}
	rc = dataurl_parse(a, source, &url, err);
	if (rc < 0)
		return err_wrap(err, "could not decode file content string");
	if (!how.n) {
		*out = url.data;
		return 0;
	}
	if (!str_is(how, "gzip"))
		return err_set(err, ERR_INVALID,
			       "unsupported compression type \"%.*s\"",
			       STRF(how));
	rc = flate_gunzip(a, url.data, MC_CONTENTS_MAX, out, err);
	if (rc == -ERR_INVALID)
		return err_wrap(err, str_starts(err->msg, S("gzip:"))
					     ? "could not create gzip reader"
					     : "failed decompressing");
	return rc;
}

const struct ign_obj *mc_find_file(const struct ign_obj *config,
				   struct str path)
{
	const struct ign_objs *files = ign_files(config);

	for (size_t i = 0; i < files->n; i++)
		if (str_eq(ign_str(files->v[i], IGN_FILE_PATH), path))
			return files->v[i];
	return NULL;
}

bool mc_is_text(struct str s)
{
	if (!utf8_valid(s))
		return false;
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') ||
		    c == 0x7F)
			return false;
	}
	return true;
}

bool mc_unit_text(struct arena *a, const struct ign_obj *config,
		  struct str path, struct str *out)
{
	const struct ign_objs *units = ign_units(config);

	for (size_t i = 0; i < units->n; i++) {
		const struct ign_obj *u = units->v[i];
		const struct ign_objs *d = ign_list(u, IGN_UNIT_DROPINS);
		struct str name = ign_str(u, IGN_UNIT_NAME);

		*out = ign_str(u, IGN_UNIT_CONTENTS);
		if (str_eq(path, name) ||
		    str_eq(path,
			   str_fmt(a, "/etc/systemd/system/%.*s", STRF(name))))
			return true;
		for (size_t k = 0; k < d->n; k++) {
			*out = ign_str(d->v[k], IGN_DROPIN_CONTENTS);
			if (str_eq(path,
				   str_fmt(a, "/etc/systemd/system/%.*s.d/%.*s",
					   STRF(name),
					   STRF(ign_str(d->v[k],
							IGN_DROPIN_NAME)))))
				return true;
		}
	}
	return false;
}
