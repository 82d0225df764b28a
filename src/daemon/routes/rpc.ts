import { answerTo, encode, problem, readMessage } from '../../rpc/answer.ts'
import { TOO_LARGE } from '../../rpc/message.ts'
import { send } from '../../rpc/reply.ts'
import type { Exchange, Route } from '../../rpc/route.ts'
import { DEFAULTS } from '../../rpc/serve.ts'
import { withoutPrograms } from '../hook-calls.ts'
import { nobody, type Served } from './served.ts'

/** Serves the same messages as the socket, except those that name a program to run. */
export function rpc({ dispatch, toError }: Served): Route {
  const service = { ...DEFAULTS, toError, dispatch: withoutPrograms(dispatch) }
  const { limits } = service
  const serve = async ({ body, response }: Exchange) => {
    if (body === 'too long')
      return send(response, problem(TOO_LARGE, `A message may have at most ${limits.bytes} bytes.`))
    const message = readMessage(body, limits)
    if ('problem' in message) return send(response, problem(message.problem.code, message.problem.message))
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    // HTTP cannot carry notifications; callers that want them use the socket.
    const reply = await answerTo(message.json, service, { ...nobody, gone: gone.signal })
    send(response, reply === undefined ? '' : encode(reply, service))
  }
  return { method: 'POST', path: '/rpc', token: 'full', serve }
}
