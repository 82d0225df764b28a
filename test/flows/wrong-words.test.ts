import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands/index.ts'
import type { Command } from '../../src/cli/frame/command.ts'
import { SkilledUser } from '../skilled-user.ts'

/** Commands that go on until they are stopped, or that read their input to its end. */
const ENDLESS = new Set(['daemon run', 'hook', 'demo'])
/** Commands that would end what the other tests need. */
const ENDING = /^holdfast (daemon stop|uninstall|init|daemon rotate-token|pause|enforce)\b/

let user: SkilledUser
let elsewhere: string

beforeAll(async () => {
  user = await SkilledUser.arrive()
  await user.json(['effort', 'start', 'work/it', 'deploy'])
  elsewhere = join(user.folder, 'elsewhere')
  mkdirSync(elsewhere)
})
afterAll(() => user[Symbol.asyncDispose]())

const required = ({ usage }: Command): readonly string[] =>
  usage
    .replaceAll(/\[[^\]]*\]/g, '')
    .split(' ')
    .filter((word) => word !== '')

/** An id that nothing has, in the form that the place wants. */
const UNKNOWN = '999999'

/** Runs the command that an error names, if it has no blank to fill in. */
async function follow(stderr: string, cwd: string): Promise<number> {
  const [, told] = /^ {2}try: (holdfast .*)$/m.exec(stderr.replaceAll(/\n {4,}/g, ' ')) ?? []
  if (told === undefined || ENDING.test(told) || /\b[A-Z][A-Z|]+\b|____/.test(told)) return 0
  const words = told
    .split(' ')
    .slice(1)
    .map((word) => word.replaceAll(/^'|'$/g, ''))
  return (await user.run(words, { cwd })).code
}

/** A hook or status line never fails. */
const told = commands.filter(({ name, isHarmless }) => !ENDLESS.has(name) && isHarmless !== true)
const naming = told.filter((command) => required(command).length > 0)
const FREE = new Set(['rpc', 'query', 'log', 'completion', 'queue add', 'search'])
const each = (list: readonly Command[]) => list.map((command) => [command.name, command] as const)

test.each(each(told))('%s has help', async (name) => {
  const { code, stdout } = await user.run(['help', ...name.split(' ')])
  expect([code, stdout.includes(`Usage: holdfast ${name}`)]).toEqual([0, true])
})

test.each(each(told))('%s says which word it does not know, and names a command that works', async (name) => {
  const { code, stderr } = await user.run([...name.split(' '), '--no-such-flag'])
  expect(code).not.toBe(0)
  expect(stderr).toContain('no-such-flag')
  expect(stderr).toMatch(/^ {2}(try|next): /m)
  expect(await follow(stderr, user.project)).toBe(0)
})

test.each(each(naming))('%s says what is missing, and names a command that works', async (name, command) => {
  const { code, stderr } = await user.run(name.split(' '))
  expect(code).not.toBe(0)
  expect(stderr).toContain(required(command)[0]?.split('|')[0] ?? '')
  expect(stderr).toMatch(/^ {2}(try|next): /m)
  expect(await follow(stderr, user.project)).toBe(0)
})

test.each(each(naming.filter(({ name }) => !FREE.has(name))))(
  '%s says what does not exist, here and in a folder that is no project',
  async (name, command) => {
    for (const cwd of [user.project, elsewhere]) {
      const words = required(command).map(() => UNKNOWN)
      const { code, stderr } = await user.run([...name.split(' '), ...words], { cwd })
      // Some words name what the command makes.
      if (code === 0) continue
      expect(stderr).toMatch(/^holdfast: \S.* \S/m)
      expect(stderr).toMatch(/^ {2}(try|next): /m)
      expect(await follow(stderr, cwd)).toBe(0)
    }
  },
)

test.each(each(told))('%s with a typo is answered with what is meant', async (name) => {
  const [first = '', ...rest] = name.split(' ')
  const { code, stderr } = await user.run(rest.length === 0 ? [`${first}x`] : [first, `${rest.join(' ')}x`])
  expect(code).not.toBe(0)
  expect(stderr).toMatch(/^ {2}try: /m)
})
