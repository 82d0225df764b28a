import * as z from 'zod'
import { mayLoosen } from '../../model/door.ts'
import type { LedgerEntry } from '../../model/ledger.ts'
import type { Tx } from '../../store/query.ts'
import type { Append } from './append-once.ts'
import type { Caller, Context } from './context.ts'
import type { Ask } from './keyed.ts'
import { withoutControls } from './params.ts'

/** What a method's `run` gets besides its tx and parameters. */
export interface Call<Prepared = unknown> {
  readonly context: Context
  readonly prepared: Prepared
  /** The moment of the call, as stored. */
  readonly now: string
  /** Records this change in the ledger. */
  record(tx: Tx, entry: LedgerEntry): Promise<void>
}

interface Named<In> {
  /** The full name on the wire. */
  readonly name: string
  readonly summary: string
  readonly params: In
  /** Parameters that the reference shows, if the schema does not say enough. */
  readonly examples?: readonly object[]
}

/** A method that reads or changes the state in one transaction. */
export interface TransactionMethod<
  In extends z.ZodObject = z.ZodObject,
  Out = unknown,
  Prepared = unknown,
> extends Named<In> {
  /**
   * `durable`: on disk before the reply. `volatile`: in memory, on disk within a second. `hook`: durable, except the
   * activity that a hook reports. `beat`: durable too, but a sign of life, which leaves no entry in the ledger.
   */
  readonly effect: 'read' | 'durable' | 'volatile' | 'hook' | 'beat'
  /** Async work before the transaction: files, parsing. May read the store once, before it changes anything. */
  prepare?(context: Context, params: z.output<In>, ask: Ask): Promise<Prepared>
  /** Reverts what `prepare` did outside of the database if the transaction fails. */
  undo?(context: Context, prepared: Prepared): Promise<void>
  /** The result, if memory decides and nothing is stored; undefined to run the transaction. */
  atOnce?(call: Call<Prepared>): Out | undefined
  /** Awaits nothing but its tx. */
  run(tx: Tx, params: z.output<In>, call: Call<Prepared>): Promise<Out>
  /** Does the announced work outside of the database and returns the result; repeated with the call. */
  finish?(context: Context, result: Out): Promise<unknown>
}

/** A method that appends a text to a file: stores the intent, writes, stores the completion. */
export interface AppendMethod<In extends z.ZodObject = z.ZodObject> extends Named<In> {
  readonly effect: 'file'
  /** Finds what to append and where. A repeated call gets the first call's intent. */
  prepare(context: Context, params: z.output<In>, ask: Ask): Promise<Append>
}

/** A method without a transaction of its own. */
export interface DirectMethod<In extends z.ZodObject = z.ZodObject, Out = unknown> extends Named<In> {
  /** `daemon`: changes the process, not the stored state. */
  readonly effect: 'none' | 'daemon'
  call(context: Context, params: z.output<In>, caller: Caller): Promise<Out>
}

/** Any callable method. */
export type Method = TransactionMethod | AppendMethod | DirectMethod

/** The description of a method for the CLI and the reference. */
export interface MethodInfo {
  readonly name: string
  readonly summary: string
  readonly effect: Method['effect']
  readonly params: unknown
  readonly examples: readonly object[]
}

const KEY = withoutControls(z.string().min(1).max(200))
  .optional()
  .describe('A repeated call with the same key returns the first result and changes nothing.')

const CHANGES_NOTHING: ReadonlySet<Method['effect']> = new Set<Method['effect']>(['read', 'none'])

const BY = z
  .enum(['agent', 'user'])
  .optional()
  .describe('Who loosens the rules with this call; the ledger records it.')

/** Every method that changes something takes a key; one that may loosen the rules also takes who calls. */
function paramsOf({ name, effect, params }: Pick<Method, 'name' | 'effect' | 'params'>): z.ZodObject {
  if (CHANGES_NOTHING.has(effect)) return params
  const keyed = params.extend({ idempotency_key: KEY })
  return effect === 'durable' && mayLoosen(name) ? keyed.extend({ by: BY }) : keyed
}

/** Defines a method that reads or changes the state. */
export function method<In extends z.ZodObject, Out, Prepared = undefined>(
  definition: TransactionMethod<In, Out, Prepared>,
): TransactionMethod {
  return { ...definition, params: paramsOf(definition) }
}

/** Defines a method that appends a text to a file. */
export function appendMethod<In extends z.ZodObject>(
  definition: Omit<AppendMethod<In>, 'effect'>,
): AppendMethod {
  const whole = { ...definition, effect: 'file' } as const
  return { ...whole, params: paramsOf(whole) }
}

/** Defines a method that needs no transaction. */
export function directMethod<In extends z.ZodObject, Out>(definition: DirectMethod<In, Out>): DirectMethod {
  return { ...definition, params: paramsOf(definition) }
}

const described = new WeakMap<Method, MethodInfo>()

/** Made once per method, because a caller may ask a thousand times before it reads an answer. */
export function describeMethod(one: Method): MethodInfo {
  const known = described.get(one)
  if (known !== undefined) return known
  const { name, summary, effect, params, examples = [] } = one
  const info = { name, summary, effect, params: z.toJSONSchema(params, { io: 'input' }), examples }
  described.set(one, info)
  return info
}
