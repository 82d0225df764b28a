import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { keyIn, Post } from './hook-post.ts'
import { looking, makeRepository, Scene } from './hook-scene.ts'
import { atMost, type Contender, over, p99, race, ratioOf, type Row } from './measure.ts'
import { connect, type Line, socketIn, startDaemon, stop, withFolder } from './processes.ts'

const TEXTS = 50
const SECTIONS = 60

/** What a hook waits for while every text of its project is read and stored again. */
export function hooksBeside(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const repository = makeRepository(folder)
    write(repository, 0)
    const child = startDaemon(folder)
    const post = await Post.open(await keyIn(join(folder, 'home', 'hook.json')))
    const line = await connect(socketIn(folder))
    const look = looking(await new Scene(repository).begin(post.route), post.route)
    await line.call('search.reindex', { path: repository })
    let version = 0
    const quiet: Contender = async (count) => {
      while (await isIndexing(line, repository)) await sleep(20)
      return await look(count)
    }
    const indexing: Contender = async (count) => {
      const times: number[] = []
      while (times.length < count) {
        if (!(await isIndexing(line, repository))) {
          write(repository, ++version)
          await line.call('search.reindex', { path: repository })
        }
        times.push(...(await look(10)))
      }
      return times
    }
    const times = await race({ rounds, calls: 1000, turns: 4, warmUp: 200 }, { quiet, indexing })
    line.close()
    post.close()
    await stop(child)
    return [
      {
        name: 'search',
        what: 'p99 of a hook during a reindex',
        unit: 'µs',
        baseline: { what: 'p99 without', value: over(times.quiet, p99) },
        p50: over(times.indexing, p99),
        ratio: ratioOf(times.indexing, times.quiet, { of: p99, to: p99 }),
        target: atMost(1.5),
      },
    ]
  })
}

async function isIndexing(line: Line, path: string): Promise<boolean> {
  const { running } = (await line.call('search.status', { path })) as { running: object | null }
  return running !== null
}

/** Every text has other words in each version, so all of it is stored anew. */
function write(repository: string, version: number): void {
  const sections = (text: number) =>
    Array.from({ length: SECTIONS }, (_, at) => `## Part ${at}\n\n${`w${version}x${text} `.repeat(40)}\n`)
  for (let text = 0; text < TEXTS; text++)
    writeFileSync(join(repository, `${text}.md`), sections(text).join('\n'))
}
