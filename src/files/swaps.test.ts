import { mkdir, open, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { type Creating, swapRun } from '../../test/torture/swaps.ts'
import { EngineError } from '../model/error.ts'
import { isInside } from '../model/project.ts'
import { nodeFiles } from './node.ts'

test('a folder that becomes a link at the wrong moment gets nothing outside of the project', async ({
  skip,
}) => {
  skip(process.platform !== 'linux', 'only Linux can name a file by an open folder')
  const { outside, unexplained } = await swapRun(
    nodeFiles,
    // Some calls must have met the link, or nothing was tested.
    ({ tries, refused }) => tries >= 300 && refused >= 100,
  )
  expect({ outside, unexplained }).toEqual({ outside: [], unexplained: [] })
})

async function check(path: string, root: string): Promise<void> {
  if (!isInside(root, await realpath(path))) throw new EngineError('forbidden', path)
}

async function create(path: string, root: string): Promise<void> {
  await using file = await open(path, 'a')
  await check(path, root)
  await file.write('x')
}

const explained = (error: unknown): never => {
  throw new EngineError('forbidden', String(error))
}

/** Checks a folder before its use, and a file after it was opened: too late for both. */
const tooLate: Creating = {
  async makeFolders({ path, root }) {
    const folders = [dirname(path), path]
    for (const folder of folders)
      await check(dirname(folder), root)
        .then(() => mkdir(folder))
        .catch(explained)
    return folders
  },
  append: ({ path, root }) => create(path, root).then(() => ({ offset: 0, size: 1 }), explained),
  put: ({ path, root }) => create(join(path), root).then(() => true, explained),
}

test('the test detects a disk that checks too late', async () => {
  const { outside } = await swapRun(tooLate, (soFar) => soFar.outside.length > 0)
  expect(outside).not.toEqual([])
})
