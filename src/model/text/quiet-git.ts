/** With these words, git runs no program that a repository names to watch its files: it could do harm, or lie. */
export const QUIET_GIT = ['-c', 'core.fsmonitor=false'] as const
