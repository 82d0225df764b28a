import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { HookedClient } from '../hooked-client.ts'
import { SkilledUser } from '../skilled-user.ts'

vi.setConfig({ testTimeout: 300_000 })

const ESSAY = `---
name: essay
description: Writes an essay.
---
# Essay

## Workflow

1. **Read** the sources
2. **Draft** the text
3. **Review** it (optional)
4. **Publish** it

## Best practices

1. Be short
2. Be kind
`

const DRAWN = `---
name: drawn
description: Works as drawn.
---
## The process

\`\`\`dot
digraph g { "Write a test" -> "Is it red?"; "Is it red?" -> "Write a test" [label="no"]; "Is it red?" -> "Write code" [label="yes"]; }
\`\`\`
`

interface Row {
  readonly skill: string
  readonly lifecycle: string
}

async function arrive() {
  const user = await SkilledUser.arrive()
  onTestFinished(() => user[Symbol.asyncDispose]())
  const put = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return path
  }
  const personal = put(join(user.clientConfig, 'skills/essay/SKILL.md'), ESSAY)
  const client = new HookedClient(user, 'one', { patient: true })
  await client.fire('SessionStart', { source: 'startup' })
  const efforts = async () =>
    (await user.json<readonly Row[]>(['effort', 'list', '--all']))
      .filter(({ skill }) => skill === 'essay')
      .map(({ lifecycle }) => lifecycle)
  return { user, client, personal, put, efforts }
}

interface Adopted {
  readonly adopted: readonly { readonly id: string; readonly from: string; readonly path: string }[]
  readonly written: boolean
}

const adopt = (user: SkilledUser, ...words: readonly string[]) =>
  user.json<Adopted>(['skill', 'adopt', ...words])

test('a skill of somebody else only guides; once adopted it is held to its own steps, until it is removed', async () => {
  const { user, client, personal, efforts } = await arrive()
  await client.fire('UserPromptSubmit', { prompt: '/essay on rain' })
  expect(await efforts()).toEqual([])
  const { adopted, written } = await adopt(user, 'essay', '--yes')
  expect({ adopted, written }).toMatchObject({ adopted: [{ id: 'essay', from: 'headings' }], written: true })
  expect(readFileSync(personal, 'utf8')).toBe(ESSAY)
  const { context } = await client.fire('UserPromptSubmit', { prompt: '/essay on snow' })
  expect(context).toContain('Read')
  expect(await efforts()).toEqual(['active'])
  const show = await user.json<{ plan: { steps: { title: string; optional: boolean }[] } }>([
    'skill',
    'show',
    'essay',
    '--all',
  ])
  expect(show.plan.steps.map(({ title, optional }) => [title, optional])).toEqual([
    ['Read', false],
    ['Draft', false],
    ['Review', true],
    ['Publish', false],
  ])
  const { refusals } = await client.fire('Stop', { stop_hook_active: false })
  expect(refusals.join()).toContain('Read')
  for (const step of ['1', '2', '4']) {
    await user.json(['step', 'go', step, '--native-id', 'one'])
    await user.json(['step', 'done', '--native-id', 'one'])
  }
  expect(await efforts()).toEqual(['finished'])
  await user.json(['skill', 'adopt', 'essay', '--remove', '--yes'])
  expect(existsSync(adopted[0]?.path ?? '')).toBe(false)
  await client.fire('UserPromptSubmit', { prompt: '/essay on fog' })
  expect(await efforts()).toEqual(['finished'])
})

test('skill list and init tell what is held, and what could be', async () => {
  const { user, put } = await arrive()
  put(
    join(user.clientConfig, 'skills/plain/SKILL.md'),
    '---\nname: plain\ndescription: Helps.\n---\nBe kind.\n',
  )
  const held = async () =>
    Object.fromEntries(
      (await user.json<readonly { id: string; held: string }[]>(['skill', 'list', '--all'])).map(
        ({ id, held: how }) => [id, how],
      ),
    )
  expect(await held()).toMatchObject({ deploy: 'plan', essay: 'adoptable', plain: 'guide' })
  expect(await user.json(['skill', 'adopt'])).toMatchObject({ adoptable: ['essay'], adopted: [] })
  expect((await user.run(['init', '--yes'])).stdout).toMatch(/1 skill can be held .*\(essay\)/)
  await adopt(user, '--all', '--yes')
  expect(await held()).toMatchObject({ essay: 'overlay' })
  expect(await user.json(['skill', 'adopt'])).toMatchObject({ adoptable: [], adopted: ['essay'] })
})

test('an overlay is harmless once the skill has changed', async () => {
  const { user, client, personal, efforts } = await arrive()
  await adopt(user, 'essay', '--yes')
  writeFileSync(personal, ESSAY.replace('Draft', 'Sketch'))
  const { diagnostics } = await user.json<{ diagnostics: { code: string }[] }>(['skill', 'check', '--all'])
  expect(diagnostics.map(({ code }) => code)).toContain('HF120')
  expect((await user.run(['skill', 'list', '--all'], { width: 200 })).stdout).toContain(
    'overlay does not fit',
  )
  await client.fire('UserPromptSubmit', { prompt: '/essay on rain' })
  expect(await efforts()).toEqual([])
})

const FIX = '---\nname: fix\ndescription: Fixes.\n---\n## 1. Root cause\n\n## 2. The fix\n'
const HELD = `phases:
  - {label: "1", name: Find, heading: Root cause, proof: [cause]}
  - {label: "2", name: Fix it, heading: The fix, writes: [src/**]}
`

test.each<[string, (project: string) => void]>([
  ['removes the overlay', (project) => rmSync(join(project, '.holdfast/skills/fix.yaml'))],
  [
    'removes the folder of the overlays',
    (project) => rmSync(join(project, '.holdfast'), { recursive: true }),
  ],
  [
    'renames the folder of the overlays',
    (project) => renameSync(join(project, '.holdfast/skills'), join(project, '.holdfast/old')),
  ],
  [
    'removes a heading of the skill',
    (project) => writeFileSync(join(project, '.claude/skills/fix/SKILL.md'), FIX.replace('Root', 'Some')),
  ],
])('an agent whose script %s loosens neither its effort nor the next one', async (_, act) => {
  const { user, client, put } = await arrive()
  put(join(user.project, '.claude/skills/fix/SKILL.md'), FIX)
  put(join(user.project, '.holdfast/skills/fix.yaml'), HELD)
  await user.json(['enforce', 'enforce'])
  const write = { tool_name: 'Write', tool_input: { file_path: join(user.project, 'src/a.ts'), content: '' } }
  const isHeld = async () => (await client.fire('PreToolUse', write)).refusals.length > 0
  const called = async () => {
    await client.fire('UserPromptSubmit', { prompt: '/fix it' })
    return await isHeld()
  }
  await vi.waitUntil(called, { timeout: 60_000, interval: 100 })
  const script = { tool_name: 'Bash', tool_input: { command: './script.sh' }, tool_use_id: 'script' }
  await client.fire('PreToolUse', script)
  act(user.project)
  await client.fire('PostToolUse', { ...script, tool_response: {} })
  const [effort] = await user.json<{ id: number }[]>(['effort', 'find-active'])
  const shown = () => user.json<{ plan_edit: string | null }>(['effort', 'show', String(effort?.id)])
  await vi.waitUntil(async () => (await shown()).plan_edit, { timeout: 60_000, interval: 100 })
  expect(await isHeld()).toBe(true)
  await user.json(['effort', 'finish', String(effort?.id), '--abandon', 'enough'])
  expect(await isHeld()).toBe(false)
  expect(await called()).toBe(true)
})

test('skills of plugins and drawn processes can be adopted, for the user or the project', async () => {
  const { user, put } = await arrive()
  const plugin = join(user.clientConfig, 'plugins/cache/m/kit/1.0')
  put(join(plugin, 'skills/drawn/SKILL.md'), DRAWN)
  put(
    join(user.clientConfig, 'plugins/installed_plugins.json'),
    JSON.stringify({
      version: 2,
      plugins: { 'kit@m': [{ scope: 'user', installPath: plugin, version: '1.0' }] },
    }),
  )
  const settings = join(user.clientConfig, 'settings.json')
  const enabled = {
    ...(JSON.parse(readFileSync(settings, 'utf8')) as object),
    enabledPlugins: { 'kit@m': true },
  }
  writeFileSync(settings, JSON.stringify(enabled))
  const { adopted } = await adopt(user, 'drawn', '--yes', '--scope', 'project')
  expect(adopted).toMatchObject([
    { id: 'kit:drawn', from: 'drawing', path: join(user.project, '.holdfast/skills/kit/drawn.yaml') },
  ])
  expect(existsSync(join(user.project, '.holdfast/.gitignore'))).toBe(true)
  const { plan } = await user.json<{ plan: { steps: { next: object; limit?: number }[] } }>([
    'skill',
    'show',
    'kit:drawn',
    '--all',
  ])
  expect(plan.steps).toMatchObject([{ limit: 10 }, { next: { ok: ['3'], no: ['1'] } }, { next: { ok: [] } }])
})

test.each(['..:config', 'kit:..:..:config', ':essay', '.:essay'])(
  'a skill that is called %s is not adopted, because its file would not be its own',
  async (name) => {
    const { user, put } = await arrive()
    put(join(user.project, '.claude/skills', name, 'SKILL.md'), ESSAY)
    const config = put(join(user.env['HOME'] ?? '', '.config/holdfast/config.yaml'), 'tasks: work\n')
    for (const words of [['--scope', 'user', '--', name], ['--all']])
      await user.run(['skill', 'adopt', '--yes', ...words])
    expect(readFileSync(config, 'utf8')).toBe('tasks: work\n')
    expect(existsSync(join(user.project, '.holdfast/config.yaml'))).toBe(false)
    expect(await user.json(['skill', 'adopt'])).toMatchObject({ adopted: ['essay'] })
  },
)

test('a prompt of the user adopts, and gives up', async () => {
  const { user, client } = await arrive()
  const { context } = await client.fire('UserPromptSubmit', { prompt: '/holdfast-adopt' })
  expect(context).toContain('essay')
  const path = join(user.env['HOME'] ?? '', '.config/holdfast/skills/essay.yaml')
  await client.fire('UserPromptSubmit', { prompt: '/holdfast-adopt essay' })
  expect(existsSync(path)).toBe(true)
  await client.fire('UserPromptSubmit', { prompt: '/holdfast-adopt essay --remove' })
  expect(existsSync(path)).toBe(false)
})

test('what cannot be adopted is told with a command that works', async () => {
  const { user } = await arrive()
  const cases: readonly (readonly [fault: string, ...words: string[]])[] = [
    ['did you mean essay', 'essai'],
    ['has a plan of its own', 'deploy'],
    ['choose user or project', 'essay', '--scope', 'all'],
    ['not both', 'essay', '--all'],
    ['not adopted', 'essay', '--remove'],
    ['nothing written', 'essay'],
  ]
  for (const [fault, ...words] of cases) {
    const { code, stderr } = await user.run(['skill', 'adopt', ...words])
    expect(code).not.toBe(0)
    expect(stderr).toContain(fault)
    expect(stderr).toMatch(/try: .*holdfast skill/)
  }
})

test('to give up a plan names exactly one overlay, and says what is in force then', async () => {
  const { user, put } = await arrive()
  const home = join(user.env['HOME'] ?? '', '.config/holdfast/skills')
  const overlay = 'phases:\n  - {label: "1", name: One}\n'
  const ofPlugin = put(join(home, 'kit/essay.yaml'), overlay)
  const refused = await user.run(['skill', 'adopt', 'essay', '--remove', '--yes'])
  expect(refused.stderr).toContain('essay is not adopted here; kit:essay is.')
  expect(existsSync(ofPlugin)).toBe(true)
  expect((await user.run(['skill', 'adopt', '--remove'])).stderr).toContain('needs a NAME or --all')
  const ofUser = put(join(home, 'essay.yaml'), overlay)
  const ofProject = put(join(user.project, '.holdfast/skills/essay.yaml'), overlay)
  expect(await user.json(['skill', 'adopt', 'essay', '--remove', '--yes'])).toMatchObject({
    removed: [ofProject],
    still: [ofUser],
  })
})

test('an overlay moves to another scope, and one for no skill is named', async () => {
  const { user, put } = await arrive()
  const home = join(user.env['HOME'] ?? '', '.config/holdfast/skills')
  await adopt(user, 'essay', '--yes')
  const moved = await adopt(user, 'essay', '--yes', '--replace', '--scope', 'project')
  expect(moved.adopted[0]?.path).toBe(join(user.project, '.holdfast/skills/essay.yaml'))
  expect(existsSync(join(home, 'essay.yaml'))).toBe(false)
  const stray = put(join(home, 'esay.yaml'), 'phases: []\n')
  expect(await user.json(['skill', 'adopt'])).toMatchObject({ adopted: ['essay'], stray: [stray] })
})

test('a folder that cannot be written is one sentence with another way', async () => {
  const { user, put } = await arrive()
  put(join(user.project, '.holdfast'), 'a file')
  const { code, stderr } = await user.run(['skill', 'adopt', 'essay', '--yes', '--scope', 'project'])
  expect(code).not.toBe(0)
  expect(stderr).toMatch(/essay\.yaml cannot be written: .*\n.*holdfast skill adopt essay --scope user/)
})

test('the user hears that a plan no longer fits when the skill is called', async () => {
  const { user, client, personal } = await arrive()
  await adopt(user, 'essay', '--yes')
  writeFileSync(personal, ESSAY.replace('Draft', 'Sketch'))
  const { notices } = await client.fire('UserPromptSubmit', { prompt: '/essay on rain' })
  expect(notices.join()).toMatch(/no longer fits.*holdfast skill adopt essay --replace/)
})
