import type { Block } from '../plan/plan.ts'
import type { Model } from './dispatch.ts'
import type { Checklist, Detection, Expected, Incorrect } from './lists.ts'
import type { Banner } from './review.ts'

/** A block that has a formatter, with its fields as authors write them. */
export type KnownBlock =
  | { readonly block: 'convention'; readonly name: string }
  | { readonly block: 'resource'; readonly name: string; readonly purpose?: string }
  | { readonly block: 'forbidden'; readonly actions: readonly string[] }
  | ({ readonly block: 'expected-output' } & Expected)
  | { readonly block: 'routing'; readonly cases: Readonly<Record<string, string>> }
  | ({ readonly block: 'detection-questions' } & Detection)
  | ({ readonly block: 'checklist' } & Checklist)
  | ({ readonly block: 'incorrect' } & Incorrect)
  | ({ readonly block: 'banner' } & Banner)
  | {
      readonly block: 'conditional'
      readonly condition: string
      readonly if_true: string
      readonly if_false: string
    }
  | ({ readonly block: 'model-selection'; readonly model: string } & Model)
  | {
      readonly block: 'orchestrator-constraint' | 'factored-verification' | 'open-questions' | 'qr-output'
    }

/** What a field of a block holds. */
export interface BlockField {
  /** `count` is a number, or a text that a template becomes one in; `rows` are records of texts. */
  readonly kind: 'text' | 'count' | 'texts' | 'pairs' | 'rows'
  readonly optional?: true
  /** The texts of a row, by name. */
  readonly columns?: readonly string[]
}

type Fields = Readonly<Record<string, BlockField>>

const TEXT: BlockField = { kind: 'text' }
const MAY_TEXT: BlockField = { kind: 'text', optional: true }
const TEXTS: BlockField = { kind: 'texts' }
const MAY_TEXTS: BlockField = { kind: 'texts', optional: true }

/** Every block that authors can put among actions, and the fields that it needs. */
export const BLOCK_FIELDS: Readonly<Record<KnownBlock['block'], Fields>> = {
  convention: { name: TEXT },
  resource: { name: TEXT, purpose: MAY_TEXT },
  forbidden: { actions: TEXTS },
  'expected-output': { if_pass: TEXT, when_issues: MAY_TEXT, categories: MAY_TEXTS },
  routing: { cases: { kind: 'pairs' } },
  'detection-questions': { category: TEXT, questions: { kind: 'rows', columns: ['id', 'text'] } },
  checklist: { name: TEXT, checks: { kind: 'rows', columns: ['element', 'criterion', 'if_missing'] } },
  incorrect: { description: TEXT, consequence: TEXT },
  banner: { checkpoint: TEXT, iteration: { kind: 'count' }, mode: TEXT, explanation: MAY_TEXTS },
  conditional: { condition: TEXT, if_true: TEXT, if_false: TEXT },
  'model-selection': { model: TEXT, rationale: MAY_TEXT, per_agent: { kind: 'pairs', optional: true } },
  'orchestrator-constraint': {},
  'factored-verification': {},
  'open-questions': {},
  'qr-output': {},
}

/** A field of a block that is missing, unknown or of another kind. */
export interface BlockFault {
  /** Null if the block itself is unknown. */
  readonly field: string | null
  /** What it should be, in words. */
  readonly wanted: string
}

const WANTED: Readonly<Record<BlockField['kind'], string>> = {
  text: 'a text',
  count: 'a number',
  texts: 'a list of texts',
  pairs: 'texts by name',
  rows: 'a list of records',
}

export function faultsOfBlock({ block, ...given }: Block): readonly BlockFault[] {
  if (!isKnown(block)) return [{ field: null, wanted: `one of ${Object.keys(BLOCK_FIELDS).join(', ')}` }]
  const fields = BLOCK_FIELDS[block]
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(fields, name))
  const names = Object.keys(fields)
  const none = names.length === 0 ? 'no field' : `one of ${names.join(', ')}`
  return [
    ...unknown.map((field) => ({ field, wanted: none })),
    ...Object.entries(fields)
      .filter(([name, field]) => !holds(field, given[name]))
      .map(([name, field]) => ({ field: name, wanted: wantedOf(field) })),
  ]
}

/** True for a block with a formatter and the fields that it needs. */
export const isSound = (block: Block): block is Block & KnownBlock => faultsOfBlock(block).length === 0

const isKnown = (name: string): name is KnownBlock['block'] => Object.hasOwn(BLOCK_FIELDS, name)

const wantedOf = ({ kind, columns = [] }: BlockField): string =>
  columns.length === 0 ? WANTED[kind] : `${WANTED[kind]} with ${columns.join(', ')}`

function holds({ kind, optional, columns = [] }: BlockField, value: unknown): boolean {
  if (value === undefined) return optional === true
  switch (kind) {
    case 'text':
      return typeof value === 'string'
    case 'count':
      return typeof value === 'string' || Number.isFinite(value)
    case 'texts':
      return Array.isArray(value) && value.every((one) => typeof one === 'string')
    case 'pairs':
      return isRecord(value) && Object.values(value).every((one) => typeof one === 'string')
    case 'rows':
      return Array.isArray(value) && value.every((row) => isRow(row, columns))
    default:
      return kind satisfies never
  }
}

const isRow = (row: unknown, columns: readonly string[]): boolean =>
  isRecord(row) && columns.every((name) => typeof row[name] === 'string')

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
