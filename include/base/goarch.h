/*
 * goarch: the architecture this program was compiled for, by Go's name.
 *
 * Kubernetes puts it into the User-Agent, the version and the label
 * kubernetes.io/arch.
 */
#ifndef BASE_GOARCH_H
#define BASE_GOARCH_H

#if defined(__x86_64__)
#define GOARCH "amd64"
#elif defined(__aarch64__)
#define GOARCH "arm64"
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define GOARCH "ppc64le"
#elif defined(__s390x__)
#define GOARCH "s390x"
#else
#error "mco is built for x86_64, aarch64, ppc64le and s390x"
#endif

#endif
