import { expect, test } from 'vitest'
import { commands } from '../commands/index.ts'
import { parseArguments } from './args.ts'
import { exitCodeOf } from './dispatch.ts'
import { checkPlaceholders } from './placeholder.ts'

/** Runs a command line in this process; a refused word never reaches a daemon. */
async function said(...words: readonly string[]): Promise<string> {
  const notes: string[] = []
  const code = await exitCodeOf(words, commands, {
    env: { HOME: '/nowhere', HOLDFAST_HOME: '/proc/nowhere', PATH: '' },
    cwd: '/',
    entry: '/opt/holdfast.js',
    json: false,
    color: false,
    isTerminal: false,
    width: 80,
    out: () => undefined,
    note: (text) => void notes.push(text),
    input: '',
  })
  return `${code} ${notes.join('\n')}`
}

test.each([
  [['agent', 'register', 'ID'], 'ID is a placeholder. Write in its place: '],
  [['effort', 'start', '.holdfast/tasks/SKILL', 'SKILL'], 'SKILL is a placeholder'],
  [['session', 'continue', 'N'], 'N is a placeholder. Write in its place: folder of the task, or number'],
  [['session', 'continue', 'EFFORT'], 'EFFORT is a placeholder'],
  [['log', 'TEXT'], 'TEXT is a placeholder'],
  [
    ['artifact', 'put', '3', 'plan', '--path', 'FILE'],
    'FILE is a placeholder of --path. Write in its place: ',
  ],
  [['effort', 'approve', '3', 'look', '--reason', 'WHY'], 'WHY is a placeholder of --reason'],
  [['effort', 'phase', '3', '2', '--tests-pass', 'VALUE'], 'VALUE is a placeholder of --tests-pass'],
  [['init', '--scope', 'SCOPE'], 'SCOPE is a placeholder of --scope'],
])('%j is refused with what belongs there', async (words, message) => {
  expect(await said(...words)).toContain(`64 holdfast: ${message}`)
})

test.each([
  ['agent register', ['id']],
  ['log', ['The TEXT is long.']],
  ['effort list', ['./TASK']],
  ['session continue', []],
])('%s %j is taken as it is', (name, words) => {
  const command = commands.find((one) => one.name === name)
  if (command === undefined) throw new Error(`There is no ${name}.`)
  expect(() => checkPlaceholders(command, parseArguments(words, command.flags, name))).not.toThrow()
})
