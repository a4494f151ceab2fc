/*
 * A round of pinned images: which ones are wanted, missing and pulled, and whether the
 * disk has room.
 */
#include "plan/pin.h"

#include <stdlib.h>

#include "base/codec.h"
#include "base/quantity.h"

#define MIN_FREE ((int64_t)16 << 30) /* free space that must remain after all pulls */
#define ERROR_MAX 32000 /* the API's limit is 32768 */
#define MOST ((int64_t)1 << 50) /* so that sums do not overflow */

/* ---- what is wanted ------------------------------------------------------ */

static uint32_t image_of(struct pins *p, const struct pins *before, struct str name)
{
	struct pin_image image = { .size = -1 };
	const struct map_entry *e = map_find(&p->by_name, name);

	if (e)
		return (uint32_t)(uintptr_t)e->value;
	if (before->images.n && (e = map_find(&before->by_name, name)))
		image = before->images.v[(uintptr_t)e->value];
	image.name = str_dup(&p->a, name);
	(void)map_put(&p->by_name, image.name, (void *)(uintptr_t)p->images.n);
	VEC_PUSH(&p->a, &p->images, image);
	return (uint32_t)(p->images.n - 1);
}

static bool was_done(const struct pins *before, const struct pin_set *s)
{
	for (size_t i = 0; i < before->sets.n; i++) {
		const struct pin_set *old = &before->sets.v[i];

		if (str_eq(old->uid, s->uid) && old->generation == s->generation)
			return old->done;
	}
	return false;
}

static const struct pin_set *add_set(struct pins *p, const struct pins *before,
				     const struct json *tree, bool primary)
{
	struct pin_set s = {
		.name = str_dup(&p->a, json_str(tree, "metadata.name")),
		.uid = str_dup(&p->a, json_str(tree, "metadata.uid")),
		.generation = json_i64(tree, "metadata.generation", 0),
		.primary = primary,
	};

	for (const struct json *j = json_first(json_at(tree, "spec.pinnedImages")); j;
	     j = json_next(j)) {
		struct str name = str_trim(json_str(j, "name"));

		if (name.n)
			VEC_PUSH(&p->a, &s.images, image_of(p, before, name));
	}
	s.done = was_done(before, &s);
	VEC_PUSH(&p->a, &p->sets, s);
	return &p->sets.v[p->sets.n - 1];
}

/* ERR_AGAIN when the node cannot be given images; otherwise its disk size. */
static int node_fit(struct arena *a, const struct json *tree, int64_t *capacity, struct err *err)
{
	const struct json *have = json_at(tree, "status.allocatable");
	struct err ignored = ERR_INIT(a);
	struct quantity q;
	struct knode n;

	knode_decode(a, tree, &n);
	if (n.unready == KNODE_NOT_READY || n.unready == KNODE_DISK)
		return err_set(err, ERR_AGAIN, "%.*s", STRF(knode_unready_text(a, &n)));
	have = json_member(have, S("ephemeral-storage"));
	if (quantity_parse(a, json_text(have), &q, &ignored) < 0)
		return err_set(err, ERR_AGAIN, "node %.*s has no ephemeral storage capacity",
			       STRF(go_quoted(a, n.name)));
	*capacity = q.value < MOST ? q.value : MOST;
	if (q.value < MIN_FREE)
		return err_set(err, ERR_AGAIN, PIN_NO_ROOM " capacity: %lld, required: %lld",
			       (long long)q.value, (long long)MIN_FREE);
	return 0;
}

int pin_begin(struct pins *out, const struct pins *before, const struct mcp_of_node *pools,
	      const struct json *node, pin_find *find, const void *ctx, struct err *err)
{
	struct buf key;
	int rc = 0;

	*out = (struct pins){ .a = ARENA_INIT };
	map_init(&out->by_name, &out->a);
	buf_init(&key, &out->a);
	for (size_t i = 0; i < pools->n; i++) {
		buf_addf(&key, "%.*s:", STRF(pools->v[i]->meta.name));
		for (const struct json *j =
			     json_first(json_at(pools->v[i]->tree, "spec.pinnedImageSets"));
		     j; j = json_next(j)) {
			struct str name = json_str(j, "name");
			const struct json *set = find(ctx, name);
			const struct pin_set *s = NULL;

			if (set)
				s = add_set(out, before, set, i == 0);
			else
				rc = err_set(err, ERR_NOTFOUND,
					     "failed to get PinnedImageSet "
					     "\"%.*s\": pinnedimageset."
					     "machineconfiguration.openshift."
					     "io \"%.*s\" not found",
					     STRF(name), STRF(name));
			buf_addf(&key, "%.*s/%.*s/%lld,", STRF(name), STRF(s ? s->uid : S("")),
				 s ? (long long)s->generation : 0);
		}
	}
	out->key = buf_str(&key);
	return rc == 0 && out->sets.n ? node_fit(&out->a, node, &out->capacity, err) : rc;
}

void pin_free(struct pins *p)
{
	arena_free(&p->a);
	*p = (struct pins){ 0 };
}

/* ---- room ---------------------------------------------------------------- */

bool pin_fits(const struct pins *p)
{
	for (size_t i = 0; i < p->sets.n; i++) {
		const struct pin_set *s = &p->sets.v[i];
		int64_t left = p->capacity - MIN_FREE;

		for (size_t k = 0; k < s->images.n && left > 0; k++) {
			const struct pin_image *im = &p->images.v[s->images.v[k]];

			if (!im->here && im->size > 0)
				left -= im->size * 2; /* layers are compressed */
		}
		if (left <= 0)
			return false;
	}
	return true;
}

int pin_size(struct arena *a, struct str image, struct str manifest, struct map *seen, int64_t *out,
	     struct err *err)
{
	struct json *tree = NULL;
	int64_t sum = 0;
	int rc = json_parse(a, manifest, NULL, &tree, err);

	if (rc < 0)
		return err_wrap(err, "failed to unmarshal manifest for %.*s",
				STRF(go_quoted(a, image)));
	for (const struct json *j = json_first(json_at(tree, "layers")); j; j = json_next(j)) {
		int64_t n = json_i64(j, "size", 0);
		struct str digest = json_str(j, "digest");

		if (map_put(seen, digest, NULL) && n > 0)
			sum = n > MOST - sum ? MOST : sum + n;
	}
	*out = sum;
	return 0;
}

void pin_pulled(struct pins *p)
{
	for (size_t i = 0; i < p->sets.n; i++)
		p->sets.v[i].done = true;
}

void pin_forget(struct pins *p)
{
	for (size_t i = 0; i < p->sets.n; i++)
		p->sets.v[i].done = false;
	for (size_t i = 0; i < p->images.n; i++) {
		p->images.v[i].here = false;
		p->images.v[i].size = -1;
	}
}

/* ---- what comes of it ---------------------------------------------------- */

static int by_name(const void *x, const void *y)
{
	return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

struct str pin_config(struct arena *a, const struct pins *p)
{
	struct str *names = arena_array(a, p->images.n, sizeof(*names));
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < p->images.n; i++)
		names[i] = p->images.v[i].name;
	qsort(names, p->images.n, sizeof(*names), by_name);
	/* JSON and TOML strings have the same escapes */
	for (size_t i = 0; i < p->images.n; i++) {
		buf_addz(&b, i ? ", " : "[crio]\n  [crio.image]\n    pinned_images = [");
		json_add_quoted(&b, names[i], JSON_NO_HTML);
	}
	if (b.n)
		buf_addz(&b, "]\n");
	return buf_str(&b);
}

struct str pin_status(struct arena *a, const struct pins *p, bool complete, struct str failed)
{
	struct json *list = json_new(a, JSON_ARRAY);

	if (failed.n > ERROR_MAX)
		failed.n = ERROR_MAX;
	for (size_t i = 0; i < p->sets.n; i++) {
		const struct pin_set *s = &p->sets.v[i];
		struct json *j = json_new(a, JSON_OBJECT);

		if (!s->primary)
			continue;
		json_add_str(a, j, "name", s->name);
		json_add(j, S("desiredGeneration"), json_new_i64(a, s->generation));
		if (s->done || complete || failed.n)
			json_add(j,
				 s->done || !failed.n ? S("currentGeneration")
						      : S("lastFailedGeneration"),
				 json_new_i64(a, s->generation));
		if (!s->done && failed.n)
			json_add_str(a, j, "lastFailedGenerationError", failed);
		json_push(list, j);
	}
	return json_format(a, list, 0);
}

/* ---- pulling ------------------------------------------------------------- */

bool pin_no_space(struct str why)
{
	return str_find(why, S("no space left on device")) >= 0;
}

int64_t pin_retry(unsigned tries, struct str why)
{
	return tries >= PIN_TRIES || pin_no_space(why) ? -1 : 500LL << tries;
}

struct str pin_pull_error(struct arena *a, struct str image, unsigned tries, struct str why)
{
	return str_fmt(a, "failed to pull image %.*s (%u tries): %.*s: %.*s",
		       STRF(go_quoted(a, image)), tries,
		       STRF(pin_no_space(why) ? why : S("timed out waiting for the condition")),
		       STRF(why));
}
