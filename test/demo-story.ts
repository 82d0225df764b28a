import { expect } from 'vitest'

interface Told {
  readonly title: string
  readonly moments: readonly { event: string; route?: string; decision?: string; text: string }[]
  readonly stored: readonly { seq: number; event_type: string; phase: string; payload: unknown }[]
}

/** The expected result of the demo, wherever it was installed: its story as data. */
export function expectStory(acts: readonly Told[]): void {
  const [call, jump, order, compaction, crash, end] = acts.map(({ moments }) => moments)
  const textsOf = (moments: Told['moments'] = [], event = '') =>
    moments.filter((moment) => moment.event === event).map(({ text }) => text)
  expect(textsOf(call, 'UserPromptSubmit')).toEqual([
    expect.stringMatching(/^Holdfast: tracking effort \d+ of ship, [^]*Next: do step "understand" /),
  ])
  expect(jump).toEqual([
    {
      event: 'PreToolUse',
      route: 'http',
      decision: 'block',
      text: expect.stringMatching(
        /^Holdfast: step "check" needs "change", which step "work" produces\. .*read \S+\/steps\/understand\.md/,
      ),
    },
  ])
  expect(order?.map(({ event, decision }) => `${event} ${decision}`)).toEqual([
    'PreToolUse allow',
    'PostToolUse allow',
  ])
  expect(textsOf(compaction, 'SessionStart')).toEqual([
    expect.stringMatching(
      /Next: finish step "understand", then do step "work" \(read \S+\/steps\/work\.md\)\.\n.*\nStarted: understand\.\n/,
    ),
  ])
  expect(crash?.map(({ event, decision }) => `${event} ${decision ?? ''}`)).toEqual([
    'kill -9 ',
    'PreToolUse unanswered',
    'PostToolUse unanswered',
    'SessionStart allow',
  ])
  expect(textsOf(crash, 'SessionStart')).toEqual([
    expect.stringMatching(
      /Next: finish step "work", then do step "check" .*\n.*\nStarted: work\.\nDone: understand\.\n/,
    ),
  ])
  // A daemon that missed the events in between allows what was refused before.
  expect(end?.[0]).toMatchObject({ event: 'PreToolUse', decision: 'allow' })
  expect(end?.at(-1)).toMatchObject({ event: 'SessionEnd', decision: 'allow' })
  expectLedger(acts.flatMap(({ stored }) => stored))
}

function expectLedger(entries: Told['stored']): void {
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1))
  const steps = entries.filter((entry) => entry.event_type.startsWith('step.'))
  expect(steps.map((entry) => `${entry.event_type} ${entry.phase}`)).toEqual([
    'step.refused check',
    'step.visited understand',
    'step.visited work',
    'step.visited check',
  ])
  expect(steps[0]?.payload).toMatchObject({
    rule: 'step-gate',
    reason: expect.stringContaining('needs "change"'),
  })
  expect(entries.map((entry) => entry.event_type)).toEqual(
    expect.arrayContaining(['effort.started', 'span.completed', 'effort.finished']),
  )
}
