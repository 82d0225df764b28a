import { resolve } from 'node:path'
import { clients } from '../../clients/index.ts'
import { modulesOf, textsAt } from '../../files/skill-at.ts'
import { type Code, runCode } from '../../files/skill-code.ts'
import { parse, type Texts } from '../../files/skill-texts.ts'
import { EngineError } from '../../model/error.ts'
import type { ExportedModule, Parsed } from '../../model/plan/definition.ts'
import { shellWord } from '../../model/shell/word.ts'
import { counted } from '../../model/text/line.ts'
import { type Candidate, moduleOf } from '../../skills/find.ts'
import { sourceText } from '../../skills/text/text.ts'
import type { Arguments } from '../frame/args.ts'
import type { Io } from '../frame/io.ts'
import { fitTerminal } from '../frame/show.ts'
import { wholeDisk } from './disk.ts'
import { findSkill } from './find.ts'
import { describeDiagnostics, inOrder } from './report.ts'

/** A skill with a workflow module. */
export interface Coded {
  /** The name that clients use. */
  readonly id: string
  readonly folder: string
  readonly candidate: Candidate
  readonly texts: Texts
  readonly code: Code
}

/** The skill that a command names, which must have a workflow module. */
export async function findCoded(io: Io, given: Arguments): Promise<Coded> {
  const { found, root } = await findSkill(io, given)
  const { id, kind, folder: own } = found.definition
  const folder = resolve(root, own)
  const read = kind === 'skill' ? await textsAt(folder, clients) : undefined
  if (read === undefined || moduleOf(read.candidate) === undefined) throw noModule(id)
  const { code } = read
  if (code === undefined) throw tooMuch(id, folder)
  return { ...read, id, folder, code }
}

/** What the module exports now, and the skill with it; shows its problems and fails if it has errors. */
export async function runToTrust(
  io: Io,
  { id, folder, candidate, texts, code }: Coded,
): Promise<{ readonly module: ExportedModule; readonly parsed: Parsed }> {
  const module = await runCode(code)
  const modules = modulesOf(candidate, module)
  const parsed = await parse({ ...candidate, id }, texts, { modules, disk: wholeDisk(io.env) })
  const errors = parsed.diagnostics.filter(({ severity }) => severity === 'error')
  if (!('error' in module) && errors.length === 0 && parsed.definition.plan?.notation === 'workflow')
    return { module, parsed }
  if (!('error' in module) && errors.length === 0) throw noModule(id)
  const lines = (path: string) => sourceText(path, texts.get(path) ?? '').lines
  if (!io.json)
    for (const text of describeDiagnostics(io, inOrder(errors), { root: folder, lines }))
      io.note(fitTerminal(io, text))
  throw new EngineError(
    'conflict',
    `The workflow of ${id} has ${counted(errors.length, 'error')}, so it cannot be trusted.`,
    { hint: `holdfast skill check ${shellWord(folder)} --run-modules` },
  )
}

const noModule = (id: string): EngineError =>
  new EngineError('conflict', `The plan of ${id} is in no workflow module, so it needs no trust.`, {
    hint: `holdfast skill show ${shellWord(id)} --all`,
  })

const tooMuch = (id: string, folder: string): EngineError =>
  new EngineError(
    'conflict',
    `${id} has more code than Holdfast reads, so a change of it could go unnoticed. Keep only the code of its workflow in ${folder}.`,
    { hint: `holdfast skill check ${shellWord(folder)}` },
  )
