import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestProject } from 'vitest/node'
import { bundle } from '../scripts/build.ts'
import { keepCompiled } from './holdfast.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { type Answer, type Share, SHARED_SOCKET } from './shared.ts'

/** Daemons for tests, beside the programs of the package. */
const TEST_DAEMONS = {
  'hook-daemon': 'test/hook-daemon.ts',
  'odd-daemon': 'test/odd-daemon.ts',
  'watched-daemon': 'test/watched-daemon.ts',
  'dying-daemon': 'test/torture/dying-daemon.ts',
  'careless-daemon': 'test/torture/careless-daemon.ts',
  'faulty-daemon': 'test/torture/faulty-daemon.ts',
  'own-clock-daemon': 'test/torture/own-clock-daemon.ts',
  'limitless-daemon': 'test/torture/limitless-daemon.ts',
  'naive-daemon': 'test/torture/naive-daemon.ts',
  'spreading-daemon': 'test/torture/spreading-daemon.ts',
  'keeping-daemon': 'test/torture/keeping-daemon.ts',
  'file-dying-daemon': 'test/torture/file-dying-daemon.ts',
  'backup-worker': 'test/torture/backup-worker.ts',
}

/** Expensive parts are made at the first request, once for the whole run: see `shared`. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  keepCompiled()
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-run-'))
  let builds = 0
  let programs: Promise<string> | undefined
  let postgres: Promise<Postgres> | undefined
  const make: Readonly<Record<Share, () => Promise<string>>> = {
    programs: () => (programs ??= build(join(folder, `dist-${++builds}`))),
    postgres: async () => (await (postgres ??= startPostgres({ volatile: true }))).url,
  }
  // Sources may change between two runs of one watching process.
  project.onTestsRerun(() => void (programs = undefined))
  const stopSharing = await share(join(folder, 'socket'), make)
  return async () => {
    await stopSharing()
    await (await postgres?.catch(() => undefined))?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function build(folder: string): Promise<string> {
  await bundle(folder, TEST_DAEMONS)
  return folder
}

/** Answers on a private socket; returns the function that ends it. */
async function share(path: string, make: Readonly<Record<Share, () => Promise<string>>>) {
  const reply = async (socket: Socket) => {
    const what = (await text(socket)) as Share
    const answer: Answer = await make[what]().then(
      (value) => ({ value }),
      (error: unknown) => ({ problem: String(error) }),
    )
    socket.end(JSON.stringify(answer))
  }
  // A worker that died while it waited needs no answer.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    reply(socket).catch(() => socket.destroy())
  })
  server.listen(path)
  await once(server, 'listening')
  process.env[SHARED_SOCKET] = path
  return () => server[Symbol.asyncDispose]()
}
