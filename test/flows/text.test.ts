import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { widthOf } from '../../src/cli/frame/wrap.ts'
import { type Furnished, furnishedUser } from '../furnished-user.ts'

let it: Furnished
beforeAll(async () => {
  it = await furnishedUser()
})
afterAll(() => it.user[Symbol.asyncDispose]())

const linesOf = (text: string) => text.split('\n')
const shown = async (words: readonly string[], width = 80) => {
  const { stdout, stderr } = await it.user.run(words, { width })
  expect({ words, stderr }).toEqual({ words, stderr: '' })
  return stdout
}

type Call = (it: Furnished) => readonly string[]

/** Commands that print tables, or names with descriptions. */
const TABLES: readonly Call[] = [
  () => ['fleet'],
  () => ['effort', 'list'],
  () => ['effort', 'find-active'],
  () => ['project', 'list'],
  () => ['task', 'list'],
  ({ effort }) => ['artifact', 'list', `${effort}`],
  () => ['session', 'find'],
  () => ['agent', 'list'],
  () => ['agent', 'show', 'ada'],
  () => ['queue', 'list'],
  () => ['run', 'list'],
  ({ run }) => ['run', 'show', run],
  ({ pipeline }) => ['pipeline', 'status', `${pipeline}`],
  () => ['directive', 'discover', 'src'],
  () => ['directive', 'dereference', 'AGENTS.md'],
  () => ['skill', 'list'],
  () => ['skill', 'list', '--all'],
  () => ['query', 'select * from sessions'],
  () => ['query', 'select id, task_id, skill from efforts'],
  () => ['rpc', '--list'],
]

/** Commands that print lines. */
const LINES: readonly Call[] = [
  () => ['status'],
  () => ['recap'],
  ({ effort }) => ['recap', '--effort', `${effort}`],
  () => ['why'],
  () => ['span', 'tree'],
  () => ['ledger', '--limit', '1000'],
  () => ['logs'],
  ({ effort }) => ['effort', 'show', `${effort}`],
  ({ effort }) => ['effort', 'validate', `${effort}`],
  () => ['skill', 'show', 'implement'],
  () => ['daemon', 'status'],
  () => ['doctor'],
  () => ['effort', 'start', 'other', 'deploy'],
  ({ effort }) => ['session', 'continue', `${effort}`, '--agent', 'ada'],
]

const HELP: readonly Call[] = [
  () => ['help'],
  () => ['help', '--all'],
  () => ['help', 'session'],
  () => ['help', 'session', '--all'],
  () => ['help', 'effort', 'start'],
]

describe('a table', () => {
  test.each([40, 80, 200])('fits into %i columns, whatever its rows', async (width) => {
    for (const call of TABLES) {
      const words = call(it)
      // A command below a table can be copied, so it is not cut.
      const lines = linesOf(await shown(words, width)).filter((line) => !/^ {2}holdfast /.test(line))
      const widest = Math.max(...lines.map(widthOf))
      expect({ words, fits: widest <= width, widest }).toMatchObject({ words, fits: true })
    }
  })

  test('keeps every path complete, on several lines if needed', async () => {
    const text = await shown(['effort', 'find-active'])
    expect(text.replaceAll(/\s/g, '')).toContain(`${it.user.project}/login`.slice(0, 20))
    const [first = ''] = (await shown(['run', 'show', it.run], 40)).split('\n\n')
    expect(first.replaceAll(/\s/g, '')).toContain(`${it.user.project}/.holdfast/runs/${it.run}`)
  })

  test('of a query has every column, even empty ones, and every character', async () => {
    const columns = ['id', 'dir_path', 'gone', 'text']
    const sql = `select 1 as id, '/a/b' as dir_path, null as gone, '${'letters '.repeat(40)}' as text`
    for (const width of [30, 80]) {
      const text = await shown(['query', sql], width)
      for (const column of columns) expect(text).toContain(column)
      expect(text.match(/letters/g)).toHaveLength(40)
      expect(text).not.toContain('…')
    }
  })
})

/** A path, an id or a command, which must stay whole. */
const WHOLE = /^\s*(?:\S+|(?:holdfast|npm|claude) .*|read \S+)$/
const tooWide = (text: string, width: number) =>
  linesOf(text).filter((line) => widthOf(line) > width && !WHOLE.test(line))

test.each([40, 80])(
  'lines fit into %i columns, except a path or a command that stands alone',
  async (width) => {
    for (const call of LINES) {
      const words = call(it)
      const { stdout } = await it.user.run(words, { width })
      expect({ words, wide: tooWide(stdout, width) }).toEqual({ words, wide: [] })
    }
  },
)

test('an error fits into the terminal, except a path or a command that stands alone', async () => {
  for (const words of [
    ['status', '--limit', 'x'],
    ['enforce', 'hard'],
    ['effort', 'show', '999'],
    ['ledger', 'more'],
  ]) {
    const { stderr } = await it.user.run(words, { width: 40 })
    expect({ words, wide: tooWide(stderr, 40) }).toEqual({ words, wide: [] })
  }
})

test('without a terminal, lines for agents and programs stay whole', async () => {
  const { text } = await it.user.json<{ text: string }>(['recap', '--effort', `${it.effort}`])
  const timeless = (told: string) => told.replaceAll(/\d+ (?:s|min) ago/g, 'ago')
  const told = (await it.user.run(['recap', '--effort', `${it.effort}`])).stdout
  expect(timeless(told)).toBe(timeless(`${text}\n`))
  const rows = await it.user.json<unknown[]>(['ledger', '--limit', '1000'])
  const { stdout } = await it.user.run(['ledger', '--limit', '1000'])
  expect(linesOf(stdout.trimEnd())).toHaveLength(rows.length)
})

test.each([40, 60, 80, 120])('help fits into %i columns', async (width) => {
  for (const call of HELP) {
    const words = call(it)
    // A usage can be copied, so it is not wrapped.
    const usages = /^(?:Usage:|  holdfast |  [a-z-]+(?: [a-z-]+)? [[A-Z])/
    const wide = tooWide(await shown(words, width), width).filter((line) => !usages.test(line))
    expect({ words, wide }).toEqual({ words, wide: [] })
  }
})

test('text has no calendar times, no digests, and no headings without content', async () => {
  for (const call of [...TABLES.filter((one) => one(it)[0] !== 'query'), ...LINES]) {
    const words = call(it)
    const text = await shown(words)
    expect({ words, times: text.match(/\d{4}-\d\d-\d\dT\d\d:\d\d/g) }).toEqual({ words, times: null })
    expect({ words, digests: text.match(/\b[0-9a-f]{40,}\b/g) }).toEqual({ words, digests: null })
    const lines = linesOf(text.trimEnd())
    const isBlank = (at: number) => (lines[at] ?? '').trim() === ''
    // A wrapped path may end in a line of one word, but not after a blank line.
    const bare = lines.filter((line, at) => /^[a-z]+:?$/.test(line) && isBlank(at - 1) && isBlank(at + 1))
    expect({ words, bare }).toEqual({ words, bare: [] })
  }
})

/** Commands whose text is a sentence or a table for people; `--json` has the whole record. */
const RECORDS: readonly Call[] = [
  () => ['session'],
  ({ effort }) => ['session', 'find', '--effort', `${effort}`],
  () => ['session', 'start', 'login', '--native-id', 'native-zoe'],
  ({ session }) => ['session', 'heartbeat', `${session}`],
  ({ session }) => ['session', 'update-context-usage', `${session}`, '0.7'],
  ({ session }) => ['session', 'update-loaded-files', `${session}`, '/a,/b'],
  () => ['session', 'mark-stale'],
  ({ session }) => ['session', 'finish', `${session}`],
  () => ['task'],
  () => ['task', 'find', 'login'],
  () => ['task', 'upsert', 'login', '--title', 'Let users in'],
  () => ['project'],
  () => ['project', 'upsert', '.'],
  () => ['agent'],
  () => ['agent', 'show', 'ada'],
  () => ['agent', 'release', 'ada'],
  ({ effort }) => ['agent', 'claim', 'ada', `${effort}`],
  () => ['agent', 'register', 'ben', '--label', 'Ben'],
  ({ effort }) => ['artifact', 'put', `${effort}`, 'notes'],
  ({ effort }) => ['artifact', 'list', `${effort}`],
  ({ todo }) => ['effort', 'tick', `${todo}`, 'look around'],
]

test('text about a record has no field names and no JSON', async () => {
  const begun = ['--json', 'session', 'start', 'login', '--native-id', 'native-ben']
  const { id: session } = JSON.parse((await it.user.run(begun)).stdout) as { id: number }
  for (const call of RECORDS) {
    const words = call({ ...it, session })
    const text = await shown(words, 200)
    expect({ words, names: text.match(/(?<=^|\s)[a-z]+(_[a-z]+)+(?=\s|$)/gm) }).toEqual({
      words,
      names: null,
    })
    expect({ words, json: text.match(/[[{]"|\bnull\b/g) }).toEqual({ words, json: null })
  }
})

test('sessions are listed with who works on what, since when, and when they were last active', async () => {
  const [head = '', ...rows] = linesOf((await shown(['session', 'find'], 200)).trimEnd())
  expect(head.split(/\s{2,}/)).toEqual(expect.arrayContaining(['session', 'state', 'effort', 'who', 'since']))
  expect(rows.find((row) => row.includes('claude-code native-client'))).toMatch(/ open .* ago/)
  expect(rows.find((row) => row.includes(' ada '))).toBeDefined()
  expect(await shown(['session', 'find', '--effort', '999'])).toBe('No session found.\n')
})

test('every text ends with exactly one line break', async () => {
  for (const call of [...TABLES, ...LINES, ...HELP]) {
    const words = call(it)
    const text = (await it.user.run(words)).stdout
    expect({ words, end: /\S?\n*$/.exec(text)?.[0].replace(/^\S/, '') }).toEqual({ words, end: '\n' })
  }
  const { stdout } = await it.user.process(['why'])
  expect(stdout).toMatch(/[^\n]\n$/)
})
