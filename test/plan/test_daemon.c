/*
 * The daemon's next step for one view after the other, as upstream's spec and
 * scenarios define it.
 */
#include "../test.h"
#include "mc/api.h"
#include "plan/daemon.h"

#define BASE                                                                                     \
	.node = S("n"), .current = S("r1"), .desired = S("r1"), .state = S("Done"),              \
	.has_state = true, .disk = S("r1"), .start = START_OVER, .want_drain = S("uncordon-r1"), \
	.did_drain = S("uncordon-r1")
#define UPDATE                                                                        \
	BASE, .desired = S("r2"), .pass.target = S("r2"), .pass.stage = STAGE_LOADED, \
	      .pass.verified = true

struct row {
	const char *name;
	struct daemon_view v;
	enum daemon_do what;
	const char *said; /* annotation pairs, events and text */
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const struct row rows[] = {
	{ "D01 as it should be", { BASE }, DAEMON_REST, "" },
	{ "a reboot is queued",
	  { BASE, .rebooting = true },
	  DAEMON_REST,
	  "| Node n is queued for a reboot, skipping sync." },
	{ "recovery comes first",
	  { BASE, .start = START_RECOVER, .after = S("Rebooting") },
	  DAEMON_RECOVER,
	  "" },
	{ "D20 two pools", { BASE, .trouble = S("x") }, DAEMON_FAIL, "| x" },
	{ "D01 the pull secret", { BASE, .secret = true }, DAEMON_SECRET, "" },
	{ "what the first boot left", { BASE, .start = START_PREPARE }, DAEMON_PREPARE, "" },
	{ "D95 it has rebooted",
	  { BASE, .after = S("Rebooting"), .start = START_NOTE },
	  DAEMON_ANNOTATE,
	  "post-config-action= <rebooted>" },
	{ "no annotations", { BASE, .start = START_NOTE, .current = { 0 } }, DAEMON_INITIAL, "" },
	{ "D100 no target",
	  { BASE, .start = START_NOTE, .desired = { 0 } },
	  DAEMON_FAIL,
	  "| machineconfiguration.openshift.io/desiredConfig annotation not "
	  "found on node 'n'" },
	{ "an empty target at the start",
	  { BASE, .start = START_NOTE, .desired = S("") },
	  DAEMON_FAIL,
	  "| machineconfig.machineconfiguration.openshift.io \"\" not found" },
	{ "the target was taken away",
	  { BASE, .desired = { 0 } },
	  DAEMON_FAIL,
	  "| machineconfig.machineconfiguration.openshift.io \"\" not found" },
	{ "the current config was taken away",
	  { BASE, .current = { 0 } },
	  DAEMON_FAIL,
	  "| machineconfiguration.openshift.io/currentConfig annotation not "
	  "found on node 'n'" },
	{ "the current config was emptied",
	  { BASE, .current = S("") },
	  DAEMON_FAIL,
	  "| machineconfig.machineconfiguration.openshift.io \"\" not found" },
	{ "the disk's config cannot be read",
	  { BASE, .disk = S(""), .disk_trouble = S("unexpected EOF") },
	  DAEMON_FAIL,
	  "| unexpected EOF" },
	{ "no state",
	  { BASE, .state = S(""), .has_state = false },
	  DAEMON_FAIL,
	  "| machineconfiguration.openshift.io/state annotation not found on "
	  "node 'n'" },
	{ "D03 a drain is under way",
	  { BASE, .desired = S("r2"), .want_drain = S("drain-r2") },
	  DAEMON_REST,
	  "| A previously requested drain has not yet completed. Waiting for "
	  "machine-config-controller to finish draining node." },
	{ "a new target", { BASE, .desired = S("r2") }, DAEMON_LOAD, "" },
	{ "D13 a state that is empty",
	  { BASE, .desired = S("r2"), .state = S("") },
	  DAEMON_LOAD,
	  "" },
	{ "a new image", { BASE, .desired_image = S("i") }, DAEMON_LOAD, "" },
	{ "D05 equal but not Done", { BASE, .state = S("Unreconcilable") }, DAEMON_LOAD, "" },
	{ "the disk has another", { BASE, .disk = S("r0") }, DAEMON_LOAD, "" },
	{ "preflight", { UPDATE, .pass.verified = false }, DAEMON_VERIFY, "" },
	{ "D10 the force file skips it",
	  { UPDATE, .pass.force = true },
	  DAEMON_ANNOTATE,
	  "state=Working" },
	{ "D90 away from an image built in the cluster",
	  { UPDATE, .pass.from_image = S("i") },
	  DAEMON_REVERT,
	  "" },
	{ "reverting an image, of an abandoned update",
	  { UPDATE, .pass.from_image = S("i"), .revert = REVERT_LEFT },
	  DAEMON_UNREVERT,
	  "" },
	{ "the same without another update", { BASE, .revert = REVERT_LEFT }, DAEMON_UNREVERT, "" },
	{ "Degraded stays", { UPDATE, .state = S("Degraded") }, DAEMON_PLAN, "" },
	{ "D21 drain",
	  { UPDATE, .state = S("Working"), .pass.stage = STAGE_PLANNED, .pass.drain = true },
	  DAEMON_ANNOTATE,
	  "desiredDrain=drain-r2 <drain> [Cordon: Cordoned node to apply update] "
	  "[Drain: Draining node to update config.] | Update prepared; "
	  "requesting cordon and drain via annotation to controller" },
	{ "drain is awaited",
	  { UPDATE, .state = S("Working"), .pass.stage = STAGE_PLANNED, .pass.drain = true,
	    .pass.asked = true, .want_drain = S("drain-r2") },
	  DAEMON_AWAIT,
	  "" },
	{ "a process before this one asked",
	  { UPDATE, .state = S("Working"), .pass.stage = STAGE_PLANNED, .pass.drain = true,
	    .want_drain = S("drain-r2") },
	  DAEMON_ANNOTATE,
	  "desiredDrain=drain-r2 <drain> [Cordon: Cordoned node to apply update] "
	  "[Drain: Draining node to update config.] | Update prepared; "
	  "requesting cordon and drain via annotation to controller" },
	{ "D40 not for ever",
	  { UPDATE, .state = S("Working"), .pass.stage = STAGE_PLANNED, .pass.drain = true,
	    .pass.asked = true, .want_drain = S("drain-r2"), .waited_ms = DAEMON_DRAIN_MS },
	  DAEMON_FAIL,
	  "<not drained> [FailedToDrain: failed to drain node: n after 1 hour. Please see "
	  "machine-config-controller logs for more information] | failed to "
	  "drain node: n after 1 hour. Please see machine-config-controller "
	  "logs for more information" },
	{ "D39 drained already",
	  { UPDATE, .state = S("Working"), .pass.stage = STAGE_PLANNED, .pass.drain = true,
	    .did_drain = S("drain-r2") },
	  DAEMON_APPLY,
	  "| drain is already completed on this node" },
	{ "drained",
	  { UPDATE, .state = S("Working"), .pass.stage = STAGE_PLANNED, .pass.drain = true,
	    .pass.asked = true, .want_drain = S("drain-r2"), .did_drain = S("drain-r2") },
	  DAEMON_APPLY,
	  "| drain complete" },
	{ "one node alone is not drained",
	  { UPDATE, .state = S("Working"), .pass.stage = STAGE_PLANNED, .pass.drain = true,
	    .single = true },
	  DAEMON_APPLY,
	  "" },
	{ "a reboot is reported first",
	  { UPDATE, .state = S("Working"), .pass.stage = STAGE_APPLIED, .pass.reboot = true },
	  DAEMON_ANNOTATE,
	  "post-config-action=Rebooting <rebooting>" },
	{ "then it is done",
	  { UPDATE, .state = S("Working"), .pass.stage = STAGE_ANNOUNCED, .pass.reboot = true,
	    .after = S("Rebooting") },
	  DAEMON_ACT,
	  "" },
	{ "are the configs still there",
	  { UPDATE, .disk = S("r2"), .state = S("Working"), .pass.stage = STAGE_ACTED },
	  DAEMON_CONFIRM,
	  "" },
	{ "uncordon",
	  { UPDATE, .disk = S("r2"), .state = S("Working"), .pass.stage = STAGE_CONFIRMED },
	  DAEMON_ANNOTATE,
	  "desiredDrain=uncordon-r2 <uncordon>" },
	{ "D41 never uncordoned",
	  { UPDATE, .disk = S("r2"), .state = S("Working"), .pass.stage = STAGE_CONFIRMED,
	    .want_drain = S("uncordon-r2"), .waited_ms = DAEMON_UNCORDON_MS },
	  DAEMON_FAIL,
	  "<not uncordoned> [FailedToUncordon: failed to uncordon node: n after 10 minutes. "
	  "Please see machine-config-controller logs for more information] | "
	  "could not apply update: setting node's state to Done failed. "
	  "Error: failed to uncordon node: n after 10 minutes. Please see "
	  "machine-config-controller logs for more information (rolled back)" },
	{ "done",
	  { UPDATE, .disk = S("r2"), .state = S("Working"), .pass.stage = STAGE_CONFIRMED,
	    .want_drain = S("uncordon-r2"), .did_drain = S("uncordon-r2") },
	  DAEMON_DONE,
	  "state=Done currentConfig=r2 reason= -currentImage -desiredImage "
	  "[Uncordon: Update completed for config r2 and node has been "
	  "uncordoned] [NodeDone: Setting node n, currentConfig r2 to Done] | "
	  "Update completed for config r2 and node has been successfully "
	  "uncordoned" },
	{ "another target meanwhile",
	  { UPDATE, .disk = S("r2"), .state = S("Working"), .pass.stage = STAGE_CONFIRMED,
	    .desired = S("r3") },
	  DAEMON_AGAIN,
	  "" },
	{ "D94 booted into it",
	  { BASE, .start = START_NOTE, .pass.stage = STAGE_LOADED, .pass.verified = true,
	    .pass.target = S("r1"), .want_drain = S("drain-r1"), .did_drain = S("drain-r1"),
	    .state = S("Working") },
	  DAEMON_ANNOTATE,
	  "desiredDrain=uncordon-r1 <uncordon>" },
	{ "D104 forced at boot",
	  { BASE, .start = START_NOTE, .pass.stage = STAGE_LOADED, .pass.force = true,
	    .pass.verified = true, .pass.target = S("r1"), .state = S("Degraded") },
	  DAEMON_PLAN,
	  "" },
	{ "D96 the first config",
	  { BASE, .disk = S(""), .start = START_NOTE, .pass.stage = STAGE_LOADED,
	    .pass.target = S("r1"), .bootstrap = true },
	  DAEMON_BOOT,
	  "" },
};
#pragma GCC diagnostic pop

static struct str say(struct arena *a, const struct daemon_next *n)
{
	static const char *const notes[] = { [NOTE_DRAIN] = "drain",
					     [NOTE_UNCORDON] = "uncordon",
					     [NOTE_REBOOTING] = "rebooting",
					     [NOTE_REBOOTED] = "rebooted" };
	static const char *const faults[] = {
		[FAULT_DRAIN] = "not drained", [FAULT_UNCORDON] = "not uncordoned"
	};
	const size_t skip = sizeof(KEY_MC) - 1;
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < n->n_pairs; i++)
		buf_addf(&b, "%s%.*s%s%.*s ", n->pairs[i].remove ? "-" : "",
			 STRF(str_from(n->pairs[i].key, skip)), n->pairs[i].remove ? "" : "=",
			 STRF(n->pairs[i].value));
	if (n->note)
		buf_addf(&b, "<%s> ", notes[n->note]);
	if (n->fault)
		buf_addf(&b, "<%s> ", faults[n->fault]);
	for (size_t i = 0; i < n->n_events; i++)
		buf_addf(&b, "[%s: %.*s] ", n->events[i].reason, STRF(n->events[i].text));
	if (n->text.n)
		buf_addf(&b, "| %.*s", STRF(n->text));
	if (n->roll_back)
		buf_addz(&b, " (rolled back)");

	return str_trim(buf_str(&b));
}

TEST next_steps(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct daemon_next n;

		plan_daemon(&a, &rows[i].v, &n);
		ASSERT_INT_M(rows[i].name, rows[i].what, n.what);
		ASSERT_STR_M(rows[i].name, str_of(rows[i].said), say(&a, &n));
	}
	PASS();
}

TEST patches(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	const struct daemon_pair pairs[] = {
		{ .key = S("a"), .value = S("1") },
		{ .key = S("b"), .value = S("\"2\"") },
		{ .key = S("c"), .remove = true },
		{ .key = S("d"), .remove = true },
	};
	struct json *node = NULL;

	ASSERT_INT(0, json_parse(&a,
				 S("{\"metadata\":{\"annotations\":{\"a\":"
				   "\"1\",\"c\":\"x\"}}}"),
				 NULL, &node, &err));
	ASSERT_STR("{\"metadata\":{\"annotations\":{\"b\":\"\\\"2\\\"\","
		   "\"c\":null}}}",
		   daemon_patch(&a, node, pairs, 4));
	ASSERT_STR("", daemon_patch(&a, node, pairs, 1));
	PASS();
}

TEST failures(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct daemon_next n;
	struct buf b;

	buf_init(&b, &a);
	for (int i = 0; i < 2001; i++)
		buf_addz(&b, "\xC3\xA9");
	daemon_failure(&a, buf_str(&b), true, &n);
	ASSERT_STR("Unreconcilable", n.pairs[0].value);
	ASSERT_INT(4000, (long long)n.pairs[1].value.n);
	daemon_failure(&a, S("x"), false, &n);
	ASSERT_STR("state=Degraded reason=x | x", say(&a, &n));
	ASSERT_INT(1000, daemon_retry_ms(0));
	ASSERT_INT(32000, daemon_retry_ms(5));
	ASSERT_INT(60000, daemon_retry_ms(6));
	ASSERT(daemon_is_warning(S("FailedToDrain")));
	ASSERT(!daemon_is_warning(S("FailedTo")));
	ASSERT(!daemon_is_warning(S("ConfigDriftMonitorStarted")));
	PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(next_steps);
	RUN_TEST(patches);
	RUN_TEST(failures);
	GREATEST_MAIN_END();
}
