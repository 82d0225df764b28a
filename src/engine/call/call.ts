import { EngineError } from '../../model/error.ts'
import { nearest } from '../../model/text/nearest.ts'
import type { TransactOptions } from '../../store/database.ts'
import type { Lease } from '../../store/lease.ts'
import { appendOnce } from './append-once.ts'
import type { Caller, Context } from './context.ts'
import { digestOf } from './digest.ts'
import { describeIssue, fieldOf } from './issue.ts'
import { type Keyed, prepared, recall, recallAlone, remember, rememberInMemory } from './keyed.ts'
import { underLease } from './lease.ts'
import type { AppendMethod, DirectMethod, Method, TransactionMethod } from './method.ts'
import { callOf, inSession, saidBy } from './moment.ts'
import { inTurn } from './turn.ts'

interface Request<M extends Method = Method> extends Keyed {
  readonly method: M
  readonly params: Record<string, unknown>
  /** Who calls a method that may loosen the rules, if the caller says so. */
  readonly by: unknown
}

/** Runs every method call: validates it, runs it once per key and records refusals. */
export async function call(context: Context, name: string, raw: unknown, caller: Caller): Promise<unknown> {
  const method = context.methods.get(name)
  if (method === undefined) throw unknownMethod(context, name)
  const { idempotency_key: key, by, ...params } = check(method, raw ?? {})
  const keyed = { key: key as string | undefined, digest: key === undefined ? '' : digestOf(params) }
  const work = () => carryOut(context, { method, params, by, ...keyed }, caller)
  try {
    // A repeated call must wait for the result of the first one.
    return await (keyed.key === undefined ? work() : inTurn(`key ${keyed.key}`, work))
  } catch (error) {
    if (error instanceof EngineError && error.record !== undefined)
      await recordRefusal(context, error, params)
    throw error
  }
}

function carryOut(context: Context, request: Request, caller: Caller): Promise<unknown> {
  const { method } = request
  const options = {
    ...(caller.deadline !== undefined && { deadline: caller.deadline }),
    ...(method.effect === 'hook' && { first: true }),
  }
  if ('run' in method) return transact(context, { ...request, method }, options)
  if ('call' in method) return callDirectly(context, { ...request, method }, caller)
  return append(context, { ...request, method }, options)
}

async function transact(
  context: Context,
  request: Request<TransactionMethod>,
  options: TransactOptions,
): Promise<unknown> {
  const { method, params, key } = request
  const before = await prepared(
    context,
    request,
    async (ask) => await method.prepare?.(context, params, ask),
    options,
  )
  if ('result' in before) return await finish(context, request, before.result)
  const given = before.prepared
  const atOnce = key === undefined ? method.atOnce?.(callOf(context, given)) : undefined
  if (atOnce !== undefined) return atOnce
  const reads = method.effect === 'read'
  const work = context.store.transact(
    async (tx) => {
      const known = await recall(tx, context, request)
      if (known !== undefined && 'result' in known) return known.result
      const details = saidBy(inSession(callOf(context, given), params['native_id']), request.by)
      const result = await method.run(tx, params, details)
      await remember(tx, context, request, { result, now: details.now })
      return result
    },
    { ...options, reads, repeatable: reads || key !== undefined },
  )
  const result = await work.catch(async (error: unknown) => {
    await method.undo?.(context, given)
    throw error
  })
  return await finish(context, request, result)
}

const finish = async (
  context: Context,
  { method }: Request<TransactionMethod>,
  result: unknown,
): Promise<unknown> => (method.finish === undefined ? result : await method.finish(context, result))

async function append(
  context: Context,
  request: Request<AppendMethod>,
  options: TransactOptions,
): Promise<unknown> {
  const { method, params } = request
  const before = await prepared(context, request, (ask) => method.prepare(context, params, ask), options)
  if ('result' in before) return before.result
  const { native_id: native } = params
  const about = { ...(typeof native === 'string' && { session_id: native }), ...before.prepared.about }
  const wanted = { ...before.prepared, about }
  const work = (lease: Lease) => appendOnce(context, request, { ...wanted, lease })
  return await underLease(context, `file ${wanted.place.path}`, work, options)
}

const DATABASE_MAY_TAKE_MILLISECONDS = 1000

/** Keeps the key in memory, so that a daemon can be stopped while its database does not answer. */
async function callDirectly(
  context: Context,
  request: Request<DirectMethod>,
  caller: Caller,
): Promise<unknown> {
  const { method, params, key } = request
  if (key !== undefined) {
    const deadline = Date.now() + DATABASE_MAY_TAKE_MILLISECONDS
    const known = await recallAlone(context, request, { deadline }).catch((error: unknown) => {
      if (error instanceof EngineError && error.code === 'conflict') throw error
      return undefined
    })
    if (known !== undefined && 'result' in known) return known.result
  }
  const result = await method.call(context, params, caller)
  rememberInMemory(context, request, result)
  return result
}

/** INV_NOTHING_SILENT: the change is rolled back, but its refusal is recorded. */
async function recordRefusal(
  context: Context,
  { record: entry }: EngineError,
  params: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (entry === undefined) return
  const refusing = inSession(callOf(context, undefined), params['native_id'])
  await context.store.transact((tx) => refusing.record(tx, entry))
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

/** Zod throws on values with a fake length. */
function parsedBy({ name, params }: Method, raw: unknown, hint: string) {
  try {
    return params.safeParse(raw)
  } catch (cause) {
    throw new EngineError('invalid', `${name}: a parameter is not readable.`, { hint, cause })
  }
}

function unknownMethod({ methods }: Context, name: string): EngineError {
  const meant = nearest(name, [...methods.keys()])
  return new EngineError(
    'unknown-method',
    `Unknown method ${name}${meant.length === 0 ? '.' : `; did you mean ${meant.join(' or ')}?`}`,
    {
      hint: 'holdfast rpc --list',
    },
  )
}
