import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { findHome } from '../../src/daemon/home.ts'
import { skillInstall, skillUninstall } from '../../src/cli/commands/skill-install.ts'
import { parseArguments } from '../../src/cli/frame/args.ts'
import type { Command } from '../../src/cli/frame/command.ts'
import { type Io, systemIo } from '../../src/cli/frame/io.ts'
import { ENTRY } from '../holdfast.ts'
import { age, contentOf, doneWith, InstallingUser, shipped } from '../installing-user.ts'

let user: InstallingUser
const users: InstallingUser[] = []
beforeEach(() => void users.push((user = new InstallingUser())))
afterAll(async () => {
  for (const one of users) await one[Symbol.asyncDispose]()
})

const install = (...words: readonly string[]) => user.install(...words)
const own = (...path: readonly string[]) => user.own(...path)
const skill = (name: string) => user.skill(name)
const installed = (name: string) => user.installed(name)

const git = (folder: string, ...words: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', '-C', folder, ...words], {
    encoding: 'utf8',
    env: { ...process.env, HOME: user.folder },
  })

test('a skill comes with the skills that it goes on to and with its agents, and goes without a trace', async () => {
  const done = await install('design')
  expect(done.map(({ name }) => name)).toEqual(['commit', 'design', 'handoff', 'design-vet'])
  expect(new Set(done.map((one) => one.done))).toEqual(new Set(['installed']))
  for (const name of ['commit', 'design', 'handoff']) expect(installed(name)).toEqual(shipped(name))
  expect(doneWith(await install('design'), 'design')).toBe('current')
  await user.json(['skill', 'uninstall', 'design'])
  expect(readdirSync(own())).toEqual(['skills'])
  await user.json(['skill', 'uninstall', '--all'])
  expect(existsSync(own())).toBe(false)
  expect(contentOf(join(findHome(user.env).folder, 'skills'))).toEqual({})
})

test('an installed skill is trusted as it is, and not once it has changed', async () => {
  await install('decision-critic')
  const begin = () => user.run(['step', 'decision-critic', '--param', 'decision=x'])
  expect((await begin()).stdout).toContain('STEP 1')
  await user.json(['effort', 'finish', '1', '--abandon', 'enough'])
  const code = join(skill('decision-critic'), 'workflow.ts')
  writeFileSync(code, `${readFileSync(code, 'utf8')}\n// Another code.\n`)
  const { code: exit, stderr } = await begin()
  expect(exit).not.toBe(0)
  expect(stderr).toContain('is not trusted')
})

describe('what is not ours', () => {
  test('is never overwritten: a skill, a link, and an agent', async () => {
    const mine = { [skill('commit')]: 'SKILL.md', [own('agents')]: 'design-vet.md' }
    for (const [folder, file] of Object.entries(mine)) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, file), 'Mine.\n')
    }
    symlinkSync('/nowhere', own('skills', 'handoff'))
    const { code, stderr } = await user.run(['skill', 'install', 'commit', 'planner', '--replace'])
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not installed by this command'),
    })
    expect(existsSync(skill('planner'))).toBe(false)
    const done = await install('--all', '--replace')
    for (const name of ['commit', 'handoff', 'design-vet']) expect(doneWith(done, name)).toBe('foreign')
    expect(contentOf(skill('commit'))).toEqual({ 'SKILL.md': 'Mine.\n' })
    expect(lstatSync(own('skills', 'handoff')).isSymbolicLink()).toBe(true)
    await user.json(['skill', 'uninstall', '--all'])
    expect(readFileSync(own('agents', 'design-vet.md'), 'utf8')).toBe('Mine.\n')
    expect(readdirSync(own('skills')).toSorted()).toEqual(['commit', 'handoff'])
  })

  test('is not taken out, and the refusal lists what was installed', async () => {
    await install('commit')
    expect((await user.run(['skill', 'uninstall', 'vibe'])).stderr).toContain(
      `vibe was not installed into ${own('skills')}; these were: commit.`,
    )
  })

  test('stays in the folder of a skill through an update and an uninstallation', async () => {
    await install('commit')
    writeFileSync(join(skill('commit'), 'NOTES.md'), 'Mine.\n')
    symlinkSync('/nowhere', join(skill('commit'), 'resources', 'link'))
    age(skill('commit'), 'SKILL.md')
    age(skill('commit'), 'former.md')
    expect(doneWith(await install('commit'), 'commit')).toBe('updated')
    const { 'NOTES.md': notes, ...rest } = Object.fromEntries(
      Object.entries(shipped('commit')).map(([path]) => [
        path,
        readFileSync(join(skill('commit'), path), 'utf8'),
      ]),
    )
    expect({ notes, rest }).toEqual({ notes: undefined, rest: shipped('commit') })
    expect(existsSync(join(skill('commit'), 'former.md'))).toBe(false)
    await user.json(['skill', 'uninstall', 'commit'])
    expect(readFileSync(join(skill('commit'), 'NOTES.md'), 'utf8')).toBe('Mine.\n')
    expect(lstatSync(join(skill('commit'), 'resources', 'link')).isSymbolicLink()).toBe(true)
    expect(readdirSync(skill('commit')).toSorted()).toEqual(['NOTES.md', 'resources'])
  })

  test('is not reached through a link in a skill of ours', async () => {
    await install('commit')
    const elsewhere = join(user.folder, 'elsewhere')
    cpSync(join(skill('commit'), 'resources'), elsewhere, { recursive: true })
    rmSync(join(skill('commit'), 'resources'), { recursive: true })
    symlinkSync(elsewhere, join(skill('commit'), 'resources'))
    writeFileSync(join(elsewhere, 'message-format.md'), 'Mine.\n')
    expect(doneWith(await install('commit', '--replace'), 'commit')).toBe('replaced')
    expect(installed('commit')).toEqual(shipped('commit'))
    symlinkSync(elsewhere, join(skill('commit'), 'more'))
    await user.json(['skill', 'uninstall', 'commit'])
    expect(contentOf(elsewhere)).toEqual({ 'message-format.md': 'Mine.\n' })
  })

  test('is not reached through a link that leads out of a project, or by a list that somebody has forged', async () => {
    mkdirSync(own('skills'), { recursive: true })
    mkdirSync(join(user.project, '.claude'))
    symlinkSync(own('skills'), join(user.project, '.claude/skills'))
    const { code, stderr } = await user.run(['skill', 'install', 'commit', '--scope', 'project'])
    expect({ code, stderr }).toMatchObject({ stderr: expect.stringContaining('leads out of the project') })
    expect(readdirSync(own('skills'))).toEqual([])
    await install('commit')
    writeFileSync(own('mine.md'), 'Mine.\n')
    age(skill('commit'), '../../mine.md', 'Mine.\n')
    await user.json(['skill', 'uninstall', '--all'])
    expect(readFileSync(own('mine.md'), 'utf8')).toBe('Mine.\n')
  })
})

test('a changed skill or agent is overwritten only if the user says so, and a copy is kept', async () => {
  await install('planner', 'commit')
  const [text, agent] = [join(skill('planner'), 'SKILL.md'), own('agents', 'explore.md')]
  for (const path of [text, agent]) writeFileSync(path, 'Changed.\n')
  age(skill('commit'), 'SKILL.md')
  const refused = await user.run(['skill', 'install', 'planner', 'commit'])
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('planner, explore changed since')
  expect(refused.stderr).toContain('holdfast skill install planner commit --replace')
  expect([text, agent].map((path) => readFileSync(path, 'utf8'))).toEqual(['Changed.\n', 'Changed.\n'])
  expect(installed('commit')).toEqual(shipped('commit'))

  const kept = await user.run(['skill', 'uninstall', 'planner'])
  expect(kept).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('holdfast skill uninstall planner --yes'),
  })
  expect(readFileSync(text, 'utf8')).toBe('Changed.\n')

  const done = await install('planner', '--replace')
  const copies = done.flatMap(({ copy }) => copy ?? [])
  expect(copies.map((folder) => Object.values(contentOf(folder)).includes('Changed.\n'))).toEqual([
    true,
    true,
  ])
  expect(installed('planner')).toEqual(shipped('planner'))
})

describe('an upgrade', () => {
  test('brings what nobody has changed up to date, and names what it left', async () => {
    await install('commit', 'decision-critic', 'planner')
    age(skill('commit'), 'SKILL.md')
    age(own('agents'), 'explore.md')
    writeFileSync(join(skill('decision-critic'), 'SKILL.md'), 'Changed.\n')
    const { updates } = await user.wire<{ updates: readonly object[] }>()
    expect(updates).toMatchObject([
      { name: 'commit', done: 'updated' },
      { name: 'decision-critic', done: 'left', next: 'holdfast skill install decision-critic --replace' },
      { name: 'explore', done: 'updated' },
    ])
    for (const name of ['commit', 'planner']) expect(installed(name)).toEqual(shipped(name))
    expect(installed('decision-critic')['SKILL.md']).toBe('Changed.\n')
    expect((await user.wire<{ updates: readonly object[] }>()).updates).toHaveLength(1)
  })

  test('leaves a copy of a newer version as it is', async () => {
    await install('commit')
    age(skill('commit'), 'SKILL.md', 'Newer.\n')
    const path = join(skill('commit'), '.holdfast.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace('0.1.0', '99.0.0'))
    expect(doneWith(await install('commit'), 'commit')).toBe('newer')
    expect(installed('commit')['SKILL.md']).toBe('Newer.\n')
  })
})

test('doctor finds what is missing, changed or older, and its fixes help', async () => {
  await install('design', 'planner')
  age(skill('commit'), 'SKILL.md')
  writeFileSync(join(skill('handoff'), 'SKILL.md'), 'Changed.\n')
  rmSync(own('agents', 'design-vet.md'))
  rmSync(join(skill('planner'), 'workflow.ts'))
  const before = await user.found()
  expect(before.map(({ code }) => code)).toEqual([
    'skill-missing',
    'skill-missing',
    'skill-changed',
    'skill-older',
  ])
  for (const { fix } of before) await user.run((fix ?? '').split(' ').slice(1))
  expect(await user.found()).toEqual([])
})

describe('the scope local', () => {
  test('is kept out of git, in a worktree and a folder of the repository too, and leaves the list as it was', async () => {
    git(user.project, 'init', '-q')
    user.put('README.md', 'x')
    user.put('part/.claude/own.md', 'x')
    git(user.project, 'add', '.')
    git(user.project, 'commit', '-qm', 'x')
    const list = join(user.project, '.git/info/exclude')
    writeFileSync(list, '# Mine\n*.tmp')
    const tree = join(user.folder, 'tree')
    git(user.project, 'worktree', 'add', '-q', tree)
    const places = [user.project, tree, join(user.project, 'part')]
    for (const place of places) await install('planner', '--scope', 'local', '--project', place)
    for (const place of places) {
      expect(existsSync(join(place, '.claude/skills/planner/SKILL.md'))).toBe(true)
      expect(git(place, 'status', '--porcelain', '--untracked-files=all')).toBe('')
    }
    for (const place of places)
      await user.json(['skill', 'uninstall', '--all', '--scope', 'local', '--project', place])
    expect(readFileSync(list, 'utf8').trimEnd()).toBe('# Mine\n*.tmp')
  })

  test('leaves to git what the project shares, and refuses what git tracks', async () => {
    git(user.project, 'init', '-q')
    await install('planner', '--scope', 'project')
    await install('commit', '--scope', 'local')
    const seen = () => git(user.project, 'status', '--porcelain', '--untracked-files=all')
    expect(seen()).toContain('.claude/agents/explore.md')
    expect(seen()).not.toContain('skills/commit')
    expect(await user.run(['skill', 'uninstall', 'planner', '--scope', 'local'])).toMatchObject({
      stderr: expect.stringContaining('holdfast skill uninstall planner --scope project'),
    })
    await install('commit', '--scope', 'project')
    expect(seen()).toContain('skills/commit/SKILL.md')
    git(user.project, 'add', '.')
    const { code, stderr } = await user.run(['skill', 'install', 'commit', '--scope', 'local'])
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('git tracks commit') })
  })
})

test('uninstall says which skills stay, and uninstall --all takes out what nobody has changed, everywhere', async () => {
  await user.wire()
  await install('commit', 'planner')
  await install('handoff', '--scope', 'local')
  const { skills } = await user.json<{ skills: readonly { next: string }[] }>(['uninstall', '--dry-run'])
  expect(skills.map(({ next }) => next)).toEqual([
    'holdfast skill uninstall --all --scope user',
    `holdfast skill uninstall --all --scope local --project ${user.project}`,
  ])
  writeFileSync(join(skill('planner'), 'SKILL.md'), 'Changed.\n')
  const elsewhere = join(user.folder, 'elsewhere')
  mkdirSync(elsewhere)
  const { stays } = await user.json<{ stays: readonly string[] }>(['uninstall', '--all', '--yes'], {
    cwd: elsewhere,
  })
  expect(stays).toContain(skill('planner'))
  expect(readdirSync(own('skills'))).toEqual(['planner'])
  expect(existsSync(join(user.project, '.claude/skills'))).toBe(false)
})

test('in a terminal, the user decides about what was changed by answering', async () => {
  await install('commit')
  const text = join(skill('commit'), 'SKILL.md')
  writeFileSync(text, 'Changed.\n')
  const asked: string[] = []
  const answer = (command: Command, said: string) => {
    const io: Io = {
      ...systemIo(false),
      env: user.env,
      cwd: user.project,
      entry: ENTRY,
      out: () => undefined,
      note: () => undefined,
      ask: (question) => Promise.resolve((asked.push(question), said)),
    }
    return command.run(io, parseArguments(['commit'], command.flags, command.name))
  }
  expect(await answer(skillInstall, 'no')).toBe(1)
  expect(await answer(skillUninstall, '')).toBe(1)
  expect(readFileSync(text, 'utf8')).toBe('Changed.\n')
  expect(await answer(skillInstall, 'y')).toBe(0)
  expect(installed('commit')).toEqual(shipped('commit'))
  expect(await answer(skillUninstall, 'n')).toBe(0)
  expect(asked.every((question) => question.startsWith('commit changed since'))).toBe(true)
  expect(asked).toHaveLength(3)
})

test('without hooks, an installation says how they come', async () => {
  expect((await user.run(['skill', 'install', 'commit'])).stdout).toContain('holdfast init')
  await user.wire()
  expect((await user.run(['skill', 'install', 'commit'])).stdout).not.toContain('holdfast init')
})
