import { atLeast, median, type Row } from './measure.ts'
import { withFolder } from './processes.ts'
import { hook, natives, openStage, type Stage } from './store.ts'

const WRITERS = 32
const TRANSACTIONS = 3200

/** Many concurrent writers at FULL: one COMMIT for all that wait, against one each. */
export function groupCommit(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const stage = await openStage(folder)
    const [together, alone]: [number[], number[]] = [[], []]
    await throughput(stage, (run) => run())
    for (let round = 0; round < rounds; round++) {
      alone.push(await throughput(stage, oneAtATime()))
      together.push(await throughput(stage, (run) => run()))
    }
    await stage.store.close()
    return [
      {
        name: 'group-commit',
        what: `${WRITERS} writers, FULL, transactions per second`,
        unit: '/s',
        baseline: { what: 'one COMMIT each', value: median(alone) },
        p50: median(together),
        ratio: median(together.map((value, round) => value / (alone[round] ?? Number.NaN))),
        target: atLeast(5),
      },
    ]
  })
}

type Turnstile = (run: () => Promise<void>) => Promise<void>

async function throughput({ store, context }: Stage, pass: Turnstile): Promise<number> {
  const start = performance.now()
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    const run = hook(natives[writer % natives.length] ?? '', context.newId)
    for (let index = 0; index < TRANSACTIONS / WRITERS; index++) await pass(() => store.transact(run))
  })
  await Promise.all(writers)
  return TRANSACTIONS / ((performance.now() - start) / 1000)
}

/** Each transaction waits for the COMMIT of the previous one. */
function oneAtATime(): Turnstile {
  let before = Promise.resolve()
  return (run) => {
    before = before.then(run)
    return before
  }
}
