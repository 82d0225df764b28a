import { readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { findHome } from '../../daemon/home.ts'
import { projectConfigPath, readConfigFile } from '../../files/config.ts'
import { type FoundRunbook, projectOf, runbookIn } from '../../files/runbook.ts'
import { settingOf } from '../../model/config.ts'
import { EngineError } from '../../model/error.ts'
import { isRunbookFile } from '../../model/runbook/files.ts'
import { shellWord } from '../../model/shell/word.ts'
import { quoted } from '../../model/text/line.ts'
import { nearest } from '../../model/text/nearest.ts'
import { type Io, usage } from '../frame/io.ts'

/** The runbook of a path or name. Without either, that of this folder, or the only one of the project. */
export function findRunbook(io: Io, given: string | undefined, verb = 'next'): FoundRunbook {
  const found = findRunbooks(io, given)
  const [first, second] = found
  if (first === undefined) throw noneFound(io, given)
  if (second === undefined) return first
  // Which one is meant is not ours to guess, so the command names none.
  const names = found.map(({ folder }) => quoted(basename(folder))).slice(0, MOST_NAMED)
  const more = found.length > MOST_NAMED ? ', …' : ''
  throw new EngineError(
    'invalid',
    `There are several runbooks: ${names.join(', ')}${more}. Name one of them.`,
    {
      hint: `holdfast runbook ${verb} NAME`,
    },
  )
}

const MOST_NAMED = 10

/** All runbooks that a path or a name means; without either, that of this folder or all of the project. */
export function findRunbooks(io: Io, given: string | undefined): readonly FoundRunbook[] {
  // An empty path is usually an unset variable, so it must not mean the current folder.
  if (given === '') throw usage('The path of a runbook must not be empty.', 'holdfast runbook check .')
  const path = resolve(io.cwd, given ?? '.')
  const info = statSync(path, { throwIfNoEntry: false })
  if (info?.isFile() === true) return [inFile(io, path)]
  if (info?.isDirectory() === true) {
    const found = runbookIn(path, io.cwd)
    if (found !== undefined) return [found]
    return below(io, given === undefined ? plansFolder(io) : path)
  }
  const named = given === undefined ? undefined : runbookIn(join(plansFolder(io), given), io.cwd)
  return named === undefined ? [] : [named]
}

/** Where the runbooks of a project lie. */
function plansFolder(io: Io): string {
  const root = projectOf(io.cwd)
  const { plans } = {
    ...readConfigFile(findHome(io.env).config, 'user').values,
    ...readConfigFile(projectConfigPath(root), 'project').values,
  }
  return join(root, plans ?? settingOf('plans').usual ?? '')
}

/** A file of a runbook stands for all of it; any other file is a runbook of its own. */
function inFile({ cwd }: Io, path: string): FoundRunbook {
  const found = isRunbookFile(path) ? runbookIn(dirname(path), cwd) : undefined
  const folder = realpathSync(dirname(path))
  return found ?? { root: projectOf(folder, cwd), folder, files: [join(folder, basename(path))] }
}

const below = ({ cwd }: Io, folder: string): readonly FoundRunbook[] =>
  statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
    ? readdirSync(folder)
        .toSorted()
        .flatMap((name) => runbookIn(join(folder, name), cwd) ?? [])
    : []

function noneFound(io: Io, given: string | undefined): EngineError {
  const plans = plansFolder(io)
  const known = below(io, plans).map(({ folder }) => basename(folder))
  const [close] = given === undefined ? [] : nearest(given, known)
  return new EngineError(
    'not-found',
    given === undefined ? 'There is no runbook here.' : `${given} is no runbook.`,
    {
      hint:
        close === undefined
          ? `Write ${relative(io.cwd, join(plans, 'NAME/runbook.md'))}, then: holdfast runbook check NAME`
          : `holdfast runbook check ${shellWord(close)}`,
    },
  )
}
