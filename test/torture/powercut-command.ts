import { findHome, type Home } from '../../src/daemon/home.ts'
import { ENTRY, type User } from '../holdfast.ts'
import { CUTS, Disk, type Operation } from './disk.ts'
import { Random } from './random.ts'
import { ended, readTrace, recording } from './strace.ts'

const SEEDS = 5

/** Runs a command to its end, and yields the home as each kind of power cut right after it would leave it. */
export async function* homesAfter(
  user: User,
  words: readonly string[],
  isKept: (one: Operation) => boolean = () => true,
): AsyncGenerator<Home> {
  const trace = `${user.folder}.trace`
  const disk = new Disk(user.folder)
  const child = recording({ words: [process.execPath, ENTRY, ...words], env: user.env, trace })
  const code = await ended(child)
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}.`)
  const recorded = readTrace(trace)
  disk.replay(recorded.filter(({ operation }) => isKept(operation)))
  const after = (recorded.at(-1)?.ended ?? 0) + 1
  for (const cut of CUTS)
    for (let seed = 0; seed < SEEDS; seed++) {
      disk.restore(after, cut, new Random(seed))
      yield findHome(user.env)
    }
}
