/*
 * Input from API servers and admins: kubeconfigs, lists and watch streams. A
 * stream gives the same items in one piece or byte by byte.
 */
#include "fuzz.h"

#include "data/json_split.h"
#include "data/kubeconfig.h"

struct seen {
	size_t n, bytes;
	uint64_t sum;
};

static int on_item(void *ctx, struct str text, struct err *err)
{
	struct seen *s = ctx;

	s->n++;
	s->bytes += text.n;
	for (size_t i = 0; i < text.n; i++)
		s->sum = s->sum * 31 + (unsigned char)text.p[i];
	if (s->n > 100)
		return err_set(err, ERR_LIMIT, "enough");
	return 0;
}

static struct seen split(struct arena *a, enum split_mode mode, struct str in, size_t piece,
			 int *rc)
{
	struct seen s = { 0 };
	struct json_split x;
	struct err err = ERR_INIT(a);

	*rc = 0;
	split_init(&x, mode, 1000, on_item, &s);
	for (size_t i = 0; i < in.n && *rc == 0; i += piece)
		*rc = split_feed(&x, str_sub(in, i, i + piece < in.n ? i + piece : in.n), &err);
	if (*rc == 0 && mode == SPLIT_VALUES && split_between(&x))
		MUST(s.bytes <= in.n);
	split_free(&x);
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str in = { (const char *)data, size };
	struct kubeconfig_file files[2] = { { S("/dir/config"), in }, { S("other"), in } };
	struct kubeconfig_choice choice = { 0 };
	struct kube_conf conf;

	for (int mode = SPLIT_ITEMS; mode <= SPLIT_VALUES; mode++) {
		int rc1, rc2;
		struct seen x = split(&a, (enum split_mode)mode, in, size + 1, &rc1);
		struct seen y = split(&a, (enum split_mode)mode, in, 1, &rc2);

		MUST(rc1 == rc2 && x.n == y.n && x.sum == y.sum);
	}
	if (kubeconfig_pick(&a, files, 2, &choice, &conf, &err) == 0)
		MUST(conf.server.n > 0 && conf.ns.n > 0);
	else
		MUST(err.msg.n > 0);
	return 0;
}
