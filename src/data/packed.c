/*
 * For each file there are its path, its size and its bytes, and all of it is compressed with gzip.
 */
#include "data/packed.h"

#include "data/flate.h"

#define FILES_MAX ((size_t)1 << 20)

struct str packed_open(struct arena *a, struct str bytes)
{
	struct err ignored = ERR_INIT(a);
	struct str files = S("");

	return flate_gunzip(a, bytes, FILES_MAX, &files, &ignored) < 0 ? S("") : files;
}

bool packed_next(struct str *rest, struct str *path, struct str *text)
{
	struct str size;
	int64_t n;

	if (!str_line(rest, path) || !str_line(rest, &size) || !str_to_i64(size, &n) || n < 0 ||
	    (size_t)n > rest->n)
		return false;
	*text = str_sub(*rest, 0, (size_t)n);
	*rest = str_from(*rest, (size_t)n);
	return true;
}
