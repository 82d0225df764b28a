import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { CUTS, Disk } from '../../test/torture/disk.ts'
import { FileRecord } from '../../test/torture/file-record.ts'
import { Random } from '../../test/torture/random.ts'
import { byName } from '../skills/text/text.ts'
import { putInForce, type Version } from './compiled.ts'

let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-compiled-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'plans/x'), { recursive: true })
})

/** A version with these steps and agents. */
function version(says: string, steps: readonly string[], agents: readonly string[]): Version {
  const folder = join(root, 'plans/x')
  const prefix = '../../plans/x/compiled/agents/'
  return {
    folder,
    files: new Map([
      ...steps.map((step) => [`steps/${step}.md`, `${says} ${step}\n`] as const),
      ['plan.md', `${says}\n`] as const,
      ...agents.map((agent) => [`agents/${agent}.md`, `${says} ${agent}\n`] as const),
    ]),
    links: new Map([
      ...(steps.length > 0 ? [[join(folder, 'steps'), 'compiled/steps'] as const] : []),
      [join(folder, 'plan.md'), 'compiled/plan.md'],
      ...agents.map(
        (agent) => [join(root, '.claude/agents', `${agent}.md`), `${prefix}${agent}.md`] as const,
      ),
    ]),
    former: [
      { folder, prefix: 'compiled/' },
      { folder: join(root, '.claude/agents'), prefix },
    ],
  }
}

const first = () => version('first', ['step-1', 'step-2'], ['x-task', 'x-tester'])
const second = () => version('second', ['step-1', 'step-3'], ['x-task', 'x-helper'])
const inline = () => version('inline', [], ['x-task'])

/** What people and agents see, through the links; what leads nowhere is not seen. */
function seen(): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const folder of ['plans/x', 'plans/x/steps', '.claude/agents'])
    for (const name of existsSync(join(root, folder))
      ? readdirSync(join(root, folder)).toSorted(byName)
      : []) {
      const path = join(root, folder, name)
      if (name.endsWith('.md') && existsSync(path) && statSync(path).isFile())
        found[`${folder}/${name}`] = readFileSync(path, 'utf8')
    }
  return found
}

/** Every name in the folder, which shows what was left over. */
const names = () => [
  ...readdirSync(join(root, 'plans/x')),
  ...(existsSync(join(root, '.claude/agents')) ? readdirSync(join(root, '.claude/agents')) : []),
]

const edit = () => {
  const path = join(root, 'plans/x/steps/step-1.md')
  writeFileSync(path, 'edited by hand\n')
}

interface Case {
  readonly before: readonly (() => Version)[]
  readonly edits?: true
  readonly after: () => Version
}

const CASES: Readonly<Record<string, Case>> = {
  'the first version': { before: [], after: first },
  'a version with other steps and agents': { before: [first], after: second },
  'a version without steps': { before: [first, second], after: inline },
  'the same version, after an edit by hand': { before: [first], edits: true, after: first },
}

async function prepare({ before, edits }: Case) {
  for (const one of before) await putInForce(one())
  if (edits === true) edit()
  return seen()
}

describe.skipIf(process.platform !== 'linux')('an early end', () => {
  test.each(Object.entries(CASES))(
    'while %s is put in force, at any file operation, leaves the old one or the new one, and the next call ends it',
    async (_, one) => {
      const old = await prepare(one)
      const disk = new Disk(root)
      let last = 0
      {
        using record = await FileRecord.start()
        await putInForce(one.after())
        disk.replay(record.recorded)
        last = record.step
      }
      const fresh = seen()
      const tidy = names().length
      expect(fresh).not.toEqual(old)
      const met = new Set<string>()
      for (let step = 0; step <= last; step++)
        for (const cut of CUTS)
          for (let seed = 0; seed < (cut === 'some' || cut === 'torn' ? 2 : 1); seed++) {
            disk.restore(step, cut, new Random(seed))
            const left = seen()
            expect([old, fresh]).toContainEqual(left)
            met.add(JSON.stringify(left))
            if (seed > 0 || step % 3 !== 0) continue
            await putInForce(one.after())
            expect(seen()).toEqual(fresh)
            expect(names()).toHaveLength(tidy)
          }
      expect(met.size).toBe(2)
      expect(last).toBeGreaterThan(20)
    },
  )

  test.each(Object.entries(CASES))(
    'by an error at any file operation, while %s is put in force, does the same',
    async (_, one) => {
      const old = await prepare(one)
      const start = new Disk(root)
      const errors = new Set<string>()
      let fails = 1
      for (; ; fails++) {
        start.restore(0, 'keep', new Random(0))
        using record = await FileRecord.start(fails)
        await putInForce(one.after()).catch((error: unknown) => void errors.add(String(error)))
        record[Symbol.dispose]()
        if (record.count < fails) break
        const left = seen()
        await putInForce(one.after())
        expect([old, seen()]).toContainEqual(left)
        expect(names().filter((name) => /^\.compiling|holdfast-/.test(name))).toEqual([])
        expect(names().filter((name) => name.startsWith('compiled-'))).toHaveLength(1)
      }
      expect(fails).toBeGreaterThan(20)
      expect([...errors].filter((error) => !/EIO|i\/o/i.test(error))).toEqual([])
      expect(errors.size).toBeGreaterThan(0)
    },
  )

  test('would be noticed if the link moved before its files were on disk', async () => {
    const old = await prepare({ before: [first], after: second })
    const disk = new Disk(root)
    let last = 0
    {
      using record = await FileRecord.start()
      await putInForce(second())
      disk.replay(record.recorded.filter(({ operation }) => operation.kind !== 'sync'))
      last = record.step
    }
    const fresh = seen()
    const mixed = new Set<string>()
    for (let seed = 0; seed < 20; seed++) {
      disk.restore(last, 'torn', new Random(seed))
      const left = JSON.stringify(seen())
      if (left !== JSON.stringify(old) && left !== JSON.stringify(fresh)) mixed.add(left)
    }
    expect(mixed.size).toBeGreaterThan(0)
  })
})

test('the same version writes nothing, and its links are relative', async () => {
  expect(await putInForce(first())).toMatchObject({ changed: true, removed: [] })
  const before = statSync(join(root, 'plans/x')).mtimeMs
  expect(await putInForce(first())).toMatchObject({ changed: false })
  expect(statSync(join(root, 'plans/x')).mtimeMs).toBe(before)
  expect(readlinkSync(join(root, '.claude/agents/x-task.md'))).toBe('../../plans/x/compiled/agents/x-task.md')
  expect(readlinkSync(join(root, 'plans/x/compiled'))).toMatch(/^compiled-[0-9a-f]{12}$/)
})

test('what only a former version had is removed, and told', async () => {
  await putInForce(first())
  const { removed } = await putInForce(second())
  expect(removed).toContain(join(root, '.claude/agents/x-tester.md'))
  expect(readdirSync(join(root, '.claude/agents'))).toEqual(['x-helper.md', 'x-task.md'])
  await putInForce(inline())
  expect(lstatSync(join(root, 'plans/x/steps'), { throwIfNoEntry: false })).toBeUndefined()
})

const FOREIGN: Readonly<Record<string, (path: string) => void>> = {
  'a file': (path) => writeFileSync(path, 'mine\n'),
  'a folder': (path) => mkdirSync(path),
  'a link to somewhere else': (path) => symlinkSync('../elsewhere', path),
}

describe.each(Object.keys(FOREIGN))('%s of somebody else', (what) => {
  test.each(['plans/x/steps', 'plans/x/plan.md', 'plans/x/compiled', '.claude/agents/x-task.md'])(
    'at %s is kept, and nothing is written',
    async (path) => {
      mkdirSync(join(root, '.claude/agents'), { recursive: true })
      FOREIGN[what]?.(join(root, path))
      const before = readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted(byName)
      await expect(putInForce(first())).rejects.toThrow(
        `${path} was not made by runbook compile; nothing written.`,
      )
      expect(readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted(byName)).toEqual(before)
    },
  )
})

test('two calls at the same time do not mix, and the claim of a dead process holds nobody', async () => {
  writeFileSync(join(root, 'plans/x/.compiling'), '999999999')
  await putInForce(first())
  expect(existsSync(join(root, 'plans/x/.compiling'))).toBe(false)
  writeFileSync(join(root, 'plans/x/.compiling'), String(process.ppid))
  await expect(putInForce(second())).rejects.toThrow(`Process ${process.ppid} compiles x at this moment.`)
  expect(seen()['plans/x/plan.md']).toBe('first\n')
})
