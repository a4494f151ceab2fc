/*
 * Lines of authorized_keys: [OPTIONS] TYPE KEY [COMMENT].
 */
#include "base/codec.h"
#include "base/hash.h"
#include "mc/origin.h"

struct ssh_key {
	struct str type, comment;
	struct str blob; /* n 0: there is no key */
};

/* A key starts with its type, preceded by its length in four bytes. */
static bool is_key(struct str blob, struct str type)
{
	return type.n && type.n < 128 && blob.n >= 4 + type.n && !blob.p[0] && !blob.p[1] &&
	       !blob.p[2] && (size_t)blob.p[3] == type.n &&
	       str_eq(str_sub(blob, 4, 4 + type.n), type);
}

/* Options may have quoted blanks, so the key is found by its contents, not its position. */
static void parse(struct arena *a, struct str line, struct ssh_key *out)
{
	struct err ignored = ERR_INIT(a);
	struct str rest = str_trim(line), type = S("");

	*out = (struct ssh_key){ 0 };
	while (rest.n) {
		struct str word = rest, tail = S(""), blob;

		(void)str_cut(rest, ' ', &word, &tail);
		rest = str_trim(tail);
		if (str_starts(word, S("AAAA")) && base64_decode(a, word, &blob, &ignored) == 0 &&
		    is_key(blob, type)) {
			*out = (struct ssh_key){ type, rest, blob };
			return;
		}
		type = word;
	}
}

struct str mc_ssh_fingerprint(struct arena *a, struct str line)
{
	unsigned char sum[HASH_MAX];
	struct ssh_key k;
	struct hash h;
	struct buf b;

	parse(a, line, &k);
	hash_init(&h, HASH_SHA256);
	hash_add(&h, k.blob.n ? k.blob : line);
	if (!k.blob.n)
		return str_fmt(a, "invalid-%.*s", STRF(str_sub(hash_hex(a, &h), 0, 16)));
	buf_init(&b, a);
	buf_addz(&b, "SHA256:");
	base64_add(&b, (struct str){ (const char *)sum, hash_sum(&h, sum) });
	while (b.n && b.p[b.n - 1] == '=')
		b.n--;
	return buf_str(&b);
}

struct str mc_ssh_label(struct arena *a, struct str line)
{
	struct ssh_key k;

	parse(a, line, &k);
	if (!k.blob.n)
		return S("-");
	return str_fmt(a, "%.*s%s%.*s", STRF(k.type), k.comment.n ? " " : "", STRF(k.comment));
}
