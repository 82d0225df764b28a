import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unwrapped, User } from '../holdfast.ts'

const PHASES = [
  { label: '0', name: 'Setup', proof: ['mode', 'depthChosen'] },
  { label: '1', name: 'Build', proof: ['tests_pass', 'open-blocks'] },
  { label: '2', name: 'Close' },
]

async function started(user: User): Promise<{ task: string; id: number; words: string }> {
  const { id: project_id } = await user.json<{ id: number }>(['project', 'upsert', user.project])
  const skill = { name: 'fix', project_id, phases: PHASES, templates: { debriefTemplate: 'd.md' } }
  await user.json(['rpc', 'db.skills.upsert', JSON.stringify(skill)])
  const task = join(user.project, 'work')
  mkdirSync(task)
  await user.json(['task', 'upsert', task])
  const { id } = await user.json<{ id: number }>([
    'rpc',
    'db.effort.start',
    JSON.stringify({ task_id: task, skill: 'fix' }),
  ])
  return { task, id, words: String(id) }
}

test('an effort goes through its phases from the command line, and appears on one screen', async () => {
  await using user = new User()
  const { task, words } = await started(user)
  expect((await user.run(['effort', 'phase', words, '0'])).stdout).toBe(
    'Entered 0: Setup.\nProof to leave it: mode, depthChosen.\nnext: 1: Build\n',
  )

  const bare = await user.run(['effort', 'phase', words, '1'])
  expect(bare).toMatchObject({ code: 1, stdout: '' })
  expect(bare.stderr).toContain(`try: holdfast step go '1: Build' --effort ${words} --proof`)

  const slip = await user.run(['effort', 'phase', words, '1', '--mdoe', 'tdd'])
  expect(slip).toMatchObject({ code: 64 })
  expect(slip.stderr).toContain('Did you mean --mode?')

  // One field by flag, one by stdin; the flag has the spelling of flags.
  const byBoth = await user.run(['effort', 'phase', words, '1', '--depth-chosen', 'deep', '--proof', '-'], {
    input: '{"mode": "tdd"}',
  })
  expect(byBoth).toMatchObject({ code: 0 })
  const byFlags = ['--tests-pass', 'false', '--open-blocks=0']
  expect(await user.run(['effort', 'phase', words, '2', ...byFlags])).toMatchObject({ code: 0 })
  const { phase_history: history } = await user.json<{ phase_history: object[] }>(['effort', 'show', words])
  expect(history).toMatchObject([
    { phase_label: '0: Setup', proof: null },
    { phase_label: '1: Build', proof: { mode: 'tdd', depthChosen: 'deep' } },
    { phase_label: '2: Close', proof: { tests_pass: false, 'open-blocks': 0 } },
  ])

  expect((await user.run(['effort', 'show', words])).stdout.replaceAll(/\d+ s ago/g, 'now')).toBe(
    [
      `[fix:P2] fix  effort ${words}, active`,
      `task  ${task}`,
      'in    2: Close',
      'phases',
      '  0: Setup  entered now',
      '  1: Build  entered now',
      '  2: Close  entered now',
      `next: holdfast step done 2 --effort ${words}`,
      '',
    ].join('\n'),
  )
  const list = await user.run(['effort', 'list'], { cwd: task })
  expect(list.stdout).toMatch(/^effort\s+no\.\s+skill\s+lifecycle\s+phase\s+started\n/)
  expect(list.stdout).toContain('2: Close')
})

test('a word after step that is no verb is a skill', async () => {
  await using user = new User()
  const { words } = await started(user)
  const own = await user.run(['step', 'fix'], { cwd: user.project })
  expect(own).toMatchObject({ code: 0, stdout: expect.stringContaining(`effort ${words}, running`) })
  const none = await user.run(['step', 'review'], { cwd: user.project })
  expect(none).toMatchObject({ code: 66, stdout: '' })
  expect(none.stderr).toContain('This project has no skill review.')
  expect(none.stderr).toContain('try: holdfast step\n')
  const below = await user.run(['step', 'fix/review'], { cwd: user.project })
  expect(below).toMatchObject({ code: 66, stdout: '' })
  expect(unwrapped(below.stderr)).toContain(
    'fix/review is what a sub-agent of skill fix does; it begins only with the command that a step of that skill prints.',
  )
  expect(below.stderr).toContain('try: holdfast step fix\n')
})

test('outside of a task, the active efforts of the project are listed', async () => {
  await using user = new User()
  const none = await user.run(['effort', 'list'], { cwd: user.project })
  expect(none).toMatchObject({ code: 0, stdout: expect.stringContaining('No effort is active here.') })
  await started(user)
  const list = await user.run(['effort', 'list'], { cwd: user.project })
  expect(list.stdout).toMatch(/^effort\s+no\.\s+skill\s+lifecycle\s+started\s+task\n.*\swork\n$/)
  const typed = await user.run(['effort', 'list', '.'], { cwd: user.project })
  expect(typed).toMatchObject({ code: 66, stderr: expect.stringContaining('holdfast task upsert') })
})

test('an approval is recorded with its reason, and refused without one', async () => {
  await using user = new User()
  const { words } = await started(user)
  expect(await user.run(['effort', 'approve', words, '2'])).toMatchObject({ code: 64 })
  expect((await user.run(['effort', 'approve', words, '1', '--reason', 'no setup needed'])).stdout).toBe(
    'Approved, for once: phase 1: Build (no setup needed).\n',
  )
  expect(await user.run(['effort', 'phase', words, '1'])).toMatchObject({ code: 0 })
  expect(await user.run(['effort', 'phase', words, '0'])).toMatchObject({ code: 1 })
  expect(await user.run(['effort', 'phase', words, '0', '--reason', 'after all'])).toMatchObject({
    code: 0,
  })
  const shown = await user.run(['effort', 'show', words])
  expect(shown.stdout).toMatch(/phase 1: Build: no setup needed \(used \d+ s ago\)/)
  expect(shown.stdout).toMatch(/phase 0: Setup: after all \(used \d+ s ago\)/)
})

test('validate prints file and line of each problem, and its exit code shows whether there are any', async () => {
  await using user = new User()
  const { task, words } = await started(user)
  for (const label of ['0', '1', '2'])
    await user.run([
      'effort',
      'phase',
      words,
      label,
      '--proof',
      '{"mode":1,"depthChosen":1,"tests_pass":true,"open-blocks":0}',
    ])
  writeFileSync(join(task, '1_FIX_LOG.md'), '# Log\n\nLeft: #needs-review\n')
  const failed = await user.run(['effort', 'validate', words])
  expect(failed.code).toBe(1)
  expect(failed.stdout).toContain(`${join(task, '1_FIX_LOG.md')}:3: #needs-review`)
  expect(failed.stdout).toContain('fail  debrief')
  expect(failed.stdout).toContain('pass  phases-proven')
  writeFileSync(join(task, '1_FIX_LOG.md'), '# Log\n\nLeft: `#needs-review`\n')
  writeFileSync(join(task, '1_FIX.md'), '# Debrief\n')
  const passed = await user.run(['effort', 'validate', words])
  expect(passed).toMatchObject({ code: 0 })
  expect(passed.stdout).not.toContain('fail')
  expect((await user.run(['effort', 'finish', words, '--abandon', 'no longer needed'])).stdout).toBe(
    `Effort ${words} (fix) abandoned in ${task}.\n`,
  )
})

test('an effort ends with the result that its skill declares, as text, from a file or from stdin', async () => {
  await using user = new User()
  const folder = join(user.project, '.claude/skills/making')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'SKILL.md'), '---\nname: making\ndescription: Makes it.\n---\n\nDo it.\n')
  writeFileSync(
    join(folder, 'holdfast.yaml'),
    'result: {type: object, required: [url], properties: {url: {type: string}}}\n',
  )
  const begin = async () => (await user.json<{ id: number }>(['effort', 'start', 'tasks/a', 'making'])).id
  const id = await begin()
  const finish = (...words: readonly string[]) => user.run(['effort', 'finish', String(id), ...words])
  const bare = await finish()
  expect(bare).toMatchObject({ code: 1, stdout: '' })
  expect(bare.stderr).toContain(`effort finish ${id} --result '{"url":"____"}'`)
  expect((await finish('--result', '{"url": 7}')).stderr).toContain('result.url must be string, not integer')
  expect((await finish('--result', '{')).stderr).toContain('--result must be JSON')
  expect((await finish('--result', 'null')).stderr).toContain('--result must not be null')
  expect((await finish('--result', '['.repeat(1_000_000))).stderr).toContain('1000000 characters')
  expect((await finish('--result', '['.repeat(1000))).stderr).toContain('16 levels')
  writeFileSync(join(user.project, 'result.json'), '{"url": "https://x"}\n')
  const result = { url: 'https://x' }
  const ended = await user.json(['effort', 'finish', String(id), '--result', '@result.json'])
  expect(ended).toMatchObject({ lifecycle: 'finished', result })
  expect((await user.run(['effort', 'show', String(id)])).stdout).toContain('"url": "https://x"')
  expect(await user.json(['effort', 'list', 'tasks/a'])).toMatchObject([{ id, result }])
  const next = String(await begin())
  expect((await user.run(['recap', '--effort', next])).stdout).toContain('result: {"url":"https://x"}')
  const piped = await user.run(['effort', 'finish', next, '--result', '-'], { input: '{"url": "y"}' })
  expect(piped).toMatchObject({ code: 0 })
})
