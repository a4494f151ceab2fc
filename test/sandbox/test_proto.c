/*
 * Bodies in protobuf, as client-go 0.35 encodes them, beside the JSON that it sends for the same
 * objects.
 */
#include "sandbox/proto.h"
#include "base/codec.h"
#include "../test.h"

#define PROTOBUF "application/vnd.kubernetes.protobuf"

static const struct {
	const char *name, *hex, *json;
} cases[] = {
	{ "Namespace: zero values are dropped",
	  "6b3873000a0f0a02763112094e616d65737061636512190a110a017812001a0022002a003200380042001200"
	  "1a020a001a002200",
	  "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"x\"},\"spec\":{"
	  "},\"status\":{}}" },
	{ "Secret: maps and bytes",
	  "6b3873000a0c0a027631120653656372657412260a190a017312001a0022002a003200380042005a060a0161"
	  "12016212070a016b120276001a001a002200",
	  "{\"apiVersion\":\"v1\",\"data\":{\"k\":\"dgA=\"},\"kind\":\"Secret\",\"metadata\":{\"la"
	  "bels\":{\"a\":\"b\"},\"name\":\"s\"}}" },
	{ "DaemonSet: embedded structs, quantities, numbers or strings, pointers to zero",
	  "6b3873000a140a07617070732f763112094461656d6f6e53657412f7010a110a016412001a0022002a003200"
	  "3800420012cf010a080a060a016112016212af010a180a0012001a0022002a003200380042005a060a016112"
	  "01621292010a0b0a017612060a040a022f7012670a01631203693a312201612201622a003a110a014512001a"
	  "0a1a080a030a016d12016b420e120c0a0363707512050a0331306d5a1c0a10120e0a001206080010501a001a"
	  "002200100018002005280030006a0072007a0410002000800100880100900100a201001a00320042004a0052"
	  "005801600068008201008a01009a0100c201001a0f0a00120b0a09080110001a0331302520001a1008001000"
	  "1800200028003000380040001a002200",
	  "{\"apiVersion\":\"apps/v1\",\"kind\":\"DaemonSet\",\"metadata\":{\"name\":\"d\"},\"sp"
	  "ec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}},\"template\":{\"metadata\":{\"lab"
	  "els\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"args\":[\"a\",\"b\"],\"env\":[{\"name\""
	  ":\"E\",\"valueFrom\":{\"configMapKeyRef\":{\"key\":\"k\",\"name\":\"m\"}}}],\"image\":"
	  "\"i:1\",\"name\":\"c\",\"readinessProbe\":{\"httpGet\":{\"port\":80},\"periodSecond"
	  "s\":5},\"resources\":{\"requests\":{\"cpu\":\"10m\"}},\"securityContext\":{\"privi"
	  "leged\":false,\"runAsUser\":0}}],\"hostNetwork\":true,\"volumes\":[{\"hostPath"
	  "\":{\"path\":\"/p\"},\"name\":\"v\"}]}},\"updateStrategy\":{\"rollingUpdate\":{\"max"
	  "Unavailable\":\"10%\"}}},\"status\":{\"currentNumberScheduled\":0,\"desiredNum"
	  "berScheduled\":0,\"numberMisscheduled\":0,\"numberReady\":0}}" },
	{ "Lease: negative numbers, times with microseconds",
	  "6b3873000a1f0a16636f6f7264696e6174696f6e2e6b38732e696f2f763112054c6561736512310a110a016c"
	  "12001a0022002a00320038004200121c0a026d6510ffffffffffffffffff01220b0880e2cfaa06108094ef3a"
	  "1a002200",
	  "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"nam"
	  "e\":\"l\"},\"spec\":{\"holderIdentity\":\"me\",\"leaseDurationSeconds\":-1,\"renew"
	  "Time\":\"2023-11-14T22:13:20.123456Z\"}}" },
	{ "DeleteOptions: options have no metadata",
	  "6b3873000a130a027631120d44656c6574654f7074696f6e73120a080022064f727068616e1a002200",
	  "{\"apiVersion\":\"v1\",\"gracePeriodSeconds\":0,\"kind\":\"DeleteOptions\",\"prop"
	  "agationPolicy\":\"Orphan\"}" },
};

static struct str bytes_of(struct arena *a, const char *hex)
{
	struct buf b;

	buf_init(&b, a);
	for (; *hex; hex += 2) {
		static const char digits[] = "0123456789abcdef";

		buf_addc(&b, (char)((strchr(digits, hex[0]) - digits) << 4 |
				    (strchr(digits, hex[1]) - digits)));
	}
	return buf_str(&b);
}

static struct str sorted(struct arena *a, struct str text)
{
	struct err err = ERR_INIT(a);
	struct json *j = NULL;
	struct buf b;

	if (json_parse(a, text, NULL, &j, &err) < 0)
		return text;
	buf_init(&b, a);
	json_encode(&b, j, JSON_SORTED);
	return buf_str(&b);
}

TEST bodies(void)
{
	struct sandbox s;

	sandbox_init(&s, 7);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct arena a = ARENA_INIT;
		struct sb_reply reply = { 0 };
		struct sb_request r = { .content_type = S(PROTOBUF),
					.body = bytes_of(&a, cases[i].hex) };
		struct sb_call c = { .sb = &s, .a = &a, .r = &r, .out = &reply };

		ASSERTm(cases[i].name, proto_to_json(&c));
		ASSERT_STR_EQm(cases[i].name, cases[i].json, str_z(&a, sorted(&a, r.body)));
		ASSERT_STR_EQ("application/json", str_z(&a, r.content_type));
		arena_free(&a);
	}
	sandbox_free(&s);
	PASS();
}

/* Every beginning of a body is refused, or decoded when it ends between two fields. */
TEST cut_bodies(void)
{
	struct sandbox s;
	int refused = 0, decoded = 0;

	sandbox_init(&s, 7);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (size_t n = 4; n < strlen(cases[i].hex) / 2; n++) {
			struct arena a = ARENA_INIT;
			struct sb_reply reply = { 0 };
			struct sb_request r = { .content_type = S(PROTOBUF) };
			struct sb_call c = { .sb = &s, .a = &a, .r = &r, .out = &reply };

			r.body = str_sub(bytes_of(&a, cases[i].hex), 0, n);
			if (proto_to_json(&c)) {
				decoded++;
			} else {
				ASSERT_EQ(400, reply.code);
				refused++;
			}
			arena_free(&a);
		}
	ASSERT(refused > 100);
	ASSERT(decoded > 5);
	sandbox_free(&s);
	PASS();
}

/* What is no protobuf, or of a kind without a struct, stays for the decoders of JSON. */
TEST other_bodies(void)
{
	static const struct {
		const char *type, *hex;
	} others[] = {
		{ "application/json", "7b7d" },
		{ PROTOBUF, "7b7d" },
		{ PROTOBUF, "6b3873000a070a02763112016212020a00" },
	};
	struct sandbox s;

	sandbox_init(&s, 7);
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		struct arena a = ARENA_INIT;
		struct sb_reply reply = { 0 };
		struct sb_request r = { .content_type = str_of(others[i].type),
					.body = bytes_of(&a, others[i].hex) };
		struct sb_call c = { .sb = &s, .a = &a, .r = &r, .out = &reply };
		struct str before = r.body;

		ASSERT(proto_to_json(&c));
		ASSERT(str_eq(before, r.body));
		ASSERT_STR_EQ(others[i].type, str_z(&a, r.content_type));
		arena_free(&a);
	}
	sandbox_free(&s);
	PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(bodies);
	RUN_TEST(cut_bodies);
	RUN_TEST(other_bodies);
	GREATEST_MAIN_END();
}
