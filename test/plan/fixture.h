/* Small clusters for the controllers' tests. */
#ifndef TEST_PLAN_FIXTURE_H
#define TEST_PLAN_FIXTURE_H

#include "../test.h"
#include "plan/pool.h"

static inline struct json *fx_json(struct arena *a, struct str text)
{
	struct err err = ERR_INIT(a);
	struct json *j = NULL;

	if (json_parse(a, text, NULL, &j, &err) < 0) {
		(void)printf("%.*s in %.*s\n", STRF(err.msg), STRF(text));
		abort();
	}
	return j;
}

/* Text in which ' stands for ". */
static inline struct json *fx_quote(struct arena *a, const char *text)
{
	char *z = arena_dup(a, text, strlen(text));

	for (char *p = z; *p; p++)
		if (*p == '\'')
			*p = '"';
	return fx_json(a, str_of(z));
}

static inline struct doc fx_doc(struct arena *a, const char *text)
{
	char *z = arena_dup(a, text, strlen(text));

	for (char *p = z; *p; p++)
		if (*p == '\'')
			*p = '"';
	return (struct doc){ .tree = fx_json(a, str_of(z)), .text = str_of(z), .json = true };
}

/* A MachineConfig decoded as it comes from the server. */
static inline struct mc *fx_mc(struct arena *a, const char *text)
{
	struct err err = ERR_INIT(a);
	struct doc d = fx_doc(a, text);
	struct mc *mc = ARENA_NEW(a, struct mc);

	if (mc_decode(a, &d, mc, &err) < 0) {
		(void)printf("%.*s\n", STRF(err.msg));
		abort();
	}
	return mc;
}

static inline void fx_cc(struct arena *a, const char *text, struct mc_controller_config *out)
{
	struct err err = ERR_INIT(a);
	struct doc d = fx_doc(a, text);

	if (mc_controller_config_decode(a, &d, out, &err) < 0) {
		(void)printf("%.*s\n", STRF(err.msg));
		abort();
	}
}

static inline struct mcp *fx_pool(struct arena *a, const char *text)
{
	struct err err = ERR_INIT(a);
	struct mcp *p = ARENA_NEW(a, struct mcp);

	if (mcp_read(a, fx_quote(a, text), p, &err) < 0)
		abort();
	return p;
}

/* The next word of *s up to c, or to the end. */
static inline struct str fx_word(struct str *s, char c)
{
	struct str w;

	if (!str_cut(*s, c, &w, s)) {
		w = *s;
		*s = S("");
	}
	return w;
}

static inline struct str fx_note(struct str w)
{
	return str_is(w, "-") ? (struct str){ 0 } : w;
}

/*
 * "name current desired state flags…": '-' is an absent annotation. Flags: u
 * unschedulable, n not ready, t tainted, z=<zone>, c=<created>, i=<image> both
 * images, I=<image> desired image, l=<key=value>, p=<first pivot>.
 */
static inline struct knode *fx_node(struct arena *a, struct str text)
{
	struct knode *n = ARENA_NEW(a, struct knode);
	struct json *labels = json_new(a, JSON_OBJECT);

	n->name = fx_word(&text, ' ');
	n->version = S("7");
	n->current_config = fx_note(fx_word(&text, ' '));
	n->desired_config = fx_note(fx_word(&text, ' '));
	n->state = fx_note(fx_word(&text, ' '));
	n->topology = S("HighlyAvailable");
	while (text.n) {
		struct str w = fx_word(&text, ' '), v = str_from(w, 2), k;

		switch (w.p[0]) {
		case 'u':
			n->unschedulable = true;
			break;
		case 'n':
			n->unready = KNODE_NOT_READY;
			n->unready_status = S("False");
			break;
		case 't':
			n->taints = S("[{\"effect\":\"PreferNoSchedule\","
				      "\"key\":\"UpdateInProgress\"}]");
			break;
		case 'z':
			json_add(labels, S(LABEL_ZONE), json_new_str(a, v));
			break;
		case 'c':
			(void)str_to_i64(v, &n->created);
			break;
		case 'i':
			n->current_image = n->desired_image = v;
			break;
		case 'I':
			n->desired_image = v;
			break;
		case 'l':
			k = fx_word(&v, '=');
			json_add(labels, k, json_new_str(a, v));
			break;
		case 'p':
			n->first_pivot = v;
			break;
		default:
			abort();
		}
	}
	n->labels = labels_pack(a, labels);
	return n;
}

struct fx_nodes {
	const struct knode **v;
	size_t n, cap;
};

/* Several, separated by ';'. */
static inline struct fx_nodes fx_nodes(struct arena *a, const char *text)
{
	struct str rest = str_of(text);
	struct fx_nodes out = { 0 };

	while (rest.n)
		VEC_PUSH(a, &out, fx_node(a, fx_word(&rest, ';')));
	return out;
}

#endif
