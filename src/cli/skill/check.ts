import { isAdoptable } from './survey.ts'
import { shellWord } from '../../model/shell/word.ts'
import { counted } from '../../model/text/line.ts'
import type { Arguments } from '../frame/args.ts'
import { isConfirmed, tellUnconfirmed } from '../frame/confirm.ts'
import { type Io, usage } from '../frame/io.ts'
import { cell } from '../frame/print.ts'
import { printLines } from '../frame/show.ts'
import { describeChanges, findChanges, tellChange, writeChange } from './fix.ts'
import { readGiven, type Skills } from './read.ts'
import {
  countOf,
  describeDiagnostics,
  inOrder,
  isListed,
  noneFound,
  sarif,
  summaryOf,
  toTrust,
  withoutPlan,
} from './report.ts'

/** `holdfast skill check`, which fixes nothing unless asked. */
export async function checkSkills(io: Io, given: Arguments): Promise<number> {
  const { switches } = given
  if (switches.has('yes') && !switches.has('fix'))
    throw usage('--yes has no meaning without --fix.', `${commandFor(given)} --fix --yes`)
  if (switches.has('sarif') && switches.has('fix'))
    throw usage('--fix and --sarif cannot be combined.', `${commandFor(given)} --fix`)
  const found = await readGiven(io, given)
  return switches.has('fix') ? await fixSkills(io, given, found) : tellCheck(io, found, switches)
}

async function fixSkills(io: Io, given: Arguments, found: Skills): Promise<number> {
  const { switches } = given
  const changes = await findChanges(found)
  if (changes.length === 0)
    return tellCheck(io, found, switches, { fixed: [], note: 'Nothing can be fixed automatically.' })
  if (!io.json) io.out(describeChanges(io, changes))
  if (!(await isConfirmed(io, switches, `Write ${counted(changes.length, 'file')}? [y/N] `)))
    return tellUnconfirmed(
      io,
      { fixed: [], proposed: changes.map(tellChange) },
      { why: 'Not confirmed; nothing written.', next: `${commandFor(given)} --fix --yes` },
    )
  const results = changes.map((change) => ({ change, problem: writeChange(change) ?? null }))
  const done = results.filter(({ problem }) => problem === null).map(({ change }) => change)
  const count = done.reduce((sum, { fixes }) => sum + fixes.length, 0)
  const failures = results.flatMap(({ change, problem }) =>
    problem === null ? [] : [`${cell(change.file)} was not written: ${cell(problem)}.`],
  )
  const note = [`Fixed ${counted(count, 'problem')} in ${counted(done.length, 'file')}.`, ...failures]
  const fixed = results.map(({ change, problem }) => ({ ...tellChange(change), problem }))
  const left = tellCheck(io, await readGiven(io, given), switches, { fixed, note: note.join('\n') })
  return failures.length > 0 ? 1 : left
}

const commandFor = ({ positionals: [path], switches }: Arguments): string =>
  `holdfast skill check${path === undefined ? '' : ` ${shellWord(path)}`}${switches.has('all') ? ' --all' : ''}`

/** Prints every diagnostic and the counts; the exit code says whether there is an error. */
function tellCheck(
  io: Io,
  found: Skills,
  switches: ReadonlySet<string>,
  fix?: { readonly fixed: readonly object[]; readonly note: string },
): number {
  const { root, parsed, dead } = found
  const diagnostics = inOrder([...parsed.flatMap((one) => one.diagnostics), ...dead])
  const shown = diagnostics.filter(({ severity }) => switches.has('notes') || severity !== 'info')
  const skills = parsed.filter(isListed).map((one) => summaryOf(one, found))
  const adoptable = parsed.find((one) => one.definition.plan === undefined && isAdoptable(one))
  if (switches.has('sarif')) io.out(JSON.stringify(sarif(io, root, diagnostics), null, 2))
  else
    printLines(io, { ...(fix !== undefined && { fixed: fix.fixed }), skills, diagnostics }, () =>
      [
        ...(fix === undefined ? [] : [`${fix.note}\n`]),
        ...describeDiagnostics(io, shown, found),
        parsed.length + dead.length === 0
          ? noneFound(switches.has('all'))
          : countOf(io, parsed, { diagnostics, showsNotes: switches.has('notes') }),
        ...toTrust(parsed, found),
        ...withoutPlan(parsed, adoptable?.definition.id),
      ].join('\n'),
    )
  return diagnostics.some(({ severity }) => severity === 'error') ? 1 : 0
}
