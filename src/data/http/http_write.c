/*
 * Status lines, fields and dates of HTTP/1.1. A field value can never end its line.
 */
#include "data/http.h"

#include <stdio.h>

static const struct {
	short status;
	const char text[32];
} texts[] = {
	{ 100, "Continue" },
	{ 101, "Switching Protocols" },
	{ 200, "OK" },
	{ 201, "Created" },
	{ 202, "Accepted" },
	{ 204, "No Content" },
	{ 301, "Moved Permanently" },
	{ 302, "Found" },
	{ 304, "Not Modified" },
	{ 307, "Temporary Redirect" },
	{ 308, "Permanent Redirect" },
	{ 400, "Bad Request" },
	{ 401, "Unauthorized" },
	{ 403, "Forbidden" },
	{ 404, "Not Found" },
	{ 405, "Method Not Allowed" },
	{ 406, "Not Acceptable" },
	{ 408, "Request Timeout" },
	{ 409, "Conflict" },
	{ 410, "Gone" },
	{ 413, "Request Entity Too Large" },
	{ 415, "Unsupported Media Type" },
	{ 417, "Expectation Failed" },
	{ 422, "Unprocessable Entity" },
	{ 429, "Too Many Requests" },
	{ 431, "Request Header Fields Too Large" },
	{ 500, "Internal Server Error" },
	{ 501, "Not Implemented" },
	{ 502, "Bad Gateway" },
	{ 503, "Service Unavailable" },
	{ 504, "Gateway Timeout" },
	{ 505, "HTTP Version Not Supported" },
};

const char *http_status_text(int status)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (texts[i].status == status)
			return texts[i].text;
	return "";
}

void http_add_status(struct buf *b, int status)
{
	buf_addf(b, "HTTP/1.1 %d %s\r\n", status, http_status_text(status));
}

void http_add_field(struct buf *b, struct str name, struct str value)
{
	size_t from;

	buf_add(b, name);
	buf_add(b, S(": "));
	from = b->n;
	buf_add(b, value);
	for (size_t i = from; i < b->n; i++)
		if (b->p[i] == '\r' || b->p[i] == '\n' || b->p[i] == '\0')
			b->p[i] = ' ';
	buf_add(b, S("\r\n"));
}

void http_add_date(struct buf *b, struct instant now)
{
	static const char days[] = "ThuFriSatSunMonTueWed";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct civil c = rfc3339_civil(now);
	int64_t day = now.sec / 86400 % 7; /* 1970 began on a Thursday */

	buf_addf(b, "Date: %.3s, %02d %.3s %04d %02d:%02d:%02d GMT\r\n", days + 3 * day, c.day,
		 months + 3 * (c.month - 1), (int)c.year, c.hour, c.min, c.sec);
}
