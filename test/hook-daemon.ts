import { setTimeout as sleep } from 'node:timers/promises'
import { findHome } from '../src/daemon/home.ts'
import { startDaemon } from '../src/daemon/main.ts'
import { call } from '../src/engine/call/call.ts'
import { untilStopped } from './until-stopped.ts'

interface Wish {
  readonly decide?: object
  readonly sleep?: number
  readonly fail?: string
}

/** A daemon whose hooks return the decision in their payload, to test what a route changes. */
untilStopped(
  startDaemon({
    home: findHome(),
    async callMethod(context, name, params, caller) {
      if (name !== 'hooks.handle') return await call(context, name, params, caller)
      const { client, payload } = params as { client: string; payload: Wish }
      if (payload.sleep !== undefined) await sleep(payload.sleep)
      if (payload.fail !== undefined) throw new Error(payload.fail)
      return payload.decide === undefined ? {} : { reply: { client, ...payload.decide } }
    },
  }),
)
