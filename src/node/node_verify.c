/*
 * A node's disk compared with its config.
 *
 * Files are read one at a time into a scratch arena, and compressed contents are compared while
 * they are decompressed: memory is bounded by the largest file, not by the config. Mismatches copy
 * what they show.
 */
#include "node/node_verify.h"

#include "links.h"
#include "mc/contents.h"
#include "node/deployment.h"
#include "node/files.h"
#include "units.h"

#define FILE_MAX ((size_t)512 << 20)
#define SHOWN_MAX ((size_t)1 << 20) /* of compressed contents that differ */

/* Compares while decompressing; contents that differ are read if they are small enough to show. */
static void see_packed(struct node *n, struct arena *a, const char *path,
		       const struct verify_item *i, const struct stat *st, struct verify_seen *s)
{
	const struct producer want = files_bytes(i->packed);
	struct err err = ERR_INIT(a);

	s->same = (uint64_t)st->st_size == i->size && tree_has(&n->tree, path, &want);
	if (!s->same && (uint64_t)st->st_size <= SHOWN_MAX &&
	    tree_read(a, &n->tree, path, SHOWN_MAX, &s->data, &err) < 0)
		s->problem = err.msg;
}

static void see_file(struct node *n, struct arena *a, const char *path, const struct verify_item *i,
		     struct verify_seen *s)
{
	struct err err = ERR_INIT(a);
	struct stat st;

	if (tree_lstat(&n->tree, path, &st, &err) < 0) {
		s->absent = err.code == ERR_NOTFOUND;
		s->problem = err.msg;
		return;
	}
	s->mode = st.st_mode;
	if (S_ISREG(st.st_mode) && i->packed) {
		see_packed(n, a, path, i, &st, s);
		return;
	}
	if (!S_ISREG(st.st_mode) || tree_read(a, &n->tree, path, FILE_MAX, &s->data, &err) == 0)
		return;
	s->problem = err.msg;
}

/* Whether the drift has seen the unit enabled, and the links are gone. */
static bool was_enabled(struct node *n, struct arena *a, const struct map *enabled, struct str unit)
{
	const struct strs *links = enabled ? map_get(enabled, unit) : NULL;

	for (size_t i = 0; links && i < links->n; i++)
		if (tree_lexists(&n->tree, links->v[i].p))
			return false;
	return links && !str_is(links_is_enabled(&n->tree, a, unit), "enabled");
}

static int see_enabled(struct node *n, struct arena *a, const struct verify_item *i,
		       const struct verify_opts *o, struct verify_seen *s, struct err *err)
{
	int status;

	if (!n->offline && !host_has(&n->host, "systemctl"))
		return 0;
	if (units_is_enabled(n, a, i->path, &s->state, &status, err) < 0)
		return -err->code;
	/* as upstream: the output counts only if systemctl succeeds */
	if (status && !(i->enabled && (o->strict || was_enabled(n, a, o->enabled, i->path))))
		s->state = S("");
	return 0;
}

static int see(struct node *n, struct arena *a, const struct verify_item *i,
	       const struct verify_opts *o, struct verify_seen *s, struct err *err)
{
	struct err local = ERR_INIT(a);
	char *path = str_z(a, i->path);

	*s = (struct verify_seen){ 0 };
	switch (i->kind) {
	case VERIFY_MASK:
		/* a root without a running system need not have the device */
		if (tree_readlink(a, &n->tree, path, &s->link, &local) == 0 &&
		    str_is(s->link, "/dev/null"))
			return 0;
		if (tree_realpath(a, &n->tree, path, &s->link, &local) < 0)
			s->problem = local.msg;
		return 0;
	case VERIFY_ENABLED:
		return see_enabled(n, a, i, o, s, err);
	case VERIFY_FILE:
	case VERIFY_EMPTY_DROPIN:
		break;
	}
	see_file(n, a, path, i, s);
	return 0;
}

static void add(struct arena *a, struct mismatches *out, struct mismatch m)
{
	VEC_PUSH(a, out, m);
}

static int verify_os(struct node *n, struct arena *a, const struct mc_current *c, struct str image,
		     bool first_only, struct mismatches *out, struct err *err)
{
	struct str want = image.n ? image : c->spec.os_image;
	struct strs missing = { 0 };
	struct str text;
	struct os_status s = { 0 };
	int rc = 0;

	if (!n->booted_image.n) {
		rc = deployment_status(n, a, &s, err);
		if (rc == 0)
			n->booted_image = s.image;
	}
	if (rc == 0 && !str_eq(n->booted_image, want))
		add(a, out,
		    (struct mismatch){ .kind = "OS image",
				       .path = want,
				       .text = str_fmt(a,
						       "expected target osImageURL "
						       "\"%.*s\", have \"%.*s\"",
						       STRF(want), STRF(n->booted_image)) });
	if (rc < 0 || (first_only && out->n))
		return rc;
	rc = deployment_kargs(n, a, &text, err);
	if (rc < 0)
		return rc;
	os_kargs_missing(a, &c->spec.kargs, text, &missing);
	if (missing.n)
		add(a, out,
		    (struct mismatch){ .kind = "kernel arguments",
				       .path = os_list(a, &missing),
				       .text = str_fmt(a,
						       "missing expected kernel "
						       "arguments: %.*s",
						       STRF(os_list(a, &missing))) });
	return 0;
}

static struct str shown(struct arena *a, const struct verify_item *i)
{
	struct err ignored = ERR_INIT(a);
	struct str out = i->data;

	if (i->packed && i->size <= SHOWN_MAX)
		(void)mc_contents(a, i->packed, &out, &ignored);
	return out;
}

int node_verify(struct node *n, struct arena *a, const struct mc_current *c, struct str image,
		const struct verify_opts *o, struct mismatches *out, struct err *err)
{
	struct verify_items items;
	int rc = verify_items(a, c, &items, err);

	if (rc == 0 && !o->files_only && n->os.core_os && !n->offline)
		rc = verify_os(n, a, c, image, o->first_only, out, err);
	for (size_t i = 0; rc == 0 && i < items.n; i++) {
		/* most files match: free what was read of each */
		struct arena scratch = ARENA_INIT;
		const struct verify_item *it = &items.v[i];
		struct verify_seen s;
		struct str text;

		if (o->first_only && out->n)
			break;
		rc = see(n, &scratch, it, o, &s, err);
		text = rc < 0 ? S("") : verify_text(&scratch, it, &s);
		if (text.n)
			add(a, out,
			    (struct mismatch){
				    .kind = it->kind == VERIFY_ENABLED || it->kind == VERIFY_MASK
						    ? "unit"
						    : "file",
				    .path = it->path,
				    .text = str_dup(a, text),
				    .contents =
					    it->kind == VERIFY_FILE && !s.absent && !s.problem.n &&
					    (!it->packed || (s.data.n && it->size <= SHOWN_MAX)),
				    .want = shown(a, it),
				    .have = str_dup(a, s.data),
				    .want_mode = it->mode,
				    .have_mode = s.mode & 07777 });
		arena_free(&scratch);
	}
	return rc;
}
