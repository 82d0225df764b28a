import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Io, systemIo } from '../frame/io.ts'
import { checkSkills } from './check.ts'
import { findChanges, writeChange } from './fix.ts'
import { readSkills } from './read.ts'

const BROKEN = '---\nname: x\ndescription: Two passes: one and two\nallowed_tools: Read\n---\n\n# X\n'
const MENDED = BROKEN.replace('Two passes: one and two', '"Two passes: one and two"').replace(
  '_tools',
  '-tools',
)

let folder: string
let out: string[]
let notes: string[]
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-fix-')))
  out = []
  notes = []
})
afterEach(() => rmSync(folder, { recursive: true }))

const at = (path: string) => join(folder, path)
const textAt = (path: string) => readFileSync(at(path), 'utf8')
function put(path: string, text: string | Buffer): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), text)
}
const ioWith = (more: Partial<Io> = {}): Io => ({
  ...systemIo(false),
  cwd: folder,
  env: { HOME: at('user') },
  color: false,
  isTerminal: false,
  program: 'holdfast',
  out: (text) => void out.push(text),
  note: (text) => void notes.push(text),
  ...more,
})
const check = (words: readonly string[], more?: Partial<Io>) =>
  checkSkills(ioWith(more), {
    positionals: [],
    values: {},
    switches: new Set(words),
  })

describe('without a yes', () => {
  test('the diff is shown, nothing is written, and the command that writes is named', async () => {
    put('x/SKILL.md', BROKEN)
    expect(await check(['fix'])).toBe(1)
    expect(out.join('\n')).toContain(
      '-description: Two passes: one and two\n-allowed_tools: Read\n+description: "Two passes: one and two"\n+allowed-tools: Read',
    )
    expect(out.join('\n')).toContain('# HF101 line 3: Quoted the value of description')
    expect(notes).toEqual(['Not confirmed; nothing written.', '  try: holdfast skill check --fix --yes'])
    expect(textAt('x/SKILL.md')).toBe(BROKEN)
  })

  test('a terminal asks, and only a yes counts', async () => {
    put('x/SKILL.md', BROKEN)
    const asked: string[] = []
    const answer = (text: string) => ({
      ask: (question: string) => {
        asked.push(question)
        return Promise.resolve(text)
      },
    })
    expect(await check(['fix'], answer('no'))).toBe(1)
    expect(textAt('x/SKILL.md')).toBe(BROKEN)
    expect(await check(['fix'], answer('y'))).toBe(0)
    expect(asked).toEqual(['Write 1 file? [y/N] ', 'Write 1 file? [y/N] '])
    expect(textAt('x/SKILL.md')).toBe(MENDED)
  })

  test('--json tells what it would do', async () => {
    put('x/SKILL.md', BROKEN)
    expect(await check(['fix'], { json: true })).toBe(1)
    expect(JSON.parse(out.join(''))).toMatchObject({
      fixed: [],
      proposed: [
        {
          file: 'x/SKILL.md',
          fixes: [
            { code: 'HF101', line: 3 },
            { code: 'HF111', line: 4 },
          ],
        },
      ],
      next: 'holdfast skill check --fix --yes',
    })
  })
})

describe('with --yes', () => {
  test('the file is written, and what is left is reported', async () => {
    put('x/SKILL.md', BROKEN.replace('name: x', 'name: y'))
    expect(await check(['fix', 'yes'])).toBe(0)
    expect(textAt('x/SKILL.md')).toBe(MENDED.replace('name: x', 'name: y'))
    expect(out.join('\n')).toContain('Fixed 2 problems in 1 file.')
    expect(out.join('\n')).toContain('warning HF106')
    expect(out.join('\n')).not.toContain('error HF101')
    expect(readdirSync(at('x'))).toEqual(['SKILL.md'])
  })

  test('--json tells what was done and what is left', async () => {
    put('x/SKILL.md', BROKEN)
    expect(await check(['fix', 'yes'], { json: true })).toBe(0)
    expect(JSON.parse(out.join(''))).toMatchObject({
      fixed: [{ file: 'x/SKILL.md', problem: null, fixes: [{}, {}] }],
      diagnostics: [],
    })
  })

  test('the mode, the mark at the start and the line endings stay', async () => {
    put('x/SKILL.md', `\uFEFF${BROKEN.replaceAll('\n', '\r\n')}`)
    chmodSync(at('x/SKILL.md'), 0o640)
    await check(['fix', 'yes'])
    expect(textAt('x/SKILL.md')).toBe(`\uFEFF${MENDED.replaceAll('\n', '\r\n')}`)
    expect(statSync(at('x/SKILL.md')).mode & 0o777).toBe(0o640)
  })

  test('a link stays a link, and its target is written once', async () => {
    put('shared/text.md', BROKEN)
    for (const name of ['x', 'z']) {
      mkdirSync(at(name))
      symlinkSync('../shared/text.md', at(`${name}/SKILL.md`))
    }
    await check(['fix', 'yes'])
    expect(lstatSync(at('x/SKILL.md')).isSymbolicLink()).toBe(true)
    expect(textAt('shared/text.md')).toBe(MENDED)
    expect(out.join('\n')).toContain('Fixed 2 problems in 1 file.')
  })

  test('a file that is not UTF-8 stays', async () => {
    const bytes = Buffer.concat([Buffer.from(BROKEN), Buffer.from([0xe9, 0x0a])])
    put('x/SKILL.md', bytes)
    await check(['fix', 'yes'])
    expect(readFileSync(at('x/SKILL.md')).equals(bytes)).toBe(true)
    expect(out.join('\n')).toContain('Nothing can be fixed automatically.')
  })

  test('a file that changed meanwhile stays', async () => {
    put('x/SKILL.md', BROKEN)
    const [change] = await findChanges(await readSkills(ioWith(), { path: '.', runs: false, all: false }))
    put('x/SKILL.md', `${BROKEN}more\n`)
    expect(change && writeChange(change)).toBe('it changed meanwhile')
    expect(textAt('x/SKILL.md')).toBe(`${BROKEN}more\n`)
    rmSync(at('x/SKILL.md'))
    expect(change && writeChange(change)).toContain('ENOENT')
    expect(existsSync(at('x/SKILL.md'))).toBe(false)
  })
})

test('flags that make no sense together are refused', async () => {
  await expect(check(['yes'])).rejects.toThrow('--yes has no meaning without --fix.')
  await expect(check(['fix', 'sarif'])).rejects.toThrow('--fix and --sarif cannot be combined.')
})
