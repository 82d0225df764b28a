import { type Agent, request } from 'node:http'
import type { Home } from '../../src/daemon/home.ts'
import { readKeys } from '../../src/daemon/keys.ts'

/** A refused hook found a closed port; one that failed may have been heard. */
export type Outcome = 'acknowledged' | 'refused' | 'failed'

/** Sends a hook as to a strict project, where an undecided hook gets an error or a refusal. */
export function postHook(home: Home, payload: string, agent?: Agent): Promise<Outcome> {
  const { port, hook } = readKeys(home)
  return new Promise((resolve) => {
    const headers = {
      Authorization: `Bearer ${hook}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(payload),
    }
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        path: '/hook/claude-code/strict',
        method: 'POST',
        headers,
        agent: agent ?? false,
      },
      (answer) => {
        let said = ''
        answer.setEncoding('utf8').on('data', (text: string) => void (said += text))
        answer.on('close', () => {
          const isDecided = answer.statusCode === 200 && answer.complete && !said.includes('could not decide')
          resolve(isDecided ? 'acknowledged' : 'failed')
        })
      },
    )
    asked.on('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'ECONNREFUSED' ? 'refused' : 'failed'),
    )
    asked.end(payload)
  })
}
