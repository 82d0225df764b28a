import type { Context } from '../engine/call/context.ts'
import { call } from '../engine/call/call.ts'
import { errorDetails, type Log } from './log.ts'

const LOOK_EVERY_MILLISECONDS = 30_000
const caller = { notify: () => Promise.resolve(), gone: new AbortController().signal }

/** A client that was killed says nothing, so somebody must notice its silence. */
export function watchSilence(context: Context, log: Log): { stop(): void } {
  const look = setInterval(() => {
    call(context, 'db.session.markStale', {}, caller).catch((error: unknown) =>
      log.write('warn', 'silence not marked', errorDetails(error)),
    )
  }, LOOK_EVERY_MILLISECONDS).unref()
  return { stop: () => clearInterval(look) }
}
