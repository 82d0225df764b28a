import { readMessage } from '../../rpc/answer.ts'
import { send } from '../../rpc/reply.ts'
import type { Exchange, Route } from '../../rpc/route.ts'
import { DEFAULTS } from '../../rpc/serve.ts'
import { LINE_METHOD } from '../hook-calls.ts'
import { nobody, type Served } from './served.ts'

/** A client no longer draws a line that comes later. */
const LINE_MILLISECONDS = 1000

/** INV_HOOK_NEVER_BREAKS_THE_AGENT: the status line never shows an error. */
export function statusLine({ dispatch, faults }: Served): Route {
  const lineFor = async (client: string, body: Exchange['body']): Promise<string> => {
    if (body === 'too long')
      throw new Error(`A status line payload may have at most ${DEFAULTS.limits.bytes} bytes.`)
    // A user who types the command has no payload; that is not a failed hook.
    if (body.toString().trim() === '') return ''
    const message = readMessage(body, DEFAULTS.limits)
    if ('problem' in message) throw new Error(message.problem.message)
    const deadline = Date.now() + LINE_MILLISECONDS
    const params = { client, payload: message.json }
    return ((await dispatch(LINE_METHOD, params, { ...nobody, deadline })) as { line: string }).line
  }
  return {
    method: 'POST',
    path: '/statusline/:client',
    token: 'hook',
    async serve({ words: [client = ''], body, response }) {
      try {
        const line = await lineFor(client, body)
        send(response, line === '' ? '' : `${line}\n`, 'text/plain; charset=utf-8')
      } catch (cause) {
        send(response, '')
        faults.note({ client, problem: 'The status line failed.', cause })
      }
    },
    turnAway({ words: [client = ''], response }, why) {
      faults.note({ client, problem: why })
      send(response, '')
    },
  }
}
