import { MANY_LINES } from '../../model/handoff/learnings.ts'
import { Remote } from '../daemon/remote.ts'
import { identityOf } from '../frame/caller.ts'
import type { Command } from '../frame/command.ts'
import { readValue, usage } from '../frame/io.ts'
import { cell } from '../frame/print.ts'
import { printResult } from '../frame/show.ts'
import { shownHere } from '../handoff/shown.ts'

export const learn: Command = {
  name: 'learn',
  summary: 'Keep what was learned for later sessions; without arguments, list the learnings.',
  usage: '[TITLE TEXT|-]',
  places: {
    TITLE: 'at most seven words, better five, such as "When tests hang"',
    'TEXT|-': 'what was learned',
  },
  flags: {},
  examples: ["holdfast learn 'When tests hang' 'Look for an open socket first.'"],
  async run(io, { positionals: [title, typed] }) {
    using remote = new Remote(io)
    if (title === undefined) {
      const { learnings } = await shownHere(io, remote)
      const { file, lines, all } = learnings
      printResult(io, learnings, () =>
        all.length === 0
          ? `Nothing is in ${cell(file)} yet. Add something: holdfast learn TITLE TEXT`
          : [
              ...all.map((one) => `- ${cell(one.title)}  (${cell(file)}:${one.line})`),
              ...tooMany(file, lines),
            ].join('\n'),
      )
      return 0
    }
    if (typed === undefined) throw usage('learn needs a TITLE and a TEXT.', "holdfast learn 'TITLE' 'TEXT'")
    const { native_id } = identityOf(io)
    const learned = await remote.call<{ file: string; title: string; lines: number }>('handoff.learn', {
      path: io.cwd,
      ...(native_id !== undefined && { native_id }),
      title,
      text: readValue(typed, io),
    })
    printResult(io, learned, () =>
      [
        `Learned in ${cell(learned.file)}: ${cell(learned.title)}`,
        ...tooMany(learned.file, learned.lines),
      ].join('\n'),
    )
    return 0
  },
}

/** A soft limit: nobody reads a long list. */
const tooMany = (file: string, lines: number): readonly string[] =>
  lines > MANY_LINES
    ? [`${cell(file)} has ${lines} lines; ${MANY_LINES} are enough to read. Put some together.`]
    : []
