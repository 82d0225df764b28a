import type { Command } from '../command.ts'

export const demo: Command = {
  name: 'demo',
  summary: 'Show in a minute what holdfast does, in a private folder that is removed afterwards.',
  usage: '',
  flags: {},
  async run(io) {
    const { runDemo } = await import('../../demo/demo.ts')
    return await runDemo(io)
  },
}
