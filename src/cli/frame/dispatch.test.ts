import { expect, test } from 'vitest'
import { commands } from '../commands/index.ts'
import type { Command } from './command.ts'
import { exitCodeOf } from './dispatch.ts'

/** The line of the help that names the command. */
async function usageOf(words: readonly string[], known: readonly Command[]): Promise<string | undefined> {
  const out: string[] = []
  await exitCodeOf([...words, '--help'], known, {
    env: {},
    cwd: '/',
    entry: '/opt/holdfast.js',
    json: false,
    color: false,
    isTerminal: false,
    width: 1000,
    out: (text) => void out.push(text),
    note: () => undefined,
    input: '',
  })
  return /^Usage: .*/m.exec(out.join('\n'))?.[0]
}

// Lists of commands have their own orders, and the first words of some are other commands.
test.each(commands.map(({ name }) => name))(
  'holdfast %s is found in whatever order commands are listed',
  async (name) => {
    const expected = expect.stringMatching(`^Usage: holdfast ${name}( |$)`) as string
    expect(await usageOf(name.split(' '), commands)).toEqual(expected)
    expect(await usageOf(name.split(' '), commands.toReversed())).toEqual(expected)
  },
)
