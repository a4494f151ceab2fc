/*
 * view/diff_files: flat names, decoded contents, and no secret on either side.
 */
#include "../test.h"

#include "mc/load.h"
#include "plan/render_set.h"
#include "view/diff_files.h"

#define CONFIG(motd, key, hash)                                                                \
	"{\"apiVersion\":\"machineconfiguration.openshift.io/v1\",\"kind\":\"MachineConfig\"," \
	"\"metadata\":{\"name\":\"x\"},\"spec\":{\"config\":{\"ignition\":{\"version\":"       \
	"\"3.2.0\"},\"passwd\":{\"users\":[{\"name\":\"core\",\"passwordHash\":\"" hash        \
	"\"}]},\"storage\":{\"files\":[{\"path\":\"/etc/motd\",\"contents\":{\"source\":"      \
	"\"data:," motd "\"}},{\"path\":\"/etc/pki/tls/private/x.key\",\"mode\":384,"          \
	"\"contents\":{\"source\":\"data:," key "\"}}]}}}}"

static int load(struct arena *a, const char *text, struct named_config *out, struct err *err)
{
	struct mc_set set = { 0 };
	struct mc_fault fault;
	int rc = mc_load(a, S("x.json"), str_of(text), &set, &fault, err);

	return rc < 0 ? rc : named_config_mc(a, set.mcs.v[0], out, err);
}

static struct str find_bytes(const struct diff_file *v, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (str_is(v[i].name, name))
			return v[i].bytes;
	return S("(none)");
}

TEST masks(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct named_config from = { 0 }, to = { 0 };
	struct diff_files f = { .a = &a };
	struct config_diff d = { .pool = S("worker") };

	ASSERT_INT(0, load(&a, CONFIG("old%0A", "KEY-ONE", "HASH-ONE"), &from, &err));
	ASSERT_INT(0, load(&a, CONFIG("new%0A", "KEY-TWO", "HASH-TWO"), &to, &err));
	d.from = &from.spec;
	d.to = &to.spec;
	ASSERT_INT(0, diff_files_add(&f, &d, &err));
	ASSERT_INT(3, f.before.n);
	ASSERT_INT(3, f.after.n);
	ASSERT_STR("old\n", find_bytes(f.before.v, f.before.n, "worker:etc:motd"));
	ASSERT_STR("new\n", find_bytes(f.after.v, f.after.n, "worker:etc:motd"));
	ASSERT_STR("*** (before)\n",
		   find_bytes(f.before.v, f.before.n, "worker:etc:pki:tls:private:x.key"));
	ASSERT_STR("*** (after)\n",
		   find_bytes(f.after.v, f.after.n, "worker:etc:pki:tls:private:x.key"));
	for (size_t i = 0; i < f.before.n; i++) {
		ASSERT_INT(-1, str_find(f.before.v[i].bytes, S("KEY-")));
		ASSERT_INT(-1, str_find(f.before.v[i].bytes, S("HASH-")));
		ASSERT_INT(-1, str_find(f.after.v[i].bytes, S("KEY-")));
		ASSERT_INT(-1, str_find(f.after.v[i].bytes, S("HASH-")));
	}
	PASS();
}

TEST shows_secrets_when_asked(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct named_config from = { 0 }, to = { 0 };
	struct diff_files f = { .a = &a, .secrets = true };
	struct config_diff d = { 0 };

	ASSERT_INT(0, load(&a, CONFIG("old%0A", "KEY-ONE", "HASH-ONE"), &from, &err));
	ASSERT_INT(0, load(&a, CONFIG("old%0A", "KEY-TWO", "HASH-ONE"), &to, &err));
	d.from = &from.spec;
	d.to = &to.spec;
	ASSERT_INT(0, diff_files_add(&f, &d, &err));
	ASSERT_STR("KEY-ONE",
		   find_bytes(f.before.v, f.before.n, "config:etc:pki:tls:private:x.key"));
	ASSERT_STR("KEY-TWO", find_bytes(f.after.v, f.after.n, "config:etc:pki:tls:private:x.key"));
	PASS();
}

SUITE(diff_files)
{
	RUN_TEST(masks);
	RUN_TEST(shows_secrets_when_asked);
}

TEST_MAIN(diff_files)
