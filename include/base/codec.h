/*
 * codec: base64, percent escapes and data: URLs, accepting and producing what
 * the Go packages encoding/base64 (StdEncoding), net/url and dataurl do.
 */
#ifndef BASE_CODEC_H
#define BASE_CODEC_H

#include "base/err.h"

/* Padded standard base64. */
void base64_add(struct buf *b, struct str bytes);

/*
 * Decodes padded standard base64, skipping CR and LF.
 * ERR_INVALID: "illegal base64 data at input byte N".
 */
int base64_decode(struct arena *a, struct str text, struct str *out, struct err *err);

/* Checks without decoding. The same errors. */
int base64_check(struct str text, struct err *err);

/*
 * Escapes every byte except A-Z a-z 0-9 - _ . ! ~ * ' ( ) as %XX: what follows
 * "data:," in generated configs.
 */
void percent_add(struct buf *b, struct str bytes);

/*
 * Undoes %XX; every other byte stays. ERR_INVALID with net/url's text:
 * "invalid URL escape \"%zz\"".
 */
int percent_decode(struct arena *a, struct str text, struct str *out, struct err *err);

/* s in quotes as Go's %q writes it. */
void go_quote(struct buf *b, struct str s);
struct str go_quoted(struct arena *a, struct str s);

struct dataurl {
	struct str media_type; /* "text/plain" when absent */
	struct str params; /* as written, from the first ';' on */
	bool base64;
	struct str data; /* decoded */
};

/* Parses a whole data: URL. ERR_INVALID with dataurl's own texts. */
int dataurl_parse(struct arena *a, struct str url, struct dataurl *out, struct err *err);

/* Checks without decoding the data. The same errors. */
int dataurl_check(struct str url, struct err *err);

/* "data:," and the bytes percent-encoded. */
struct str dataurl_text(struct arena *a, struct str bytes);

/* Escaped for HTML as Go's text/template (html) and html/template (element text) do. */
void html_add(struct buf *b, struct str text);
void html_add_strict(struct buf *b, struct str text);

#endif
