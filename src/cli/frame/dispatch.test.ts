import { expect, test } from 'vitest'
import type { Command } from './command.ts'
import { exitCodeOf } from './dispatch.ts'
import { systemIo } from './io.ts'

test.each([[['go', 'go fast']], [['go fast', 'go']]])(
  'the command with the longest name runs, listed as %j',
  async (names) => {
    const called: string[] = []
    const commands = names.map((name): Command => ({
      name,
      summary: '',
      usage: '',
      flags: {},
      run: () => Promise.resolve(called.push(name) - 1),
    }))
    expect(await exitCodeOf(['go', 'fast'], commands, systemIo(false))).toBe(0)
    expect(called).toEqual(['go fast'])
  },
)
