/*
 * metrics: gauges in Prometheus' text format, and the server of /metrics and /healthz.
 *
 * Gauges are printed in the order of their table, series in the order of their text. A dropped
 * series is hidden and keeps its memory.
 */
#include "kube/metrics.h"

#include <stdlib.h>

#include "io/log.h"
#include "io/metrics_text.h"
#include "io/process_metrics.h"

struct series {
	struct str text; /* name{label="value",…} */
	const struct kube_gauge *of;
	double value;
	bool shown;
};

static const struct kube_gauge *gauge(const struct kube_metrics *m, const char *name)
{
	const struct kube_gauge *g = m->gauges;

	while (g->name && strcmp(g->name, name) != 0)
		g++;
	return g->name ? g : NULL;
}

static int by_name(const void *x, const void *y)
{
	return str_cmp(((const struct metrics_label *)x)->name,
		       ((const struct metrics_label *)y)->name);
}

/* Sorts the labels by name, as upstream's library does. */
static void add_series(struct buf *b, const struct kube_gauge *g, const struct str *values)
{
	struct metrics_label labels[ACTION_LABELS] = { 0 };
	struct str rest = str_of(g->labels);
	size_t n = 0;

	for (; rest.n && n < ACTION_LABELS; n++) {
		labels[n].value = values[n];
		if (!str_cut(rest, ',', &labels[n].name, &rest)) {
			labels[n].name = rest;
			rest = S("");
		}
	}
	qsort(labels, n, sizeof(labels[0]), by_name);
	metrics_series(b, g->name, labels, n);
}

void kube_metrics_set(struct kube_metrics *m, const struct action_metric *v, double value,
		      bool drop)
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

static int in_order(const void *x, const void *y)
{
	const struct series *p = *(const struct series *const *)x;
	const struct series *q = *(const struct series *const *)y;

	return p->of != q->of ? (p->of < q->of ? -1 : 1) : str_cmp(p->text, q->text);
}

void kube_metrics_text(struct kube_metrics *m, struct buf *out)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct series **v = arena_array(&a, m->series.n, sizeof(*v));
	const struct kube_gauge *of = NULL;
	size_t n = 0;

	for (size_t i = 0; i < m->series.n; i++) {
		v[n] = m->series.v[i].value;
		n += v[n]->shown;
	}
	if (n)
		qsort(v, n, sizeof(const struct series *), in_order);
	for (size_t i = 0; i < n; i++) {
		if (v[i]->of != of)
			metrics_head(out, v[i]->of->name, "gauge", v[i]->of->help);
		of = v[i]->of;
		buf_add(out, v[i]->text);
		metrics_float(out, v[i]->value);
	}
}

static void handle(struct http_exchange *x, void *ctx)
{
	bool metrics = str_is(x->head->target, "/metrics");
	bool health = str_is(x->head->target, "/healthz");
	struct buf b;

	buf_init(&b, x->a);
	if (metrics) {
		kube_metrics_text(ctx, &b);
		process_metrics(&b);
	} else if (health) {
		buf_addz(&b, "ok");
	}
	http_reply(x, metrics || health ? 200 : 404, S("Content-Type: " METRICS_TEXT_TYPE "\r\n"),
		   buf_str(&b), NULL, NULL);
}

/* The kubelet restarts the pod when a probe is not answered. */
static bool vital(const struct http_head *head, void *ctx)
{
	(void)ctx;
	return str_is(head->target, "/healthz");
}

int kube_metrics_listen(struct kube_metrics *m, struct loop *l, const struct sock_place *at,
			struct err *err)
{
	struct http_server_opts o = { .handle = handle, .vital = vital, .ctx = m, .max_conns = 16 };
	int fd, rc = sock_listen(at->host, at->port, &fd, err);

	if (rc < 0)
		return rc;
	log_info("metrics on :%u", sock_port(fd));
	m->http = http_server_new(l, &o);
	http_server_listen(m->http, fd, NULL);
	return 0;
}
