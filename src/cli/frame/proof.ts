import { nearest } from '../../model/text/nearest.ts'
import { proofField, proofValue } from '../../model/shell/proof-field.ts'
import { type Io, readValue, usage } from './io.ts'

type Proof = Readonly<Record<string, unknown>>

interface Typed {
  /** JSON, `@file` or `-`. */
  readonly json: string | undefined
  /** One flag for each field. */
  readonly fields: Readonly<Record<string, string>>
  /** The command that was typed, whose help names the other flags. */
  readonly command: string
}

/** The typed proof; rejects a flag that is not a proof field of the current phase. */
export async function proofFrom(
  io: Io,
  { json, fields, command }: Typed,
  effort: () => Promise<{
    readonly current_phase: string | null
    readonly proof_to_leave: readonly string[]
  }>,
): Promise<Proof | undefined> {
  const given = json === undefined ? undefined : jsonProof(readValue(json, io))
  const typed = Object.entries(fields)
  if (typed.length === 0) return given
  const { current_phase: current, proof_to_leave: asked } = await effort()
  const now = { asked, current, command }
  const byFlag = typed.map(([flag, text]) => [fieldFor(flag, now), proofValue(text)] as const)
  return { ...given, ...Object.fromEntries(byFlag) }
}

function jsonProof(text: string): Proof {
  const value = parsed(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usage('--proof must be a JSON object such as {"tests_pass": true}.')
  return value as Proof
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw usage(`--proof must be JSON: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

interface Asked {
  readonly asked: readonly string[]
  readonly current: string | null
  readonly command: string
}

function fieldFor(flag: string, { asked, current, command }: Asked): string {
  const field = proofField(flag, asked)
  if (field !== undefined) return field
  if (proofField(flag, ['user_approved']) !== undefined)
    throw usage(`--${flag} is now --reason.`, 'holdfast effort phase EFFORT LABEL --reason WHY')
  const [meant] = nearest(flag, [...asked, 'proof', 'reason'])
  const needs = asked.length === 0 ? 'no proof' : asked.join(', ')
  // Only phases have fields of proof.
  const why =
    current === null ? 'nothing asks for proof now' : `phase ${JSON.stringify(current)} needs ${needs}`
  throw usage(
    `--${flag} is not a field of proof: ${why}.${meant === undefined ? '' : ` Did you mean --${meant}?`}`,
    `holdfast ${command} --help`,
  )
}
