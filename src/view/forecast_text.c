/*
 * The forecast of all pools as text. Pools with the same change share one section,
 * and a failure is printed before the contents, which may be long.
 */
#include "view/forecast_text.h"

#include "base/map.h"
#include "base/terminal.h"
#include "view/update_text.h"

struct teller {
	struct arena a;
	struct buf *b;
	const struct config_diff_opts *o;
};

static struct str shown(struct teller *t, struct str s)
{
	return t->o->colour ? terminal_safe(&t->a, s) : s;
}

/* The text in one line: messages of parsers have several. */
static struct str one_line(struct arena *a, struct str s)
{
	struct buf b;

	while (s.n && s.p[s.n - 1] == '\n')
		s.n--;
	buf_init(&b, a);
	for (size_t i = 0; i < s.n; i++)
		buf_addc(&b, s.p[i] == '\n' ? ' ' : s.p[i]);
	return buf_str(&b);
}

/* ---- headlines ----------------------------------------------------------- */

static struct str counted(struct arena *a, const struct forecast_nodes *n)
{
	int64_t max = n->max;

	if (!n->known)
		return max > 0 ? str_fmt(a,
					 "number of nodes unknown, %lld at a "
					 "time",
					 (long long)max)
			       : S("number of nodes unknown");
	if (max > (int64_t)n->n)
		max = (int64_t)n->n;
	return str_fmt(a, "%zu node%s, %lld at a time", n->n, n->n == 1 ? "" : "s", (long long)max);
}

static struct str broken(struct arena *a, const struct forecast *f)
{
	struct str why = one_line(a, f->render_error);
	struct buf b;

	buf_init(&b, a);
	buf_addf(&b, "cannot be rendered%s: %.*s: ", f->failed_before ? ", as before" : "",
		 STRF(why));
	if (f->selects_all)
		buf_addz(&b, "the pool is unchanged");
	else
		buf_addf(&b, "the pool %s RenderDegraded", f->failed_before ? "stays" : "becomes");
	if (f->keeps.n)
		buf_addf(&b, " and its nodes keep %.*s", STRF(f->keeps));
	else
		buf_addz(&b, " and has no config");
	return buf_str(&b);
}

static struct str waiting(struct arena *a, const struct forecast *f)
{
	return str_fmt(a, "not rendered until this is fixed: %.*s: %s%.*s",
		       STRF(one_line(a, f->waits)),
		       f->keeps.n ? "its nodes keep " : "it has no config", STRF(f->keeps));
}

static struct str refused(struct arena *a, const struct forecast *f)
{
	return str_fmt(a,
		       "refused by running nodes%s: %.*s: the first %sbecome%s "
		       "Degraded and the rollout stops",
		       f->refused_late ? " after they were drained" : "",
		       STRF(one_line(a, f->refused)), f->nodes.max > 1 ? "nodes " : "node ",
		       f->nodes.max > 1 ? "" : "s");
}

static struct str update_words(struct arena *a, const struct forecast *f)
{
	struct str what = str_of(update_plan_words(f->plan));

	if (f->refused.n)
		return refused(a, f);
	if (f->layered.n)
		return str_fmt(a,
			       "MachineOSConfig %.*s builds an image first; then each node: %.*s",
			       STRF(f->layered), STRF(what));
	return str_fmt(a, "each node: %.*s", STRF(what));
}

/* A pool that only one side has, and the effect on its nodes. */
static struct str one_sided(struct arena *a, const struct forecast *f)
{
	struct str name = f->is_new ? f->to_name : f->from_name;
	struct buf b;

	buf_init(&b, a);
	buf_addz(&b, f->is_new ? "new" : "removed");
	if (name.n)
		buf_addf(&b, ", %s%.*s", f->is_new ? "" : "was ", STRF(name));
	if (f->plan)
		buf_addf(&b, ": its nodes %s pool %.*s: %.*s", f->is_new ? "come from" : "go to",
			 STRF(f->partner), STRF(update_words(a, f)));
	return buf_str(&b);
}

static struct str what_happens(struct arena *a, const struct forecast *f)
{
	if (f->is_new || f->removed)
		return one_sided(a, f);
	if (f->plan)
		return update_words(a, f);
	return str_fmt(a, "rendered again, %.*s", STRF(f->to_name));
}

static bool known_empty(const struct forecast *f)
{
	return f->nodes.known && !f->nodes.n;
}

struct str forecast_headline(struct arena *a, const struct forecast *f)
{
	const struct forecast_nodes *n = &f->nodes;
	struct str what;

	if (f->waits.n)
		return waiting(a, f);
	if (f->render_error.n)
		return broken(a, f);
	what = what_happens(a, f);
	if (known_empty(f) && f->removed)
		return str_fmt(a, "%.*s: no nodes", STRF(what));
	if (known_empty(f))
		return str_fmt(a, "%.*s%sno nodes: rendered, but nothing updates",
			       STRF(f->plan ? S("") : what), f->plan ? "" : ": ");
	if (f->removed && !f->plan)
		return what;
	if (n->max_error.n)
		return str_fmt(a, "no node updates: %.*s; otherwise %.*s", STRF(n->max_error),
			       STRF(what));
	if (n->paused && f->removed)
		return str_fmt(a,
			       "%.*s (%.*s), but not before pool %.*s is "
			       "unpaused",
			       STRF(what), STRF(counted(a, n)), STRF(f->partner));
	if (n->paused)
		return str_fmt(a,
			       "paused: rendered, but no node updates until it "
			       "is unpaused; then %.*s (%.*s)",
			       STRF(what), STRF(counted(a, n)));
	return str_fmt(a, "%.*s (%.*s)", STRF(what), STRF(counted(a, n)));
}

/* ---- pools in which the same changes ------------------------------------- */

static bool same_objects(struct teller *t, const struct strs *keys, const struct ign_objs *x,
			 const struct ign_objs *y)
{
	struct map p, q;

	ign_index(&t->a, x, &p);
	ign_index(&t->a, y, &q);
	for (size_t i = 0; i < keys->n; i++)
		if (!ign_eq(map_get(&p, keys->v[i]), map_get(&q, keys->v[i])))
			return false;
	return true;
}

static struct str body_of(struct teller *t, const struct forecast *f,
			  const struct config_diff_opts *o)
{
	struct config_diff d = { .from = f->from, .to = f->to, .plan = f->plan };
	struct buf b;

	buf_init(&b, &t->a);
	(void)config_diff_text(&b, &d, o);
	return buf_str(&b);
}

/* Compares the changes, not their text: secrets and binaries are not in the text. */
static bool same_change(struct teller *t, const struct forecast *x, const struct forecast *y)
{
	const struct config_diff_opts all = { .secrets = true };
	const struct update_changes *c, *k;

	if (!x->plan || !y->plan)
		return false;
	c = &x->plan->changes;
	k = &y->plan->changes;
	if (!strs_eq(&c->file_paths, &k->file_paths) || !strs_eq(&c->unit_names, &k->unit_names))
		return false;
	return same_objects(t, &c->file_paths, ign_files(x->from->config),
			    ign_files(y->from->config)) &&
	       same_objects(t, &c->file_paths, ign_files(x->to->config),
			    ign_files(y->to->config)) &&
	       same_objects(t, &c->unit_names, ign_units(x->from->config),
			    ign_units(y->from->config)) &&
	       same_objects(t, &c->unit_names, ign_units(x->to->config),
			    ign_units(y->to->config)) &&
	       str_eq(body_of(t, x, &all), body_of(t, y, &all));
}

/* ---- text ---------------------------------------------------------------- */

/* The configs of a node, before and after. */
static struct str config_before(const struct forecast *f)
{
	return f->is_new ? f->partner_name : f->from_name;
}

static struct str config_after(const struct forecast *f)
{
	return f->removed ? f->partner_name : f->to_name;
}

/* Prints failures before the contents, which may be long. */
static void tell_trouble(struct teller *t, const struct forecast *f, bool alone)
{
	if (f->render_error.n || f->waits.n || (f->refused.n && !known_empty(f)))
		buf_addf(t->b, "%s%s %.*s: %.*s%s\n", t->o->colour ? TERMINAL_BOLD : "",
			 alone ? "pool" : " ", STRF(shown(t, f->pool)),
			 STRF(shown(t, forecast_headline(&t->a, f))),
			 t->o->colour ? TERMINAL_OFF : "");
}

static void tell_names(struct teller *t, const struct forecasts *g)
{
	const char *not = "";

	if (g->n > 1) {
		buf_addz(t->b, "pools ");
		for (size_t i = 0; i < g->n; i++)
			buf_addf(t->b, "%s%.*s", i ? ", " : "", STRF(shown(t, g->v[i]->pool)));
		buf_addz(t->b, ": the same change\n");
	}
	for (size_t i = 0; i < g->n; i++) {
		const struct forecast *f = g->v[i];

		not = f->render_error.n || f->waits.n ? " (not rendered)" : "";
		buf_addf(t->b, "%s %.*s: %.*s -> %.*s%s\n", g->n > 1 ? " " : "pool",
			 STRF(shown(t, f->pool)), STRF(shown(t, config_before(f))),
			 STRF(shown(t, config_after(f))), not );
		tell_trouble(t, f, g->n == 1);
	}
}

static struct str reasons_of(struct teller *t, const struct forecast *f)
{
	struct buf b;

	buf_init(&b, &t->a);
	if (f->culprit.n)
		buf_addf(&b, "  %.*s\n", STRF(f->culprit));
	if (f->plan && !f->render_error.n && !f->waits.n && !f->refused.n && !known_empty(f))
		update_plan_reasons(&b, f->plan);
	return shown(t, buf_str(&b));
}

static void tell_headlines(struct teller *t, const struct forecasts *g, struct buf *out)
{
	for (size_t i = 0; i < g->n; i++) {
		struct str why = reasons_of(t, g->v[i]);
		bool last = i + 1 == g->n;

		buf_addf(out, "%spool %.*s: %.*s%s\n", t->o->colour ? TERMINAL_BOLD : "",
			 STRF(shown(t, g->v[i]->pool)),
			 STRF(shown(t, forecast_headline(&t->a, g->v[i]))),
			 t->o->colour ? TERMINAL_OFF : "");
		if (last || !str_eq(why, reasons_of(t, g->v[i + 1])))
			buf_add(out, why);
	}
}

/* The pools from i on with the same change as list's i; done[]: already printed. */
static void group_from(struct teller *t, const struct forecasts *list, size_t i, bool *done,
		       struct forecasts *out)
{
	for (size_t k = i; k < list->n; k++)
		if (!done[k] && (k == i || same_change(t, list->v[i], list->v[k]))) {
			done[k] = true;
			VEC_PUSH(&t->a, out, list->v[k]);
		}
}

void forecasts_text(struct buf *b, const struct forecasts *list, const struct config_diff_opts *o)
{
	struct teller t = { .b = b, .o = o };
	bool *done = arena_array(&t.a, list->n, sizeof(*done));
	struct buf headlines;

	buf_init(&headlines, &t.a);
	for (size_t i = 0; i < list->n; i++) {
		struct forecasts g = { 0 };

		if (done[i])
			continue;
		group_from(&t, list, i, done, &g);
		if (list->v[i]->plan) {
			tell_names(&t, &g);
			buf_add(b, body_of(&t, list->v[i], o));
			buf_addc(b, '\n');
		}
		tell_headlines(&t, &g, &headlines);
	}
	buf_add(b, buf_str(&headlines));
	arena_free(&t.a);
}
