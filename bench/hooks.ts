import { inTheEngine } from './hook-engine.ts'
import { overHttp } from './hook-http.ts'
import { asProcesses } from './hook-processes.ts'
import type { Row } from './measure.ts'

/** One hook by each route, measured at the client and in the daemon. */
export async function hooks(rounds: number): Promise<readonly Row[]> {
  return [...(await overHttp(rounds)), ...(await asProcesses(rounds)), ...(await inTheEngine(rounds))]
}
