import { defaultClient } from '../../clients/index.ts'
import { statusLineCommand } from '../../hook/status-line.ts'
import type { Command } from '../frame/command.ts'
import { pipedText } from '../frame/stdin.ts'

export const statusline: Command = {
  name: 'statusline',
  summary: 'Print where a session stands, for a status line of your own: give it what the client gives you.',
  usage: '',
  flags: {},
  examples: ['holdfast statusline < "$payload"'],
  isHarmless: true,
  async run(io) {
    // Only where it came with flags: bin/holdfast.js runs it without all of this.
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
