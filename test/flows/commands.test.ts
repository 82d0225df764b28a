import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Effort } from '../../src/model/effort.ts'
import type { Session } from '../../src/model/session.ts'
import { effortOf } from '../../src/rules/told/words.ts'
import { User } from '../holdfast.ts'

const skill = (name: string, next: readonly string[]) => {
  const phases = [
    { label: '0', name: 'Setup', proof: ['mode'], gate: false },
    { label: '1', name: 'Work', proof: ['logEntries'] },
    { label: '2', name: 'Synthesis' },
  ]
  const json = JSON.stringify({ phases, nextSkills: next, directives: ['TESTING.md'] })
  return `---\nname: ${name}\ndescription: Does it.\n---\n\n\`\`\`json\n${json}\n\`\`\`\n`
}

function put(user: User, path: string, text: string): string {
  const file = join(user.project, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

/** A user with two skills in their project, which is not registered. */
function newcomer(): User {
  const user = new User()
  put(user, '.git/HEAD', '')
  put(user, '.claude/skills/brainstorm/SKILL.md', skill('brainstorm', ['/implement']))
  put(user, '.claude/skills/implement/SKILL.md', skill('implement', ['/test']))
  return user
}

const inside = (session: string) => ({ env: { CLAUDE_CODE_SESSION_ID: session } })

test('two skills run one after the other in one window, and the second gets the results of the first', async () => {
  await using user = newcomer()
  put(user, '.directives/TESTING.md', 'Test it.')
  const request = JSON.stringify({ taskSummary: 'Let users in', directoriesOfInterest: ['src'] })
  const begun = await user.run(['effort', 'start', 'tasks/login', 'brainstorm'], {
    input: request,
    ...inside('one'),
  })
  expect(begun.stdout).toMatch(/^Effort started: .*tasks\/login \(effort \d+, 1_BRAINSTORM\)$/m)
  expect(begun.stdout).toContain(join(user.project, '.directives/TESTING.md'))
  for (const [label, proof] of [
    ['0: Setup', ''],
    ['1: Work', '{"mode":"focused"}'],
    ['2: Synthesis', '{"logEntries":false}'],
  ] as const)
    expect(
      await user.run(['session', 'phase', 'tasks/login', label], { input: proof, ...inside('one') }),
    ).toMatchObject({ code: 0, stdout: expect.stringContaining(`Phase: ${label}`) })
  await user.run(['log', 'Thought it over'], inside('one'))
  put(user, 'tasks/login/1_BRAINSTORM.md', '# Debrief\n')
  const [first] = await user.json<Effort[]>(['effort', 'find-active'])
  expect(await user.run(['session', 'check', 'tasks/login'], inside('one'))).toMatchObject({ code: 0 })
  const given = { effort_id: first?.id, abandon: 'no longer needed', native_id: 'one' }
  await user.json(['rpc', 'db.effort.finish', JSON.stringify(given)])
  const over = await user.run(['session', 'continue', 'tasks/login'], inside('one'))
  expect(over).toMatchObject({ code: 1, stdout: expect.stringContaining('tasks/login implement') })

  const second = await user.run(['effort', 'start', 'tasks/login', '/implement'], inside('one'))
  expect(second.stdout).toContain('2_IMPLEMENT')
  expect(second.stdout).toContain(
    `- ${effortOf(first?.id ?? 0, 'brainstorm')}, debrief: ${user.project}/tasks/login/1_BRAINSTORM.md`,
  )
  const sessions = await user.json<Session[]>(['session', 'find', '--native-id', 'one'])
  expect(sessions).toHaveLength(1)
  const [task] = await user.json<{ description: string }[]>(['task', 'list'])
  expect(task?.description).toBe('Let users in')
})

test('a window overflows, and the next one continues in the same phase with the handover note', async () => {
  await using user = newcomer()
  // The form of older skills.
  await user.run(['session', 'activate', 'tasks/login', 'implement', '--fast-track'], inside('one'))
  await user.run(['session', 'phase', 'tasks/login', '0: Setup'], inside('one'))
  const entry = await user.run(['log', 'tasks/login/IMPLEMENTATION_LOG.md'], {
    input: '## Found it\n\nIt was the clock.\n',
    ...inside('one'),
  })
  const log = join(user.project, 'tasks/login/1_IMPLEMENT_LOG.md')
  expect(entry.stdout.trim()).toBe(log)
  expect(readFileSync(log, 'utf8')).toMatch(/^\n## \[[-\d]+ [:\d]+\] Found it\n\nIt was the clock\.\n$/)
  const left = {
    summary: 'Half way',
    nextSteps: ['Write the test'],
    requiredFiles: ['src/a.ts', 'tasks/login/x.md'],
  }
  put(user, 'src/a.ts', '')
  await user.run(['session', 'dehydrate', 'tasks/login'], { input: JSON.stringify(left), ...inside('one') })
  const on = await user.run(['session', 'continue'], inside('two'))
  expect(on.code).toBe(0)
  expect(on.stdout).toContain('Phase: 0: Setup')
  expect(on.stdout).toContain('Summary: Half way')
  expect(on.stdout).toContain(`- ${join(user.project, 'src/a.ts')}\n`)
  expect(on.stdout).toContain(`- ${join(user.project, 'tasks/login/x.md')} (missing)`)
  expect(on.stdout).toContain(log)
  expect(on.stdout).toContain('claude --resume one')
  const windows = await user.json<Session[]>(['session', 'find'])
  expect(windows.map(({ native_id, ended_reason }) => [native_id, ended_reason])).toEqual([
    ['two', null],
    ['one', 'overflow'],
  ])
  expect(windows[0]?.prev_session_id).toBe(windows[1]?.id)
  // The same folder by its other names.
  expect(await user.run(['session', 'phase', join(user.project, 'tasks/login'), '1: Work'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('mode'),
  })
})

test('three agents on one task have three efforts, three windows and three logs', async () => {
  await using user = newcomer()
  const agents = ['a', 'b', 'c']
  for (const agent of agents) await user.json(['agent', 'register', agent])
  const efforts = await Promise.all(
    agents.map((agent) =>
      user.json<Effort & { log: string }>(
        ['effort', 'start', 'tasks/login', 'implement', '--agent', agent, '--native-id', `n-${agent}`],
        {},
      ),
    ),
  )
  expect(new Set(efforts.map(({ ordinal }) => ordinal))).toEqual(new Set([1, 2, 3]))
  await Promise.all(agents.map((agent) => user.run(['log', `By ${agent}`, '--agent', agent])))
  for (const [index, agent] of agents.entries())
    expect(readFileSync(efforts[index]?.log ?? '', 'utf8')).toMatch(new RegExp(`^\\n## .* By ${agent}\\n$`))
  const unclear = await user.run(['log', 'By whom?', '--dir', 'tasks/login'])
  expect(unclear).toMatchObject({ code: 1, stderr: expect.stringContaining('Several efforts are active') })
})

test('an error comes with the command that works', async () => {
  await using user = newcomer()
  const unknown = await user.run(['effort', 'start', 'tasks/login', 'implment'])
  expect(unknown).toMatchObject({ code: 66, stderr: expect.stringContaining('did you mean implement?') })
  expect(await user.run(['effort', 'start', 'tasks/login', 'implement'], { input: '{"a":' })).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('must be JSON'),
  })
  const wrong = '{"directoriesOfInterest":"src"}'
  expect(await user.run(['effort', 'start', 'tasks/login', 'implement'], { input: wrong })).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('directoriesOfInterest'),
  })
  expect(await user.run(['log'])).toMatchObject({ code: 64 })
  expect(await user.run(['log', 'x'])).toMatchObject({
    code: 66,
    stderr: expect.stringContaining('effort start'),
  })
  expect(await user.run(['session', 'continue'])).toMatchObject({ code: 66 })
  expect(await user.json(['task', 'list'])).toEqual([])
})

test('the older commands end a session: idle keeps the effort, restart hands it over, deactivate finishes it', async () => {
  await using user = newcomer()
  const one = inside('one')
  const parameters = JSON.stringify({ nextSkills: ['/test', '/document'] })
  await user.run(['session', 'activate', 'tasks/login', 'implement'], { ...one, input: parameters })
  const [effort] = await user.json<Effort[]>(['effort', 'find-active'])
  const sessions = () => user.json<Session[]>(['session', 'find', '--effort', `${effort?.id}`])
  const ended = async () => (await sessions()).map(({ ended_at }) => ended_at !== null)
  const call = (verb: string, words: readonly string[], input?: string) =>
    user.run(['session', verb, 'tasks/login', ...words], { ...one, ...(input !== undefined && { input }) })

  const idle = await call('idle', ['--keywords', 'login, oauth'], 'The form works.\n')
  expect(idle).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Effort ${effort?.id} stays active.`),
  })
  expect(idle.stdout).toContain('## Next Skills\n- /test\n- /document')
  expect(await ended()).toEqual([true])
  const again = await user.run(['session', 'continue', `${effort?.id}`], one)
  expect(again.stdout).toContain('The form works.')
  expect(await ended()).toEqual([false, true])

  const note = JSON.stringify({ summary: 'Half done.', nextSteps: ['test the form'] })
  const restarted = await call('restart', [], note)
  expect(restarted.stdout).toContain('To resume the session: claude --resume one')
  expect(restarted.stdout).toContain(`To continue in a new session: holdfast session continue ${effort?.id}`)
  expect(await ended()).toEqual([true, true])
  expect((await user.run(['session', 'continue', `${effort?.id}`], one)).stdout).toContain('test the form')
  // Without a note, the known state is handed over.
  expect(await user.json(['session', 'restart', 'tasks/login'], one)).toMatchObject({
    author: 'engine',
    resume: 'claude --resume one',
    continue: `holdfast session continue ${effort?.id}`,
  })

  const said = JSON.stringify({ description: 'Users can log in.', keywords: ['oauth', 'pkce'] })
  const giveUp = ['session', 'deactivate', 'tasks/login', '--abandon', 'no longer needed']
  expect(await user.run(giveUp, { ...one, input: said })).toMatchObject({ code: 1 })
  const finished = await user.run(giveUp, { input: said })
  expect(finished).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Effort ${effort?.id} (implement) finished`),
  })
  const [task] = await user.json<{ keywords: string }[]>(['task', 'list'])
  expect(task?.keywords).toBe('login, oauth, pkce')
  const { metadata } = await user.json<Effort>(['effort', 'show', `${effort?.id}`])
  expect(metadata).toEqual({ description: 'Users can log in.', nextSkills: ['/test', '/document'] })
  expect(await call('deactivate', [], 'Again.')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('finished'),
  })
})

test('the older commands register a task and check the debrief of its effort', async () => {
  await using user = newcomer()
  const unknown = await user.run(['session', 'init', 'tasks/login'])
  expect(unknown.stderr).toContain('try: holdfast project upsert .')
  await user.run(['project', 'upsert', '.'])
  const made = await user.run(['session', 'init', 'tasks/login'])
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('holdfast effort start') })
  expect(await user.json(['task', 'list'])).toMatchObject([{ dir_path: join(user.project, 'tasks/login') }])
  expect(await user.run(['session', 'init', ''])).toMatchObject({ code: 64 })
  const fix =
    '---\nname: fix\ndescription: Fixes.\n---\n\n```json\n{"debriefTemplate":"x.md","phases":[{"label":"1","name":"Fix"}]}\n```\n'
  mkdirSync(join(user.project, '.claude/skills/fix'), { recursive: true })
  writeFileSync(join(user.project, '.claude/skills/fix/SKILL.md'), fix)
  await user.run(['session', 'activate', 'tasks/login', 'fix'])
  const open = await user.run(['session', 'debrief', 'tasks/login'])
  expect(open).toMatchObject({ code: 1, stdout: expect.stringContaining('1_FIX.md') })
  writeFileSync(join(user.project, 'tasks/login/1_FIX.md'), 'Fixed.\n')
  expect(await user.json(['session', 'debrief', 'tasks/login'])).toMatchObject({
    check: 'debrief',
    pass: true,
  })
})

test('the older commands take no description, plain text, and no broken JSON', async () => {
  await using user = newcomer()
  await user.run(['session', 'activate', 'a', 'implement'])
  expect(await user.run(['session', 'idle', ''], {})).toMatchObject({ code: 64 })
  expect(await user.run(['session', 'idle', 'a'], { input: '{"description":' })).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('The description must be text or JSON'),
  })
  expect(await user.run(['session', 'restart', 'a'], { input: 'plain' })).toMatchObject({ code: 64 })
  expect(await user.json(['session', 'idle', 'a'])).toMatchObject({ author: 'engine' })
  const finished = await user.json<Effort>(
    ['session', 'deactivate', 'a', '--keywords', 'x', '--abandon', 'no longer needed'],
    {
      input: 'Done.\n',
    },
  )
  expect(finished).toMatchObject({ lifecycle: 'finished', metadata: { description: 'Done.' } })
})
