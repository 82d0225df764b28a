import { numberOf } from '../frame/args.ts'
import type { Command } from '../frame/command.ts'

export const daemonRun: Command = {
  name: 'daemon run',
  summary: 'Be the daemon, in the foreground, until told to stop.',
  usage: '',
  flags: {
    socket_fd: { kind: 'value', summary: 'take over from the daemon that has given us its socket' },
    http_fd: { kind: 'value', summary: 'and its HTTP' },
  },
  async run(io, { values: { socket_fd: socket, http_fd: http } }) {
    const { runDaemon } = await import('../../daemon/run.ts')
    if (socket === undefined) return await runDaemon(io.env)
    return await runDaemon(io.env, {
      socket: numberOf(socket, '--socket-fd'),
      ...(http !== undefined && { http: numberOf(http, '--http-fd') }),
    })
  },
}
