import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Example, EXAMPLES } from '../../model/diagnostic-examples.ts'
import type { DiagnosticCode } from '../../model/diagnostic.ts'
import { systemIo } from '../frame/io.ts'
import { readSkills } from './read.ts'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-skills-')))
})
afterEach(() => rmSync(folder, { recursive: true }))

function put(files: Readonly<Record<string, string | null>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    if (text !== null) writeFileSync(file, bytesOf(text))
    else forbid(file)
  }
}

/** The character that stands for invalid bytes becomes one. */
const bytesOf = (text: string): Buffer =>
  Buffer.concat(
    text.split('\uFFFD').flatMap((part, at) => [Buffer.from(at === 0 ? [] : [0xe9]), Buffer.from(part)]),
  )

/** Root can read any file, but no user can read the memory of a process at offset 0. */
function forbid(file: string): void {
  if (process.getuid?.() === 0) return symlinkSync('/proc/self/mem', file)
  writeFileSync(file, '')
  chmodSync(file, 0)
}

const notes: string[] = []
const io = () => {
  notes.length = 0
  return {
    ...systemIo(false),
    cwd: folder,
    env: { HOME: join(folder, 'user') },
    note: (text: string) => void notes.push(text),
  }
}
const read = (path: string, runs = false) => readSkills(io(), { path, runs, all: false })

/** The position of the fault in each example; the others concern the file and are at 1:1. */
const PLACES: Readonly<Partial<Record<DiagnosticCode, string>>> = {
  HF101: '3:14',
  HF105: '3:1',
  HF106: '2:1',
  HF107: '2:1',
  HF108: '3:1',
  HF110: '6:1',
  HF111: '4:1',
  HF112: '3:25',
  HF114: '2:1',
  HF115: '4:1',
  HF120: '2:5',
  HF121: '6:18',
  HF122: '6:39',
  HF123: '5:1',
  HF127: '1:24',
  HF201: '8:1',
  HF202: '8:1',
  HF203: '8:1',
  HF204: '14:1',
  HF205: '7:29',
  HF209: '4:7',
  HF211: '1:12',
  HF301: '5:7',
  HF302: '4:7',
  HF303: '4:7',
  HF304: '5:7',
  HF305: '4:7',
  HF306: '4:7',
  HF307: '2:1',
  HF308: '2:1',
  HF309: '2:1',
  HF124: '2:1',
  HF310: '6:1',
  HF311: '6:3',
  HF312: '2:1',
  HF313: '2:1',
  HF316: '1:13',
  HF317: '1:13',
  HF318: '3:5',
  HF319: '1:13',
  HF321: '2:5',
  HF322: '2:5',
  HF324: '2:5',
  HF325: '7:8905',
  HF326: '4:10',
  HF327: '4:10',
  HF328: '4:10',
  HF329: '4:10',
  HF330: '5:10',
  HF331: '4:10',
}

describe('each kind of problem', () => {
  const filesOf = (example: Example) => (typeof example === 'string' ? { 'x/SKILL.md': example } : example)

  test.each(Object.keys(EXAMPLES) as (keyof typeof EXAMPLES)[])(
    '%s is found in its example, at its position, with no other error',
    async (code) => {
      put(filesOf(EXAMPLES[code]))
      const { parsed, lines } = await read('.', code !== 'HF208')
      const diagnostics = parsed.flatMap((one) => one.diagnostics)
      const found = diagnostics.filter((one) => one.code === code)
      const [line = 0, column = 0] = PLACES[code]?.split(':').map(Number) ?? [1, 1]
      expect(found).toMatchObject([{ line, column }])
      expect(lines(found[0]?.file ?? '')[line - 1]?.length).toBeGreaterThanOrEqual(column - 1)
      expect(diagnostics.filter((one) => one.severity === 'error' && one.code !== code)).toEqual([])
    },
  )
})

test('the examples of the guide for authors have no errors', async () => {
  const guide = readFileSync('docs/skills.md', 'utf8')
  const files = [...guide.matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms)].map(([, path = '', text = '']) => [
    path,
    text,
  ])
  const names = new Set(files.map(([path = '']) => path.split('/')[0] ?? ''))
  const mains = [...names]
    .filter((name) => name !== '.holdfast')
    .map((name) => [`${name}/SKILL.md`, skill(name)])
  put(Object.fromEntries([...mains, ...files]) as Record<string, string>)
  const { parsed } = await read('.')
  expect(parsed.map(({ definition }) => definition.id).toSorted()).toEqual([
    'deploy',
    'fix',
    'publish',
    'release',
    'review',
    'root-cause',
    'tdd',
  ])
  expect(parsed.map(({ definition }) => definition.plan?.explicit)).not.toContain(false)
  expect(parsed.flatMap(({ diagnostics }) => diagnostics)).toEqual([])
  const disciplines = files.filter(([path = '']) => /^(tdd|root-cause|release)\//.test(path))
  const lengths = disciplines.map(([, text = '']) => text.trim().split('\n').length)
  expect(lengths).toHaveLength(3)
  expect(Math.max(...lengths)).toBeLessThan(15)
})

test('the other YAML of the guide has no errors', async () => {
  const guide = readFileSync('docs/skills.md', 'utf8')
  const texts = [...guide.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = '']) => text)
  expect(texts.length).toBeGreaterThan(2)
  for (const [index, text] of texts.entries())
    put({ [`x${index}/SKILL.md`]: skill(`x${index}`), [`x${index}/holdfast.yaml`]: text })
  put({ 'look/SKILL.md': skill('look'), 'make/SKILL.md': skill('make') })
  expect((await read('.')).parsed.flatMap(({ diagnostics }) => diagnostics)).toEqual([])
})

const skill = (name: string) => `---\nname: ${name}\ndescription: Does things.\n---\n`
const names = async (path: string) =>
  (await read(path)).parsed.map(({ definition }) => `${definition.kind} ${definition.id}`)

describe('the selection of skills', () => {
  test('the folder of a single skill counts as its expected name', async () => {
    put({ 'skills/review/SKILL.md': skill('code-review') })
    const alone = await read('skills/review')
    expect(alone.parsed[0]?.diagnostics).toMatchObject([{ code: 'HF106', file: 'SKILL.md', line: 2 }])
  })

  test('a file selects only the skill that it belongs to', async () => {
    put({
      'SKILL.md': skill('top'),
      'a/SKILL.md': skill('a'),
      'a/steps/one.md': '---\nproduces: [x]\n---\n',
      'a/holdfast.yaml': 'gate: produced\n',
      'a/notes.md': '# Notes\n',
    })
    for (const file of ['a/SKILL.md', 'a/steps/one.md', 'a/holdfast.yaml'])
      expect(await names(file)).toEqual(['skill a'])
    expect(await names('SKILL.md')).toHaveLength(1)
    await expect(read('a/notes.md')).rejects.toThrow('belongs to no skill, command or agent')
  })

  test('folders of commands and agents count in client folders, in plugins, or if a file is named', async () => {
    put({
      '.claude/commands/git/tidy.md': '# Tidy\n',
      'plugin/.claude-plugin/plugin.json': '{"name": "tools"}',
      'plugin/agents/helper.md': '# Helper\n',
      'repository/agents/GUIDE.md': '# Guide\n',
    })
    expect(await names('.claude/commands')).toEqual(['command tidy'])
    expect(await names('.claude/commands/git')).toEqual(['command tidy'])
    expect(await names('.claude/commands/git/tidy.md')).toEqual(['command tidy'])
    expect(await names('plugin/agents')).toEqual(['agent helper'])
    expect(await names('repository/agents')).toEqual([])
    expect(await names('repository/agents/GUIDE.md')).toEqual(['agent GUIDE'])
  })

  test('each file is split once, however often its lines are read', async () => {
    put({ 'a/SKILL.md': '\uFEFF# A\r\n' })
    const { lines } = await read('.')
    expect(lines('a/SKILL.md')).toEqual(['# A', ''])
    expect(lines('a/SKILL.md')).toBe(lines('a/SKILL.md'))
  })

  test('a broken link to a skill is reported, and other broken links are not', async () => {
    put({ 'skills/a/SKILL.md': skill('a') })
    symlinkSync('../../gone', join(folder, 'skills/b'))
    symlinkSync('gone.css', join(folder, 'style.css'))
    expect(await names('.')).toEqual(['skill a'])
    expect((await read('.')).dead).toMatchObject([
      { code: 'HF122', file: 'skills/b', message: 'skills/b is a broken link.' },
    ])
  })

  test('--all finds the skills of the project, the user and plugins, each with its scope', async () => {
    put({
      'project/.claude/skills/ours/SKILL.md': skill('ours').replace(
        '---\n',
        '---\npipeline: [mine, nobodys]\n',
      ),
      'project/elsewhere/hidden/SKILL.md': skill('hidden'),
      'user/.claude/skills/mine/SKILL.md': skill('mine'),
      'plugin/skills/theirs/SKILL.md': skill('theirs'),
      'plugin/skills/theirs/workflow.ts':
        "export const workflow = { name: 'x', steps: [{ id: 'a', title: 'A' }] }\n",
      'user/.claude/plugins/installed_plugins.json': JSON.stringify({
        plugins: { 'tools@market': [{ installPath: join(folder, 'plugin') }] },
      }),
    })
    const all = (runs: boolean) => readSkills(io(), { path: 'project', runs, all: true })
    const { parsed, scopes } = await all(false)
    expect(parsed.map(({ definition: { id, file } }) => [id, scopes.get(file)])).toEqual([
      ['mine', 'personal'],
      ['ours', 'project'],
      ['tools:theirs', 'plugin'],
    ])
    expect(
      parsed.flatMap(({ diagnostics }) => diagnostics.filter(({ code }) => code === 'HF115')),
    ).toMatchObject([
      {
        file: join(folder, 'project/.claude/skills/ours/SKILL.md'),
        message: expect.stringContaining('nobodys') as string,
      },
    ])
    const plans = (await all(true)).parsed.map(({ definition: { id, plan } }) => [id, plan?.notation])
    expect(plans).toContainEqual(['tools:theirs', 'workflow'])
  })
})
