import { statusLineCommand } from './status-line.ts'

/** What `holdfast statusline` is: it becomes the shell that tells the daemon, so that only Node's own start is lost. */
process.execve?.('/bin/sh', ['sh', '-c', statusLineCommand({ client: 'claude-code' })])
