import type { Command } from '../frame/command.ts'
import { completionScript, SHELLS } from '../frame/completion.ts'
import { usage } from '../frame/io.ts'

/** It must know all the others, and is one of them. */
export const completion = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  summary: 'Print what lets a shell complete the commands.',
  usage: 'SHELL',
  places: { SHELL: SHELLS.join(', ') },
  flags: {},
  examples: [
    'eval "$(holdfast completion bash)"',
    'eval "$(holdfast completion zsh)"',
    'holdfast completion fish > ~/.config/fish/completions/holdfast.fish',
  ],
  run(io, { positionals: [given = ''] }) {
    const shell = SHELLS.find((one) => one === given)
    if (shell === undefined)
      throw usage(
        `There is no completion for ${JSON.stringify(given)}; known: ${SHELLS.join(', ')}.`,
        'holdfast completion bash',
      )
    io.out(completionScript(shell, commands()).trimEnd())
    return Promise.resolve(0)
  },
})
