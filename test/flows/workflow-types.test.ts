import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { User } from '../holdfast.ts'

let user: User
/** Far from any package, so that only the files of the skill are there. */
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-types-')))
const skill = join(folder, 'x')

beforeAll(async () => {
  user = new User()
  await user.run(['skill', 'new', 'x', '--notation', 'workflow', '--in', folder])
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await user[Symbol.asyncDispose]()
})

/** What the compiler of TypeScript says in the folder of the skill, as an editor would show it. */
function compile(): readonly string[] {
  const tsc = resolve('node_modules/.bin/tsc')
  const { stdout } = spawnSync(tsc, ['--pretty', 'false'], { cwd: skill, encoding: 'utf8' })
  return stdout.split('\n').filter((line) => line !== '')
}

const module = join(skill, 'workflow.ts')
const written = () => readFileSync(module, 'utf8')

/** What is found with one change of the module, which is taken back. */
async function changed<T>(from: string, to: string, look: () => T | Promise<T>): Promise<T> {
  const before = written()
  expect(before).toContain(from)
  writeFileSync(module, before.replace(from, to))
  try {
    return await look()
  } finally {
    writeFileSync(module, before)
  }
}

/** The line where the step begins that has this text. */
const lineOfStep = (text: string) => {
  const until = written().slice(0, written().indexOf(text))
  return until.slice(0, until.lastIndexOf('step({')).split('\n').length
}

describe('a new workflow in an empty folder', () => {
  test('compiles with nothing installed beside it', () => {
    expect(readdirSync(skill).toSorted()).toEqual(['SKILL.md', 'tsconfig.json', 'types', 'workflow.ts'])
    expect(compile()).toEqual([])
  })

  test.each([
    ['a target', "next: 'work'", "next: 'wrok'", 'understand leads to wrok, which is no step'],
    ['an outcome', "again: 'work'", "again: 'wrok'", 'check leads to wrok, which is no step'],
    [
      'a value',
      'when: { sure:',
      'when: { shure:',
      'check uses shure, which neither params nor state declares',
    ],
  ])(
    'does not compile with a misspelt name of %s, and says so at its step',
    async (_, from, to, sentence) => {
      const [first = ''] = await changed(from, to, compile)
      expect(first).toContain(`workflow.ts(${lineOfStep(from)},`)
      expect(first).toContain(sentence)
    },
  )

  test('is checked alike by the program, which reads no file of the editor', async () => {
    const run = (words: readonly string[]) => user.run(['skill', 'check', skill, '--run-modules', ...words])
    expect(await run([])).toMatchObject({ code: 0 })
    expect(JSON.parse((await run(['--json'])).stdout)).toMatchObject({
      skills: [{ plan: 'workflow', steps: 3, enforceable: true }],
      diagnostics: [],
    })
    const misspelt = await changed("again: 'work'", "again: 'wrok'", () => run(['--json']))
    expect(JSON.parse(misspelt.stdout)).toMatchObject({ diagnostics: [{ code: 'HF302' }] })
  })
})
