import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { User } from '../holdfast.ts'

interface Stored {
  readonly name: string
  readonly scope: string
  readonly description: string
}

function author() {
  const user = new User()
  onTestFinished(() => user[Symbol.asyncDispose]())
  const write = (path: string, description: string) => {
    const file = join(user.folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `---\nname: x\ndescription: ${description}\n---\n`)
  }
  const stored = () => user.json<Stored[]>(['rpc', 'db.skills.list', '{"project_id": 1}'])
  return { user, write, stored }
}

const SOON = { timeout: 60_000, interval: 200 }

test('the daemon notices a skill that is written, changed or removed', async () => {
  const { user, write, stored } = author()
  await user.json(['project', 'upsert', user.project])
  await vi.waitFor(async () => expect(await stored()).toMatchObject([]), SOON)
  write('project/.claude/skills/review/SKILL.md', 'one')
  await vi.waitFor(
    async () =>
      expect(await stored()).toMatchObject([{ name: 'review', scope: 'project', description: 'one' }]),
    SOON,
  )
  write('project/.claude/skills/review/SKILL.md', 'two')
  write('user/.claude/skills/mine/SKILL.md', 'personal')
  const both = [
    { name: 'mine', scope: 'personal' },
    { name: 'review', description: 'two' },
  ]
  await vi.waitFor(async () => expect(await stored()).toMatchObject(both), SOON)
  rmSync(join(user.project, '.claude'), { recursive: true })
  await vi.waitFor(async () => expect(await stored()).toMatchObject([{ name: 'mine' }]), SOON)
})

test('the next daemon notices changes from while none was running, for every active project', async () => {
  const { user, write, stored } = author()
  write('project/.claude/skills/review/SKILL.md', 'one')
  await user.json(['project', 'upsert', user.project])
  await user.json(['task', 'upsert', user.project])
  await user.json(['effort', 'start', user.project, 'review'])
  await vi.waitFor(async () => expect(await stored()).toMatchObject([{ description: 'one' }]), SOON)
  const { pid } = JSON.parse(readFileSync(join(user.folder, 'home/daemon.json'), 'utf8')) as { pid: number }
  process.kill(pid, 'SIGKILL')
  write('project/.claude/skills/review/SKILL.md', 'two')
  await vi.waitFor(async () => expect(await stored()).toMatchObject([{ description: 'two' }]), SOON)
})
