import { timestamp } from '../../model/clock.ts'
import { EngineError } from '../../model/error.ts'
import { clashes, type Past } from '../../model/handoff/clashes.ts'
import {
  isSameText,
  learningFault,
  type LearningWords,
  readLearnings,
  wordsOfLearning,
} from '../../model/handoff/learnings.ts'
import { type FoundIn, nameKey } from '../../model/handoff/problem.ts'
import { readSessionFile } from '../../model/handoff/session-file.ts'
import { quoted } from '../../model/text/line.ts'
import type { Tx } from '../../store/query.ts'
import type { Context } from '../call/context.ts'
import { hereAt } from '../call/here.ts'
import type { Ask } from '../call/keyed.ts'
import type { Call } from '../call/method.ts'
import { canonical } from '../call/paths.ts'
import { aboutPlace, type Act, announce } from './act.ts'
import { handoffAt, type HandoffPlace } from './place.ts'

/** Both files of the project around a folder. */
export const placeAt = async (context: Context, path: string, ask: Ask): Promise<HandoffPlace> =>
  await handoffAt(context, await hereAt(context, await canonical(context, 'path', path)), ask)

/** Reads both files and plans what to change in them. */
export async function planned<Answer>(
  context: Context,
  { path, native_id }: { readonly path: string; readonly native_id?: string | undefined },
  ask: Ask,
  plan: (place: HandoffPlace, date: string) => Pick<Act<Answer>, 'parts' | 'answer'>,
): Promise<Act<Answer>> {
  const place = await placeAt(context, path, ask)
  const date = timestamp(context.clock.now()).slice(0, 'YYYY-MM-DD'.length)
  return { root: place.root, about: aboutPlace(place, native_id), ...plan(place, date) }
}

/** Promises an act; what follows the transaction carries it out. */
export async function promise<Answer>(tx: Tx, _: unknown, call: Call<Act<Answer>>): Promise<Act<Answer>> {
  await announce(tx, call.prepared, call)
  return call.prepared
}

/** Everything that is wrong in both files, by line. */
export function problemsAt(
  { session, learnings }: Pick<HandoffPlace, 'session' | 'learnings'>,
  past: Pick<Past, 'names'> | undefined,
): readonly FoundIn[] {
  const file = readSessionFile(session.text ?? '')
  const learned = readLearnings(learnings.text ?? '')
  const own = file.problems.map((problem) => ({ ...problem, file: 'session' as const }))
  const ofSession = [...own, ...clashes(file.tasks, learned.all, past)].toSorted((a, b) => a.line - b.line)
  return [...ofSession, ...learned.problems]
}

/** The learnings to add, without those that an interrupted call has written; refuses a title that is taken. */
export function freshLearnings(
  { session, learnings }: HandoffPlace,
  added: readonly LearningWords[],
): readonly LearningWords[] {
  const tasks = new Set(readSessionFile(session.text ?? '').tasks.map(({ name }) => nameKey(name)))
  const known = readLearnings(learnings.text ?? '')
  const fresh: LearningWords[] = []
  const keys = new Set<string>()
  for (const one of added) {
    const { title, text } = one
    const fault = learningFault(one)
    if (fault !== undefined) throw new EngineError('invalid', fault.message, { field: fault.field })
    const words = wordsOfLearning(known, title)
    if (words !== undefined && isSameText(words, text)) continue
    const key = nameKey(title)
    if (words !== undefined || keys.has(key)) throw titleTaken(title, `${learnings.name} has`)
    if (tasks.has(key)) throw titleTaken(title, `A task of ${session.name} has`)
    keys.add(key)
    fresh.push(one)
  }
  return fresh
}

const titleTaken = (title: string, who: string) =>
  new EngineError('conflict', `${who} the title ${quoted(title)} already.`, {
    field: 'title',
    hint: 'holdfast learn',
  })
