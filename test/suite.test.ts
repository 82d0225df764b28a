import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { SHARED_SOCKET } from './shared.ts'

/** A run of its own, of one file, with what every run of ours has. */
function runOf(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-suite-'))
  const temporary = join(folder, 'tmp')
  mkdirSync(temporary)
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'one.test.ts'), text)
  writeFileSync(
    join(folder, 'vitest.config.ts'),
    `import { SuiteReporter } from '${resolve('test/suite-reporter.ts')}'
    export default { test: {
      globals: true, disableConsoleIntercept: true,
      globalSetup: ['${resolve('test/global-setup.ts')}'], reporters: [new SuiteReporter()],
    } }`,
  )
  const { [SHARED_SOCKET]: _, ...env } = process.env
  const words = [resolve('node_modules/vitest/vitest.mjs'), 'run', '--root', folder]
  const child = spawn(process.execPath, words, { env: { ...env, TMPDIR: temporary } })
  onTestFinished(() => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => void said.push(part))
  return { child, temporary, said: () => said.join(''), ended: once(child, 'close') }
}

const left = (temporary: string) => globSync('*', { cwd: temporary })

test('a run that asks for nothing starts nothing', async () => {
  const run = runOf(`
    import { childrenOf } from '${resolve('test/postgres.ts')}'
    test('asks for nothing', () => expect(childrenOf(process.ppid)).toEqual([process.pid]))`)
  expect({ ended: await run.ended, said: run.said() }).toEqual({ ended: [0, null], said: '' })
})

test('what a machine lacks is told by name and reason, and a test that is skipped without one fails the run', async () => {
  const run = runOf(`
    test('lacking', ({ skip }) => skip(true, 'there is no moon'))
    test.skip('silent', () => undefined)`)
  expect(await run.ended).toEqual([1, null])
  expect(run.said()).toContain('lacking: there is no moon')
  expect(run.said()).toContain('silent: NO REASON WAS GIVEN')
  expect(left(run.temporary)).toEqual([])
})

const ASKS = `
  import { sharedPostgres } from '${resolve('test/shared.ts')}'
  test('asks', async () => {
    const urls = await Promise.all([sharedPostgres(), sharedPostgres()])
    console.log('URL', ...new Set(urls), 'END')
    if (process.env.STAYS) await new Promise(() => setInterval(() => undefined, 1000))
  }, 0)`

test('a PostgreSQL starts for the run that asks for it, once, and ends with it', async () => {
  const run = runOf(ASKS)
  expect(await run.ended).toEqual([0, null])
  const [, url = ''] = /URL (\S+) END/.exec(run.said()) ?? []
  expect(await answers(url)).toBe(false)
  expect(left(run.temporary)).toEqual([])
})

test('a PostgreSQL does not outlive a run that is killed', async () => {
  process.env['STAYS'] = 'yes'
  const run = runOf(ASKS)
  delete process.env['STAYS']
  const url = await urlOf(run.child, run.said)
  expect(await answers(url)).toBe(true)
  run.child.kill('SIGKILL')
  while (await answers(url)) await sleep(50)
})

async function urlOf(child: ChildProcess, said: () => string): Promise<string> {
  for (;;) {
    const [, url] = /URL (\S+) END/.exec(said()) ?? []
    if (url !== undefined) return url
    if (child.exitCode !== null) throw new Error(said())
    await sleep(50)
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  return await client.connect().then(
    () => client.end().then(() => true),
    () => false,
  )
}
