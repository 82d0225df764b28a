import { EngineError } from '../../model/error.ts'
import { applyEdit, type Edit, fitsAnyText } from '../../model/handoff/edit.ts'
import { blocksEdits } from '../../model/handoff/handing-over.ts'
import { readSessionFile } from '../../model/handoff/session-file.ts'
import type { LedgerEntry } from '../../model/ledger.ts'
import type { Lease } from '../../store/lease.ts'
import type { Tx } from '../../store/query.ts'
import type { Context } from '../call/context.ts'
import { underLease } from '../call/lease.ts'
import type { Call } from '../call/method.ts'
import { folderOf, type HandoffFile, type HandoffPlace, readHandoffFile, textDigest } from './place.ts'

/** A change of one file: what it was, what it will be, and how to make it again. */
interface Part {
  readonly name: string
  readonly edit: Edit
  readonly before: string | null
  readonly after: string
}

/** Changes of files that a transaction promises; stored with the key of its call, so that a repetition completes it. */
export interface Act<Answer = unknown> {
  readonly root: string
  readonly parts: readonly Part[]
  readonly about: Pick<LedgerEntry, 'project_id' | 'effort_id' | 'session_id'>
  readonly answer: Answer
}

/** Plans an edit of a file, and refuses one that could damage it. */
export function partOf(file: HandoffFile, edit: Edit): Part {
  checkText(file)
  const after = applyEdit(edit, file.text)
  return { name: file.name, edit, before: file.digest, after: textDigest(after) }
}

const REPLACEMENT = '\uFFFD'

function checkText({ name, text, isText }: HandoffFile): void {
  if (text === undefined) return
  if (!isText)
    throw new EngineError(
      'invalid',
      `${name} is not valid UTF-8 in line ${lineOf(text)}, so nothing was written to it.`,
      {
        hint: `Save ${name} as UTF-8.`,
      },
    )
  const problem = blocksEdits(readSessionFile(text))
  if (problem !== undefined)
    throw new EngineError('invalid', `${name}:${problem.line}: ${problem.message}`, { hint: problem.hint })
}

const lineOf = (text: string): number => text.slice(0, text.indexOf(REPLACEMENT)).split('\n').length

/** Records in the ledger what the act will write. */
export async function announce(tx: Tx, { parts, about }: Act, call: Call): Promise<void> {
  for (const { name, edit, before, after } of parts)
    if (before !== after)
      await call.record(tx, {
        event_type: 'handoff.written',
        ...about,
        payload: { file: name, what: edit.kind },
      })
}

/** Makes every change that is not made yet, each file whole or not at all. */
export async function carryOut<Answer>(context: Context, act: Act<Answer>): Promise<Answer> {
  for (const part of act.parts)
    await underLease(context, `file ${act.root}/${part.name}`, (lease) => write(context, act, part, lease))
  return act.answer
}

async function write(
  context: Context,
  { root, about }: Act,
  { name, edit, before, after }: Part,
  { check }: Lease,
): Promise<void> {
  const file = await readHandoffFile(context, root, name)
  if (file.digest === after) return
  checkText(file)
  const content = applyEdit(edit, file.text)
  if (content === file.text) return
  if (file.digest !== before && !fitsAnyText(edit)) throw changedMeanwhile(name, about)
  await context.files.makeFolders({ path: folderOf(file), root })
  const { path, text } = file
  await context.files.put({ path, root, content, replaces: true, was: text ?? null, check })
}

/** The conflict with somebody who has edited the file. */
export const changedMeanwhile = (name: string, about?: Act['about']) =>
  new EngineError('conflict', `${name} was changed meanwhile, so nothing was written to it.`, {
    hint: 'To see it: holdfast handoff. Then repeat the command.',
    ...(about !== undefined && {
      record: {
        event_type: 'handoff.refused',
        ...about,
        payload: { file: name, reason: 'changed meanwhile' },
      },
    }),
  })

/** The place of an act in the ledger. */
export const aboutPlace = (
  { project_id }: Pick<HandoffPlace, 'project_id'>,
  native: string | undefined,
): Act['about'] => ({
  ...(project_id !== undefined && { project_id }),
  ...(native !== undefined && { session_id: native }),
})
