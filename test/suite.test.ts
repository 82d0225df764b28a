import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { childrenOf } from './postgres.ts'
import { SHARED_SOCKET } from './shared.ts'

/** Sleeps until its run is killed. */
const STAY = `await new Promise(() => process.on('disconnect', () => process.exit()))`

/** A separate run of one file, with our configuration. */
function runOf(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-suite-'))
  const temporary = join(folder, 'tmp')
  mkdirSync(temporary)
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'one.test.ts'), text)
  writeFileSync(
    join(folder, 'vitest.config.mts'),
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

test('a run without requests starts nothing', async () => {
  const run = runOf(`test('stays', async () => {
    console.log('SAYS', process.pid, 'END')
    ${STAY}
  }, 0)`)
  const worker = await wordOf(run)
  expect(childrenOf(run.child.pid ?? 0).map(String)).toEqual([worker])
})

test('a skipped test is listed with its name and reason, and one without a reason fails the run', async () => {
  const run = runOf(`
    test('lacking', ({ skip }) => skip(true, 'there is no moon'))
    test.skip('silent', () => undefined)`)
  expect(await run.ended).toEqual([1, null])
  expect(run.said()).toContain('lacking: there is no moon')
  expect(run.said()).toContain('silent: NO REASON WAS GIVEN')
  expect(globSync('*', { cwd: run.temporary })).toEqual([])
})

test('an error that no test failed on fails the run and is named at its end', async () => {
  const run = runOf(`test('passes', () => void setTimeout(() => { throw new Error('the moon fell') }, 0))
  test('waits', () => new Promise((done) => setTimeout(done, 100)))`)
  expect(await run.ended).toEqual([1, null])
  expect(run.said()).toMatch(/outside of every test[^]*the moon fell[^]*one\.test\.ts/)
})

const asks = (then = '') => `
  import { sharedPostgres } from '${resolve('test/shared.ts')}'
  test('asks', async () => {
    const urls = await Promise.all([sharedPostgres(), sharedPostgres()])
    console.log('SAYS', ...new Set(urls), 'END')
    ${then}
  }, 0)`

test('a PostgreSQL starts once for a run that requests it, and ends with the run', async () => {
  const run = runOf(asks())
  const url = await wordOf(run)
  expect(await run.ended).toEqual([0, null])
  expect(await answers(url)).toBe(false)
  expect(globSync('*', { cwd: run.temporary })).toEqual([])
})

test('a PostgreSQL does not outlive a killed run', async () => {
  const run = runOf(asks(STAY))
  const url = await wordOf(run)
  expect(await answers(url)).toBe(true)
  run.child.kill('SIGKILL')
  while (await answers(url)) await sleep(50)
})

/** The output of the test in a run. */
async function wordOf({ child, said }: ReturnType<typeof runOf>): Promise<string> {
  for (;;) {
    const [, word] = /SAYS (\S+) END/.exec(said()) ?? []
    if (word !== undefined) return word
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
