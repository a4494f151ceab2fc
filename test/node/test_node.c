/*
 * Parts of a node that its commands do not show: paths that would leave the root, certificates,
 * drift, the lock, and the arguments for kernels and extensions.
 */
#include "scratch.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/file.h>

#include "io/log.h"
#include "node/certificates.h"
#include "node/drift.h"
#include "node/links.h"
#include "node/node_update.h"
#include "node/node_verify.h"

static char *root_of(struct arena *a, struct node *n)
{
	struct err err = ERR_INIT(a);
	char *root = scratch_new(a);

	scratch_put(a, root, "/etc/os-release", "ID=rhcos\nRHEL_VERSION=9.4\n", 0644);
	if (node_open(n, a, root, &err) < 0)
		abort();
	n->offline = true;
	return root;
}

TEST links_stay_below_the_root(void)
{
	static const struct {
		const char *name, *path, *want; /* real path, or "" for a fault */
	} cases[] = {
		{ "plain", "/etc/os-release", "/etc/os-release" },
		{ "dots", "/etc/../etc/./os-release", "/etc/os-release" },
		{ "above the root", "/../../etc/os-release", "/etc/os-release" },
		{ "an absolute link", "/etc/abs/os-release", "/etc/os-release" },
		{ "a link upwards", "/etc/up/etc/os-release", "/etc/os-release" },
		{ "a link to a link", "/etc/chain/os-release", "/etc/os-release" },
		{ "a loop", "/etc/loop/x", "" },
		{ "nothing there", "/etc/none/x", "" },
		{ "a file in between", "/etc/os-release/x", "" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct node n;
	char *root = root_of(&a, &n);

	(void)symlink("/etc", str_fmt(&a, "%s/etc/abs", root).p);
	(void)symlink("../../../../..", str_fmt(&a, "%s/etc/up", root).p);
	(void)symlink("abs", str_fmt(&a, "%s/etc/chain", root).p);
	(void)symlink("loop", str_fmt(&a, "%s/etc/loop", root).p);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = ERR_INIT(&a);
		struct str got = S("");

		(void)tree_realpath(&a, &n.tree, cases[i].path, &got, &err);
		ASSERT_STR_M(cases[i].name, str_of(cases[i].want), got);
	}
	node_close(&n);
	scratch_remove(root);
	PASS();
}

TEST certificates(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct json *spec = NULL;
	struct node n;
	char *root = root_of(&a, &n);
	struct str got = S("");
	struct stat st = { 0 };

	scratch_put(&a, root, STEPS_KUBELET_CA, "old", 0600);
	ASSERT_INT(0, json_parse(&a,
				 S("{\"spec\":{\"kubeAPIServerServingCAData\":\"S0NB\","
				   "\"internalRegistryPullSecret\":\"e30=\","
				   "\"imageRegistryBundleData\":[{\"file\":"
				   "\"h..5000\",\"data\":\"Q0E=\"},{\"file\":"
				   "\"../../x\",\"data\":\"Q0E=\"}]}}"),
				 NULL, &spec, &err));
	ASSERT_INT(0, certificates_write(&n, &a, spec, S(""), &err));
	ASSERT_INT(0, tree_read(&a, &n.tree, STEPS_KUBELET_CA, 99, &got, &err));
	ASSERT_STR("KCA\n", got);
	ASSERT_INT(0, tree_lstat(&n.tree, STEPS_KUBELET_CA, &st, &err));
	ASSERT_INT(0600, st.st_mode & 07777);
	ASSERT_INT(0, tree_read(&a, &n.tree, STEPS_CLOUD_CA, 99, &got, &err));
	ASSERT_STR("\n", got);
	ASSERT_INT(0, tree_read(&a, &n.tree, STEPS_PULL_SECRET, 99, &got, &err));
	ASSERT_STR("{}\n", got);
	/* registries only if their directory exists */
	ASSERT(!tree_exists(&n.tree, "/etc/docker"));
	scratch_put(&a, root, "/etc/docker/certs.d/gone/ca.crt", "x", 0644);
	ASSERT_INT(0, certificates_write(&n, &a, spec, S(""), &err));
	ASSERT(!tree_exists(&n.tree, "/etc/docker/certs.d/gone"));
	ASSERT_INT(0, tree_read(&a, &n.tree, "/etc/docker/certs.d/h:5000/ca.crt", 99, &got, &err));
	ASSERT_STR("CA", got);
	node_close(&n);
	scratch_remove(root);
	PASS();
}

static bool noticed(struct drift *d)
{
	struct pollfd p = { d->fd, POLLIN, 0 };

	return poll(&p, 1, 60000) == 1 && drift_read(d);
}

static bool quiet(struct drift *d)
{
	struct pollfd p = { d->fd, POLLIN, 0 };

	return poll(&p, 1, 20) == 0 || !drift_read(d);
}

static struct str first_mismatch(struct node *n, struct arena *a, const struct mc_current *c)
{
	struct verify_opts o = { .files_only = true, .first_only = true };
	struct mismatches list = { 0 };
	struct err err = ERR_INIT(a);

	if (node_verify(n, a, c, S(""), &o, &list, &err) < 0)
		return err.msg;
	return list.n ? list.v[0].text : S("");
}

TEST drift_is_noticed(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct mc_current none,
		c = scratch_mc(&a, "r1",
			       "\"storage\":{\"files\":[{\"path\":\"/etc/foo\",\"contents\":{"
			       "\"source\":\"data:,1\"}}]},\"systemd\":{\"units\":[{\"name\":"
			       "\"u.service\",\"contents\":\"u\",\"dropins\":[{\"name\":"
			       "\"10.conf\",\"contents\":\"d\"}]}]}",
			       "");
	struct node n;
	char *root = root_of(&a, &n);
	struct node_update u = { .from = &none, .to = &c };
	struct drift d;

	mc_current_empty(&a, &none);
	scratch_put(&a, root, STEPS_KUBECONFIG, "k", 0600);
	ASSERT_INT(0, node_update_apply(&n, &a, &u, &err));
	ASSERT_INT(0, drift_open(&d, &n, &c, &err));
	ASSERT(quiet(&d));
	scratch_put(&a, root, "/etc/other", "x", 0644);
	ASSERTm("another file", quiet(&d));
	scratch_put(&a, root, "/etc/foo", "1", 0644);
	ASSERTm("touched", noticed(&d));
	ASSERT_STR("", first_mismatch(&n, &a, &c));
	scratch_put(&a, root, "/etc/foo", "2", 0644);
	ASSERTm("changed", noticed(&d));
	ASSERT_STR("content mismatch for file \"/etc/foo\"", first_mismatch(&n, &a, &c));
	scratch_put(&a, root, "/etc/foo", "1", 0644);
	(void)noticed(&d);
	(void)chmod(str_fmt(&a, "%s/etc/systemd/system/u.service", root).p, 0600);
	ASSERTm("mode", noticed(&d));
	ASSERT_STR("mode mismatch for file: \"/etc/systemd/system/u.service\"; "
		   "expected: -rw-r--r--/420/0644; received: "
		   "-rw-------/384/0600",
		   first_mismatch(&n, &a, &c));
	(void)chmod(str_fmt(&a, "%s/etc/systemd/system/u.service", root).p, 0644);
	(void)noticed(&d);
	(void)unlink(str_fmt(&a, "%s/etc/systemd/system/u.service.d/10.conf", root).p);
	ASSERTm("removed", noticed(&d));
	ASSERT_STR("could not stat file "
		   "\"/etc/systemd/system/u.service.d/10.conf\": lstat "
		   "/etc/systemd/system/u.service.d/10.conf: no such file or "
		   "directory",
		   first_mismatch(&n, &a, &c));
	drift_close(&d);
	node_close(&n);
	scratch_remove(root);
	PASS();
}

TEST nothing_outside_the_journal(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct map only;
	struct node n;
	char *root = root_of(&a, &n);

	map_init(&only, &a);
	(void)map_put(&only, S("/etc/a"), root);
	n.tree.allowed = &only;
	ASSERT_INT(0, tree_write(&n.tree, "/etc/a", S("x"), TREE_DEFAULT, &err));
	ASSERT_INT(-ERR_INVALID, tree_write(&n.tree, "/etc/b", S("x"), TREE_DEFAULT, &err));
	ASSERT_STR("/etc/b is not in the update's journal: not changed", err.msg);
	ASSERT(!tree_lexists(&n.tree, "/etc/b"));
	node_close(&n);
	scratch_remove(root);
	PASS();
}

/* Units may name each other repeatedly: each is handled once. */
TEST units_that_name_one_another(void)
{
	static const char *const names[] = { "a.service", "b.service" };
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct node n;
	char *root = root_of(&a, &n);
	const char *also = "Also=a.service b.service\n"
			   "Also=b.service a.service\nAlso=a.service "
			   "b.service\n";

	for (int i = 0; i < 2; i++)
		scratch_put(&a, root, str_fmt(&a, TREE_UNITS "/%s", names[i]).p,
			    str_fmt(&a,
				    "[Install]\nWantedBy=multi-user.target\n"
				    "%s%s%s",
				    also, also, also)
				    .p,
			    0644);
	ASSERT_INT(0, links_enable(&n.tree, &a, str_of(names[0]), &err));
	for (int i = 0; i < 2; i++)
		ASSERT_STR("enabled", links_is_enabled(&n.tree, &a, str_of(names[i])));
	ASSERT_INT(0, links_disable(&n.tree, &a, str_of(names[1]), &err));
	for (int i = 0; i < 2; i++)
		ASSERT_STR("disabled", links_is_enabled(&n.tree, &a, str_of(names[i])));
	scratch_put(&a, root, TREE_UNITS "/x@.service",
		    "[Install]\nAlso=x@%i%i1.service x@%i%i2.service\n", 0644);
	ASSERT_INT(0, links_enable(&n.tree, &a, S("x@1.service"), &err));
	node_close(&n);
	scratch_remove(root);
	PASS();
}

/* What another user can lock, open and read; in a child process. */
static int other_user(const char *root)
{
	char path[256];
	int fd = open(root, O_RDONLY | O_DIRECTORY), bad = 0;

	if (setgid(65534) < 0 || setuid(65534) < 0)
		return 1;
	/* another user can lock the root, which is harmless */
	bad |= fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 ? 2 : 0;
	(void)snprintf(path, sizeof(path), "%s" JOURNAL_DIR "/lock", root);
	bad |= open(path, O_RDONLY) >= 0 || errno != EACCES ? 4 : 0;
	(void)snprintf(path, sizeof(path), "%s" JOURNAL_DIR, root);
	bad |= open(path, O_RDONLY | O_DIRECTORY) >= 0 || errno != EACCES ? 8 : 0;
	return bad;
}

TEST others_cannot_lock_the_node(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct node n, second;
	char *root = root_of(&a, &n), byte = 0;
	int up[2], down[2], status = 0;
	struct stat st = { 0 };
	pid_t pid;

	if (geteuid() != 0)
		SKIPm("only root can become another user");
	ASSERT(pipe(up) == 0 && pipe(down) == 0);
	(void)chmod(root, 0755);
	/* as an older version may have left the directory */
	scratch_put(&a, root, JOURNAL_DIR "/lock", "", 0666);
	(void)chmod(str_fmt(&a, "%s" JOURNAL_DIR, root).p, 0777);
	ASSERT_INT(0, tree_lock(&n.tree, &err));
	pid = fork();
	if (pid == 0) {
		byte = (char)other_user(root);
		(void)write(up[1], &byte, 1);
		(void)close(down[1]);
		(void)read(down[0], &byte, 1);
		_exit(0);
	}
	ASSERT_INT(1, read(up[0], &byte, 1));
	ASSERT_INT(0, byte);
	node_close(&n);
	/* it still holds the root; none of our files are left */
	ASSERT(access(str_fmt(&a, "%s" MC_STATE_DIR, root).p, F_OK) < 0);
	ASSERT_INT(0, node_open(&second, &a, root, &err));
	ASSERT_INT(0, tree_lock(&second.tree, &err));
	ASSERT_INT(0, tree_lstat(&second.tree, JOURNAL_DIR, &st, &err));
	ASSERT_INT(0700, st.st_mode & 07777);
	ASSERT_INT(0, tree_lstat(&second.tree, JOURNAL_DIR "/lock", &st, &err));
	ASSERT_INT(0600, st.st_mode & 07777);
	node_close(&second);
	/* a directory of another user is not trusted */
	scratch_put(&a, root, JOURNAL_DIR "/lock", "", 0600);
	(void)chown(str_fmt(&a, "%s" JOURNAL_DIR, root).p, 65534, 65534);
	ASSERT_INT(0, node_open(&second, &a, root, &err));
	ASSERT_INT(-ERR_SYS, tree_lock(&second.tree, &err));
	ASSERT_STR(JOURNAL_DIR "/lock: it or its directory belongs to user "
			       "65534, who could hold the lock forever; "
			       "remove it",
		   err.msg);
	node_close(&second);
	(void)close(down[1]);
	(void)waitpid(pid, &status, 0);
	for (int i = 0; i < 2; i++)
		(void)close(up[i]);
	(void)close(down[0]);
	scratch_remove(root);
	PASS();
}

/* Locks and unlocks; only one process at a time can create the file. */
static int lock_often(const char *root, const char *mine)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	for (int i = 0; i < 20; i++) {
		struct node n;
		int fd;

		if (node_open(&n, &a, root, &err) < 0 || tree_lock(&n.tree, &err) < 0)
			return 1;
		fd = open(mine, O_CREAT | O_EXCL | O_WRONLY, 0600);
		if (fd < 0)
			return 2;
		(void)sched_yield();
		(void)close(fd);
		(void)unlink(mine);
		node_close(&n);
	}
	return 0;
}

TEST one_process_holds_the_lock(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct node n;
	char *root = root_of(&a, &n);
	char *mine = str_z(&a, str_fmt(&a, "%s/mine", root));
	pid_t pids[4];

	node_close(&n);
	for (int i = 0; i < 4; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			_exit(lock_often(root, mine));
	}
	for (int i = 0; i < 4; i++) {
		int status = -1;

		(void)waitpid(pids[i], &status, 0);
		ASSERT_INT(0, status);
	}
	ASSERT(access(str_fmt(&a, "%s" MC_STATE_DIR, root).p, F_OK) < 0);
	scratch_remove(root);
	PASS();
}

SUITE(node)
{
	log_init(0, open("/dev/null", O_WRONLY | O_CLOEXEC));
	RUN_TEST(links_stay_below_the_root);
	RUN_TEST(certificates);
	RUN_TEST(drift_is_noticed);
	RUN_TEST(nothing_outside_the_journal);
	RUN_TEST(units_that_name_one_another);
	RUN_TEST(others_cannot_lock_the_node);
	RUN_TEST(one_process_holds_the_lock);
}

TEST_MAIN(node)
