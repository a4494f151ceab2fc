/*
 * grpc_call: one unary gRPC call over a Unix socket, never blocking: a
 * connection is made for it and closed after it.
 */
#ifndef IO_GRPC_CALL_H
#define IO_GRPC_CALL_H

#include "data/grpc.h"
#include "io/loop.h"
#include "io/stream.h"

struct grpc_call {
	struct loop *loop;
	const char *socket;
	struct str path; /* "/runtime.v1.ImageService/ImageStatus" */
	struct str message;
	int64_t ms; /* how long it may take */
	/* answer is over, and good within the call. The call may be started
	 * again. Never called from within grpc_call_start. */
	void (*done)(struct grpc_call *c, const struct grpc *answer);
	void *ctx;
	/* its own */
	struct arena a;
	struct grpc answer;
	struct buf out;
	size_t sent;
	int64_t due;
	struct stream stream;
	struct source source;
	bool running;
};

void grpc_call_start(struct grpc_call *c);
/* Gives it up; done is not called. No effect when it is not running. */
void grpc_call_cancel(struct grpc_call *c);

#endif
