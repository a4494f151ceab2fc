#include "kube/metrics.h"

#include "base/num.h"
#include "io/log.h"

struct series {
	struct str text; /* name{label="value",…} */
	const struct kube_gauge *of;
	double value;
	bool shown;
};

static const struct kube_gauge *gauge(const struct kube_metrics *m,
				      const char *name)
{
	const struct kube_gauge *g = m->gauges;

	while (g->name && strcmp(g->name, name) != 0)
		g++;
	return g->name ? g : NULL;
}

/* Prometheus escapes \, " and line breaks in values. */
static void add_value(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\n') {
			buf_addz(b, "\\n");
			continue;
		}
		if (s.p[i] == '\\' || s.p[i] == '"')
			buf_addc(b, '\\');
		buf_addc(b, s.p[i]);
	}
}

static void add_series(struct buf *b, const struct kube_gauge *g,
		       const struct str *values)
{
	struct str rest = str_of(g->labels), name;
	size_t n = 0;

	buf_addz(b, g->name);
	while (rest.n && n < ACTION_LABELS) {
		if (!str_cut(rest, ',', &name, &rest)) {
			name = rest;
			rest = S("");
		}
		buf_addf(b, "%c%.*s=\"", n ? ',' : '{', STRF(name));
		add_value(b, values[n++]);
		buf_addc(b, '"');
	}
	if (n)
		buf_addc(b, '}');
}

void kube_metrics_set(struct kube_metrics *m, const struct action_metric *v,
		      double value, bool drop)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct kube_gauge *g = gauge(m, v->name);
	struct series *s;
	struct buf b;

	if (!g)
		return;
	buf_init(&b, &a);
	add_series(&b, g, v->labels);
	s = map_get(&m->series, buf_str(&b));
	if (!s && drop)
		return;
	if (!s) {
		s = ARENA_NEW(&m->a, struct series);
		s->text = str_dup(&m->a, buf_str(&b));
		s->of = g;
		map_put(&m->series, s->text, s);
	}
	s->value = value;
	s->shown = !drop;
}

void kube_metrics_init(struct kube_metrics *m, const struct kube_gauge *gauges)
{
	*m = (struct kube_metrics){ .gauges = gauges };
	map_init(&m->series, &m->a);
	for (const struct kube_gauge *g = gauges; g->name; g++) {
		struct action_metric v = { .name = g->name };

		for (size_t i = 0; i < ACTION_LABELS; i++)
			v.labels[i] = S("initialize");
		if (g->initial)
			kube_metrics_set(m, &v, 0, false);
	}
}

void kube_metrics_text(struct kube_metrics *m, struct buf *out)
{
	for (const struct kube_gauge *g = m->gauges; g->name; g++) {
		bool head = false;

		for (size_t i = 0; i < m->series.n; i++) {
			const struct series *s = m->series.v[i].value;

			if (s->of != g || !s->shown)
				continue;
			if (!head)
				buf_addf(out, "# HELP %s %s\n# TYPE %s gauge\n",
					 g->name, g->help, g->name);
			head = true;
			buf_add(out, s->text);
			buf_addc(out, ' ');
			num_add_float_g(out, s->value, 64);
			buf_addc(out, '\n');
		}
	}
}

static void handle(struct http_exchange *x, void *ctx)
{
	bool metrics = str_is(x->head->target, "/metrics");
	bool health = str_is(x->head->target, "/healthz");
	struct buf b;

	buf_init(&b, x->a);
	if (metrics)
		kube_metrics_text(ctx, &b);
	else if (health)
		buf_addz(&b, "ok");
	http_reply(x, metrics || health ? 200 : 404,
		   S("Content-Type: text/plain; version=0.0.4; "
		     "charset=utf-8\r\n"),
		   buf_str(&b), NULL, NULL);
}

int kube_metrics_listen(struct kube_metrics *m, struct loop *l,
			struct str address, struct err *err)
{
	struct http_server_opts o = { .handle = handle,
				      .ctx = m,
				      .max_conns = 16 };
	ptrdiff_t colon = str_rchr(address, ':');
	int64_t port;
	int fd, rc;

	if (colon < 0 ||
	    !str_to_i64(str_from(address, (size_t)colon + 1), &port) ||
	    port < 0 || port > 65535)
		return err_set(err, ERR_INVALID,
			       "metrics address \"%.*s\": give HOST:PORT, or "
			       ":PORT for every address",
			       STRF(address));
	rc = sock_listen(str_sub(address, 0, (size_t)colon), (uint16_t)port,
			 &fd, err);
	if (rc < 0)
		return rc;
	log_info("metrics on :%u", sock_port(fd));
	m->http = http_server_new(l, &o);
	http_server_listen(m->http, fd, NULL);
	return 0;
}
