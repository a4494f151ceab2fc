/*
 * Formats manifests. Every file is read and formatted before the first one is written.
 */
#include "io/format_files.h"

#include "io/file.h"
#include "io/manifests.h"

/* of_file: without a format, use the one of the file. */
static int format_file(struct arena *a, const char *path, struct str format, bool of_file,
		       struct buf *to, struct str *before, struct err *err)
{
	struct docs docs = { 0 };
	int rc = manifest_docs(a, path, before, &docs, err);

	if (rc == 0 && of_file && !format.n && docs.n)
		format = docs.v[0].json ? S("json") : S("yaml");
	for (size_t i = 0; rc == 0 && i < docs.n; i++) {
		rc = docs_write(to, format, JSON_SORTED, docs.v[i].tree, err);
		if (rc < 0)
			return err_wrap(err, "%s: document %zu", path, docs.v[i].number);
	}
	return rc;
}

int format_text(struct arena *a, const struct strs *paths, struct str format, struct buf *out,
		struct err *err)
{
	struct str before;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < paths->n; i++)
		rc = format_file(a, str_z(a, paths->v[i]), format, false, out, &before, err);
	return rc;
}

int format_changes(struct arena *a, const struct strs *paths, struct str format,
		   struct formatted_files *out, struct err *err)
{
	for (size_t i = 0; i < paths->n; i++) {
		struct formatted f = { .path = str_z(a, paths->v[i]) };
		struct buf b;
		int rc;

		buf_init(&b, a);
		rc = format_file(a, f.path, format, true, &b, &f.before, err);
		if (rc < 0)
			return rc;
		f.after = buf_str(&b);
		if (!str_eq(f.before, f.after))
			VEC_PUSH(a, out, f);
	}
	return 0;
}

static int refuse_comments(struct arena *a, const struct formatted *f, struct err *err)
{
	size_t line = docs_comment(a, f->before);

	if (!line)
		return 0;
	return err_set(err, ERR_INVALID,
		       "%s:%zu: fmt does not keep comments: give "
		       "--drop-comments to write the file without them",
		       f->path, line);
}

int format_write(struct arena *a, const struct formatted_files *list, bool drop_comments,
		 struct buf *written, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && !drop_comments && i < list->n; i++)
		rc = refuse_comments(a, &list->v[i], err);
	for (size_t i = 0; rc == 0 && i < list->n; i++) {
		rc = file_rewrite(list->v[i].path, list->v[i].after, err);
		if (rc == 0)
			buf_addf(written, "%s\n", list->v[i].path);
	}
	return rc;
}
