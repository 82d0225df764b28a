import { defaultClient } from '../../clients/index.ts'
import { statusLineCommand } from '../../hook/status-line.ts'
import type { Command } from '../frame/command.ts'
import { pipedText } from '../frame/stdin.ts'

export const statusline: Command = {
  name: 'statusline',
  summary: 'Print the status line of a session; reads the status payload of the client from stdin.',
  usage: '',
  flags: {},
  examples: ['holdfast statusline < "$payload"'],
  isHarmless: true,
  async run(io) {
    // Only calls with flags get here; bin/holdfast.js runs the others directly.
    const { spawnSync } = await import('node:child_process')
    const line = statusLineCommand({ client: defaultClient.name })
    const { stdout } = spawnSync('sh', ['-c', line], {
      input: await pipedText(io),
      env: io.env,
      encoding: 'utf8',
    })
    if (stdout !== '') io.out(stdout.trimEnd())
    return 0
  },
}
