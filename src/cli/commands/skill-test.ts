import { LEVELS, type Level, type Tested } from '../../harness/finding.ts'
import type { Command } from '../frame/command.ts'
import { type Io, usage } from '../frame/io.ts'
import { cell, paint } from '../frame/print.ts'
import { printResult } from '../frame/show.ts'
import { cutTo } from '../frame/wrap.ts'
import { subjectOf } from '../skill/subject.ts'

/** Takes the commands, because texts are checked against them, and scripted agents run them. */
export const skillTest = (commands: () => readonly Command[]): Command => ({
  name: 'skill test',
  summary: 'Test a skill: every path of its plan, every text, and agents that obey, idle or hurry.',
  usage: 'NAME',
  places: {
    NAME: 'the skill, by its name or its folder; to name it allows its workflow module to run, sealed off',
  },
  flags: {
    level: {
      kind: 'value',
      summary: '0: the check and the plan; 1: the texts too; 2: the agents too (default)',
    },
    in: { kind: 'value', summary: 'the folder to search (default: the current folder)' },
  },
  examples: ['holdfast skill test review', 'holdfast skill test skills/review --level 0 --json'],
  async run(io, given) {
    const level = levelOf(given.values['level'] ?? '2')
    const subject = await subjectOf(io, given)
    const { testSkill } = await import('../../harness/test-skill.ts')
    const doing = (text: string) => io.draw?.(cutTo(text, io.width - 1))
    const levels = await testSkill(subject, level, { io, commands: commands(), doing }).finally(() =>
      io.draw?.(''),
    )
    const passed = levels.every(({ findings }) => findings.length === 0)
    const { id } = subject.parsed.definition
    const told = levels.map((one) => ({ ...one, passed: one.findings.length === 0 }))
    printResult(io, { skill: id, passed, levels: told }, () =>
      levels.flatMap((one) => linesFor(io, one)).join('\n'),
    )
    return passed ? 0 : 1
  },
})

function levelOf(text: string): Level {
  const level = LEVELS.find((one) => String(one) === text)
  if (level === undefined)
    throw usage(
      `--level must be 0, 1 or 2, not ${JSON.stringify(text)}.`,
      'holdfast skill test NAME --level 0',
    )
  return level
}

const SHOWN_PATH = 8

function linesFor(io: Io, { level, counts, findings, notes }: Tested): readonly string[] {
  const isGood = findings.length === 0
  const state = isGood ? paint(io, 'green', 'passed') : paint(io, 'red', 'failed')
  const numbers = Object.entries(counts).map(([name, count]) => `${name} ${count}`)
  return [
    `level ${level} ${state}: ${numbers.join(', ')}`,
    ...findings.flatMap(({ code, message, path }) => [
      `  ${paint(io, 'red', code)}: ${cell(message)}`,
      ...(path.length === 0 ? [] : [`    after: ${path.slice(-SHOWN_PATH).map(cell).join(' → ')}`]),
    ]),
    ...notes.map((note) => `  note: ${cell(note)}`),
  ]
}
