import { spawnSync } from 'node:child_process'
import { join, relative } from 'node:path'
import { defaultClient } from '../../clients/index.ts'
import { packagedContents } from '../../daemon/packaged.ts'
import { IN_FORCE, type PutInForce, putInForce } from '../../files/compiled.ts'
import { type FoundRunbook, type OpenedRunbook, openRunbook, versionOf } from '../../files/runbook.ts'
import { agentsFolder } from '../../model/client-files.ts'
import { RUNBOOK_MODELS, type RunbookModel } from '../../model/runbook/runbook.ts'
import { shellWord } from '../../model/shell/word.ts'
import { counted } from '../../model/text/line.ts'
import type { Arguments } from '../frame/args.ts'
import { type Io, usage } from '../frame/io.ts'
import { cell } from '../frame/print.ts'
import { printLines } from '../frame/show.ts'
import { contained } from '../install/contained.ts'
import { countOf, describe, hasErrors, summaryOf } from './check.ts'
import { findRunbook } from './find.ts'
import { QUIET_GIT } from '../../model/text/quiet-git.ts'

/** `holdfast runbook compile`; with errors in the runbook, the last output stays as it is. */
export async function compileRunbook(
  io: Io,
  { positionals: [path], values, switches }: Arguments,
): Promise<number> {
  const model = modelOf(values['model'])
  const opened = await openRunbook(findRunbook(io, path, 'compile'), model)
  const summary = summaryOf(opened)
  if (hasErrors(opened.diagnostics)) {
    printLines(io, { ...summary, compiled: false, diagnostics: opened.diagnostics }, () =>
      [
        ...describe(io, opened, false),
        countOf(io, opened, false),
        'Not compiled; the last output stays.',
      ].join('\n'),
    )
    return 1
  }
  const made = await write(opened, model)
  const staged = switches.has('stage') ? stage(io, opened.found, made) : undefined
  const shown = made.paths.map((one) => relative(io.cwd, one))
  printLines(
    io,
    {
      ...summary,
      compiled: true,
      changed: made.changed,
      paths: made.paths,
      ...(staged !== undefined && { staged: staged === 'ok' }),
      diagnostics: opened.diagnostics,
    },
    () =>
      [
        ...describe(io, opened, false),
        countOf(io, opened, false),
        made.changed
          ? `Compiled: ${counted(shown.length, 'path')}`
          : `Nothing changed since the last compile: ${counted(shown.length, 'path')}`,
        ...shown.map((one) => `  ${cell(one)}`),
        ...(staged === undefined ? [] : [staged === 'ok' ? 'Staged for the next commit.' : staged]),
        ...(made.changed ? [AGENTS_ARE_NEW] : []),
        `next: holdfast runbook next ${shellWord(opened.runbook.folder)}`,
      ].join('\n'),
  )
  return staged === undefined || staged === 'ok' ? 0 : 1
}

const AGENTS_ARE_NEW =
  'A client sees new agents after its next start, and the first step wants a clean tree: commit them.'

function modelOf(given: string | undefined): RunbookModel | undefined {
  if (given === undefined) return undefined
  const model = RUNBOOK_MODELS.find((one) => one === given.toLowerCase())
  if (model === undefined)
    throw usage(
      `Unknown model ${given}; choose one of ${RUNBOOK_MODELS.join(', ')}.`,
      'holdfast runbook compile --model sonnet',
    )
  return model
}

interface Made extends PutInForce {
  /** What people and agents use, by absolute path. */
  readonly paths: readonly string[]
}

async function write(opened: OpenedRunbook, model: RunbookModel | undefined): Promise<Made> {
  const workshop = { contents: packagedContents(), agents: agentsFolder(defaultClient) }
  const version = await versionOf(opened, workshop, model)
  return { ...(await putInForce(version)), paths: [...version.links.keys()] }
}

/** Without it, git takes a name such as `a*` for a pattern and stages files of others. */
const LITERAL = '--literal-pathspecs'

/** Stages what was made and what is gone; `ok`, or what git says. */
function stage(io: Io, { root, folder }: FoundRunbook, { paths, inForce, removed }: Made): string {
  const git = (...words: readonly string[]) => {
    // Files of a repository can name programs that git runs.
    using held = contained(io, root, ['git', LITERAL, '-C', root, ...QUIET_GIT, ...words])
    const [program, ...more] = held.words
    const { status, stderr, error } = spawnSync(program, more, { encoding: 'utf8', env: io.env })
    return status === 0
      ? undefined
      : (stderr ?? error?.message ?? '').trim() || (error?.message ?? 'it failed')
  }
  const all = [...paths, join(folder, IN_FORCE), join(folder, inForce)]
  const problem =
    (removed.length === 0
      ? undefined
      : git('rm', '-r', '-q', '--cached', '--ignore-unmatch', '--', ...removed)) ??
    git('add', '-A', '--', ...all)
  if (problem === undefined) return 'ok'
  const next = `git ${LITERAL} add -A -- ${all.map((one) => shellWord(relative(root, one))).join(' ')}`
  return `Compiled, but git did not stage it: ${cell(problem)}\n  fix: ${next}`
}
