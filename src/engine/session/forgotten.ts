import { hash } from 'node:crypto'
import { parentOf } from '../../model/directive.ts'
import {
  findMarks,
  findSalt,
  type ForgottenKind,
  type ForgottenMark,
  forgottenTexts,
} from '../../store/forgotten.ts'
import type { Tx } from '../../store/query.ts'

/** The digest under which something is forgotten. */
export const forgottenDigest = (salt: string, kind: ForgottenKind, what: string): string =>
  hash('sha256', `${salt}\0${kind}\0${what}`)

/** Whether something that was said may not come back. */
export type IsForgotten = (said: Said) => boolean

interface Said {
  readonly session: string
  /** The session of which it is a copy. */
  readonly origin?: string | undefined
  readonly content: string
  readonly at: string
}

/** What of sessions may not come back: all of them, what was said in their folders, or messages with a text. */
export async function forgottenOf(
  tx: Tx,
  { sessions, folders }: { readonly sessions: readonly string[]; readonly folders: readonly string[] },
): Promise<IsForgotten> {
  const salt = await findSalt(tx)
  if (salt === undefined) return () => false
  const above = new Set(folders.flatMap((folder) => withParents(folder)))
  const marks = await findMarks(tx, [
    ...[...new Set(sessions)].map((session) => ({
      kind: 'session' as const,
      digest: forgottenDigest(salt, 'session', session),
    })),
    ...[...above].map((folder) => ({
      kind: 'folder' as const,
      digest: forgottenDigest(salt, 'folder', folder),
    })),
  ])
  const gone = new Set(marks.flatMap(({ kind, digest }) => (kind === 'session' ? [digest] : [])))
  const isGone = (session: string) => gone.has(forgottenDigest(salt, 'session', session))
  const until =
    marks
      .flatMap((mark) => (mark.kind === 'folder' ? [mark.until] : []))
      .toSorted()
      .at(-1) ?? ''
  const texts = await forgottenTexts(tx)
  return ({ session, origin = session, content, at }) =>
    isGone(session) ||
    isGone(origin) ||
    at <= until ||
    hasForgotten(
      salt,
      content,
      texts.filter((text) => at <= text.until),
    )
}

function withParents(folder: string): readonly string[] {
  const all = [folder]
  for (let at = folder; at !== '/'; at = parentOf(at)) all.push(parentOf(at))
  return all
}

/** The mark of a text that may not come back, without regard to case. */
export function markOfText(salt: string, text: string, until: string): ForgottenMark {
  const plain = text.toLowerCase()
  const digest = forgottenDigest(salt, 'text', plain)
  return { kind: 'text', digest, until, length: plain.length, trace: traceOf(hashOf(baseOf(salt), plain)) }
}

/** Odd, so that no character gets lost. */
const baseOf = (salt: string): number => Number.parseInt(hash('sha256', salt).slice(0, 8), 16) | 1

/** So few bits find candidates quickly, and tell little of the text. */
const traceOf = (rolling: number): number => rolling >>> 16

function hashOf(base: number, text: string): number {
  let rolling = 0
  for (let at = 0; at < text.length; at++) rolling = (Math.imul(rolling, base) + text.charCodeAt(at)) | 0
  return rolling
}

/** True if one of the forgotten texts stands in a text, which is compared by digests only. */
function hasForgotten(salt: string, content: string, marks: readonly ForgottenMark[]): boolean {
  const plain = content.toLowerCase()
  const base = baseOf(salt)
  for (const [length = 0, ones] of Map.groupBy(marks, (mark) => mark.length)) {
    const traces = new Map(ones.map(({ trace, digest }) => [trace, digest]))
    let highest = 1
    for (let power = 0; power < length; power++) highest = Math.imul(highest, base)
    let rolling = hashOf(base, plain.slice(0, length))
    for (let from = 0; from + length <= plain.length; from++) {
      if (from > 0) {
        const next = Math.imul(rolling, base) + plain.charCodeAt(from + length - 1)
        rolling = (next - Math.imul(highest, plain.charCodeAt(from - 1))) | 0
      }
      if (!traces.has(traceOf(rolling))) continue
      const digest = forgottenDigest(salt, 'text', plain.slice(from, from + length))
      if (ones.some((one) => one.digest === digest)) return true
    }
  }
  return false
}
