/*
 * base64, percent, data URLs, gzip, versions, times, values of flags: decoded
 * values encode and decode to the same value. Also the escaping of any text for
 * output.
 */
#include "fuzz.h"

#include "../gzip.h"

#include "base/codec.h"
#include "base/flag.h"
#include "base/rfc3339.h"
#include "base/semver.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "data/flate.h"
#include "mc/secret.h"

/* The escaping of a text for output. */
static void shown(struct arena *a, struct str in)
{
	struct str safe = terminal_safe(a, in);
	struct str x = in, y = in;

	MUST(utf8_valid(safe));
	MUST(str_eq(safe, terminal_safe(a, safe)));
	mc_mask_both(a, &x, &y);
	MUST(str_eq(x, y));
	MUST(str_eq(x, mc_mask(a, in)));
}

static void decoders(struct arena *a, struct str in)
{
	struct err err = ERR_INIT(a);
	struct str out, again;
	struct dataurl u;
	struct buf b;

	buf_init(&b, a);
	base64_add(&b, in);
	MUST(base64_decode(a, buf_str(&b), &out, &err) == 0);
	MUST(str_eq(in, out));
	if (base64_decode(a, in, &out, &err) < 0)
		MUST(str_starts(err.msg, S("illegal base64 data")));
	b.n = 0;
	percent_add(&b, in);
	MUST(percent_decode(a, buf_str(&b), &out, &err) == 0);
	MUST(str_eq(in, out));
	(void)percent_decode(a, in, &out, &err);
	MUST(dataurl_parse(a, dataurl_text(a, in), &u, &err) == 0);
	MUST(str_eq(in, u.data));
	if (dataurl_parse(a, in, &u, &err) < 0)
		MUST(err.msg.n);
	if (flate_gunzip(a, in, 1 << 20, &out, &err) == 0) {
		MUST(flate_gunzip(a, gzip(a, out), 1 << 20, &again, &err) == 0);
		MUST(str_eq(out, again));
	}
	shown(a, in);
}

static void texts(struct arena *a, struct str in)
{
	struct instant t, again;
	struct semver v;
	int64_t n;
	struct buf b;

	buf_init(&b, a);
	if (rfc3339_parse(in, &t) && t.sec >= -62167219200 && t.sec <= 253402300799) {
		rfc3339_add(&b, t);
		MUST(rfc3339_parse(buf_str(&b), &again));
		MUST(again.sec == t.sec);
	}
	if (semver_parse(in, &v))
		MUST(semver_cmp(v, v) == 0 && semver_eq(v, v));
	(void)flag_duration(in, &n);
	(void)flag_size(in, &n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct str in = { (const char *)data, size };

	decoders(&a, in);
	texts(&a, in);
	arena_free(&a);
	return 0;
}
