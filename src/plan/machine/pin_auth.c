/*
 * The credentials that an image is pulled with. Upstream looks up those of mirrors by
 * full location and by host, and only if the prefix of the entry is the image's
 * repository or its host.
 */
#include "base/codec.h"
#include "data/grpc.h"
#include "plan/pin.h"
#include "plan/config/registries_parts.h"

int pin_auth_load(struct arena *a, struct str auths, struct pin_auth *out, struct err *err)
{
	struct err ignored = ERR_INIT(a);
	struct json *tree = NULL;

	*out = (struct pin_auth){ .a = a };
	map_init(&out->users, a);
	/* the parser's message could contain a part of the secret */
	if (json_parse(a, auths, NULL, &tree, &ignored) < 0)
		return err_set(err, ERR_INVALID,
			       "failed to unmarshal pull secret: " PIN_AUTH " is not JSON");
	for (const struct json *j = json_first(json_at(tree, "auths")); j; j = json_next(j)) {
		struct str *user = ARENA_NEW(a, struct str);

		if (base64_decode(a, json_str(j, "auth"), user, err) < 0)
			return err_wrap(err,
					"failed to decode auth for registry "
					"\"%.*s\"",
					STRF(json_key(j)));
		if (str_chr(*user, ':') < 0)
			return err_set(err, ERR_INVALID, "invalid auth for registry \"%.*s\"",
				       STRF(json_key(j)));
		(void)map_put(&out->users, json_key(j), user);
	}
	return 0;
}

int pin_auth_mirrors(struct pin_auth *auth, struct str text, struct err *err)
{
	struct registries_conf *c = ARENA_NEW(auth->a, struct registries_conf);
	int rc = conf_parse(auth->a, text, c, err);

	if (rc < 0)
		return err_wrap(err, "failed to get registries");
	VEC_PUSH(auth->a, &auth->confs, c);
	return 0;
}

static struct str host_of(struct str name)
{
	struct str rest;

	(void)str_cut(name, '/', &name, &rest);
	return name;
}

/* The credentials of a location by its full name, or by its host. */
static const struct str *user_of(const struct pin_auth *auth, struct str place)
{
	const struct str *user = map_get(&auth->users, place);

	return user ? user : map_get(&auth->users, host_of(place));
}

static const struct registry *entry(const struct pin_auth *auth, struct str name)
{
	const struct registry *r = NULL;

	for (size_t i = auth->confs.n; i-- && !r;)
		r = map_get(&auth->confs.v[i]->by_scope, name);
	return r;
}

static const struct str *find_user(const struct pin_auth *auth, struct str name)
{
	const struct str *user = NULL;

	for (int whole = 1; whole >= 0 && !user; whole--) {
		const struct registry *r = entry(auth, whole ? name : host_of(name));

		for (size_t i = 0; r && !user && i < r->n; i++)
			if (r->by_digest || !str_is(r->v[i].pull, "tag-only"))
				user = user_of(auth, r->v[i].location);
		if (r && !user)
			user = user_of(auth, r->location);
	}
	return user ? user : map_get(&auth->users, host_of(name));
}

struct str pin_request(struct arena *a, const struct pin_auth *auth, struct str image)
{
	const struct str *user = NULL;
	struct str name = image, password;
	struct buf b, part;

	(void)str_cut(image, '@', &name, &password);
	if (auth)
		user = find_user(auth, name);
	buf_init(&b, a);
	buf_init(&part, a);
	proto_add(&part, 1, image);
	proto_add(&b, 1, buf_str(&part));
	if (user && str_cut(*user, ':', &name, &password)) {
		buf_init(&part, a);
		proto_add(&part, 1, name);
		proto_add(&part, 2, password);
		proto_add(&b, 2, buf_str(&part));
	}
	return buf_str(&b);
}
