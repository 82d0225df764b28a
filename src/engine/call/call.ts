import { EngineError, keyReused } from '../../model/error.ts'
import { nearest } from '../../model/text/nearest.ts'
import { findKey, insertKey } from '../../store/key.ts'
import type { Tx } from '../../store/query.ts'
import { callOf } from './moment.ts'
import { digestOf } from './digest.ts'
import { inTurn } from './turn.ts'
import type { Caller, Context } from './context.ts'
import { describeIssue, fieldOf } from './issue.ts'
import type { Method, TransactionMethod } from './method.ts'

interface Request {
  readonly method: TransactionMethod
  readonly params: Record<string, unknown>
  readonly key: string | undefined
  readonly digest: string
}

/** Everything that can be called goes through here: checked, done once per key, told to the ledger. */
export async function call(context: Context, name: string, raw: unknown, caller: Caller): Promise<unknown> {
  const method = context.methods.get(name)
  if (method === undefined) throw unknownMethod(context, name)
  const params = check(method, raw ?? {})
  if ('call' in method) return await method.call(context, params, caller)
  const { idempotency_key: key, ...rest } = params
  const digest = key === undefined ? '' : digestOf(rest)
  const request = { method, params: rest, key: key as string | undefined, digest }
  const work = () => transact(context, request, caller)
  try {
    // A repetition that overtakes the first call must wait for its answer.
    return await (request.key === undefined ? work() : inTurn(`key ${request.key}`, work))
  } catch (error) {
    if (error instanceof EngineError && error.record !== undefined) await recordRefusal(context, error)
    throw error
  }
}

async function transact(context: Context, request: Request, caller: Caller): Promise<unknown> {
  const { method, params, key } = request
  const options = {
    reads: method.effect === 'read',
    repeatable: method.effect === 'read' || key !== undefined,
    ...(caller.deadline !== undefined && { deadline: caller.deadline }),
  }
  if (key !== undefined && method.prepare !== undefined) {
    const known = await context.store.transact((tx) => recall(tx, context, request), {
      ...options,
      reads: true,
    })
    if (known !== undefined) return await finish(context, request, known.result)
  }
  const prepared = await method.prepare?.(context, params)
  const atOnce = key === undefined ? method.atOnce?.(callOf(context, prepared)) : undefined
  if (atOnce !== undefined) return atOnce
  const work = context.store.transact(async (tx) => {
    const known = await recall(tx, context, request)
    if (known !== undefined) return known.result
    const details = callOf(context, prepared)
    const result = await method.run(tx, params, details)
    await remember(tx, context, request, { result, now: details.now })
    return result
  }, options)
  const result = await work.catch(async (error: unknown) => {
    await method.undo?.(context, prepared)
    throw error
  })
  return await finish(context, request, result)
}

const finish = async (context: Context, { method }: Request, result: unknown): Promise<unknown> =>
  method.finish === undefined ? result : await method.finish(context, result)

async function recall(tx: Tx, context: Context, request: Request): Promise<{ result: unknown } | undefined> {
  const { key, method, digest } = request
  if (key === undefined) return undefined
  const known = context.store.volatile.recall(key) ?? (await findKey(tx, { key }))
  if (known === undefined) return undefined
  if (known.method !== method.name || known.digest !== digest) throw keyReused(key, known.method)
  return { result: JSON.parse(known.result ?? 'null') }
}

async function remember(
  tx: Tx,
  context: Context,
  request: Request,
  answer: { result: unknown; now: string },
) {
  const { key, method, digest } = request
  if (key === undefined) return
  const known = { key, method: method.name, digest, result: JSON.stringify(answer.result ?? null) }
  if (method.effect === 'volatile') context.store.volatile.remember(known)
  else await insertKey(tx, { ...known, intent: null, now: answer.now })
}

/** INV_NOTHING_SILENT: the refused change is undone, but that it was refused is not. */
async function recordRefusal(context: Context, { record: entry }: EngineError): Promise<void> {
  if (entry === undefined) return
  await context.store.transact((tx) => callOf(context, undefined).record(tx, entry))
}

function check(method: Method, raw: unknown): Record<string, unknown> {
  const hint = `holdfast rpc --describe ${method.name}`
  const parsed = parsedBy(method, raw, hint)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const field = fieldOf(issue)
  throw new EngineError(
    'invalid',
    `${method.name}: ${describeIssue(issue, raw, Object.keys(method.params.shape))}`,
    {
      ...(field !== '' && { field }),
      hint,
      cause: parsed.error,
    },
  )
}

/** Zod throws where something only pretends to have a length. */
function parsedBy({ name, params }: Method, raw: unknown, hint: string) {
  try {
    return params.safeParse(raw)
  } catch (cause) {
    throw new EngineError('invalid', `${name}: one of its parameters cannot be read.`, { hint, cause })
  }
}

function unknownMethod({ methods }: Context, name: string): EngineError {
  const meant = nearest(name, [...methods.keys()])
  return new EngineError(
    'unknown-method',
    `No method is called ${name}${meant.length === 0 ? '.' : `; did you mean ${meant.join(' or ')}?`}`,
    {
      hint: 'holdfast rpc --list',
    },
  )
}
