import { resolve } from 'node:path'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { cell } from '../frame/print.ts'
import { printResult } from '../frame/show.ts'

interface Summarized {
  readonly file: string
  readonly changed: boolean
  /** The model that wrote it. */
  readonly by: string | null
  readonly missed: string | null
}

export const taskSummarize: Command = {
  name: 'task summarize',
  summary: 'Write the summary of a task into its TASK.md: by the model of ai_generate, else from facts.',
  usage: '[TASK]',
  places: { '[TASK]': 'folder of the task (default: the current folder)' },
  flags: { plain: { kind: 'switch', summary: 'from facts alone, without a model' } },
  examples: ['holdfast task summarize tasks/login'],
  async run(io, { positionals: [task = '.'], switches }) {
    using remote = new Remote(io)
    const done = await remote.call<Summarized>('task.summarize', {
      dir_path: resolve(io.cwd, task),
      ...(switches.has('plain') && { plain: true }),
    })
    printResult(io, done, () => textOf(done))
    return 0
  },
}

function textOf({ file, changed, by, missed }: Summarized): string {
  const how = by === null ? 'from facts' : `by ${cell(by)}`
  const what = changed
    ? `Wrote the summary in ${cell(file)}, ${how}.`
    : `The summary in ${cell(file)} is current.`
  return missed === null
    ? what
    : `${what}\nThe model gave no answer: ${cell(missed)} The next call asks it again.`
}
