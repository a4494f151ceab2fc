/*
 * The media type of bytes, by the WHATWG sniffing rules as Go's net/http
 * applies them: generated data: URLs carry it, so it decides rendered names.
 */
#include "base/codec.h"

struct signature {
	const char *pattern;
	unsigned char n;
	unsigned char skip_from, skip_to; /* bytes that may be anything */
	const char *type;
};

#define SIG(pat, type)                           \
	{                                        \
		pat, sizeof(pat) - 1, 0, 0, type \
	}
#define SIG4(pat, type)                          \
	{                                        \
		pat, sizeof(pat) - 1, 4, 8, type \
	}

static const struct signature signatures[] = {
	SIG("%PDF-", "application/pdf"),
	SIG("%!PS-Adobe-", "application/postscript"),
	{ "\xFE\xFF\0\0", 4, 2, 4, "text/plain;charset=utf-16be" },
	{ "\xFF\xFE\0\0", 4, 2, 4, "text/plain;charset=utf-16le" },
	{ "\xEF\xBB\xBF\0", 4, 3, 4, "text/plain;charset=utf-8" },
	SIG("\0\0\x01\0", "image/x-icon"),
	SIG("\0\0\x02\0", "image/x-icon"),
	SIG("BM", "image/bmp"),
	SIG("GIF87a", "image/gif"),
	SIG("GIF89a", "image/gif"),
	SIG4("RIFF\0\0\0\0WEBPVP", "image/webp"),
	SIG("\x89PNG\r\n\x1A\n", "image/png"),
	SIG("\xFF\xD8\xFF", "image/jpeg"),
	SIG4("FORM\0\0\0\0AIFF", "audio/aiff"),
	SIG("ID3", "audio/mpeg"),
	SIG("OggS\0", "application/ogg"),
	SIG("MThd\0\0\0\x06", "audio/midi"),
	SIG4("RIFF\0\0\0\0AVI ", "video/avi"),
	SIG4("RIFF\0\0\0\0WAVE", "audio/wave"),
};

/* Tried after the mp4, webm and fontobject rules. */
static const struct signature late_signatures[] = {
	SIG("\0\x01\0\0", "font/ttf"),
	SIG("OTTO", "font/otf"),
	SIG("ttcf", "font/collection"),
	SIG("wOFF", "font/woff"),
	SIG("wOF2", "font/woff2"),
	SIG("\x1F\x8B\x08", "application/x-gzip"),
	SIG("PK\x03\x04", "application/zip"),
	SIG("Rar!\x1A\x07\0", "application/x-rar-compressed"),
	SIG("Rar!\x1A\x07\x01\0", "application/x-rar-compressed"),
	SIG("\0asm", "application/wasm"),
};

static const char *const html_tags[] = {
	"<!DOCTYPE HTML",
	"<HTML",
	"<HEAD",
	"<SCRIPT",
	"<IFRAME",
	"<H1",
	"<DIV",
	"<FONT",
	"<TABLE",
	"<A",
	"<STYLE",
	"<TITLE",
	"<B",
	"<BODY",
	"<BR",
	"<P",
	"<!--",
};

#define COUNT(x) (sizeof(x) / sizeof((x)[0]))

static bool has(struct str s, const struct signature *sig)
{
	if (s.n < sig->n)
		return false;
	for (size_t i = 0; i < sig->n; i++) {
		if (i >= sig->skip_from && i < sig->skip_to)
			continue;
		if (s.p[i] != sig->pattern[i])
			return false;
	}
	return true;
}

static bool is_html(struct str s)
{
	for (size_t t = 0; t < COUNT(html_tags); t++) {
		struct str tag = str_of(html_tags[t]);
		size_t i = 0;

		if (s.n < tag.n + 1)
			continue;
		for (; i < tag.n; i++) {
			char c = s.p[i];

			if (tag.p[i] >= 'A' && tag.p[i] <= 'Z')
				c = (char)(c & 0xDF);
			if (c != tag.p[i])
				break;
		}
		if (i == tag.n && (s.p[i] == ' ' || s.p[i] == '>'))
			return true;
	}
	return false;
}

static bool is_mp4(struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	uint32_t box;

	if (s.n < 12)
		return false;
	box = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	      (uint32_t)p[2] << 8 | p[3];
	if (s.n < box || box % 4 || memcmp(p + 4, "ftyp", 4) != 0)
		return false;
	for (uint32_t at = 8; at < box; at += 4)
		if (at != 12 && memcmp(p + at, "mp4", 3) == 0)
			return true;
	return false;
}

static bool is_text(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c <= 0x08 || c == 0x0B || (c >= 0x0E && c <= 0x1A) ||
		    (c >= 0x1C && c <= 0x1F))
			return false;
	}
	return true;
}

/* The reference's mask leaves the first 34 bytes open. */
static bool is_fontobject(struct str s)
{
	return s.n >= 36 && memcmp(s.p + 34, "LP", 2) == 0;
}

static const char *sniff(struct str s)
{
	struct str text;
	size_t ws = 0;

	if (s.n > 512)
		s.n = 512;
	while (ws < s.n && s.p[ws] && strchr("\t\n\x0c\r ", s.p[ws]))
		ws++;
	text = str_from(s, ws);
	if (is_html(text))
		return "text/html;charset=utf-8";
	if (str_starts(text, S("<?xml")))
		return "text/xml;charset=utf-8";
	for (size_t i = 0; i < COUNT(signatures); i++)
		if (has(s, &signatures[i]))
			return signatures[i].type;
	if (is_mp4(s))
		return "video/mp4";
	if (str_starts(s, S("\x1A\x45\xDF\xA3")))
		return "video/webm";
	if (is_fontobject(s))
		return "application/vnd.ms-fontobject";
	for (size_t i = 0; i < COUNT(late_signatures); i++)
		if (has(s, &late_signatures[i]))
			return late_signatures[i].type;
	return is_text(text) ? "text/plain;charset=utf-8"
			     : "application/octet-stream";
}

struct str dataurl_base64(struct arena *a, struct str bytes)
{
	struct buf b;

	buf_init(&b, a);
	buf_addf(&b, "data:%s;base64,", sniff(bytes));
	base64_add(&b, bytes);
	return buf_str(&b);
}
