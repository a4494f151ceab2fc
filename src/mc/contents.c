/*
 * The contents of a file in an Ignition config: decoded from its data: URL and
 * decompressed, as a whole or in parts. Decompression ends at MC_CONTENTS_MAX with
 * ERR_LIMIT.
 */
#include "mc/contents.h"

#include "base/codec.h"
#include "base/utf8.h"
#include "data/flate.h"

/* The decoded bytes of the data: URL. ERR_NOTFOUND: the source is another URL. */
static int inlined(struct arena *a, const struct ign_obj *r, struct str *out, struct err *err)
{
	struct str source = ign_str(r, IGN_RESOURCE_SOURCE);
	struct dataurl url;
	int rc;

	*out = S("");
	if (!source.n)
		return 0;
	if (!str_eq_fold(str_sub(source, 0, 5), S("data:"))) {
		*out = source;
		return err_set(err, ERR_NOTFOUND, "contents are at %.*s", STRF(source));
	}
	rc = dataurl_parse(a, source, &url, err);
	if (rc < 0)
		return err_wrap(err, "could not decode file content string");
	*out = url.data;
	return 0;
}

/* ---- unpacking ----------------------------------------------------------- */

static int count(void *ctx, struct str part, struct err *err)
{
	struct mc_unpack *u = ctx;

	if (part.n > MC_CONTENTS_MAX - u->n)
		return err_set(err, ERR_LIMIT, "unpacks to more than %zu bytes", MC_CONTENTS_MAX);
	u->n += part.n;
	return u->to->put(u->to->ctx, part, err);
}

static int unpack(void *ctx, struct str part, struct err *err)
{
	struct mc_unpack *u = ctx;
	const struct sink counted = { count, NULL, u };

	return u->flate ? flate_push(u->flate, part, &counted, err) : count(u, part, err);
}

static int unpack_again(void *ctx, struct err *err)
{
	struct mc_unpack *u = ctx;
	int rc = u->to->restart(u->to->ctx, err);

	(void)mc_unpack_end(u, -ERR_AGAIN, err);
	return rc < 0 ? rc : mc_unpack_start(u, u->how, u->to, err);
}

int mc_unpack_start(struct mc_unpack *u, struct str how, const struct sink *to, struct err *err)
{
	*u = (struct mc_unpack){ .to = to, .how = how };
	if (how.n && !str_is(how, "gzip"))
		return err_set(err, ERR_INVALID, "unsupported compression type \"%.*s\"",
			       STRF(how));
	if (how.n)
		u->flate = flate_new();
	return 0;
}

struct sink mc_unpack_sink(struct mc_unpack *u)
{
	return (struct sink){ unpack, unpack_again, u };
}

int mc_unpack_end(struct mc_unpack *u, int rc, struct err *err)
{
	if (u->flate && rc == 0)
		rc = flate_end(u->flate, err);
	flate_free(u->flate);
	u->flate = NULL;
	return rc;
}

/* As upstream words it. */
static int not_unpacked(struct err *err)
{
	return err_wrap(err, str_starts(err->msg, S("gzip:")) ? "could not create gzip reader"
							      : "failed decompressing");
}

int mc_pump(const struct ign_obj *resource, const struct sink *to, struct err *err)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mc_unpack u;
	struct str bytes;
	struct sink in;
	int rc = inlined(&a, resource, &bytes, err);

	if (rc == 0)
		rc = mc_unpack_start(&u,
				     ign_str(resource, IGN_RESOURCE_SOURCE).n
					     ? ign_str(resource, IGN_RESOURCE_COMPRESSION)
					     : S(""),
				     to, err);
	if (rc < 0)
		return rc;
	in = mc_unpack_sink(&u);
	rc = mc_unpack_end(&u, in.put(in.ctx, bytes, err), err);
	return rc == -ERR_INVALID && u.how.n ? not_unpacked(err) : rc;
}

bool mc_is_packed(const struct ign_obj *file)
{
	return ign_str(ign_sub(file, IGN_FILE_CONTENTS), IGN_RESOURCE_COMPRESSION).n > 0;
}

static int add_size(void *ctx, struct str part, struct err *err)
{
	uint64_t *n = ctx;

	(void)err;
	*n += part.n;
	return 0;
}

int mc_size(const struct ign_obj *file, uint64_t *out, struct err *err)
{
	const struct sink to = { add_size, NULL, out };

	*out = 0;
	return mc_pump(ign_sub(file, IGN_FILE_CONTENTS), &to, err);
}

int mc_contents(struct arena *a, const struct ign_obj *file, struct str *out, struct err *err)
{
	const struct ign_obj *r = ign_sub(file, IGN_FILE_CONTENTS);
	struct sink_buf b = { .max = MC_CONTENTS_MAX };
	const struct sink to = sink_to_buf(&b);
	int rc;

	if (!mc_is_packed(file))
		return inlined(a, r, out, err);
	buf_init(&b.b, a);
	*out = S("");
	rc = mc_pump(r, &to, err);
	if (rc == -ERR_NOTFOUND)
		*out = ign_str(r, IGN_RESOURCE_SOURCE);
	else if (rc == 0)
		*out = buf_str(&b.b);
	return rc;
}

const struct ign_obj *mc_find_file(const struct ign_obj *config, struct str path)
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

		if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7F)
			return false;
	}
	return true;
}

bool mc_unit_text(struct arena *a, const struct ign_obj *config, struct str path, struct str *out)
{
	const struct ign_objs *units = ign_units(config);

	for (size_t i = 0; i < units->n; i++) {
		const struct ign_obj *u = units->v[i];
		const struct ign_objs *d = ign_list(u, IGN_UNIT_DROPINS);
		struct str name = ign_str(u, IGN_UNIT_NAME);

		*out = ign_str(u, IGN_UNIT_CONTENTS);
		if (str_eq(path, name) ||
		    str_eq(path, str_fmt(a, "/etc/systemd/system/%.*s", STRF(name))))
			return true;
		for (size_t k = 0; k < d->n; k++) {
			*out = ign_str(d->v[k], IGN_DROPIN_CONTENTS);
			if (str_eq(path, str_fmt(a, "/etc/systemd/system/%.*s.d/%.*s", STRF(name),
						 STRF(ign_str(d->v[k], IGN_DROPIN_NAME)))))
				return true;
		}
	}
	return false;
}
