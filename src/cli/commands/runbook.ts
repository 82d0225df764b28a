import type { Command } from '../frame/command.ts'

const PATH = 'the folder of a runbook, its file, or its name below plans/'

export const runbookCheck: Command = {
  name: 'runbook check',
  summary: 'Check runbooks for errors; works without a daemon.',
  usage: '[PATH]',
  places: { PATH: `${PATH}; without it, every runbook of the project` },
  flags: { notes: { kind: 'switch', summary: 'print notes too, not only errors and warnings' } },
  examples: ['holdfast runbook check', 'holdfast runbook check plans/auth --json'],
  run: async (io, given) => await (await import('../runbook/check.ts')).checkRunbooks(io, given),
}

export const runbookCompile: Command = {
  name: 'runbook compile',
  summary: 'Write the step files, the orchestrator plan and the agents of a runbook.',
  usage: '[PATH]',
  places: { PATH },
  flags: {
    model: {
      kind: 'value',
      summary: 'the model of steps that name none, instead of the one in the frontmatter',
    },
    stage: { kind: 'switch', summary: 'run git add for what was written' },
  },
  examples: ['holdfast runbook compile auth', 'holdfast runbook compile plans/auth --model sonnet --stage'],
  run: async (io, given) => await (await import('../runbook/compile.ts')).compileRunbook(io, given),
}
