/*
 * Which files are secret as a whole: by mode, path and well-known contents.
 */
#include "mc/secret.h"

bool mc_is_secret(struct str path, int64_t mode, struct str bytes)
{
	static const char *const paths[] = {
		"/var/lib/kubelet/config.json",
		"/etc/shadow",
		"/root/.docker/config.json",
		"/etc/kubernetes/kubeconfig",
	};
	static const char *const ends[] = { ".key",	 "-key.pem", ".kubeconfig", "/kubeconfig",
					    ".htpasswd", ".netrc",   ".pgpass" };
	static const char *const inside[] = {
		"PRIVATE KEY-----", "\"auths\"",    "client-key-data:",
		"password=",	    "passwordHash", "_authToken",
	};

	if (!(mode & 077))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		if (str_is(path, paths[i]))
			return true;
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (str_ends(path, str_of(ends[i])))
			return true;
	for (size_t i = 0; i < ARRAY_LEN(inside); i++)
		if (str_find(bytes, str_of(inside[i])) >= 0)
			return true;
	return false;
}
