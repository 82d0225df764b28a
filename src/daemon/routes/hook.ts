import type { ServerResponse } from 'node:http'
import { readMessage } from '../../rpc/answer.ts'
import { send, sendUnavailable } from '../../rpc/reply.ts'
import type { Exchange, Route } from '../../rpc/route.ts'
import { DEFAULTS } from '../../rpc/serve.ts'
import { HOOK_METHOD } from '../hook-calls.ts'
import type { HookFault } from '../hook-faults.ts'
import { nobody, type Served } from './served.ts'

const HOOK_MILLISECONDS = 5000

/** An event of a client. If it cannot be decided, an empty answer lets the client go on. */
export const hook = (served: Served): Route =>
  hookRoute(served, '/hook/:client', {
    letGo: (response) => send(response, ''),
    close: (_, __, response) => send(response, ''),
  })

/** The same for a client that must not go on then: it is told that we failed, and why if there are words for it. */
export const strictHook = (served: Served): Route =>
  hookRoute(served, '/hook/:client/strict', {
    letGo: sendUnavailable,
    close(payload, fault, response) {
      try {
        send(response, replyText(served.faults.close(payload, fault)))
      } catch {
        sendUnavailable(response)
      }
    },
  })

/** What a client is answered if nothing was decided. */
interface Fallback {
  /** Of an event that could not be read. */
  readonly letGo: (response: ServerResponse) => void
  /** Of an event that could. */
  readonly close: (payload: unknown, fault: HookFault, response: ServerResponse) => void
}

/** INV_HOOK_NEVER_BREAKS_THE_AGENT: what cannot be decided in time is allowed, and told to whoever keeps the log. */
function hookRoute(served: Served, path: string, { letGo, close }: Fallback): Route {
  const {
    dispatch,
    faults,
    hookMilliseconds = HOOK_MILLISECONDS,
    hookBytes = DEFAULTS.maxUnreadBytes,
  } = served
  const serve = async ({ words: [client = ''], body, response }: Exchange) => {
    const fail = (fault: string) => {
      letGo(response)
      faults.note({ client, problem: fault })
    }
    if (body === 'too long') return fail(`A hook payload may have at most ${hookBytes} bytes.`)
    const message = readMessage(body, DEFAULTS.limits)
    if ('problem' in message) return fail(message.problem.message)
    const goOn = (fault: HookFault) => {
      if (!response.writableEnded) close(message.json, fault, response)
      faults.note(fault)
    }
    const tooLate = { client, problem: `The engine did not decide within ${hookMilliseconds} ms.` }
    const late = setTimeout(() => goOn(tooLate), hookMilliseconds)
    try {
      const peer = { ...nobody, deadline: Date.now() + hookMilliseconds }
      const decided = await dispatch(HOOK_METHOD, { client, payload: message.json }, peer)
      const text = replyText((decided as { reply?: unknown }).reply)
      if (!response.writableEnded) send(response, text)
    } catch (cause) {
      goOn({ client, problem: 'The hook failed.', cause })
    } finally {
      clearTimeout(late)
    }
  }
  return {
    method: 'POST',
    path,
    token: 'hook',
    maxBytes: hookBytes,
    serve,
    turnAway({ words: [client = ''], response }, why) {
      faults.note({ client, problem: why })
      letGo(response)
    },
  }
}

/** A client takes nothing, or an object; anything else it would call an error of the hook. */
function replyText(reply: unknown): string {
  if (reply === undefined || reply === null) return ''
  if (typeof reply !== 'object' || Array.isArray(reply)) throw new TypeError('A reply must be an object.')
  return JSON.stringify(reply)
}
