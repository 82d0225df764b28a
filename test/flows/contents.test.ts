import { execFile } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ENTRY, User } from '../holdfast.ts'

const run = promisify(execFile)
const CONTENTS = join(import.meta.dirname, '../../contents')
const FILES = globSync(['*.md', '.directives/commands/*.md'], { cwd: CONTENTS }).toSorted()

test('every command that the shipped texts tell an agent works where it works', async () => {
  await using user = new User()
  const texts = FILES.map((file) => readFileSync(join(CONTENTS, file), 'utf8')).join('\n')
  const told = new Set([...texts.matchAll(/`(holdfast [^`]+)`/g)].map(([, line = '']) => line))
  // Nothing is left to do for an effort that is finished.
  const lines = [...told].toSorted((a, b) => Number(a.includes(' finish ')) - Number(b.includes(' finish ')))
  expect(lines.length).toBeGreaterThan(5)
  const { id, task_id } = await started(user)
  writeFileSync(join(task_id, '1_MAKE.md'), 'Made.\n')
  for (const line of lines) {
    const words = line.replaceAll('NUMBER', `${id}`).replace(' NAME ', ' CMD_APPEND_LOG ')
    const shell = words.replace(/^holdfast/, `'${process.execPath}' '${ENTRY}'`)
    await run('sh', ['-c', `${shell} < /dev/null`], { cwd: user.project, env: { ...user.env } })
  }
  expect(await user.json(['effort', 'show', `${id}`])).toMatchObject({ lifecycle: 'finished' })
})

async function started(user: User) {
  const folder = join(user.project, '.claude/skills/make')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'SKILL.md'), '---\nname: make\ndescription: Makes.\n---\n\nMake it.\n')
  await user.run(['effort', 'start', 'tasks/one', 'make'])
  const [effort] = await user.json<{ id: number; task_id: string }[]>(['effort', 'find-active'])
  if (effort === undefined) throw new Error('No effort was started.')
  return effort
}
