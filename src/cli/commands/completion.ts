import type { Command } from '../frame/command.ts'
import { completionScript, SHELLS } from '../frame/completion.ts'
import { usage } from '../frame/io.ts'
import { printResult } from '../frame/show.ts'

/** Takes the commands as a function, because the list contains this command. */
export const completion = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  summary: 'Print the completion script of a shell.',
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
        `No completion for shell ${JSON.stringify(given)}; choose one of ${SHELLS.join(', ')}.`,
        'holdfast completion bash',
      )
    const script = completionScript(shell, commands()).trimEnd()
    printResult(io, { shell, script }, () => script)
    return Promise.resolve(0)
  },
})
