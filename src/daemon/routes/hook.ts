import { AGENT_HEADERS, agentAmong } from '../../model/agent.ts'
import { readMessage } from '../../rpc/answer.ts'
import { Deadlines } from '../../rpc/deadlines.ts'
import { send, sendUnavailable } from '../../rpc/reply.ts'
import type { Exchange, Response, Route } from '../../rpc/route.ts'
import { DEFAULTS } from '../../rpc/serve.ts'
import { HOOK_METHOD } from '../hook-calls.ts'
import type { HookFault } from '../hook-faults.ts'
import { nobody, type Served } from './served.ts'

/** Less than a pipe waits, so that the answer can say why. */
const HOOK_MILLISECONDS = 800

/** Receives an event of a client. If the engine cannot decide, an empty answer lets the client continue. */
export const hook = (served: Served): Route =>
  hookRoute(served, '/hook/:client', {
    letGo: (response) => send(response, ''),
    close: (payload, fault, response) => send(response, replyText(served.faults.tell(payload, fault))),
  })

/** The same for strict projects: if the engine cannot decide, the answer is a refusal or an error. */
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

/** The answers to a client if the engine did not decide. */
interface Fallback {
  /** Answers an event that could not be read. */
  readonly letGo: (response: Response) => void
  /** Answers an event that could be read. */
  readonly close: (payload: unknown, fault: HookFault, response: Response) => void
}

/** INV_HOOK_NEVER_BREAKS_THE_AGENT: an event without a timely decision is allowed and logged. */
function hookRoute(served: Served, path: string, { letGo, close }: Fallback): Route {
  const {
    dispatch,
    faults,
    hookMilliseconds = HOOK_MILLISECONDS,
    hookBytes = DEFAULTS.maxUnreadBytes,
  } = served
  const deadlines = new Deadlines(hookMilliseconds)
  const serve = async ({ words: [client = ''], headers, body, response }: Exchange) => {
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
    const onLate = () => goOn({ client, problem: `The engine did not decide within ${hookMilliseconds} ms.` })
    deadlines.begin(onLate)
    try {
      const peer = { ...nobody, deadline: Date.now() + hookMilliseconds }
      const agent = agentAmong(AGENT_HEADERS.map((name) => textOf(headers[name.toLowerCase()])))
      const params = { client, payload: message.json, ...(agent !== undefined && { agent_id: agent }) }
      const decided = await dispatch(HOOK_METHOD, params, peer)
      const text = replyText((decided as { reply?: unknown }).reply)
      if (!response.writableEnded) send(response, text)
    } catch (cause) {
      goOn({ client, problem: 'The hook failed.', cause })
    } finally {
      deadlines.end(onLate)
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

/** Node reads headers as Latin-1, and names may have any letter. */
const textOf = (header: string | readonly string[] | undefined): string | undefined =>
  typeof header === 'string' ? Buffer.from(header, 'latin1').toString() : undefined

/** A client accepts only an empty answer or an object; it reports anything else as a hook error. */
function replyText(reply: unknown): string {
  if (reply === undefined || reply === null) return ''
  if (typeof reply !== 'object' || Array.isArray(reply)) throw new TypeError('A reply must be an object.')
  return JSON.stringify(reply)
}
