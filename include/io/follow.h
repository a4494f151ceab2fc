/*
 * follow: reports changes of files, by inotify on their directories and by polling.
 * It notices files that appear, vanish or are replaced, and symbolic links on the
 * way that change (as in Kubernetes' secret volumes).
 */
#ifndef IO_FOLLOW_H
#define IO_FOLLOW_H

#include "io/loop.h"

struct follow;

/*
 * Calls changed(ctx) from the loop after device, inode, size or a time of any of the
 * n files has changed, once for changes that follow one another closely. Polls
 * every every_ms (0: 10 s); without inotify it only polls.
 */
struct follow *follow_start(struct loop *l, const char *const *paths, size_t n, int every_ms,
			    void (*changed)(void *ctx), void *ctx);
void follow_free(struct follow *f);

#endif
