import { readlinkSync } from 'node:fs'
import promises, { type FileHandle, open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import type { Operation, Recorded } from './disk.ts'

/** Called before and after each operation. */
type OnStep = (operation: Operation, when: 'before' | 'after') => void

/** Records what this process does with node:fs/promises, where no system calls can be recorded. */
export class FileRecord {
  readonly recorded: Recorded[] = []
  #step = 0
  readonly #undo: (() => void)[] = []
  /** The operation that fails instead, counted from 1; 0 for none. */
  readonly #fails: number
  readonly #onStep: OnStep
  #count = 0

  private constructor(fails: number, onStep: OnStep) {
    this.#fails = fails
    this.#onStep = onStep
  }

  static async start(fails = 0, onStep: OnStep = () => undefined): Promise<FileRecord> {
    const record = new FileRecord(fails, onStep)
    const probe = await open('/', 'r')
    record.#watchHandles(Object.getPrototypeOf(probe) as FileHandle)
    await probe.close()
    record.#watchModule()
    return record
  }

  /** How many operations there were, one that failed included. */
  get count(): number {
    return this.#count
  }

  get step(): number {
    return ++this.#step
  }

  [Symbol.dispose](): void {
    for (const undo of this.#undo.splice(0).toReversed()) undo()
    syncBuiltinESMExports()
  }

  #watchModule(): void {
    this.#replace(promises, 'mkdir', (path) => ({ kind: 'folder', path: real(path) }))
    this.#replace(promises, 'rm', (path) => ({ kind: 'remove', path: real(path) }))
    this.#replace(promises, 'rmdir', (path) => ({ kind: 'remove', path: real(path) }))
    this.#replace(promises, 'symlink', (target, path) => ({
      kind: 'link',
      path: real(path),
      target: String(target),
    }))
    this.#replace(promises, 'rename', (from, to) => ({ kind: 'rename', from: real(from), to: real(to) }))
    // Opening an existing file creates nothing, and the disk leaves it out.
    this.#replace(promises, 'open', (path, flags) =>
      (Number(flags) & promises.constants.O_CREAT) === 0
        ? { kind: 'tell', text: '' }
        : { kind: 'create', path: real(path) },
    )
    syncBuiltinESMExports()
  }

  #watchHandles(prototype: FileHandle): void {
    const of = ({ fd }: FileHandle) => readlinkSync(`/proc/self/fd/${fd}`)
    this.#replace(prototype, 'sync', function (this: FileHandle) {
      return { kind: 'sync', path: of(this) }
    })
    this.#replace(prototype, 'truncate', function (this: FileHandle, size) {
      return { kind: 'truncate', path: of(this), size: Number(size) }
    })
    this.#replace(prototype, 'write', function (this: FileHandle, data, from) {
      return { kind: 'write', path: of(this), data: Buffer.from((data as Buffer).subarray(Number(from))) }
    })
  }

  #replace<T extends object>(
    owner: T,
    name: keyof T & string,
    describe: (this: FileHandle, ...given: unknown[]) => Operation,
  ): void {
    const original = owner[name] as (...given: readonly unknown[]) => Promise<unknown>
    const steps = {
      next: () => this.step,
      keep: (one: Recorded) => void this.recorded.push(one),
      isFaulty: () => ++this.#count === this.#fails,
      on: this.#onStep,
    }
    const watched = async function (this: FileHandle, ...given: readonly unknown[]) {
      const operation = describe.apply(this, [...given])
      if (steps.isFaulty()) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
      steps.on(operation, 'before')
      const begun = steps.next()
      const result = await original.apply(this, [...given])
      steps.keep({ operation, begun, ended: steps.next() })
      steps.on(operation, 'after')
      return result
    }
    owner[name] = watched as T[keyof T & string]
    this.#undo.push(() => void (owner[name] = original as T[keyof T & string]))
  }
}

/** A path through a descriptor, as the kernel sees it. */
function real(path: unknown): string {
  const [, fd, rest = ''] = /^(\/proc\/self\/fd\/\d+)(.*)$/.exec(String(path)) ?? []
  return fd === undefined ? String(path) : readlinkSync(fd) + rest
}
