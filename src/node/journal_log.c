/*
 * A log is written to a temporary file, fsynced and renamed: a power cut leaves the old log or the
 * new one. So a log that does not match its checksum is damaged, and no part of it is trusted.
 */
#include "journal_log.h"

#include "base/hash.h"

#define LOG_MAX ((size_t)64 << 20)
#define SEAL "mco-journal-1 sha256:"
#define SEAL_LEN (sizeof(SEAL) - 1)
#define HEX_LEN 64

struct str journal_seal(struct arena *a, struct str text)
{
	return str_fmt(a, SEAL "%.*s\n%.*s", STRF(hash_hex_of(a, HASH_SHA256, text)), STRF(text));
}

int journal_unseal(struct str sealed, struct str *out, struct err *err)
{
	struct str sum, text;

	if (!str_starts(sealed, S(SEAL)) || sealed.n < SEAL_LEN + HEX_LEN + 1 ||
	    sealed.p[SEAL_LEN + HEX_LEN] != '\n')
		return err_set(err, ERR_INVALID, "it has no checksum");
	sum = str_sub(sealed, SEAL_LEN, SEAL_LEN + HEX_LEN);
	text = str_from(sealed, SEAL_LEN + HEX_LEN + 1);
	if (!str_eq(sum, hash_hex_of(err->a, HASH_SHA256, text)))
		return err_set(err, ERR_INVALID, "it does not match its checksum");
	*out = text;
	return 0;
}

int journal_damaged(struct err *err, const char *path)
{
	return err_set(err, ERR_INVALID,
		       "the update journal %s is damaged: %.*s; nothing was "
		       "changed and the journal is kept: see DAMAGED JOURNAL in "
		       "mco-daemon(1)",
		       path, STRF(err->msg));
}

int journal_read(struct arena *a, struct tree *t, const char *path, struct json **out,
		 struct err *err)
{
	struct str text;
	int rc = tree_read(a, t, path, LOG_MAX, &text, err);

	if (rc < 0 && rc != -ERR_LIMIT)
		return rc;
	if (rc == 0)
		rc = journal_unseal(text, &text, err);
	if (rc == 0 && json_parse(a, text, NULL, out, err) < 0)
		rc = -ERR_INVALID;
	if (rc == 0 &&
	    (json_kind(json_at(*out, "paths")) != JSON_ARRAY || !json_str(*out, "pre").n))
		rc = err_set(err, ERR_INVALID, "it has no paths");
	return rc < 0 ? journal_damaged(err, path) : 0;
}

int journal_write(struct arena *a, struct tree *t, const char *path, const struct json *log,
		  struct err *err)
{
	struct tree_attr attr = { 0600, 0700, -1, -1 };
	int rc = tree_sync(t, err);

	if (rc == 0)
		rc = tree_write(t, path, journal_seal(a, json_format(a, log, 0)), attr, err);
	return rc < 0 ? rc : tree_sync(t, err);
}
