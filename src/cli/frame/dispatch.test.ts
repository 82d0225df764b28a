import { expect, test } from 'vitest'
import { commands } from '../commands/index.ts'
import type { Command } from './command.ts'
import { exitCodeOf } from './dispatch.ts'

/** What a command prints, errors included. */
async function printedBy(words: readonly string[], known: readonly Command[]): Promise<string> {
  const out: string[] = []
  await exitCodeOf(words, known, {
    env: {},
    cwd: '/',
    entry: '/opt/holdfast.js',
    json: false,
    color: false,
    isTerminal: false,
    width: 1000,
    out: (text) => void out.push(text),
    note: (text) => void out.push(text),
    input: '',
  })
  return out.join('\n')
}

/** The line of the help that names the command. */
const usageOf = async (words: readonly string[], known: readonly Command[]): Promise<string | undefined> =>
  /^Usage: .*/m.exec(await printedBy([...words, '--help'], known))?.[0]

test('a missing argument is named without the brackets of the usage', async () => {
  expect(await printedBy(['learn', 'When it rains'], commands)).toContain('holdfast learn needs TEXT|-.\n')
})

// Lists of commands have their own orders, and the first words of some are other commands.
test.each(commands.map(({ name }) => name))(
  'holdfast %s is found in whatever order commands are listed',
  async (name) => {
    const expected = expect.stringMatching(`^Usage: holdfast ${name}( |$)`) as string
    expect(await usageOf(name.split(' '), commands)).toEqual(expected)
    expect(await usageOf(name.split(' '), commands.toReversed())).toEqual(expected)
  },
)
