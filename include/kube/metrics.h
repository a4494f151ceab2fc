/*
 * kube/metrics: the gauges of a process, served in Prometheus' text format.
 */
#ifndef KUBE_METRICS_H
#define KUBE_METRICS_H

#include "base/map.h"
#include "io/http_server.h"
#include "io/sock.h"
#include "plan/action.h"

/* One gauge; labels are separated by commas, "" for none. */
struct kube_gauge {
	const char *name, *labels, *help;
	bool initial; /* starts with a series of value 0 and labels "initialize" */
};

struct kube_metrics {
	const struct kube_gauge *gauges; /* ended by { 0 } */
	struct arena a;
	struct map series;
	struct http_server *http;
};

void kube_metrics_init(struct kube_metrics *m, const struct kube_gauge *gauges);
/* Sets a series; drop: hides it. Ignores names that the table does not have. */
void kube_metrics_set(struct kube_metrics *m, const struct action_metric *v, double value,
		      bool drop);
void kube_metrics_text(struct kube_metrics *m, struct buf *out);

/* Serves /metrics, and /healthz for probes. */
int kube_metrics_listen(struct kube_metrics *m, struct loop *l, const struct sock_place *at,
			struct err *err);

#endif
