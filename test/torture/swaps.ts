import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { EngineError } from '../../src/model/error.ts'
import type { Files } from '../../src/model/files.ts'

/** The parts of the disk that create something. */
export type Creating = Pick<Files, 'makeFolders' | 'append' | 'put'>

export interface SwapReport {
  readonly tries: number
  /** Calls that met a link or nothing in place of the folder. */
  readonly refused: number
  /** What appeared outside of the project. */
  readonly outside: readonly string[]
  /** Errors that a caller would take for a bug. */
  readonly unexplained: readonly string[]
}

/** Swaps a folder for a link and back, as fast as it can, until the shared flag is set. */
const SWAPPER = `
  const { mkdirSync, renameSync, symlinkSync, unlinkSync } = require('node:fs')
  const { workerData: { folder, outside, stop } } = require('node:worker_threads')
  // Each fails if the other thread has created the folder meanwhile.
  const attempt = (work) => { try { work() } catch {} }
  for (let turn = 0; Atomics.load(stop, 0) === 0; turn++) {
    attempt(() => renameSync(folder, folder + turn))
    attempt(() => symlinkSync(outside, folder))
    attempt(() => unlinkSync(folder))
    attempt(() => mkdirSync(folder))
  }`

/** Creates files and folders in a folder that another thread swaps for a link out of the project. */
export async function swapRun(files: Creating, isOver: (soFar: SwapReport) => boolean): Promise<SwapReport> {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-swap-')))
  const [root, outside] = [join(place, 'root'), join(place, 'outside')]
  const folder = join(root, 'folder')
  for (const path of [root, outside, folder]) mkdirSync(path)
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const swapper = new Worker(SWAPPER, { eval: true, workerData: { folder, outside, stop } })
  const ended = new Promise<void>((resolve, reject) => {
    swapper.once('error', reject).once('exit', () => resolve())
  })
  let [tries, refused] = [0, 0]
  const unexplained: string[] = []
  const report = (): SwapReport => ({ tries, refused, outside: readdirSync(outside), unexplained })
  try {
    while (!isOver(report())) {
      const path = join(folder, `at-${tries++}`)
      const works = [
        files.append({ path: `${path}.log`, root, content: 'x' }),
        files.put({ path: `${path}.md`, root, content: 'x', replaces: true }),
        files.makeFolders({ path: join(path, 'deep'), root }),
      ]
      for (const end of await Promise.allSettled(works)) {
        if (end.status === 'fulfilled') continue
        refused++
        if (!(end.reason instanceof EngineError)) unexplained.push(String(end.reason))
      }
    }
  } finally {
    Atomics.store(stop, 0, 1)
    await ended
  }
  const result = report()
  rmSync(place, { recursive: true, force: true })
  return result
}
