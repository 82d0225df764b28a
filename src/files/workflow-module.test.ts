import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runModule } from './workflow-module.ts'

let folder = ''
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-module-')))
})
afterAll(() => rmSync(folder, { recursive: true }))

let count = 0

/** The folder of a skill with these files; the first one is run. */
function run(files: Readonly<Record<string, string>>, longestRun?: number) {
  const skill = join(folder, `skill-${++count}`)
  mkdirSync(skill)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(skill, name), text)
  return runModule(skill, Object.keys(files)[0] ?? '', longestRun)
}

const js = (text: string) => run({ 'workflow.js': text })
const refused = (sentence: string) => ({ error: expect.stringContaining(sentence) as string })

describe('the exports of a module are plain data', () => {
  test.each([
    ['workflow.ts', 'interface A { b: number }\nexport const workflow: A = { b: 1 }', { b: 1 }],
    ['workflow.mts', 'export default { b: 1 } satisfies object', { b: 1 }],
    ['workflow.js', 'export default 1\nexport const workflow = { b: 1 }', { b: 1 }],
    ['workflow.mjs', 'export const workflow = await Promise.resolve([null, false, 0])', [null, false, 0]],
    ['workflow.js', '\uFEFFexport default { b: 1, f() {}, s: Symbol("x"), u: undefined }', { b: 1 }],
    ['workflow.js', 'export default undefined', undefined],
  ])('%s: %s', async (name, text, exported) => expect(await run({ [name]: text })).toEqual({ exported }))

  test('even from other files of its folder, and from folders with odd names', async () => {
    const files = {
      'workflow.ts': "import { b } from './b.mjs'\nexport const workflow = { b }",
      'b.mjs': "export * from './c.ts'",
      'c.ts': 'export const b: number = 7',
    }
    expect(await run(files)).toEqual({ exported: { b: 7 } })
    for (const name of ['a,b', 'a*b', 'a b', '%41#?']) {
      mkdirSync(join(folder, name))
      writeFileSync(join(folder, name, 'workflow.js'), 'export default 1')
      expect(await runModule(join(folder, name), 'workflow.js')).toEqual({ exported: 1 })
    }
  })
})

describe('a module imports holdfast/workflow', () => {
  const STEPS = "[step({ id: 'a', title: 'A', next: null })]"

  test('and exports what it builds as plain data', async () => {
    const files = {
      'workflow.ts': `import { param, type Step } from 'holdfast/workflow'
import { build } from './build.ts'
export default build({ mode: param.choice(['full', 'quick'], { default: 'full' }) })`,
      'build.ts': `import * as door from 'holdfast/workflow'
export const build = (params: object) => door.workflow('x', [door.step({ id: 'a', title: 'A', next: null })], { params })`,
    }
    expect(await run(files)).toEqual({
      exported: {
        format: 'xml',
        params: { mode: { type: 'choice', choices: ['full', 'quick'], default: 'full' } },
        name: 'x',
        steps: [{ id: 'a', title: 'A', next: null }],
      },
    })
  })

  test('but nothing else of the package, and no name that it does not have', async () => {
    expect(await js("import 'holdfast'")).toEqual(refused('imports holdfast, which is not holdfast/workflow'))
    expect(await js("import 'holdfast/workflow/door.json'")).toEqual(
      refused('imports holdfast/workflow/door'),
    )
    expect(await js("import { run } from 'holdfast/workflow'")).toEqual(refused("'run'"))
  })

  test('and a fault inside of it is told at the line that called it', async () => {
    const text = `import { step, workflow } from 'holdfast/workflow'\n\nexport default workflow('x', null)`
    expect(await js(text)).toMatchObject({ line: 3 })
  })

  test('and cannot change it for anybody else, nor reach anything through it', async () => {
    const text = `import * as door from 'holdfast/workflow'
import { step, workflow } from 'holdfast/workflow'
const isOurs = (value) => value instanceof Object
try { door.step = null } catch {}
export default [Object.values(door).filter((one) => typeof one === 'function').every(isOurs), workflow('x', ${STEPS}).name]`
    expect(await js(text)).toEqual({ exported: [true, 'x'] })
  })
})

describe('errors are reported', () => {
  test.each([
    ['workflow.ts', 'const a = 1\n\nexport const workflow = { a b }', 'SyntaxError', 3],
    ['workflow.js', 'const a = 1\nexport const workflow = { a b }', 'SyntaxError', 2],
    ['workflow.ts', 'export default 1\nenum A { B }', 'enum is not supported', 2],
    ['workflow.ts', 'const a: number = 1\nthrow new RangeError("boom")', 'RangeError: boom.', 2],
    ['workflow.js', 'throw "only text"', 'only text', undefined],
    ['workflow.js', 'throw { __proto__: null }', 'exited with code 1', undefined],
    ['workflow.js', 'export const other = 1', 'neither workflow nor a default', undefined],
    ['workflow.js', 'export default () => 1', 'exports a function', undefined],
    ['workflow.js', 'export default Promise.resolve(1)', 'exports a promise', undefined],
    ['workflow.js', 'export default await new Promise(() => {})', 'never settles', undefined],
    ['workflow.js', 'export default 1n', 'BigInt', undefined],
    ['workflow.js', 'const a = {}\na.a = a\nexport default a', 'circular', undefined],
    ['workflow.js', 'module.exports = {}', 'module is not defined', 1],
    ['workflow.js', "import './gone.js'", 'imports ./gone.js', undefined],
    ['workflow.js', "import 'yaml'", 'imports yaml, which is not', undefined],
    ['workflow.js', "import '../other/workflow.js'", 'imports ../other', undefined],
  ])('%s: %s', async (name, text, sentence, line) => {
    expect(await run({ [name]: text })).toEqual({ ...refused(sentence), line })
  })

  test.each([
    ['a loop', 'for (;;);'],
    ['a loop in an exported getter', 'export default { get a() { for (;;); } }'],
    ['a loop with await', 'for (;;) await null'],
  ])('%s is ended', async (_, text) => {
    expect(await run({ 'workflow.js': text }, 1500)).toEqual(refused('did not finish within 1.5 seconds'))
  })

  test.each([
    ['that is too large', "export default 'x'.repeat(2 << 20)", 'more than a megabyte'],
    ['that is too deep', 'let a = []\nfor (let i = 0; i < 100; i++) a = [a]\nexport default a', 'too deep'],
    ['that is cyclic', 'const a = []\nfor (;;) a.push(new Array(1e6).fill(0))', 'out of memory'],
  ])('data %s is refused', async (_, text, sentence) => expect(await js(text)).toEqual(refused(sentence)))
})

describe('a hostile module', () => {
  const MODULES = ['fs', 'child_process', 'net', 'sqlite', 'worker_threads', 'module', 'process', 'vm']

  test.each(MODULES)('does not get node:%s', async (name) => {
    expect(await js(`import 'node:${name}'`)).toEqual(refused(`imports node:${name}`))
    expect(await js(`export default await import('node:${name}')`)).toEqual(
      refused('import() is not available'),
    )
  })

  test('has the language and nothing of Node', async () => {
    const names = 'process require module fetch WebSocket setTimeout Buffer global structuredClone'.split(' ')
    const text = `export default ${JSON.stringify(names)}.filter((name) => name in globalThis)`
    expect(await js(text)).toEqual({ exported: [] })
  })

  test.each([
    ['the constructor of its own functions', '(() => {}).constructor'],
    [
      'the constructor of a refused import',
      'await import("x").catch((error) => error.constructor.constructor)',
    ],
    ['the constructor of a promise of an import', '(import("x").catch(() => {})).constructor.constructor'],
    ['eval', '(code) =>\n eval(code)'],
  ])('cannot make code from text by %s', async (_, maker) => {
    expect(await js(`const make = ${maker}\nexport default make('return typeof process')()`)).toEqual({
      ...refused('Code generation from strings disallowed'),
      line: 2,
    })
  })

  test('gets no object of another realm, which could lead further', async () => {
    const text = `
      const found = [import('x').catch((error) => error), import('x'), import.meta]
      found[1].catch(() => {})
      const isOurs = (value) => value instanceof Object || Object.getPrototypeOf(value) === null
      export default [await found[0], found[1], found[2]].map(isOurs)`
    expect(await js(text)).toEqual({ exported: [true, true, true] })
  })

  test('cannot change anything or make code in a realm that a stack overflow exposes', async () => {
    const text = `
      const seen = []
      const wait = []
      const dive = () => {
        try { dive() } catch {}
        if (wait.length < 500) wait.push(import('x').catch((error) => seen.push(error)))
      }
      dive()
      await Promise.all(wait)
      const chain = (value) => (value === null ? [] : [value, ...chain(Object.getPrototypeOf(value))])
      const strange = seen.filter((error) => !(error instanceof Error))
      const reached = strange.flatMap((error) => [...chain(error).slice(1), ...chain(error.constructor)])
      const make = (error) => { try { return error.constructor.constructor('return 1')() } catch { return 0 } }
      export default [reached.filter((one) => !Object.isFrozen(one)).length, strange.filter(make).length]`
    expect(await js(text)).toEqual({ exported: [0, 0] })
  })

  test('cannot print a fake answer', async () => {
    const text = `console.log('{"exported":"forged"}')\nexport default 'real'`
    expect(await js(text)).toEqual({ exported: 'real' })
  })

  test('reads nothing through a link, and does not run through one', async () => {
    const outside = join(folder, 'outside.js')
    writeFileSync(outside, "export default 'secret'")
    const skill = join(folder, 'linked')
    mkdirSync(skill)
    symlinkSync(outside, join(skill, 'workflow.js'))
    symlinkSync(folder, join(skill, 'up'))
    expect(await runModule(skill, 'workflow.js')).toEqual(refused('It is a symbolic link'))
    writeFileSync(join(skill, 'workflow.mjs'), "export { default } from './up/outside.js'")
    expect(await runModule(skill, 'workflow.mjs')).toEqual(refused('imports ./up/outside.js'))
    symlinkSync(skill, join(folder, 'shared'))
    writeFileSync(join(skill, 'workflow.mjs'), 'export default 1')
    expect(await runModule(join(folder, 'shared'), 'workflow.mjs')).toEqual({ exported: 1 })
  })

  test('whose errors are traps ends only itself', async () => {
    const trap = "Error.prepareStackTrace = () => { throw 1 }\nthrow new Error('x')"
    expect(await js(trap)).toEqual(refused('exited with code 1'))
    const long = `throw new Error('${'x'.repeat(5000)}')`
    expect(await js(long)).toEqual({ error: 'x'.repeat(500), line: 1 })
  })
})
