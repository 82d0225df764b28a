import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { putInForce } from './compiled.ts'
import { openRunbook, runbookIn, runnableRunbook, versionOf } from './runbook.ts'

const WORKSHOP = { contents: 'contents', agents: '.claude/agents' }
const TEXT = '---\nmodel: haiku\n---\n\n## Step 1: Look\n\nLook.\n'

let root = ''
let folder = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-runbook-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  folder = join(root, 'plans/auth')
  mkdirSync(folder, { recursive: true })
})

const write = (text: string) => writeFileSync(join(folder, 'runbook.md'), text)
const compile = async (model?: 'opus') => {
  const found = runbookIn(folder, root)
  if (found !== undefined) await putInForce(await versionOf(await openRunbook(found, model), WORKSHOP, model))
}
const state = async () => {
  const { runbook, errors, compiled } = await runnableRunbook({ folder, root, asksCompiled: true }, WORKSHOP)
  return [runbook?.name, runbook?.phases[0]?.items[0]?.model, errors.map(({ code }) => code), compiled]
}

test('a runbook can be run if it has no errors, and says whether its compiled files are its own', async () => {
  expect(await state()).toEqual([undefined, undefined, [], 'missing'])
  write(TEXT)
  expect(await state()).toEqual(['auth', 'haiku', [], 'missing'])
  await compile()
  expect(await state()).toEqual(['auth', 'haiku', [], 'current'])
  write(`${TEXT}\n## Step 2: Do\n`)
  expect(await state()).toEqual(['auth', 'haiku', [], 'outdated'])
  write(TEXT)
  writeFileSync(join(folder, 'recall-artifact.md'), '## Entry Keys\n\n- how to name tests\n')
  expect(await state()).toEqual(['auth', 'haiku', [], 'outdated'])
  rmSync(join(folder, 'recall-artifact.md'))
  write(`${TEXT}\n## Step 1: Do\n`)
  expect(await state()).toEqual([undefined, undefined, ['HF402'], 'outdated'])
  write(TEXT)
  writeFileSync(join(folder, 'steps/step-1.md'), 'edited\n')
  expect(await state()).toEqual(['auth', 'haiku', [], 'outdated'])
})

test('the model that a compile was given counts until the next compile', async () => {
  write(TEXT.replace('model: haiku', 'name: auth'))
  expect(await state()).toEqual([undefined, undefined, ['HF407'], 'missing'])
  await compile('opus')
  expect(await state()).toEqual(['auth', 'opus', [], 'current'])
})

test('without the texts that agents begin with, nothing is written', async () => {
  write(TEXT)
  await compile()
  const contents = join(root, 'contents')
  cpSync('contents/agents', join(contents, 'agents'), { recursive: true })
  rmSync(join(contents, 'agents/tdd-task.md'))
  write(`${TEXT}\n## Step 2: Do\n`)
  const found = runbookIn(folder, root)
  if (found === undefined) throw new Error('no runbook')
  const opened = await openRunbook(found)
  await expect(versionOf(opened, { ...WORKSHOP, contents })).rejects.toThrow('tdd-task.md is missing')
  write(TEXT)
  expect(await state()).toEqual(['auth', 'haiku', [], 'current'])
})

test('a runbook that is a link is none, because it may lead to what an agent must not read', async () => {
  write(TEXT)
  renameSync(join(folder, 'runbook.md'), join(root, 'secret.md'))
  symlinkSync(join(root, 'secret.md'), join(folder, 'runbook.md'))
  expect(runbookIn(folder, root)).toBeUndefined()
})

test('a runbook that would keep the daemon busy for long is refused before it is read', async () => {
  const half = 'x'.repeat(1024 * 1024)
  write(`${TEXT}${half}`)
  expect(await state()).toEqual(['auth', 'haiku', [], 'missing'])
  writeFileSync(join(folder, 'runbook-phase-1.md'), half)
  await expect(state()).rejects.toMatchObject({ code: 'too-large', hint: expect.any(String) })
})

test('a folder with the name of a runbook is none, and a file that cannot be read is told by its path', async () => {
  mkdirSync(join(folder, 'runbook.md'))
  expect(runbookIn(folder)).toBeUndefined()
  const path = join(folder, 'runbook-phase-1.md')
  symlinkSync(process.getuid?.() === 0 ? '/proc/self/mem' : '/root/x', path)
  await expect(openRunbook({ root, folder, files: [path] })).rejects.toThrow(path)
})
