import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { running } from '../child-daemon.ts'
import { testDaemon, User } from '../holdfast.ts'
import { type Files, HOSTILE, ORDINARY } from '../hostile-skills.ts'

const HELD = 'test.held'
const MOST_TIMES = 10
/** Files are read, hashed and handed to the parser on the event loop; parsing there takes hundreds of times. */
const MORE_PER_MEGABYTE = 3
/** The garbage collector runs in some of them. */
const TRIES = 3

test('no skill holds up the event loop of the daemon, whatever is in it', async () => {
  await using user = new User()
  const { connection } = await running(user, { entry: testDaemon('test/watched-daemon.ts') })
  const { id } = (await connection.call('db.project.upsert', { path: user.project })) as { id: number }
  const folder = join(user.project, '.claude', 'skills', 'x')
  const held = async (files: Files) => {
    rmSync(folder, { recursive: true, force: true })
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const before = (await connection.call(HELD)) as number
    const { skills } = (await connection.call('agent.skills.list', { project_id: id })) as {
      skills: readonly { name: string }[]
    }
    expect(skills.map(({ name }) => name)).toEqual(['x'])
    return ((await connection.call(HELD)) as number) - before
  }
  await held(ORDINARY)
  const ordinary = await held({ ...ORDINARY, 'SKILL.md': `${ORDINARY['SKILL.md']}More.` })
  const least = async (files: Files) => {
    let times = Infinity
    for (let tried = 0; tried < TRIES && times >= mostFor(files); tried++) {
      const again = { ...files, 'SKILL.md': `${files['SKILL.md']}${'More.'.repeat(tried)}` }
      times = Math.min(times, (await held(again)) / ordinary)
    }
    return times
  }
  for (const [name, files] of Object.entries(HOSTILE))
    expect({ name, times: await least(files) }).toSatisfy(({ times }) => times < mostFor(files))
  connection.close()
})

function mostFor(files: Files): number {
  const size = Object.values(files).reduce((sum, { length }) => sum + length, 0)
  return MOST_TIMES + (MORE_PER_MEGABYTE * size) / 2 ** 20
}
