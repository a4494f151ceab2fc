/* Certificates parsed for the status of the ControllerConfig. */
#include "mc/cert.h"

#include "../test.h"

static const char odd[] = "-----BEGIN CERTIFICATE-----\n"
			  "MIIBRzCB7QIUDtffEiiDZPXxhoy5PvJTnXbyC2swCgYIKoZIzj0EAwIwJTESMBAG\n"
			  "A1UEAwwJI2t1YmUgY2EgMQ8wDQYDVQQKDAYgeDs8eT4wIBcNMjYxMTE2MTEwMzQ5\n"
			  "WhgPMjA4MTA4MTkxMTAzNDlaMCUxEjAQBgNVBAMMCSNrdWJlIGNhIDEPMA0GA1UE\n"
			  "CgwGIHg7PHk+MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEzTXud38rSR8W4PHb\n"
			  "1wqVtcefUiaeGfQW31eLJYrRlGKtWNY+/b3ROt/vgxhopIRKqaorC2DjcGoLbO+F\n"
			  "g51RLzAKBggqhkjOPQQDAgNJADBGAiEA0YKk/M418tnKut7ymwiJ1NFSm03HElZk\n"
			  "l89xKDFH28ACIQD7raqevBAEpdI0s+RDMlfU1Qsun/b8gUsyjXos8vX83g==\n"
			  "-----END CERTIFICATE-----\n";

static const char full[] = "-----BEGIN CERTIFICATE-----\n"
			   "MIICNTCCAdsCFBnyujgA/iGWBQO4u/Q5NpHeu34kMAoGCCqGSM49BAMCMIGbMQsw\n"
			   "CQYDVQQGEwJVUzEMMAoGA1UECgwDT3JnMQ0wCwYDVQQKDARPcmcyMQowCAYDVQQL\n"
			   "DAFVMQ0wCwYDVQQHDARUb3duMQ4wDAYDVQQIDAVTdGF0ZTEMMAoGA1UEAwwDYSxi\n"
			   "MQswCQYDVQQFEwIxMjEUMBIGCSqGSIb3DQEJARYFeEB5LnoxEzARBgoJkiaJk/Is\n"
			   "ZAEZFgNjb20wIBcNMjYxMTE2MTEwMzQ5WhgPMjEyNjEwMjMxMTAzNDlaMIGbMQsw\n"
			   "CQYDVQQGEwJVUzEMMAoGA1UECgwDT3JnMQ0wCwYDVQQKDARPcmcyMQowCAYDVQQL\n"
			   "DAFVMQ0wCwYDVQQHDARUb3duMQ4wDAYDVQQIDAVTdGF0ZTEMMAoGA1UEAwwDYSxi\n"
			   "MQswCQYDVQQFEwIxMjEUMBIGCSqGSIb3DQEJARYFeEB5LnoxEzARBgoJkiaJk/Is\n"
			   "ZAEZFgNjb20wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATNNe53fytJHxbg8dvX\n"
			   "CpW1x59SJp4Z9BbfV4slitGUYq1Y1j79vdE63++DGGikhEqpqisLYONwagts74WD\n"
			   "nVEvMAoGCCqGSM49BAMCA0gAMEUCICm0M6icLaewhjkwUFidemnFXJDM9hL7Hzir\n"
			   "jTv3q7pAAiEAlwiSAAXIKIQT9sZbc9yzgLJ5HX1N+7sK1ruO2FR4Whs=\n"
			   "-----END CERTIFICATE-----\n";

TEST names(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct certs list = { 0 };
	struct buf b;

	cert_bundle(&a, str_fmt(&a, "# a comment\n%s\nin between\n%s", odd, full), &list);
	ASSERT_INT(2, list.n);
	ASSERT_STR("CN=\\#kube ca\\ ,O=\\ x\\;\\<y\\>", list.v[0].subject);
	ASSERT_STR("SERIALNUMBER=12,CN=a\\,b,ST=State,L=Town,OU=U,"
		   "O=Org+O=Org2,C=US,"
		   "0.9.2342.19200300.100.1.25=#1303636f6d,"
		   "1.2.840.113549.1.9.1=#0c057840792e7a",
		   list.v[1].subject);
	ASSERT_STR("SERIALNUMBER=12,CN=a\\,b,ST=State,L=Town,OU=U,"
		   "O=Org+O=Org2,C=US,"
		   "0.9.2342.19200300.100.1.25=#1303636f6d,"
		   "1.2.840.113549.1.9.1=#0c057840792e7a",
		   list.v[1].issuer);
	buf_init(&b, &a);
	rfc3339_add(&b, list.v[1].not_before);
	buf_addc(&b, ' ');
	rfc3339_add(&b, list.v[1].not_after);
	ASSERT_STR("2026-11-16T11:03:49Z 2126-10-23T11:03:49Z", buf_str(&b));
	PASS();
}

/* Parsing a bundle stops at the first certificate that cannot be read. */
TEST bad_ones(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	static const char *const bad[] = {
		"",
		"-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----",
		"-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----",
		"-----BEGIN CERTIFICATE-----\nMAA=\n-----END OTHER-----",
		"-----BEGIN CERTIFICATE",
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct certs list = { 0 };

		cert_bundle(&a, str_fmt(&a, "%s\n%s", odd, bad[i]), &list);
		ASSERT_INT_M(bad[i], 1, list.n);
	}
	for (size_t n = 0; n < sizeof(odd) - 30; n += 7) {
		struct certs list = { 0 };

		cert_bundle(&a, (struct str){ odd, n }, &list);
		ASSERT_INT(0, list.n);
	}
	PASS();
}

SUITE(cert)
{
	RUN_TEST(names);
	RUN_TEST(bad_ones);
}

TEST_MAIN(cert)
