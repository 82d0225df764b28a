import { invocationsOf } from '../invocation.ts'
import type { SkillCall } from './stored.ts'

/** What a skill declares about its part in a chain. */
export interface Declared {
  readonly cooperative: boolean
  /** The calls that follow if nothing else does. */
  readonly default_exit: readonly SkillCall[]
  /** What runs if the skill fails. */
  readonly on_error: SkillCall | null
}

const KEYS = new Set(['cooperative', 'default-exit', 'on-error'])

/** The field `continuation` of a skill; undefined if it says nothing that can be read. */
export function declaredIn(value: unknown): Declared | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const fields = value as Readonly<Record<string, unknown>>
  const exits = fields['default-exit'] ?? []
  const calls = Array.isArray(exits) ? exits.map(callIn) : [undefined]
  const failing = fields['on-error'] ?? undefined
  const branch = failing === undefined ? null : callIn(failing)
  const isKnown = Object.keys(fields).every((key) => KEYS.has(key))
  const { cooperative = false } = fields
  if (!isKnown || branch === undefined || typeof cooperative !== 'boolean') return undefined
  const default_exit = calls.filter((one) => one !== undefined)
  if (default_exit.length < calls.length) return undefined
  return { cooperative, default_exit, on_error: branch }
}

/** One call of a skill, such as `/commit all of it`. */
export function callIn(text: unknown): SkillCall | undefined {
  const [call, more] = typeof text === 'string' ? invocationsOf(text.trim()) : []
  if (call === undefined || more !== undefined) return undefined
  const { name: skill, args, quick } = call
  return { skill, args: quick ? `- ${args}`.trim() : args }
}
