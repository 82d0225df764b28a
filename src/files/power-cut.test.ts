import {
  constants,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { CUTS, Disk, type Operation } from '../../test/torture/disk.ts'
import { FileRecord } from '../../test/torture/file-record.ts'
import { Random } from '../../test/torture/random.ts'
import { nodeFiles } from './node.ts'

let root = ''

beforeEach(({ skip }) => {
  skip(process.platform !== 'linux', 'the names of open files are needed, which only Linux tells')
  root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-cut-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
})

const append = (path: string, content: string) => nodeFiles.append({ path: join(root, path), root, content })
const put = (path: string, content: string) =>
  nodeFiles.put({ path: join(root, path), root, content, replaces: true })
const makeFolders = (path: string) => nodeFiles.makeFolders({ path: join(root, path), root })

interface Case {
  readonly before?: () => unknown
  readonly work: () => Promise<unknown>
}

const CASES: Readonly<Record<string, Case>> = {
  'a text in a new file': { work: () => append('new.md', 'a text\n') },
  'a text in a file that others made': {
    before: () => writeFileSync(join(root, 'old.md'), 'before\n'),
    work: () => append('old.md', 'a text\n'),
  },
  'new folders': { work: () => makeFolders('a/b/c') },
  'a text in new folders': {
    work: async () => {
      await makeFolders('a/b/c')
      await append('a/b/c/new.md', 'a text\n')
    },
  },
  'a whole file': { work: () => put('report.md', 'x'.repeat(2000)) },
  'a whole file in place of another': {
    before: () => writeFileSync(join(root, 'report.md'), 'old'),
    work: () => put('report.md', 'x'.repeat(2000)),
  },
}

/** Runs the work, and returns what a power cut at a step leaves; the last step is after its end. */
async function recorded({ work }: Pick<Case, 'work'>, isKept: (one: Operation) => boolean = () => true) {
  const disk = new Disk(root)
  using record = await FileRecord.start()
  await work()
  disk.replay(record.recorded.filter(({ operation }) => isKept(operation)))
  const last = record.step
  return {
    last,
    leftAt: function* (this: void, step: number) {
      for (const cut of CUTS)
        for (let seed = 0; seed < (cut === 'some' || cut === 'torn' ? 5 : 1); seed++) {
          disk.restore(step, cut, new Random(seed))
          yield treeOf(root)
        }
    },
  }
}

const treeOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .toSorted()
      .map((name) => {
        const path = join(folder, name)
        return [name, statSync(path).isDirectory() ? 'folder' : readFileSync(path, 'utf8')]
      }),
  )

describe('a power cut', () => {
  test.each(Object.entries(CASES))('after the answer leaves %s', async (_, { before, work }) => {
    await before?.()
    const { last, leftAt } = await recorded({ work })
    const done = treeOf(root)
    for (const left of leftAt(last)) expect(left).toEqual(done)
  })

  test('leaves a whole file as it was or as it is now', async () => {
    writeFileSync(join(root, 'report.md'), 'old')
    const fresh = 'x'.repeat(2000)
    const { last, leftAt } = await recorded({ work: () => put('report.md', fresh) })
    for (let step = 0; step <= last; step++)
      for (const left of leftAt(step)) expect(['old', fresh]).toContain(left['report.md'])
  })

  test('leaves what a call found that an earlier process made and did not sync', async () => {
    const work = async () => {
      await mkdir(join(root, 'a'))
      await mkdir(join(root, 'a/b'))
      await (await open(join(root, 'a/b/log.md'), constants.O_CREAT | constants.O_WRONLY)).close()
      await makeFolders('a/b')
      await append('a/b/log.md', 'a text\n')
    }
    const { last, leftAt } = await recorded({ work })
    const done = treeOf(root)
    for (const left of leftAt(last)) expect(left).toEqual(done)
  })
})

test.each(Object.entries(CASES))('the test would notice without syncs: %s', async (_, { before, work }) => {
  await before?.()
  const { last, leftAt } = await recorded({ work }, ({ kind }) => kind !== 'sync')
  const done = JSON.stringify(treeOf(root))
  expect([...leftAt(last)].some((left) => JSON.stringify(left) !== done)).toBe(true)
})
