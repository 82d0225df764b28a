import type { Command } from '../frame/command.ts'

/** Takes the commands, because it ends with commands to type next. */
export const demo = (commands: () => readonly Command[]): Command => ({
  name: 'demo',
  summary: 'Replay a recorded agent session in a temporary folder, and remove the folder.',
  usage: '',
  flags: {
    fast: { kind: 'switch', summary: 'do not pause between steps (the default if stdout is not a terminal)' },
  },
  async run(io, { switches }) {
    const { runDemo } = await import('../../demo/demo.ts')
    const isFast = switches.has('fast') || io.json || !process.stdout.isTTY
    return await runDemo(io, { isFast, commands: commands() })
  },
})
