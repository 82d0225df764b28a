import { spawnSync, type SpawnSyncOptionsWithStringEncoding } from 'node:child_process'
import { cli } from './cli.ts'
import { groupCommit } from './group-commit.ts'
import { hooks } from './hooks.ts'
import { ledger } from './ledger.ts'
import type { Row } from './measure.ts'
import { plain } from './plain.ts'
import { recap } from './recap.ts'
import { search } from './search.ts'
import { skills } from './skills.ts'
import { start } from './start.ts'
import { table, verdict } from './table.ts'
import { transaction } from './transaction.ts'
import { wire } from './wire.ts'
import { workflows } from './workflow.ts'

/** Every benchmark by name. */
const BENCHES: Readonly<Record<string, (rounds: number, folder?: string) => Promise<readonly Row[]>>> = {
  wire,
  hooks,
  transaction,
  cli,
  start,
  'group-commit': groupCommit,
  ledger,
  recap,
  plain,
  skills,
  search,
  workflow: workflows,
}

const LEAST_ROUNDS = 3
const INSIDE = '--inside'

const words = process.argv.slice(2)
if (words[0] === INSIDE) await runHere(words[1] ?? '', Number(words[2]), words[3])
else runAll()

/** Runs each benchmark in its own process, so that none affects another. */
function runAll(): void {
  const { names, rounds, json, folder } = wishes()
  const rows = names.flatMap((name) => {
    process.stderr.write(`${name} ...\n`)
    const options: SpawnSyncOptionsWithStringEncoding = {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    }
    const { stdout, status } = spawnSync(
      process.execPath,
      [import.meta.filename, INSIDE, name, String(rounds), ...(folder === undefined ? [] : [folder])],
      options,
    )
    if (status !== 0) process.exit(status ?? 1)
    return JSON.parse(stdout) as Row[]
  })
  const text = json
    ? JSON.stringify(
        rows.map((row) => ({ ...row, verdict: verdict(row) })),
        null,
        2,
      )
    : table(rows)
  process.stdout.write(`${text}\n`)
}

async function runHere(name: string, rounds: number, folder?: string): Promise<void> {
  process.stdout.write(JSON.stringify(await BENCHES[name]?.(rounds, folder)))
}

function wishes() {
  const at = words.indexOf('--runs')
  const rounds = at === -1 ? LEAST_ROUNDS : Number(words[at + 1])
  const rest = words.filter((_, index) => at === -1 || (index !== at && index !== at + 1))
  const given = rest.filter((word) => word !== '--json' && word !== '--')
  const folder = given.find((word) => word.includes('/'))
  const names = given.filter((word) => word !== folder)
  const unknown = names.find((name) => BENCHES[name] === undefined)
  if (unknown !== undefined)
    fail(`Unknown benchmark ${unknown}; use one of ${Object.keys(BENCHES).join(', ')}.`)
  if (!Number.isInteger(rounds) || rounds < LEAST_ROUNDS)
    fail(`--runs takes a whole number of at least ${LEAST_ROUNDS}.`)
  return {
    names: names.length === 0 ? Object.keys(BENCHES) : names,
    rounds,
    json: rest.includes('--json'),
    folder,
  }
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(64)
}
