/*
 * no_core: keeps keys and tokens in memory out of core dumps.
 */
#ifndef IO_NO_CORE_H
#define IO_NO_CORE_H

/*
 * Disables core dumps of this process and of those it forks, including dumps piped
 * to a program (core_pattern). Only root can then trace them or read their /proc
 * files. A program that they execute is dumpable again, but keeps the limit of 0
 * bytes for core files.
 */
void no_core(void);

#endif
