/* PEM files with keys and certificates: read to the end, or refused with a reason. */
#include "fuzz.h"

#include "data/pem.h"
#include "data/pkey.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str in = { (const char *)data, size }, rest = in;
	struct pem block;
	struct pkey k;
	struct x509 c;
	int rc;

	while ((rc = pem_next(&a, &rest, &block, &err)) != 0) {
		MUST(rest.n < size);
		if (rc > 0)
			(void)x509_parse(&a, block.der, &c, &err);
	}
	if (pkey_parse(&a, in, &k, &err) < 0) {
		MUST(err.msg.n);
	} else if (k.type == KEY_RSA) {
		MUST(k.n.n >= 128 && k.n.n <= 512);
		MUST(k.p.n <= 258 && k.q.n <= 258 && k.dp.n <= k.p.n);
	} else {
		MUST(k.x.n > 0 && k.x.n <= 66);
	}
	arena_free(&a);
	return 0;
}
