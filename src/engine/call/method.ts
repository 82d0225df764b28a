import * as z from 'zod'
import type { LedgerEntry } from '../../model/ledger.ts'
import type { Tx } from '../../store/query.ts'
import type { Append } from './append-once.ts'
import type { Caller, Context } from './context.ts'
import type { Look } from './keyed.ts'
import { withoutControls } from './params.ts'

/** What a method's transaction is given besides its tx and parameters. */
export interface Call<Prepared = unknown> {
  readonly context: Context
  readonly prepared: Prepared
  /** The moment of the call, as stored. */
  readonly now: string
  /** Says in the ledger what this transaction does. */
  record(tx: Tx, entry: LedgerEntry): Promise<void>
}

interface Named<In> {
  /** The full name on the wire. */
  readonly name: string
  readonly summary: string
  readonly params: In
}

/** Reads or changes the state, in one transaction. */
export interface TransactionMethod<
  In extends z.ZodObject = z.ZodObject,
  Out = unknown,
  Prepared = unknown,
> extends Named<In> {
  /** `durable`: answered means on disk. `volatile`: in memory, on disk within a second. */
  readonly effect: 'read' | 'durable' | 'volatile'
  /** Async work outside of the transaction: files, parsing. It may look at the store once, and changes nothing before. */
  prepare?(context: Context, params: z.output<In>, look: Look): Promise<Prepared>
  /** Takes back what `prepare` did outside of the database, where the transaction has failed. */
  undo?(context: Context, prepared: Prepared): Promise<void>
  /** The answer where what is in memory decides and nothing is to be stored; undefined to ask the database. */
  atOnce?(call: Call<Prepared>): Out | undefined
  /** Awaits nothing but its tx. */
  run(tx: Tx, params: z.output<In>, call: Call<Prepared>): Promise<Out>
  /** Does outside of the database what the transaction has said will be; gives the answer. A repetition does it again. */
  finish?(context: Context, result: Out): Promise<unknown>
}

/** Adds a text to a file: says so, does it, and says that it is done. */
export interface AppendMethod<In extends z.ZodObject = z.ZodObject> extends Named<In> {
  readonly effect: 'file'
  /** Finds what to add where. A repetition is told what the first call meant. */
  prepare(context: Context, params: z.output<In>, look: Look): Promise<Append>
}

/** Needs no transaction, or does nothing but read. */
export interface DirectMethod<In extends z.ZodObject = z.ZodObject, Out = unknown> extends Named<In> {
  /** `daemon`: changes the process itself, and nothing that is stored. */
  readonly effect: 'none' | 'daemon'
  call(context: Context, params: z.output<In>, caller: Caller): Promise<Out>
}

/** Something that can be called. */
export type Method = TransactionMethod | AppendMethod | DirectMethod

/** What the CLI and the reference know of a method. */
export interface MethodInfo {
  readonly name: string
  readonly summary: string
  readonly effect: Method['effect']
  readonly params: unknown
}

const KEY = withoutControls(z.string().min(1).max(200))
  .optional()
  .describe('A repeated call with the same key returns the first result and changes nothing.')

const CHANGES_NOTHING: ReadonlySet<Method['effect']> = new Set<Method['effect']>(['read', 'none'])

/** Every method that changes something takes a key. */
const paramsOf = ({ effect, params }: Pick<Method, 'effect' | 'params'>) =>
  CHANGES_NOTHING.has(effect) ? params : params.extend({ idempotency_key: KEY })

/** Defines a method that reads or changes the state. */
export function method<In extends z.ZodObject, Out, Prepared = undefined>(
  definition: TransactionMethod<In, Out, Prepared>,
): TransactionMethod {
  return { ...definition, params: paramsOf(definition) }
}

/** Defines a method that adds a text to a file. */
export function appendMethod<In extends z.ZodObject>(
  definition: Omit<AppendMethod<In>, 'effect'>,
): AppendMethod {
  const whole = { ...definition, effect: 'file' } as const
  return { ...whole, params: paramsOf(whole) }
}

/** Defines a method that needs no transaction to change something. */
export function directMethod<In extends z.ZodObject, Out>(definition: DirectMethod<In, Out>): DirectMethod {
  return { ...definition, params: paramsOf(definition) }
}

export const describeMethod = ({ name, summary, effect, params }: Method): MethodInfo => ({
  name,
  summary,
  effect,
  params: z.toJSONSchema(params, { io: 'input' }),
})
