import { onTestFinished, vi } from 'vitest'
import type { Service } from '../../rpc/answer.ts'
import { type HttpOptions, HttpServer } from '../../rpc/http.ts'
import type { Route } from '../../rpc/route.ts'
import { Talk, TOKENS } from '../../rpc/talk.contract.ts'
import { HOOK_METHOD, LINE_METHOD } from '../hook-calls.ts'
import type { HookFault, HookFaults } from '../hook-faults.ts'
import { routes } from './index.ts'
import type { Served } from './served.ts'

type Handle<Reply> = (client: string, payload: unknown, deadline: number) => Promise<Reply>

interface Handlers extends Partial<Pick<Served, 'dispatch' | 'hookMilliseconds' | 'hookBytes'>> {
  readonly handleHook?: Handle<unknown>
  readonly handleLine?: Handle<string>
  readonly closeFor?: (payload: unknown, fault: HookFault) => unknown
  readonly onFault?: (fault: HookFault) => void
  /** Routes in addition to ours. */
  readonly more?: readonly Route[]
}

/** Answers with what its payload asks for. */
const obedient: Handle<unknown> = (client, payload) => Promise.resolve({ client, ...(payload as object) })

const wordless = () => {
  throw new Error('no words')
}

/** Our routes on a separate port, with an engine of the test; closed after the test. */
export async function serving(given: Handlers & Partial<Pick<HttpOptions, 'maxUnderWay' | 'tokens'>> = {}) {
  const faults: HookFault[] = []
  const handleHook = vi.fn<Handle<unknown>>(given.handleHook ?? obedient)
  const dispatch = vi.fn<Service['dispatch']>(given.dispatch ?? ((_, params) => Promise.resolve(params)))
  const { handleLine = (client: string) => Promise.resolve(`[${client}]`) } = given
  const toError = (error: unknown) => ({ code: -1, message: String(error) })
  const served: Served = {
    ...given,
    toError,
    faults: {
      note: given.onFault ?? ((fault) => void faults.push(fault)),
      close: (given.closeFor ?? wordless) as HookFaults['close'],
      tell: () => undefined,
    },
    async dispatch(method, params, peer) {
      const { client, payload } = Object(params) as { client: string; payload: unknown }
      if (method === HOOK_METHOD) return { reply: await handleHook(client, payload, peer.deadline) }
      if (method === LINE_METHOD) return { line: await handleLine(client, payload, peer.deadline) }
      return await dispatch(method, params, peer)
    },
  }
  const server = new HttpServer({
    tokens: () => TOKENS,
    ...given,
    onError: toError,
    routes: [...routes(served), ...(given.more ?? [])],
  })
  const port = await server.listen(0)
  onTestFinished(() => server.close(0))
  return { server, port, faults, handleHook, dispatch, open: () => Talk.open(port) }
}
