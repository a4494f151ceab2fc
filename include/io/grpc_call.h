/*
 * grpc_call: one unary gRPC call over a Unix socket, without blocking. Each call
 * opens a connection and closes it.
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
	int64_t ms; /* timeout */
	/* The answer is complete, and valid within done. done may start the call
	 * again. Never called from within grpc_call_start. */
	void (*done)(struct grpc_call *c, const struct grpc *answer);
	void *ctx;
	/* private */
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
/* Cancels it; done is not called. No effect when it is not running. */
void grpc_call_cancel(struct grpc_call *c);

#endif
