import { setTimeout as sleep } from 'node:timers/promises'
import type { DaemonStatus, HttpStatus } from '../../engine/call/context.ts'
import type { Io } from '../frame/io.ts'
import type { Remote } from './remote.ts'

const PATIENCE_MILLISECONDS = 30_000
const LOOK_EVERY_MILLISECONDS = 20

/** Waits until the daemon has opened HTTP or failed to, and returns its status. */
export async function untilHttp(daemon: Remote): Promise<DaemonStatus> {
  const giveUp = Date.now() + PATIENCE_MILLISECONDS
  for (;;) {
    const status = await daemon.call<DaemonStatus>('daemon.status')
    const { listening, problem } = status.http
    // An older daemon omits the field if it has no problem.
    if (listening || (problem ?? null) !== null || Date.now() > giveUp) return status
    await sleep(LOOK_EVERY_MILLISECONDS)
  }
}

/** The command after which the next daemon opens HTTP; the environment wins over the config. */
export const openHttp = ({ env }: Pick<Io, 'env'>): string =>
  `${env['HOLDFAST_HTTP'] === 'off' ? 'unset HOLDFAST_HTTP' : 'holdfast config unset http'} && holdfast daemon stop`

/** What happened to the port of the daemon, if another program had it. */
export const lostPort = ({ lost_port: lost, port }: HttpStatus): string | undefined =>
  (lost ?? null) === null
    ? undefined
    : `Another program had port ${lost}, so the daemon took port ${port} and new tokens.`
