import type { Command } from '../frame/command.ts'

/** It ends with what to type next, so that it must know what there is. */
export const demo = (commands: () => readonly Command[]): Command => ({
  name: 'demo',
  summary: 'Replay a recorded agent session, in a temporary folder that is removed afterwards.',
  usage: '',
  flags: {
    fast: { kind: 'switch', summary: 'without time for reading; so it is where stdout is no terminal' },
  },
  async run(io, { switches }) {
    const { runDemo } = await import('../../demo/demo.ts')
    const isFast = switches.has('fast') || io.json || !process.stdout.isTTY
    return await runDemo(io, { isFast, commands: commands() })
  },
})
