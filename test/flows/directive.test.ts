import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { User } from '../holdfast.ts'

test('a user lists the directives in force in a folder, and what they refer to', async () => {
  await using user = new User()
  const put = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const here = (path: string) => join(user.project, path)
  const shared = join(user.folder, 'claude', '.directives/formats/FMT_LIST.md')
  put(here('AGENTS.md'), 'Before you end, §CMD_REPORT.')
  put(here('src/.directives/TESTING.md'), 'Run them all.')
  put(here('.directives/commands/CMD_REPORT.md'), 'Report as a §FMT_LIST and keep §INV_HONEST.')
  put(shared, 'One line each.')
  const env = { CLAUDE_CONFIG_DIR: join(user.folder, 'claude') }
  await user.run(['project', 'upsert', '.'], { env })
  const { id } = (await user.json<{ id: number }[]>(['project', 'list']))[0] ?? { id: 0 }
  await user.json(['rpc', 'db.skills.upsert', '-'], {
    input: JSON.stringify({ project_id: id, name: 'build', directives: ['TESTING.md'] }),
  })
  const inForce = [
    { type: 'TESTING', path: here('src/.directives/TESTING.md'), folder: here('src') },
    { type: 'AGENTS', path: here('AGENTS.md'), folder: user.project },
  ]
  const found = await user.json(['directive', 'discover', 'new.ts', '--skill', 'build'], { cwd: here('src') })
  expect(found).toMatchObject(inForce)
  expect(await user.json(['directive', 'discover', 'src', '--types', 'TESTING,PITFALLS'])).toMatchObject(
    inForce,
  )
  expect(await user.json(['directive', 'dereference', 'AGENTS.md'])).toMatchObject({
    found: [
      { name: 'CMD_REPORT', depth: 1 },
      { name: 'FMT_LIST', depth: 2, path: shared, content: 'One line each.' },
    ],
    missing: [{ name: 'INV_HONEST', from: here('.directives/commands/CMD_REPORT.md') }],
  })
  expect((await user.run(['directive', 'resolve', '§FMT_LIST', '.'])).stdout).toContain(shared)
  const lost = await user.run(['directive', 'resolve', 'INV_HONEST', 'src'])
  expect(lost.code).toBe(66)
  expect(lost.stderr).toContain(`Create ${here('.directives/invariants/INV_HONEST.md')}`)
})
