import { numberOf } from '../frame/args.ts'
import type { Command } from '../frame/command.ts'

export const daemonRun: Command = {
  name: 'daemon run',
  summary: 'Run the daemon in the foreground.',
  usage: '',
  flags: {
    socket_fd: { kind: 'value', summary: 'descriptor of the socket to take over from the running daemon' },
    http_fd: { kind: 'value', summary: 'descriptor of the HTTP server to take over' },
  },
  async run(io, { values: { socket_fd: socket, http_fd: http } }) {
    const { runDaemon } = await import('../../daemon/run.ts')
    if (socket === undefined) return await runDaemon(io)
    return await runDaemon(io, {
      socket: numberOf(socket, '--socket-fd'),
      ...(http !== undefined && { http: numberOf(http, '--http-fd') }),
    })
  },
}
