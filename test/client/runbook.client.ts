import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { git } from '../git.ts'
import { RealClient } from './client.ts'
import type { ModelRequest } from './model-request.ts'
import { say, type Turn, use } from './model-server.ts'

const RUNBOOK = `---
model: haiku
---

### Phase 1: Write

## Step 1.1: Write one

Write one.txt.

## Step 1.2: Write two

**Execution Model**: opus

Write two.txt.

### Phase 2: Tell (type: inline)

Write told.txt.
`

const run = (command: string) => use('Bash', { command, description: 'Run it' })
const COMMIT = 'git -c user.name=me -c user.email=me@localhost commit -q -m work'
const write = (file: string) => `echo done > ${file} && git add ${file} && ${COMMIT}`

/** The words that stand alone in a line behind a name. */
const field = (printed: string, name: string): string =>
  new RegExp(`^${name}: (.*)$`, 'm').exec(printed)?.[1] ?? ''
const command = (printed: string, before: string): string =>
  new RegExp(`^${before}.*?, run: (.*)$`, 'm').exec(printed)?.[1] ?? ''
const between = (printed: string): string => printed.split('\n-----\n')[1] ?? ''

/** A small model: it copies what is printed and decides nothing. */
function orchestrate(request: ModelRequest): Turn {
  const results = request.toolResults()
  const last = results.at(-1)
  if (last === undefined) return run('holdfast runbook next auth')
  const printed = results.findLast(({ text }) => text.includes('\n-----\n'))?.text ?? ''
  if (last.tool === 'Agent') {
    const [, category = '', reason = ''] = /error: (\w+): (.*)/.exec(last.text) ?? []
    return category === ''
      ? run(command(printed, 'If it answers "done'))
      : run(
          command(printed, 'If it answers "error')
            .replace('CATEGORY', category)
            .replace("'____'", `'${reason}'`),
        )
  }
  if (last.text.includes('\n-----\n')) {
    if (!last.text.includes('\nagent: ')) return run(write('told.txt'))
    return use('Agent', {
      description: 'Do the step',
      prompt: between(last.text),
      subagent_type: field(last.text, 'agent'),
      model: field(last.text, 'model'),
      run_in_background: false,
    })
  }
  const [, forgotten] = /has no report: (\S+) is missing/.exec(last.text) ?? []
  if (forgotten !== undefined)
    return use('Agent', {
      description: 'Write the report',
      prompt: `Its report is missing. Write your report to ${forgotten}.`,
      subagent_type: field(printed, 'agent'),
      model: field(printed, 'model'),
      run_in_background: false,
    })
  const [, next] = /^next: (.*)$/m.exec(last.text) ?? []
  if (next !== undefined) return run(next)
  if (last.text.trim() === '' || last.text.includes('no output'))
    return run(command(printed, 'If it is done'))
  return say('The runbook has ended.')
}

test('a model that only copies carries out a runbook with sub-agents, on the models of the ladder', async () => {
  await using client = await RealClient.start()
  cpSync('contents/agents', join(client.project, '.claude/agents'), { recursive: true })
  client.write('plans/auth/runbook.md', RUNBOOK)
  client.write('.gitignore', '.holdfast/\n')
  expect(await client.user.run(['runbook', 'compile', 'auth'])).toMatchObject({ code: 0 })
  await git(client.project, 'add', '-A')
  await git(client.project, 'commit', '-q', '-m', 'Plan')
  await client.user.json(['init', '--scope', 'user', '--yes'])
  client.model.script('main', orchestrate)
  const seen: string[] = []
  client.model.script('agent', (request) => {
    const words = request.userTexts().join('\n')
    const [, file] = /Read (\S+) and do exactly/.exec(words) ?? []
    const [done] = request.toolResults()
    const model = /haiku|sonnet|opus/.exec(request.body.model)?.[0] ?? request.body.model
    const what = file ?? /^(Review|Its report is missing)/m.exec(words)?.[0] ?? words
    if (done === undefined) seen.push(`${what} ${model}`)
    if (file?.includes('step-1-1') === true && model === 'haiku')
      return say('error: execution: the disk was odd')
    // It forgets its report at first, and writes it when it is asked once more.
    const isForgetful = file?.includes('step-1-2') === true
    const reported = `mkdir -p plans/auth/reports && echo Done. > ${/Write your report to (\S+)\./.exec(words)?.[1]}`
    if (done !== undefined) return say('done: it is written')
    if (file === undefined) return run(reported)
    const written = write(file.includes('step-1-1') ? 'one.txt' : 'two.txt')
    return run(isForgetful ? written : `${reported} && ${written}`)
  })
  await client.run('/orchestrate auth', { env: client.holdfastOnPath(), limit: 170_000 })
  expect(seen).toEqual([
    'plans/auth/steps/step-1-1.md haiku',
    'plans/auth/steps/step-1-1.md sonnet',
    'plans/auth/steps/step-1-2.md opus',
    'Its report is missing opus',
    'Review sonnet',
    'Review sonnet',
    'Review opus',
  ])
  for (const file of ['one.txt', 'two.txt', 'told.txt'])
    expect(existsSync(join(client.project, file))).toBe(true)
  const status = await client.user.json<{
    status: string
    steps: readonly { step: string; attempts: number }[]
  }>(['runbook', 'status', 'auth'])
  expect(status.status).toBe('finished')
  expect(status.steps.map(({ step, attempts }) => `${step} ${attempts}`)).toEqual(
    [
      'step-1-1 2',
      'step-1-2 1',
      'fix-checkpoint-1 0',
      'checkpoint-1 1',
      'inline-2 1',
      'fix-checkpoint-2 0',
      'checkpoint-2 1',
      'final-review 1',
    ].toSpliced(7, 0, 'fix-final-review 0'),
  )
  const errors = client.model
    .last()
    .toolResults()
    .filter(({ isError }) => isError)
  expect(errors).toEqual([
    expect.objectContaining({ text: expect.stringContaining('reports/step-1-2.md is missing') }),
  ])
})
