import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { GROUPS } from '../src/engine/engine.contract.ts'

const files = globSync('{src,test}/**/*.{test,contract}.ts')
const textOf = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))

/** The names of the suites that each file exports. */
const suites = files.flatMap((file) =>
  [...(textOf.get(file) ?? '').matchAll(/^export (?:async )?function (\w+Contract)\b/gm)].map(
    ([, name = '']) => ({ file, name }),
  ),
)

/** Whether another file imports it and uses it, in a call or in a list. */
function isUsed(file: string, name: string): boolean {
  return files.some((other) => {
    const text = textOf.get(other) ?? ''
    const imports = new RegExp(`import [^;]*?\\b${name}\\b[^;]*? from '([^']+)'`).exec(text)?.[1]
    if (imports === undefined || join(dirname(other), imports) !== file) return false
    return text.split(new RegExp(`\\b${name}\\b`)).length > 2
  })
}

test('there are suites to check', () => {
  expect(suites.length).toBeGreaterThan(50)
})

test.each(suites)('$name of $file is registered', ({ file, name }) => {
  expect(isUsed(file, name)).toBe(true)
})

test('every suite of the engine is in one group, and every group has its test file', () => {
  const registered: unknown[] = Object.values(GROUPS).flat()
  expect(new Set(registered).size).toBe(registered.length)
  const present = globSync('src/engine/contracts/*.test.ts').map((file) => basename(file, '.test.ts'))
  expect(present.toSorted()).toEqual(Object.keys(GROUPS).toSorted())
  for (const group of present)
    expect(readFileSync(`src/engine/contracts/${group}.test.ts`, 'utf8')).toContain(
      `engineContract('${group}'`,
    )
})
