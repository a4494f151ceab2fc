/*
 * tls_profile: a cluster's TLS security profile.
 */
#ifndef MC_TLS_PROFILE_H
#define MC_TLS_PROFILE_H

#include "base/vec.h"
#include "data/json.h"

struct tls_profile {
	struct str min_version; /* "VersionTLS12" */
	struct strs suites; /* IANA names */
};

/*
 * From a TLSSecurityProfile object. Intermediate when it is absent, of an unknown type, or custom
 * without settings. Ciphers without an IANA name in upstream's table are omitted.
 */
struct tls_profile mc_tls_profile(struct arena *a, const struct json *profile);

#endif
