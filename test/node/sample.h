/*
 * sample: a root, two configs that differ in every way that an update supports, and the operations
 * of a daemon on them.
 */
#ifndef TEST_NODE_SAMPLE_H
#define TEST_NODE_SAMPLE_H

#include "node/node_update.h"
#include "scratch.h"

/* A system runs on the root: programs are called. */
static bool sample_online;

/* clang-format off */
#define FILE_JSON(path, text, more) \
	"{\"path\":\"" path "\",\"contents\":{\"source\":\"data:," text "\"}" more "}"
#define SAMPLE_OLD \
	"\"storage\":{\"files\":[" \
	FILE_JSON("/etc/same", "same", "") "," \
	FILE_JSON("/etc/changed", "one%0A", "") "," \
	FILE_JSON("/etc/mode", "m", ",\"mode\":420") "," \
	FILE_JSON("/etc/gone/deep/er", "bye", ",\"mode\":384") "," \
	FILE_JSON("/etc/linked", "was%20a%20link", "") "," \
	FILE_JSON("/var/lib/data", "v1", ",\"user\":{\"id\":5},\"group\":{\"id\":6}") "," \
	FILE_JSON("/var/only/old", "o", ",\"mode\":384") "," \
	FILE_JSON("/boot/cfg", "c1", ",\"mode\":384") "," \
	FILE_JSON("/home/file", "h", "") "]}," \
	"\"systemd\":{\"units\":[" \
	"{\"name\":\"a.service\",\"enabled\":true,\"contents\":" \
	"\"[Install]\\nWantedBy=multi-user.target\\n\"}," \
	"{\"name\":\"b.service\",\"dropins\":[{\"name\":\"10.conf\",\"contents\":\"x\"}," \
	"{\"name\":\"20.conf\",\"contents\":\"y\"}]}," \
	"{\"name\":\"old.service\",\"enabled\":true,\"contents\":" \
	"\"[Install]\\nRequiredBy=x.target\\nAlias=alias.service\\n\"}" \
	"]},\"passwd\":{\"users\":[{\"name\":\"core\"," \
	"\"sshAuthorizedKeys\":[\"k1\"],\"passwordHash\":\"$6$old\"}]}"
#define SAMPLE_NEW \
	"\"storage\":{\"files\":[" \
	FILE_JSON("/etc/same", "same", "") "," \
	FILE_JSON("/etc/pivot/kernel-args", "ADD%20nosmt%0A", "") "," \
	FILE_JSON("/etc/changed", "two%0A", "") "," \
	FILE_JSON("/etc/mode", "m", ",\"mode\":384") "," \
	FILE_JSON("/etc/linked", "no%20link", "") "," \
	FILE_JSON("/etc/new/dir/file", "new", ",\"user\":{\"id\":7},\"group\":{\"id\":8}") "," \
	FILE_JSON("/var/lib/data", "v2", "") "," \
	FILE_JSON("/var/new/file", "n", ",\"user\":{\"id\":9}") "," \
	FILE_JSON("/boot/cfg", "c2", "") "," \
	FILE_JSON("/boot/new", "n", "") "," \
	FILE_JSON("/home/file", "h2", "") "]}," \
	"\"systemd\":{\"units\":[" \
	"{\"name\":\"a.service\",\"enabled\":false,\"contents\":" \
	"\"[Install]\\nWantedBy=other.target\\n\"}," \
	"{\"name\":\"b.service\",\"dropins\":[{\"name\":\"10.conf\",\"contents\":\"\"}," \
	"{\"name\":\"30.conf\",\"contents\":\"z\"}]}," \
	"{\"name\":\"m.service\",\"mask\":true}," \
	"{\"name\":\"new.service\",\"enabled\":true,\"contents\":" \
	"\"[Install]\\nWantedBy=multi-user.target\\n\"}]}," \
	"\"passwd\":{\"users\":[{\"name\":\"core\"," \
	"\"sshAuthorizedKeys\":[\"k1\",\"k2\"],\"passwordHash\":\"$6$new\"}]}"
/* clang-format on */

static inline struct mc_current sample_old(struct arena *a)
{
	return scratch_mc(a, "r1", SAMPLE_OLD, "\"kernelArguments\":[\"a\"]");
}

static inline struct mc_current sample_new(struct arena *a)
{
	return scratch_mc(a, "r2", SAMPLE_NEW, "\"kernelArguments\":[\"b\"]");
}

static inline void sample_root(struct arena *a, const char *root)
{
	scratch_put(a, root, "/etc/os-release", "ID=rhel\nVARIANT_ID=coreos\nRHEL_VERSION=9.6\n",
		    0644);
	scratch_put(a, root, "/etc/passwd",
		    "root:x:0:0::/root:/bin/sh\ncore:x:1000:1000::/home/core:\n", 0644);
	scratch_put(a, root, "/etc/group", "root:x:0:\ncore:x:1000:\n", 0644);
	scratch_put(a, root, "/etc/shadow", "root:*:1::::::\ncore:$6$old:1::::::\n", 0640);
	scratch_put(a, root, "/etc/kubernetes/kubeconfig", "k", 0644);
	scratch_put(a, root, "/etc/target", "of a link", 0644);
	scratch_put(a, root, "/var/home/core/.bashrc", "", 0644);
	scratch_put(a, root, "/usr/lib/systemd/system/m.service", "", 0644);
	scratch_put(a, root, "/boot/kernel", "", 0644);
	(void)symlink("var/home", str_z(a, str_fmt(a, "%s/home", root)));
}

/* Files that an update replaces or removes have labels, if the file system supports them. */
static inline void sample_labels(struct arena *a, const char *root)
{
	static const char *const files[] = { "/etc/changed", "/etc/same", "/var/lib/data",
					     "/var/only/old", "/boot/cfg" };

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		(void)setxattr(str_fmt(a, "%s%s", root, files[i]).p, "user.label", files[i],
			       strlen(files[i]), 0);
}

static inline int sample_apply(struct arena *a, const char *root, const struct mc_current *from,
			       const struct mc_current *to, struct err *err)
{
	struct node_update u = { .from = from, .to = to };
	struct node n;
	int rc = node_open(&n, a, root, err);

	if (rc < 0)
		return rc;
	n.offline = !sample_online;
	rc = node_update_apply(&n, a, &u, err);
	node_close(&n);
	return rc;
}

static inline int sample_rollback(struct arena *a, const char *root, struct err *err)
{
	struct node n;
	int rc = node_open(&n, a, root, err);

	if (rc < 0)
		return rc;
	n.offline = !sample_online;
	rc = node_update_rollback(&n, a, S(""), err);
	node_close(&n);
	return rc;
}

static inline int sample_recover(struct arena *a, const char *root, struct err *err)
{
	struct node_journal_view v;
	struct node n;
	bool undone;
	int rc = node_open(&n, a, root, err);

	if (rc < 0)
		return rc;
	n.offline = !sample_online;
	rc = node_update_recover(&n, a, &undone, &v, err);
	node_close(&n);
	return rc;
}

#endif
