/*
 * no_core: keeps keys and tokens in memory out of core dumps.
 */
#ifndef IO_NO_CORE_H
#define IO_NO_CORE_H

/*
 * From here on this process and those it forks leave no core dump, not even to a
 * program that core_pattern names, and only root can trace them or read their
 * /proc files. A program that is executed is dumpable again, but keeps the limit
 * of 0 bytes for core files.
 */
void no_core(void);

#endif
