import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { windowAt } from '../agent-window.ts'
import { HookedClient } from '../hooked-client.ts'
import { SkilledUser } from '../skilled-user.ts'

vi.setConfig({ testTimeout: 300_000 })

const MODULE = `import { CHECK } from './lib/check.ts'
export const workflow: { name: string; steps: object[] } = {
  name: 'release',
  steps: [
    { id: 'build', title: 'Build it', next: { ok: 'check' } },
    { ...CHECK, next: { ok: null, fail: 'build' }, limit: 3 },
  ],
}
`
const LIBRARY = "export const CHECK = { id: 'check', title: 'Check it' }\n"
const SCRIPT = 'exit 0\n'
const FOLDER = '.claude/skills/release'

/** Puts a skill whose plan is in a workflow module of two files, with a script for its steps. */
function putRelease(user: SkilledUser, folder = FOLDER) {
  user.put(`${folder}/SKILL.md`, '---\nname: release\ndescription: Releases.\n---\n\nFollow the steps.\n')
  user.put(`${folder}/lib/check.ts`, LIBRARY)
  user.put(`${folder}/scripts/build.sh`, SCRIPT)
  return user.put(`${folder}/workflow.ts`, MODULE)
}

async function arrive() {
  const user = await SkilledUser.arrive()
  onTestFinished(() => user[Symbol.asyncDispose]())
  const module = putRelease(user)
  const client = new HookedClient(user, 'one', { patient: true })
  await client.fire('SessionStart', { source: 'startup' })
  const held = async (...more: readonly string[]) => {
    const rows = await user.json<readonly { id: string; held: string }[]>(['skill', 'list', '--all', ...more])
    return rows.find(({ id }) => id === 'release')?.held
  }
  const trust = (...more: readonly string[]) => user.run(['skill', 'trust', 'release', ...more])
  return { user, client, module, held, trust }
}

test('a user sees the plan of a workflow, trusts it, and from then on calls are held to it', async () => {
  const { user, client, held, trust } = await arrive()
  expect(await held()).toBe('untrusted')
  const shown = await trust()
  expect(shown).toMatchObject({ code: 1 })
  expect(shown.stdout).toMatch(/build\s+Build it[\s\S]*check\s+Check it[\s\S]*Code: 3 files in/)
  expect(shown.stderr).toContain('try: holdfast skill trust release --yes')
  expect(await held()).toBe('untrusted')
  const { stdout } = await trust('--yes')
  expect(stdout).toContain('Undo: holdfast skill untrust release')
  expect(stdout).toContain('The same code counts as trusted in every project.')
  expect(await held()).toBe('plan')
  expect((await user.run(['skill', 'list', '--all'])).stdout).toMatch(/release\s+workflow \(2\)\s+yes/)
  const { context } = await client.fire('UserPromptSubmit', { prompt: '/release it' })
  expect(context).toContain('holdfast step go build --effort')
})

test('a changed byte is told by list, doctor and the next call, and each names the command that helps', async () => {
  const { user, client, module, held, trust } = await arrive()
  await trust('--yes')
  for (const [path, before] of [
    [module, MODULE],
    [join(user.project, FOLDER, 'lib/check.ts'), LIBRARY],
    [join(user.project, FOLDER, 'scripts/build.sh'), SCRIPT],
  ] as const) {
    writeFileSync(path, `${before}\n`)
    expect(await held()).toBe('changed')
    writeFileSync(path, before)
    expect(await held()).toBe('plan')
  }
  writeFileSync(module, MODULE.replaceAll(/'build'/g, "'make'"))
  const list = await user.run(['skill', 'list', '--all'])
  expect(list.stdout).toContain('changed since trusted')
  expect(list.stderr).toContain('holdfast skill trust release')
  const { findings } = JSON.parse((await user.run(['doctor', '--json'])).stdout) as {
    findings: readonly { code: string | null; fix: string | null }[]
  }
  const found = findings.filter(({ code }) => code === 'skill-untrusted')
  expect(found).toMatchObject([{ fix: 'holdfast skill trust release', level: 'warning' }])
  const { context, notices } = await client.fire('UserPromptSubmit', { prompt: '/release it' })
  for (const text of [context, notices.join()])
    expect(text).toContain('has changed since the user trusted it')
  await trust('--yes')
  expect((await user.run(['doctor', '--json'])).stdout).not.toContain('skill-untrusted')
  const next = new HookedClient(user, 'two', { patient: true })
  await next.fire('SessionStart', { source: 'startup' })
  const called = await next.fire('UserPromptSubmit', { prompt: '/release it' })
  expect(called.context).toContain('holdfast step go make --effort')
})

test('the same code is trusted in another project, and other code of the same name is not', async () => {
  const { user, held, trust } = await arrive()
  const other = join(user.folder, 'other')
  const inOther = (...words: readonly string[]) => user.run([...words, '--json'], { cwd: other })
  const put = (text: string) => user.put(`../other/${FOLDER}/workflow.ts`, text)
  putRelease(user, `../other/${FOLDER}`)
  await trust('--yes')
  expect((await inOther('skill', 'list')).stdout).toContain('"held": "plan"')
  put(`${MODULE}// ours\n`)
  expect((await inOther('skill', 'list')).stdout).toContain('"held": "untrusted"')
  put(MODULE)
  expect(await inOther('skill', 'untrust', 'release')).toMatchObject({ code: 0 })
  expect(await held()).toBe('untrusted')
  const again = await inOther('skill', 'untrust', 'release')
  expect(again.stderr).toContain('is not trusted')
})

test.each([
  ['throws', "throw new Error('no luck')", 'no luck'],
  ['does not compile', 'export const workflow = {', 'SyntaxError'],
  ['exports no plan', 'export const workflow = 7', 'HF207'],
  ['reaches for Node', "import fs from 'node:fs'\nexport const workflow = fs", 'node:fs'],
  ['imports what is in no digest', "export { workflow } from './node_modules/x/y.js'", 'HF206'],
])('a module that %s is not trusted, and the reason is shown at its line', async (_, text, why) => {
  const { user, module, held } = await arrive()
  user.put(`${FOLDER}/node_modules/x/y.js`, MODULE)
  writeFileSync(module, `${text}\n`)
  const temporary = join(user.folder, 'temporary')
  mkdirSync(temporary)
  const words = ['skill', 'trust', 'release', '--yes']
  const { code, stderr } = await user.run(words, { env: { TMPDIR: temporary } })
  expect(code).toBe(1)
  expect(stderr).toContain(why)
  expect(stderr).toMatch(/workflow\.ts:1:1|workflow\.ts:1/)
  expect(stderr).toContain('so it cannot be trusted')
  expect(await held()).toBe('untrusted')
  expect(readdirSync(temporary)).toEqual([])
})

test('a skill of the package is held without a command, until its code is another', async () => {
  const { user, client } = await arrive()
  const folder = join(user.project, '.claude/skills/planner')
  cpSync('contents/skills/planner', folder, { recursive: true })
  const held = async () => (await user.run(['skill', 'list', '--all'])).stdout
  expect(await held()).toMatch(/planner\s+workflow \(\d+\)\s+yes/)
  expect((await user.run(['skill', 'untrust', 'planner'])).stderr).toContain('ships with Holdfast')
  const { context } = await client.fire('UserPromptSubmit', { prompt: '/planner a login page' })
  expect(context).toContain('effort 2 of planner')
  writeFileSync(join(folder, 'workflow.ts'), '// mine\n', { flag: 'a' })
  expect(await held()).toMatch(/planner.*changed since trusted/)
})

test('a skill without a workflow module needs no trust', async () => {
  const { user } = await arrive()
  const { code, stderr } = await user.run(['skill', 'trust', 'deploy', '--yes'])
  expect(code).not.toBe(0)
  expect(stderr).toContain('needs no trust')
})

test('what is listed does not need a daemon or a database', async () => {
  const user = new SkilledUser()
  onTestFinished(() => user[Symbol.asyncDispose]())
  putRelease(user)
  expect((await user.run(['skill', 'list', '--all'])).stdout).toContain('untrusted')
  expect(existsSync(user.env['HOLDFAST_HOME'] ?? '')).toBe(false)
})

/** An agent with a workflow of its own, and what it tries. */
async function agentAt(level: string) {
  const found = await windowAt(level)
  const { user } = found
  putRelease(user)
  const words = 'skill trust release --yes'
  const command = `holdfast ${words}`
  const hidden = `eval "holdfast $(printf %s ${Buffer.from(words).toString('base64')} | base64 -d)"`
  const list = async () => (await user.run(['skill', 'list', '--all'])).stdout
  const trusted = async () =>
    (await user.ask<readonly { payload: object }[]>('ledger.list', { event_type: 'skill.trusted' })).map(
      ({ payload }) => payload,
    )
  return { ...found, command, hidden, list, trusted }
}

const ONLY_THE_USER = 'only the user can loosen the rules'

test('at enforce, an agent trusts its own workflow only after the client asked its user', async () => {
  const { announce, inShell, entries, command, hidden, list, trusted } = await agentAt('enforce')
  await announce(hidden)
  expect((await inShell(hidden)).stderr.toLowerCase()).toContain(ONLY_THE_USER)
  expect(await list()).toMatch(/release.*untrusted/)
  expect((await announce(command)).questions).toHaveLength(1)
  expect((await inShell(command)).code).toBe(0)
  expect(await entries('door.opened')).toMatchObject([{ by: 'user', how: 'asked' }])
  expect(await list()).toMatch(/release\s+workflow \(2\)\s+yes/)
  expect(await trusted()).toMatchObject([{ by: 'user' }])
})

test('at strict, an agent cannot trust its own workflow, and its user still can', async () => {
  const { user, announce, inShell, command, hidden, list, trusted } = await agentAt('strict')
  expect((await announce(command)).refusals).toHaveLength(1)
  for (const words of [command, hidden]) {
    await announce(words)
    expect((await inShell(words)).stderr.toLowerCase()).toContain(ONLY_THE_USER)
  }
  expect(await list()).toMatch(/release.*untrusted/)
  expect(await trusted()).toEqual([])
  expect(await user.run(['skill', 'trust', 'release', '--yes'])).toMatchObject({ code: 0 })
  expect(await trusted()).toMatchObject([{ by: 'user' }])
})
