import { appendFileSync, readFileSync } from 'node:fs'
import { constants, open } from 'node:fs/promises'
import { findHome } from '../../src/daemon/home.ts'
import { startDaemon } from '../../src/daemon/main.ts'
import { call } from '../../src/engine/call/call.ts'
import type { Files } from '../../src/model/files.ts'
import { untilStopped } from '../until-stopped.ts'
import type { Operation } from './disk.ts'
import { FileRecord } from './file-record.ts'

/** The step of its work on files at which to die, counted from 1; steps are before, within and after an operation. */
const LAST_STEP = Number(process.env['HOLDFAST_DIE_AT'])
/** Only operations on files of this folder count. */
const FOLDER = `${process.env['HOLDFAST_DIES_IN'] ?? ''}/`
/** Names the process of the command, which must not ask again. */
const CALLER = process.env['HOLDFAST_DIES_WITH'] ?? ''

let [steps, isArmed] = [0, false]

const isHere = (operation: Operation): boolean =>
  ('path' in operation && operation.path.startsWith(FOLDER)) ||
  (operation.kind === 'rename' && operation.to.startsWith(FOLDER))

function step(last: () => void = () => undefined): void {
  if (!isArmed || ++steps !== LAST_STEP) return
  last()
  process.kill(Number(readFileSync(CALLER, 'utf8')), 'SIGKILL')
  process.kill(process.pid, 'SIGKILL')
}

function onStep(operation: Operation, when: 'before' | 'after'): void {
  if (!isHere(operation)) return
  step()
  if (operation.kind === 'write' && when === 'before')
    step(() => appendFileSync(operation.path, operation.data.subarray(0, operation.data.length / 2)))
}

/** The bug that the test must find: a write in place. */
const inPlace: Pick<Files, 'put'> = {
  async put({ path, content }) {
    await using file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, 0o666)
    await file.write(Buffer.from(content))
    await file.sync()
    return true
  },
}

const planted = process.env['HOLDFAST_PLANTED'] === 'in-place' ? inPlace : {}

untilStopped(
  FileRecord.start(0, onStep).then(() =>
    startDaemon({
      home: findHome(),
      async callMethod(context, name, params, caller) {
        isArmed = /^handoff\.(?!show)/.test(name)
        return await call({ ...context, files: { ...context.files, ...planted } }, name, params, caller)
      },
    }),
  ),
)
