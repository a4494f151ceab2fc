/*
 * apiserver-watcher: the flags of the program that tells a cloud's routing whether this machine's
 * API server is up.
 */
#include "applet.h"
#include "io/log.h"
#include "io/version.h"
#include "role/watcher.h"

static const struct flag flags[] = {
	{ .texts = FLAG_TEXT("health-check-url", "URL",
			     "the API's URL with the path of the check; required"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct watcher_opts, url) },
	{ .texts =
		  FLAG_TEXT("root-mount", "DIR", "where the machine's root file system is mounted"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct watcher_opts, root) },
	{ 0 },
};

static void defaults(void *p)
{
	((struct watcher_opts *)p)->root = S("/rootfs");
}

static int run(struct run *r, const void *p)
{
	log_info("Version: %s (%s)", version_raw(), version_hash());
	return watcher_run(r->a, p, &r->err);
}

static const struct command run_command = {
	.name = "run",
	.args = "--health-check-url URL [--root-mount DIR]",
	.summary = "watch this machine's API server, until SIGINT",
	.details =
		"Every two seconds it requests the URL's path from localhost. One response with "
		"status 200 means up; eight failures in a row mean down. For each address of the "
		"URL's host, run/cloud-routes in the root file system then has the empty file "
		"ADDRESS.up or ADDRESS.down, by which the machine routes the address. SIGINT "
		"marks the API server as down.",
	.examples = "# On a machine of the control plane, on Azure and GCP\n"
		    "@ run --health-check-url=https://api-int.example:6443/readyz",
	.exits = "0 after SIGINT, 1 an error",
	.flags = flags,
	.opts_size = sizeof(struct watcher_opts),
	.defaults = defaults,
	.run = run,
};

static const struct command *const commands[] = { &run_command, &version_command, NULL };

const struct applet apiserver_watcher_applet = {
	.name = "apiserver-watcher",
	.summary = "tells a cloud's routing whether the API server is up",
	.commands = commands,
};
