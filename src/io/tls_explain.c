/*
 * Error messages and alerts for BearSSL's error numbers.
 */
#include "tls_own.h"

/* Messages for the alerts of a peer, by number. */
static const struct {
	unsigned char alert;
	char text[96];
} alerts[] = {
	{ 10, "the peer received an unexpected message" },
	{ 20, "the peer received a damaged record" },
	{ 22, "the peer received a record that is too large" },
	{ 40, "the peer refused: no cipher suite or other parameter in common" },
	{ 42, "the peer refused our certificate (bad certificate)" },
	{ 43, "the peer does not support our kind of certificate" },
	{ 44, "the peer says our certificate is revoked" },
	{ 45, "the peer says our certificate has expired, or its clock is off" },
	{ 46, "the peer refused our certificate" },
	{ 47, "the peer received an illegal parameter" },
	{ 48, "the peer does not know our certificate's authority" },
	{ 49, "the peer denied access" },
	{ 50, "the peer could not decode a message" },
	{ 51, "the peer could not verify a message" },
	{ 70, "the peer speaks no TLS 1.2 (it may insist on TLS 1.3, which is not supported)" },
	{ 71, "the peer demands stronger cipher suites" },
	{ 80, "the peer had an internal error" },
	{ 86, "the peer refused to fall back to an older version" },
	{ 112, "the peer does not know the server name asked for" },
	{ 116, "the peer requires a certificate from us" },
	{ 120, "the peer does not speak http/1.1" },
};

static void add_alert(struct buf *b, int alert)
{
	for (size_t i = 0; i < ARRAY_LEN(alerts); i++)
		if (alerts[i].alert == alert) {
			buf_addz(b, alerts[i].text);
			return;
		}
	buf_addf(b, "the peer sent alert %d", alert);
}

static const char *own(int code, bool server)
{
	switch (code) {
	case BR_ERR_UNSUPPORTED_VERSION:
	case BR_ERR_BAD_VERSION:
		return server ? "the client speaks no TLS version accepted here"
			      : "the server does not answer in TLS 1.2";
	case BR_ERR_BAD_MAC:
		return "a record was damaged on the way";
	case BR_ERR_UNKNOWN_TYPE:
		return "what was received is not TLS";
	case BR_ERR_BAD_CIPHER_SUITE:
		return "the server chose a cipher suite that was not offered";
	case BR_ERR_BAD_SIGNATURE:
		return "the peer's signature does not match its certificate";
	case BR_ERR_NO_CLIENT_AUTH:
		return "the client presented no certificate, which is required";
	case BR_ERR_NO_RANDOM:
		return "the system gives no random numbers";
	case BR_ERR_TOO_LARGE:
		return "a record is larger than TLS allows";
	case BR_ERR_BAD_FINISHED:
		return "the handshake was tampered with";
	case BR_ERR_RESUME_MISMATCH:
		return "the server resumed another session than was asked for";
	case BR_ERR_WRONG_KEY_USAGE:
		return "the peer's key does not match the cipher suite";
	default:
		return NULL;
	}
}

void tls_explain(struct buf *b, int code, bool server)
{
	const char *text = own(code, server);

	if (code >= BR_ERR_SEND_FATAL_ALERT) {
		code -= BR_ERR_SEND_FATAL_ALERT;
		if (code == 40)
			buf_addz(b, server ? "no cipher suite in common with the client"
					   : "nothing in common with the server");
		else if (code == 70)
			buf_addz(b, own(BR_ERR_BAD_VERSION, server));
		else if (code == 120)
			buf_addz(b, "the client does not speak http/1.1");
		else
			buf_addf(b, "refused with alert %d", code);
	} else if (code >= BR_ERR_RECV_FATAL_ALERT) {
		add_alert(b, code - BR_ERR_RECV_FATAL_ALERT);
	} else if (text) {
		buf_addz(b, text);
	} else {
		buf_addf(b, "protocol error %d", code);
	}
}

enum {
	UNEXPECTED_MESSAGE = 10,
	BAD_RECORD_MAC = 20,
	RECORD_OVERFLOW = 22,
	HANDSHAKE_FAILURE = 40,
	BAD_CERTIFICATE = 42,
	UNSUPPORTED_CERTIFICATE = 43,
	ILLEGAL_PARAMETER = 47,
	DECODE_ERROR = 50,
	DECRYPT_ERROR = 51,
	PROTOCOL_VERSION = 70,
	INTERNAL_ERROR = 80,
	UNSUPPORTED_EXTENSION = 110,
};

/* Alerts by BearSSL's error numbers, up to the last one of the handshake. */
static const unsigned char answers[] = {
	[BR_ERR_BAD_PARAM] = DECODE_ERROR, /* of a length in a message */
	[BR_ERR_BAD_STATE] = INTERNAL_ERROR,
	[BR_ERR_UNSUPPORTED_VERSION] = PROTOCOL_VERSION,
	[BR_ERR_BAD_VERSION] = PROTOCOL_VERSION,
	[BR_ERR_BAD_LENGTH] = RECORD_OVERFLOW,
	[BR_ERR_TOO_LARGE] = RECORD_OVERFLOW,
	[BR_ERR_BAD_MAC] = BAD_RECORD_MAC,
	[BR_ERR_NO_RANDOM] = INTERNAL_ERROR,
	[BR_ERR_UNKNOWN_TYPE] = UNEXPECTED_MESSAGE,
	[BR_ERR_UNEXPECTED] = UNEXPECTED_MESSAGE,
	[BR_ERR_BAD_CCS] = UNEXPECTED_MESSAGE,
	[BR_ERR_BAD_ALERT] = DECODE_ERROR,
	[BR_ERR_BAD_HANDSHAKE] = DECODE_ERROR,
	[BR_ERR_OVERSIZED_ID] = DECODE_ERROR,
	[BR_ERR_BAD_CIPHER_SUITE] = ILLEGAL_PARAMETER,
	[BR_ERR_BAD_COMPRESSION] = ILLEGAL_PARAMETER,
	[BR_ERR_BAD_FRAGLEN] = ILLEGAL_PARAMETER,
	[BR_ERR_BAD_SECRENEG] = HANDSHAKE_FAILURE,
	[BR_ERR_EXTRA_EXTENSION] = UNSUPPORTED_EXTENSION,
	[BR_ERR_BAD_SNI] = ILLEGAL_PARAMETER,
	[BR_ERR_BAD_HELLO_DONE] = DECODE_ERROR,
	[BR_ERR_LIMIT_EXCEEDED] = UNSUPPORTED_CERTIFICATE,
	[BR_ERR_BAD_FINISHED] = DECRYPT_ERROR,
	[BR_ERR_RESUME_MISMATCH] = ILLEGAL_PARAMETER,
	[BR_ERR_INVALID_ALGORITHM] = ILLEGAL_PARAMETER,
	[BR_ERR_BAD_SIGNATURE] = DECRYPT_ERROR,
	[BR_ERR_WRONG_KEY_USAGE] = UNSUPPORTED_CERTIFICATE,
	[BR_ERR_NO_CLIENT_AUTH] = HANDSHAKE_FAILURE,
};

unsigned char tls_alert_of(int code)
{
	if (code <= BR_ERR_OK || code >= BR_ERR_RECV_FATAL_ALERT)
		return 0; /* the end of the connection, or an alert was sent or received */
	if ((size_t)code >= sizeof(answers))
		return BAD_CERTIFICATE;
	return answers[code] ? answers[code] : INTERNAL_ERROR;
}
