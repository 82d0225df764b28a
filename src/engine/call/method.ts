import * as z from 'zod'
import type { LedgerEntry } from '../../model/ledger.ts'
import type { Tx } from '../../store/query.ts'
import type { Caller, Context } from './context.ts'
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
  /** Async work outside of the transaction: files, parsing. */
  prepare?(context: Context, params: z.output<In>): Promise<Prepared>
  /** Takes back what `prepare` did outside of the database, where the transaction has failed. */
  undo?(context: Context, prepared: Prepared): Promise<void>
  /** The answer where what is in memory decides and nothing is to be stored; undefined to ask the database. */
  atOnce?(call: Call<Prepared>): Out | undefined
  /** Awaits nothing but its tx. */
  run(tx: Tx, params: z.output<In>, call: Call<Prepared>): Promise<Out>
  /** Does outside of the database what the transaction has said will be; gives the answer. A repetition does it again. */
  finish?(context: Context, result: Out): Promise<unknown>
}

/** Has no transaction of its own, or more than one. */
export interface DirectMethod<In extends z.ZodObject = z.ZodObject, Out = unknown> extends Named<In> {
  readonly effect: 'none' | 'effect'
  call(context: Context, params: z.output<In>, caller: Caller): Promise<Out>
}

export type Method = TransactionMethod | DirectMethod

/** What the CLI and the reference know of a method. */
export interface MethodInfo {
  readonly name: string
  readonly summary: string
  readonly effect: Method['effect']
  readonly params: unknown
}

export const KEY = withoutControls(z.string().min(1).max(200))
  .optional()
  .describe('Repeating a call with the same key gives the first answer and changes nothing.')

/** Defines a method; every one that changes something takes a key. */
export function method<In extends z.ZodObject, Out, Prepared = undefined>(
  definition: TransactionMethod<In, Out, Prepared>,
): TransactionMethod {
  const { effect, params } = definition
  const withKey = effect === 'read' ? params : params.extend({ idempotency_key: KEY })
  return { ...definition, params: withKey }
}

export function directMethod<In extends z.ZodObject, Out>(definition: DirectMethod<In, Out>): DirectMethod {
  return definition
}

export const describeMethod = ({ name, summary, effect, params }: Method): MethodInfo => ({
  name,
  summary,
  effect,
  params: z.toJSONSchema(params, { io: 'input' }),
})
