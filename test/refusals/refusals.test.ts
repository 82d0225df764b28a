import { afterAll, expect, test, vi } from 'vitest'
import { User } from '../holdfast.ts'
import { type Kind, KINDS } from './kinds.ts'
import { doNamed } from '../../src/harness/named-action.ts'
import { Scene } from './scene.ts'

vi.setConfig({ testTimeout: 600_000 })

const user = new User()
afterAll(() => user[Symbol.asyncDispose]())

/** What is wrong with the action that a refusal of this kind names; undefined if it works at the next call. */
async function wrongWith({ files, refuse, work }: Kind): Promise<string | undefined> {
  const it = new Scene(user, files)
  const refusal = await refuse(it)
  if (refusal === undefined) return 'was not refused'
  const wrong = (await work?.(it, refusal)) ?? (await doNamed(it, refusal))
  return wrong === undefined ? undefined : `${refusal}\n  ${wrong}`
}

test('the action that a refusal names works at the next call, for at least 95 % of all kinds', async () => {
  const failing: string[] = []
  for (const [name, kind] of Object.entries(KINDS)) {
    const wrong = await wrongWith(kind)
    if (wrong !== undefined) failing.push(`${name}: ${wrong}`)
  }
  const kinds = Object.keys(KINDS).length
  const rate = 1 - failing.length / kinds
  const report = [`${kinds - failing.length} of ${kinds} kinds`, ...failing].join('\n')
  console.log(report)
  expect(rate).toBeGreaterThanOrEqual(0.95)
})
