import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { findHome } from '../../src/daemon/home.ts'
import { contentOf, InstallingUser } from '../installing-user.ts'

let user: InstallingUser
const users: InstallingUser[] = []
beforeEach(() => void users.push((user = new InstallingUser())))
afterAll(async () => {
  for (const one of users) await one[Symbol.asyncDispose]()
})

/** A file of the project, which somebody else may have written. */
function put(path: string, text: string): void {
  mkdirSync(dirname(join(user.project, path)), { recursive: true })
  writeFileSync(join(user.project, path), text)
}

/** A folder of the user with a text in it. */
function ownFolder(name: string): string {
  const folder = join(user.folder, name)
  mkdirSync(folder)
  writeFileSync(join(folder, 'mine.md'), 'Mine.\n')
  return folder
}

const forged = (more: object) =>
  JSON.stringify({ version: '0.1.0', scope: 'project', agents: [], files: {}, ...more })

const uninstallAll = () => user.run(['skill', 'uninstall', '--all', '--scope', 'project', '--yes'])

describe('a project of somebody else', () => {
  test('cannot have files of the user moved into it, as if a killed command had left them', async () => {
    const [documents, others] = [ownFolder('documents'), ownFolder('others')]
    put('.claude/.holdfast-skills-99999999-a/new/x', '')
    put('.claude/skills/x/SKILL.md', 'x')
    symlinkSync(documents, join(user.project, '.claude/.holdfast-skills-99999999-a/old'))
    mkdirSync(join(others, 'old'))
    writeFileSync(join(others, 'old', 'mine.md'), 'Mine.\n')
    symlinkSync(others, join(user.project, '.claude/.holdfast-skills-99999999-b'))
    await user.run(['skill', 'install', 'commit', '--scope', 'project'])
    expect(contentOf(documents)).toEqual({ 'mine.md': 'Mine.\n' })
    expect(contentOf(others)).toEqual({ 'mine.md': 'Mine.\n', 'old/mine.md': 'Mine.\n' })
  })

  test('cannot have an agent removed through a link, whatever its lists say', async () => {
    const documents = ownFolder('documents')
    const digests = { 'sub/mine.md': [hash('sha256', 'Mine.\n')] }
    put('.claude/agents/.holdfast.json', forged({ files: digests }))
    symlinkSync(documents, join(user.project, '.claude/agents/sub'))
    put('.claude/skills/x/.holdfast.json', forged({ agents: ['sub/mine', '../../mine', 7, null] }))
    put('.claude/skills/x/SKILL.md', 'x')
    await uninstallAll()
    expect(contentOf(documents)).toEqual({ 'mine.md': 'Mine.\n' })
  })

  test('cannot have what is installed elsewhere removed through a link', async () => {
    await user.install('design')
    const other = join(user.folder, 'other')
    cpSync(user.own(), join(other, '.claude'), { recursive: true })
    const list = join(other, '.claude/skills/commit/.holdfast.json')
    writeFileSync(list, readFileSync(list, 'utf8').replace('"user"', '"project"'))
    const before = [contentOf(user.own()), contentOf(other)]
    mkdirSync(join(user.project, '.claude'))
    symlinkSync(user.own('agents'), join(user.project, '.claude/agents'))
    symlinkSync(join(other, '.claude/skills'), join(user.project, '.claude/skills'))
    const { code, stderr } = await uninstallAll()
    expect({ code, stderr }).toMatchObject({ stderr: expect.stringContaining('leads out of the project') })
    expect([contentOf(user.own()), contentOf(other)]).toEqual(before)
  })

  test('has no program run that its git config names', async () => {
    const program = join(user.folder, 'program.sh')
    writeFileSync(program, `#!/bin/sh\n>${join(user.folder, 'ran')}\n`, { mode: 0o755 })
    execFileSync('git', ['-C', user.project, 'init', '-q'])
    execFileSync('git', ['-C', user.project, 'config', 'core.fsmonitor', program])
    await user.run(['skill', 'install', 'commit', '--scope', 'local'])
    await user.run(['init', '--yes', '--scope', 'local'])
    expect(existsSync(join(user.project, '.claude/skills/commit/SKILL.md'))).toBe(true)
    expect(existsSync(join(user.folder, 'ran'))).toBe(false)
  })

  test('cannot write to the terminal by a list, and a list that says nothing is no list', async () => {
    put('.claude/skills/commit/.holdfast.json', forged({ scope: '\u{1b}[2Jowned' }))
    put('.claude/skills/commit/SKILL.md', 'x')
    const { stdout } = await user.run(['skill', 'list', '--catalogue'])
    expect(stdout).not.toContain('owned')
    const { stderr } = await user.run(['skill', 'install', 'commit', '--scope', 'project'])
    expect(stderr).toContain('was not installed by this command')
  })
})

test('what a killed command left among the notes of the home keeps nobody from going on', async () => {
  await user.install('commit')
  const notes = join(findHome(user.env).folder, 'skills')
  writeFileSync(join(notes, '0123456789abcdef.json.holdfast-1-0a0b0c0d'), '{"client": "cla')
  const { code } = await user.run(['init', '--yes'])
  expect({ code, note: existsSync(notes) }).toEqual({ code: 0, note: true })
  await user.run(['uninstall', '--all', '--yes'])
  expect(existsSync(user.skill('commit'))).toBe(false)
})
