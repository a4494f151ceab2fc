/*
 * daemon_disk: the config that the disk has, and the watch for config drift. The watch runs
 * while the node is in its config; an update stops it.
 */
#include <sys/stat.h>

#include "daemon_own.h"
#include "io/repeat.h"

/* Go's text of the same error; it becomes the Node's reason. */
static struct str as_go(struct str why)
{
	if (str_starts(why, S("0 documents")))
		return S("EOF");
	return str_ends(why, S("unexpected end of JSON input")) ? S("unexpected EOF") : why;
}

/* Which file has the config, and when it was written. */
static struct daemon_disk stamp(struct daemon *d)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err ignored = ERR_INIT(&a);
	struct daemon_disk s = { 0 };
	struct stat st;

	if (tree_lstat(&d->node->tree, STEPS_CURRENT_CONFIG, &st, &ignored) == 0) {
		s.file = st.st_ino;
		s.at = st.st_mtim;
	}
	return s;
}

void daemon_disk_changed(struct daemon *d)
{
	struct daemon_disk now = stamp(d), *seen = &d->disk;

	if (now.file != seen->file || now.at.tv_sec != seen->at.tv_sec ||
	    now.at.tv_nsec != seen->at.tv_nsec)
		daemon_read_disk(d);
}

void daemon_read_disk(struct daemon *d)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct mc_current c;
	struct str image;
	int rc;

	arena_free(&d->disk.a);
	d->disk = stamp(d);
	d->v.disk = d->v.disk_image = d->v.disk_trouble = S("");
	rc = node_current(d->node, &a, &c, &image, &err);
	if (rc < 0) {
		if (rc != -ERR_NOTFOUND)
			d->v.disk_trouble = str_dup(&d->disk.a, as_go(err.msg));
		return;
	}
	d->v.disk = str_dup(&d->disk.a, c.name);
	d->v.disk_image = str_dup(&d->disk.a, image);
}

static void close_drift(struct daemon *d)
{
	loop_remove(d->loop, &d->watch.source);
	drift_close(&d->watch.drift);
	d->watch.on = d->watch.drifted = false;
}

void daemon_unwatch(struct daemon *d)
{
	if (!d->watch.on)
		return;
	close_drift(d);
	daemon_emit(d, S("ConfigDriftMonitorStopped"), S("Config Drift Monitor stopped"));
}

static void on_drift(struct source *s, short events)
{
	struct daemon *d = s->ctx;

	(void)events;
	if (!drift_read(&d->watch.drift))
		return;
	d->watch.drifted = true;
	d->not_before = 0;
	daemon_wake(d, 0);
}

void daemon_watch(struct daemon *d)
{
	bool renewed = d->watch.on;
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str image, reason = daemon_note(d, ANNO_REASON);
	struct mc_current c;
	int rc;

	if (renewed && !d->watch.drift.stale)
		return;
	if (renewed)
		close_drift(d);
	arena_free(&d->watch.a);
	d->watch.config = S("");
	rc = node_current(d->node, &a, &c, &image, &err);
	if (rc == -ERR_NOTFOUND && d->v.pass.stage >= STAGE_LOADED) {
		c = d->update.from; /* the cluster's: the disk has none */
		d->watch.config = str_dup(&d->watch.a, c.text);
	} else if (rc < 0) {
		return;
	}
	if (drift_open(&d->watch.drift, d->node, &c, &err) < 0) {
		log_error("Got an error from auxiliary tools: %.*s", STRF(err.msg));
		return;
	}
	d->watch.source = (struct source){
		.fd = d->watch.drift.fd, .want = POLLIN, .ready = on_drift, .ctx = d
	};
	loop_add(d->loop, &d->watch.source);
	d->watch.on = true;
	if (renewed)
		return;
	/* upstream's rule: a process before this one may have found the drift, and only the
	 * annotation is left of that */
	d->figures.drift_at = str_find(reason, S("content mismatch")) >= 0 ||
					      str_find(reason, S("mode mismatch")) >= 0
				      ? clock_wall_s()
				      : 0;
	daemon_emit(d, S("ConfigDriftMonitorStarted"),
		    str_fmt(&a,
			    "Config Drift Monitor started, watching against "
			    "%.*s",
			    STRF(c.name)));
}

bool daemon_check_drift(struct daemon *d)
{
	struct err err = ERR_INIT(&d->turn);

	if (!d->watch.drifted || d->v.pass.target.n || d->v.rebooting)
		return false;
	d->watch.drifted = false;
	if (d->watch.config.n
		    ? mc_current_parse(&d->update.a, d->watch.config, &d->update.from, &err) < 0
		    : node_current(d->node, &d->update.a, &d->update.from, &d->v.pass.from_image,
				   &err) < 0)
		return false;
	daemon_job(d, STATE_DRIFT, S(""));
	return true;
}

void daemon_no_drift(struct daemon *d)
{
	d->v.pass.from_image = S("");
	arena_free(&d->update.a);
	daemon_watch(d); /* directories that were created again */
	daemon_wake(d, 0);
}

void daemon_drift_found(struct daemon *d, struct str text)
{
	d->v.pass.from_image = S("");
	arena_free(&d->update.a);
	d->figures.drift_at = clock_wall_s();
	daemon_emit(d, S("ConfigDriftDetected"), text);
	daemon_fail(d, text, false);
}

void daemon_watch_end(struct daemon *d)
{
	if (d->watch.on)
		close_drift(d);
	arena_free(&d->watch.a);
}
