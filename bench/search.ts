import type { Row } from './measure.ts'
import { hooksBeside } from './search-hooks.ts'
import { quality } from './search-quality.ts'
import { speed } from './search-speed.ts'

/** How well a search finds things, as a table for people, and how fast it is. */
export async function search(rounds: number, folder: string | undefined): Promise<readonly Row[]> {
  process.stderr.write(`${await quality(folder, 'reporting')}\n`)
  return [...(await speed(rounds)), ...(await hooksBeside(rounds))]
}
