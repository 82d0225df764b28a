import { type Client, type Effort, type Moment, openSpans } from './state.ts'

/** Sessions that are silent for longer count as stale. */
const SILENT = 300_000

/** A session that was heard lately. */
export const isAlive = (moment: Moment, { window }: Client): boolean =>
  window !== undefined && window.heard >= moment.at - SILENT

/** Another live session works on it, will return to it, or began it. */
export const isHeld = (moment: Moment, effort: Effort, client: Client): boolean =>
  isServed(effort, client, (one) => isAlive(moment, one))

/** Another open session works on it, will return to it, or began it. */
export const isServed = (
  effort: Effort,
  { name, project }: Client,
  counts = ({ window }: Client): boolean => window !== undefined,
): boolean =>
  project.clients.some(
    (one) =>
      one.name !== name &&
      counts(one) &&
      (one === effort.last ||
        one.window?.effort === effort ||
        openSpans(one).some((span) => span.effort === effort)),
  )

/** A sign of life of everybody who serves an effort. */
export function beat(moment: Moment, { project }: Client, effort: Effort | undefined): void {
  for (const one of project.clients)
    if (one.window !== undefined && one.window.effort === effort) {
      one.window.calls = 0
      one.window.isReminded = false
      one.window.heard = moment.at
    }
}

/** A log entry is a heartbeat of all sessions that serve the effort. */
export function log(moment: Moment, client: Client): void {
  beat(moment, client, client.window?.effort)
}
