import client from './default-client.json' with { type: 'json' }
import { statusLineCommand } from './status-line.ts'

/**
 * What `holdfast statusline` is: it becomes the shell that tells the daemon, so that only Node's own start is lost.
 * Loading the list of clients would take longer, so the name is generated from it.
 */
process.execve?.('/bin/sh', ['sh', '-c', statusLineCommand({ client: client.name })])
