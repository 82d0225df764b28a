import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { ENTRY, User } from '../holdfast.ts'

const run = promisify(execFile)
const CONTENTS = join(import.meta.dirname, '../../contents')
const SKILLS = globSync('skills/*/', { cwd: CONTENTS }).toSorted()
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

/** The fields of the standard that our skills use; its validator knows no others. */
interface Frontmatter {
  readonly name: string
  readonly description: string
  readonly metadata: Readonly<Record<string, string>>
}

const frontmatterOf = (skill: string): Frontmatter => {
  const [, yaml = ''] = readFileSync(join(CONTENTS, skill, 'SKILL.md'), 'utf8').split('---\n')
  return parse(yaml) as Frontmatter
}

/** What a table has room for: at most 100 characters, without a full stop. */
const CELL = /^\S.{0,98}[^\s.]$/

test.each(SKILLS)('%s says in a line each what it does, leaves and needs', (skill) => {
  const { metadata, ...standard } = frontmatterOf(skill)
  expect(standard).toEqual({ name: basename(skill), description: expect.stringMatching(/\.$/) })
  expect(Object.keys(metadata)).toEqual(['summary', 'leaves', 'needs'])
  for (const said of Object.values(metadata)) expect(said).toMatch(CELL)
})

test.each(SKILLS)('%s sends the agent to its first command if it has a workflow', (skill) => {
  const hasWorkflow = existsSync(join(CONTENTS, skill, 'workflow.ts'))
  const { description } = frontmatterOf(skill)
  expect(description.endsWith(' Run its first command before anything else.')).toBe(hasWorkflow)
})

test('the check finds nothing to say about the skills of the package', async () => {
  await using user = new User()
  const words = ['--json', 'skill', 'check', join(CONTENTS, 'skills')]
  const { code, stdout } = await user.run(words)
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly object[] }
  expect({ code, diagnostics }).toEqual({ code: 0, diagnostics: [] })
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
