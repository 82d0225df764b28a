import { lstatSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { methodsByName } from '../methods/index.ts'
import type { Asked } from '../watched.contract.ts'
import type { World } from '../world.contract.ts'
import { CHANGES, READS } from './call-samples.contract.ts'
import type { Method } from './method.ts'

interface Effect {
  /** What is stored afterwards, including pending state. */
  readonly rows: boolean
  /** Whether its own transactions write, besides flushes. */
  readonly writes: boolean
  readonly files: boolean
  readonly daemon: boolean
}

const NOTHING: Effect = { rows: false, writes: false, files: false, daemon: false }

/** What each effect promises; a durable change may include files. */
const PROMISES: Readonly<Record<Method['effect'], Partial<Effect>>> = {
  none: NOTHING,
  read: NOTHING,
  durable: { rows: true, writes: true, daemon: false },
  hook: { rows: true, writes: true, daemon: false },
  beat: { rows: true, writes: true, files: false, daemon: false },
  volatile: { ...NOTHING, rows: true },
  file: { rows: true, writes: true, files: true, daemon: false },
  daemon: { ...NOTHING, daemon: true },
}

const INTENT =
  'With a key it says what it is going to do before it does it, because files have no transactions.'

/** Methods with more than one read and one transaction, with the reason. */
const MORE: Readonly<Record<string, string>> = {
  'commands.log.append': INTENT,
  'fs.files.append': INTENT,
  'run.log': INTENT,
}

/** The changes and the cost of every call. */
export function effectsContract(world: () => World): void {
  const samples = Object.entries({ ...CHANGES, ...READS })

  const made = async (name: string, params: object): Promise<readonly Asked[]> => {
    const { watch } = world()
    const gone = new AbortController()
    watch.asked.length = 0
    watch.daemon.length = 0
    await world().call(name, params, { gone: gone.signal })
    const asked = [...watch.asked]
    gone.abort()
    // A stop runs after its reply.
    await new Promise((resolve) => void setImmediate(resolve))
    return asked
  }

  describe('a call changes what its method declares, and nothing else', () => {
    test.each(samples)('%s', async (name, sample) => {
      const params = await sample(world())
      const before = { rows: await world().everything(), files: filesOf(world()) }
      const asked = await made(name, params)
      const files = filesOf(world())
      const isWrite = (sql: string) => /^(insert|update|delete)/.test(sql)
      const effect: Effect = {
        rows: JSON.stringify(await world().everything()) !== JSON.stringify(before.rows),
        writes: asked.some(({ statements }) => statements.some(isWrite)),
        files: JSON.stringify(files) !== JSON.stringify(before.files),
        daemon: world().watch.daemon.length > 0,
      }
      const declared = methodsByName.get(name)?.effect ?? 'none'
      expect(effect).toMatchObject(PROMISES[declared])
    })
  })

  describe('a call takes at most one look and one transaction', () => {
    const counted = samples.filter(([name]) => !Object.hasOwn(MORE, name))
    const keyed = new Set(Object.keys(CHANGES))

    test('with few exceptions, each with a reason', async () => {
      expect(Object.keys(MORE).length).toBeLessThanOrEqual(5)
      for (const name of Object.keys(MORE)) {
        const params = { ...(await CHANGES[name]?.(world())), idempotency_key: world().name('key') }
        expect([name, isCheap(await made(name, params))]).toEqual([name, false])
      }
    })

    test.each(counted)('%s', async (name, sample) => {
      const asked = await made(name, await sample(world()))
      expect([asked, isCheap(asked)]).toEqual([asked, true])
      if (!keyed.has(name)) return
      const again = await made(name, { ...(await sample(world())), idempotency_key: world().name('key') })
      expect([again, isCheap(again)]).toEqual([again, true])
    })
  })
}

/** Only the last transaction may write. */
const isCheap = (asked: readonly Asked[]): boolean =>
  asked.length <= 2 && asked.slice(0, -1).every(({ reads }) => reads)

/** Every file and folder of a world, with a fingerprint. */
function filesOf({ project }: World): readonly unknown[] {
  const folder = dirname(project)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((path) => {
      const { size, mtimeMs } = lstatSync(join(folder, path))
      return [path, size, mtimeMs]
    })
}
