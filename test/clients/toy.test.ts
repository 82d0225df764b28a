import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientContract } from '../../src/clients/client.contract.ts'
import { clients } from '../../src/clients/index.ts'
import { subjectIn, subjects } from '../../src/clients/subject.contract.ts'
import { FLOW } from '../../src/engine/hook/client.contract.ts'
import { speakerAt } from '../../src/engine/hook/speaker.contract.ts'
import { makeWorld } from '../../src/engine/world.contract.ts'
import { temporarySqlite } from '../../src/store/open.contract.ts'
import { HookedClient } from '../hooked-client.ts'
import { AS_CLIENT, User } from '../holdfast.ts'
import { toy } from './toy/index.ts'

const subject = await subjectIn('test/clients/toy', toy)

clientContract(subject)

test('an additional client gets the same refusals with the same messages', async () => {
  await using world = await makeWorld(temporarySqlite, Date.now, {
    clients: new Map([...clients, [toy.name, toy]]),
  })
  const refusals = []
  for (const one of [...subjects, subject]) {
    const it = await speakerAt(world, one)
    await it.start()
    await it.prompt('/flow')
    const early = await it.read(it.flow('steps/do.md'))
    expect([early.decision, it.heard(early).as]).toEqual(['block', 'refusal'])
    refusals.push(it.heard(early).text.replaceAll(it.flow('.'), ''))
    expect((await it.read(it.flow('steps/look.md'))).decision).toBe('allow')
    expect(await it.spans()).toEqual(['flow active look'])
  }
  const said = refusals.map((text) => /step "do" .*/.exec(text)?.[0])
  expect(new Set(said).size).toBe(1)
  expect(said[0]).toBeDefined()
})

/** A copy of the program with the toy added like any client: its folder, and its line in the list. */
function programWithToy(): string {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-toy-'))
  for (const path of ['package.json', 'src']) cpSync(path, join(root, path), { recursive: true })
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
  cpSync('test/clients/toy', join(root, 'src/clients/toy'), { recursive: true })
  const list = join(root, 'src/clients/index.ts')
  const text = readFileSync(list, 'utf8')
  const line = /^const LIST.* = \[(.*)\]$/m
  expect(text).toMatch(line)
  const added = text.replace(line, (whole, names: string) => whole.replace(`[${names}]`, `[${names}, toy]`))
  writeFileSync(list, `import { toy } from './toy/index.ts'\n${added}`)
  return root
}

describe('a client that was added with its folder and its line', () => {
  let root: string
  beforeAll(() => {
    root = programWithToy()
  })
  afterAll(() => rmSync(root, { recursive: true }))

  test('gets hooks from init, is refused a step, is checked by doctor, and is uninstalled again', async () => {
    await using user = new User()
    const entry = join(root, 'src/cli/main.ts')
    const [theirs, path] = [subject.voice.settings, join(user.folder, 'user/.toy/hooks.json')]
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, theirs, { mode: 0o600 })
    for (const [name, content] of Object.entries(FLOW)) {
      const file = join(user.project, '.toy/skills/flow', name)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
    }

    const installed = await user.json<{ path: string; canaries: object[]; skills: object; undo: string }>(
      ['init', '--client', 'toy', '--yes'],
      { entry },
    )
    expect(installed).toMatchObject({
      client: 'toy',
      path,
      written: true,
      warnings: [],
      undo: 'holdfast uninstall --client toy --scope user',
      skills: { found: 1, enforceable: 1, folders: [join(user.project, '.toy/skills')] },
      canaries: [{ way: 'command', ok: true }],
    })
    const { hooks } = JSON.parse(readFileSync(path, 'utf8')) as { hooks: { on: string; run: string }[] }
    expect(hooks.map(({ on }) => on)).toEqual(['after', 'start', 'prompt', 'before', 'after'])

    const client = new HookedClient(user)
    const tell = async (on: string, fields: object) => {
      const run = hooks.findLast((hook) => hook.on === on)?.run ?? ''
      const payload = { on, ...subject.voice.origin('one', user.project), ...fields }
      const HOOK = run.replace(/--limit \d+/, '--limit 600000')
      return (await client.shell(AS_CLIENT, payload, { HOOK })).stdout
    }
    await tell('start', {})
    await tell('prompt', subject.voice.prompt('/flow'))
    const early = { ...subject.voice.read(join(user.project, '.toy/skills/flow/steps/do.md')), call: '1' }
    expect(toy.heard(await tell('before', early), 'before')).toBe('refusal')
    const first = { ...subject.voice.read(join(user.project, '.toy/skills/flow/steps/look.md')), call: '2' }
    expect(toy.heard(await tell('before', first), 'before')).toBe('nothing')

    const { findings } = await user.json<{ findings: { code?: string; detail: string }[] }>(['doctor'], {
      entry,
    })
    expect(findings.flatMap(({ code }) => code ?? [])).toEqual([])
    expect(findings.map(({ detail }) => detail)).toContainEqual(
      expect.stringContaining(
        `${path}: 4 test events arrived via command. The 1 that must be refused was refused.`,
      ),
    )

    const line = await user.run(['init', '--client', 'toy', '--status-line', '--yes'], { entry })
    expect(line).toMatchObject({ code: 64, stderr: expect.stringContaining('toy has no status line') })
    const gone = await user.run(['uninstall', '--client', 'toy'], { entry })
    expect(gone).toMatchObject({ code: 0, stdout: expect.stringContaining('byte for byte') })
    expect(readFileSync(path, 'utf8')).toBe(theirs)
  })
})
