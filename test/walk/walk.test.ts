import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'

const section =
  readFileSync('ARCHITECTURE.md', 'utf8')
    .split('## The walk of a refused PreToolUse')[1]
    ?.split('\n## ')[0] ?? ''

/** The files of the walk in ARCHITECTURE.md, in order. */
const stations = [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, path = '']) => path)

/** The runtime imports of a file within src. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(join('src', file), 'utf8')
  const found = text.matchAll(/^import (?!type )[^'"]*?from '(\.[^']+)'/gm)
  return [...found].map(([, target = '']) => join(dirname(file), target))
}

/** Everything that rules may need, with the file that provides it. */
function needs(ran: readonly string[]): ReadonlySet<string> {
  const known = new Set(ran.filter((file) => /^engine\/hook\/(facts|looks)\//.test(file)))
  for (const file of known)
    for (const target of importsOf(file))
      if (ran.includes(target) && !stations.includes(target)) known.add(target)
  return known
}

describe('the walk of a refused PreToolUse', () => {
  let answer: { hookSpecificOutput?: { permissionDecision?: string } }
  let ran: readonly string[]

  beforeAll(async () => {
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, ['test/walk/refused-read.ts'])
    ;({ answer, ran } = JSON.parse(stdout) as { answer: typeof answer; ran: typeof ran })
  })

  test('ends in a refusal', () => {
    expect(answer.hookSpecificOutput?.permissionDecision).toBe('deny')
  })

  test('passes at most twenty files, and all that ARCHITECTURE.md lists', () => {
    expect(stations.length).toBeGreaterThan(10)
    expect(stations.length).toBeLessThanOrEqual(20)
    expect(stations.filter((file) => !ran.includes(file))).toEqual([])
  })

  test('runs at most as many files as ARCHITECTURE.md says', () => {
    const [, most] = /(\d+) files run/.exec(section) ?? []
    expect(ran.length).toBeLessThanOrEqual(Number(most))
  })

  test('passes no other file: the rest is a word, a query, a rule with its needs, or one step off the walk', () => {
    const oneStepOff = new Set(stations.flatMap(importsOf))
    const needed = needs(ran)
    // Zod runs the schemas of parameters, wherever they are declared.
    const isWord = (file: string) => /^(model|rules|store)\//.test(file) || file === 'engine/call/params.ts'
    const isAside = (file: string) =>
      isWord(file) || needed.has(file) || oneStepOff.has(file) || fillsPort(file)
    // The daemon provides what the others need; such a file must not call others.
    const fillsPort = (file: string) =>
      file.startsWith('daemon/') &&
      importsOf(file).every((target) => !ran.includes(target) || /^(model|daemon)\//.test(target))
    expect(ran.filter((file) => !stations.includes(file) && !isAside(file))).toEqual([])
  })
})
