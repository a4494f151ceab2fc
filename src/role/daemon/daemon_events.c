/*
 * daemon_events: the daemon's Events and metrics.
 */
#include "daemon_own.h"
#include "io/metrics_text.h"
#include "io/repeat.h"
#include "io/process_metrics.h"

const struct json *daemon_node(const struct daemon *d)
{
	const struct kube_tree *t = kube_cache_get(d->caches.nodes, d->name);

	return t ? t->tree : NULL;
}

struct str daemon_note(const struct daemon *d, const char *key)
{
	const struct json *j =
		json_member(json_at(daemon_node(d), "metadata.annotations"), str_of(key));

	return j ? json_text(j) : (struct str){ NULL, 0 };
}

void daemon_log(struct daemon *d, struct str text)
{
	VEC_PUSH(&d->logs.a, &d->logs.lines, str_dup(&d->logs.a, text));
}

void daemon_emit(struct daemon *d, struct str reason, struct str text)
{
	const struct action_event about = { .kind = S("Node"),
					    .name = d->name,
					    .uid = json_str(daemon_node(d), "metadata.uid"),
					    .reason = reason,
					    .warning = daemon_is_warning(reason) };

	if (!about.warning)
		log_info("Event %.*s: %.*s", STRF(reason), STRF(text));
	else if (log_due(LOG_INFO, reason, text))
		log_warn("Event %.*s: %.*s", STRF(reason), STRF(text));
	/* upstream creates this one without its recorder */
	d->events.namespace = str_is(reason, "OSUpdateStaged") ? "default" : NS_MCO;
	kube_event(&d->events, "machineconfigdaemon", &about, text);
}

/* ---- metrics ------------------------------------------------------------- */

static void labelled(struct buf *b, const char *name, const char *help,
		     const struct metrics_label *labels, size_t n, int64_t value)
{
	metrics_head(b, name, "gauge", help);
	metrics_series(b, name, labels, n);
	metrics_int(b, value);
}

static void plain(struct buf *b, const char *name, const char *help, int64_t value)
{
	labelled(b, name, help, NULL, 0, value);
}

struct str daemon_disk_text(const struct daemon *d, struct arena *a)
{
	return str_fmt(a, "MachineConfig: %.*s%s%.*s", STRF(d->v.disk),
		       d->v.disk_image.n ? " / Image: " : "", STRF(d->v.disk_image));
}

static void update_state(struct daemon *d, struct arena *a, struct buf *b)
{
	struct str config, trouble = S("");
	struct metrics_label labels[2];

	if (d->figures.not_uncordoned) {
		config = S("");
		trouble = str_fmt(a,
				  "failed to uncordon node: %.*s after 10 "
				  "minutes. Please see "
				  "machine-config-controller logs for more "
				  "information",
				  STRF(d->name));
	} else {
		config = daemon_disk_text(d, a);
	}
	labels[0] = (struct metrics_label){ S("config"), config };
	labels[1] = (struct metrics_label){ S("err"), trouble };
	labelled(b, "mcd_update_state", "completed update config or error", labels, 2,
		 d->figures.update_at);
}

void daemon_found_os(struct daemon *d, struct str id, struct str version, bool supported)
{
	struct buf name;

	buf_init(&name, d->a);
	for (size_t i = 0; i < id.n; i++)
		buf_addc(&name, id.p[i] >= 'a' && id.p[i] <= 'z' ? (char)(id.p[i] - 32) : id.p[i]);
	d->figures.os = supported ? buf_str(&name) : S("unsupported");
	d->figures.os_version = str_dup(d->a, version);
}

void daemon_metrics(struct daemon *d, struct buf *b)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct metrics_label os[] = { { S("os"), d->figures.os },
					    { S("version"), d->figures.os_version } };
	const struct metrics_label node[] = { { S("node"), d->name } };
	const struct metrics_label state[] = { { S("state"), daemon_note(d, ANNO_STATE) },
					       { S("reason"), daemon_note(d, ANNO_REASON) } };

	plain(b, "mcd_config_drift", "timestamp for config drift", d->figures.drift_at);
	if (d->figures.os.n)
		labelled(b, "mcd_host_os_and_version",
			 "os that MCD is running on and version if RHCOS", os, ARRAY_LEN(os), 1);
	plain(b, "mcd_kubelet_state", "state of kubelet health monitor", d->health.failures);
	labelled(b, "mcd_local_unsupported_packages",
		 "Total number of locally layered unsupported packages installed on the node", node,
		 ARRAY_LEN(node), d->figures.packages);
	plain(b, "mcd_pivot_errors_total", "Total number of errors encountered during pivot.",
	      (int64_t)d->figures.pivot_errors);
	metrics_head(b, "mcd_reboots_failed_total", "counter",
		     "Total number of reboots that failed.");
	metrics_series(b, "mcd_reboots_failed_total", NULL, 0);
	metrics_int(b, (int64_t)d->figures.reboots_failed);
	labelled(b, "mcd_state", "state of daemon on specified node", state, ARRAY_LEN(state),
		 d->figures.state_at);
	if (d->figures.update_at || d->figures.not_uncordoned)
		update_state(d, &a, b);
	process_metrics(b);
}
