import client from './default-client.json' with { type: 'json' }
import { statusLineCommand } from './status-line.ts'

/**
 * `holdfast statusline`: replaces this process with the shell command, so that only Node's start takes time.
 * Loading the list of clients would take longer, so the name is generated.
 */
process.execve?.('/bin/sh', ['sh', '-c', statusLineCommand({ client: client.name })])
