/* Certificates: any bytes are parsed or refused. */
#include "fuzz.h"
#include "mc/cert.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str bytes = { (const char *)data, size };
	struct certs list = { 0 };
	struct cert c;

	if (cert_parse(&a, bytes, &c))
		MUST(c.subject.p && c.issuer.p);
	cert_bundle(&a, bytes, &list);
	return 0;
}
