import * as z from 'zod'
import { EngineError } from '../../model/error.ts'
import { isDeep } from '../../model/plan/exported.ts'
import { isInside, type Location, rootOf } from '../../model/project.ts'
import { shellWord } from '../../model/shell/word.ts'
import { counted, listed } from '../../model/text/line.ts'
import {
  deleteTrusted,
  findTrusted,
  forgetReadings,
  putTrusted,
  withCode,
} from '../../store/trusted-module.ts'
import type { Tx } from '../../store/query.ts'
import { listRoots } from '../../store/workplace.ts'
import { realPath } from '../call/confine.ts'
import type { Context } from '../call/context.ts'
import type { Ask } from '../call/keyed.ts'
import { type Call, method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { locationOf } from '../skill/arrival.ts'
import { findTexts } from '../skill/named-texts.ts'

const code = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be a digest in hexadecimal')
  .describe('The digest of the code in the folder of the skill.')

/** A call has at most a megabyte, and this text is quoted in it. */
const LONGEST_EXPORT = 400_000

export const trust = method({
  name: 'skill.trust',
  summary:
    'Keep what the workflow module of a skill exports, and hold the skill to it until its code changes.',
  effect: 'durable',
  params: z.strictObject({
    name: p.skillName,
    folder: p.path.describe('The folder of the skill.'),
    cwd: p.cwd.optional().describe('The folder that the caller works in.'),
    code,
    exported: p.textUpTo(LONGEST_EXPORT).describe('What the module exports, as JSON.'),
  }),
  prepare: readToTrust,
  async run(tx, { name: skill, folder, code: digest, exported }, call) {
    const { plan, texts } = call.prepared
    const row = { digest, skill, exported, texts: JSON.stringify(texts), created_at: call.now }
    const before = await findTrusted(tx, { digest })
    const isSame = before?.exported === row.exported && before.texts === row.texts
    if (!isSame) {
      await putTrusted(tx, row)
      await readAnew(tx, digest)
      const payload = { digest, folder, steps: plan.steps.length, texts: Object.keys(texts) }
      await call.record(tx, { event_type: 'skill.trusted', skill, payload })
    }
    return { skill, code: digest, steps: plan.steps.length, texts: Object.keys(texts), changed: !isSame }
  },
  finish: rereadSkills,
})

export const untrust = method({
  name: 'skill.untrust',
  summary: 'Forget what the workflow module of a skill exports: calls of the skill are no longer held to it.',
  effect: 'durable',
  params: z.strictObject({ name: p.skillName, code }),
  async run(tx, { name: skill, code: digest }, call: Call) {
    const row = await deleteTrusted(tx, { digest })
    if (row !== undefined) {
      await readAnew(tx, digest)
      await call.record(tx, { event_type: 'skill.untrusted', skill, payload: { digest } })
    }
    return { skill, code: digest, changed: row !== undefined }
  },
  finish: rereadSkills,
})

const readAnew = (tx: Tx, digest: string) => forgetReadings(tx, withCode(digest))

function rereadSkills<T extends { readonly code: string }>(context: Context, result: T): Promise<T> {
  context.skillFolders.reread(result.code)
  return Promise.resolve(result)
}

interface ToTrust {
  readonly name: string
  readonly folder: string
  readonly cwd?: string | undefined
  readonly code: string
  readonly exported: string
}

/** Reads the skill anew, because the caller may be wrong about its code, and judges what is to be trusted. */
async function readToTrust(context: Context, given: ToTrust, ask: Ask) {
  const { name, exported } = given
  const folder = await realPath(context, given.folder)
  const isFolder = (await context.files.kind(folder)) === 'folder'
  const read = isFolder
    ? await context.skillFolders.readWith(folder, { exported: dataIn(exported) })
    : undefined
  if (read === undefined) throw nothingToTrust(name, folder)
  if (read.code === undefined) throw tooMuchCode(name, folder)
  if (read.code !== given.code) throw codeChanged(name)
  const { plan } = read.parsed.definition
  const errors = read.parsed.diagnostics.filter(({ severity }) => severity === 'error')
  if (errors.length > 0)
    throw faulty(
      name,
      errors.map(({ code: id, line, message }) => `${id} (line ${line}): ${message}`),
    )
  if (plan?.notation !== 'workflow') throw nothingToTrust(name, folder)
  const { texts, missing } = await findTexts(context, plan, {
    folder,
    project: await projectOf(context, { folder, cwd: given.cwd }, ask),
  })
  if (missing.length > 0) throw textsMissing(name, missing)
  return { plan, texts }
}

/** The checkout that the skill belongs to; a personal skill is in none. */
async function projectOf(
  context: Context,
  { folder, cwd }: { readonly folder: string; readonly cwd: string | undefined },
  ask: Ask,
): Promise<string | undefined> {
  const places = await Promise.all([locationOf(context, cwd), locationOf(context, folder)])
  const roots = await ask((tx) => listRoots(tx, context.machine))
  return places
    .filter((place): place is Location => place !== undefined)
    .map((place) => rootOf(roots, place).path)
    .find((root) => root !== folder && isInside(root, folder))
}

/** What a caller says that a module exports is as untrusted as the module. */
function dataIn(text: string): unknown {
  const value = parsed(text)
  if (!isDeep(value)) return value
  throw new EngineError('invalid', 'The export is nested too deeply.', { field: 'exported' })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new EngineError('invalid', 'The export is not JSON.', { field: 'exported' })
  }
}

const nothingToTrust = (name: string, folder: string): EngineError =>
  new EngineError('conflict', `The plan of skill ${name} is in no workflow module, so it needs no trust.`, {
    field: 'folder',
    hint: `holdfast skill check ${shellWord(folder)}`,
  })

const tooMuchCode = (name: string, folder: string): EngineError =>
  new EngineError(
    'conflict',
    `Skill ${name} has more code than Holdfast reads, so a change of it could go unnoticed. Keep only the code of its workflow in ${folder}.`,
    { field: 'folder', hint: `holdfast skill check ${shellWord(folder)}` },
  )

const codeChanged = (name: string): EngineError =>
  new EngineError('conflict', `The code of skill ${name} is not the code that was run: it has changed.`, {
    field: 'code',
    hint: `holdfast skill trust ${shellWord(name)}`,
  })

const faulty = (name: string, errors: readonly string[]): EngineError =>
  new EngineError(
    'invalid',
    `The workflow of skill ${name} has ${counted(errors.length, 'error')}: ${listed(errors, ROOM)}`,
    { field: 'exported', hint: 'holdfast skill check --run-modules' },
  )

const ROOM = 1000

const textsMissing = (name: string, missing: readonly string[]): EngineError =>
  new EngineError(
    'conflict',
    `The workflow of skill ${name} names texts that nobody has: ${listed(missing, ROOM)}. Put each into the folder of the skill, as conventions/NAME.md or resources/NAME.md.`,
    { field: 'folder', hint: `holdfast skill trust ${shellWord(name)}` },
  )
