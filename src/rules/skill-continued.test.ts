import { expect, test } from 'vitest'
import { called, effort, event, facts, open, served, skill, span, wish } from './case.contract.ts'
import { skillInvoked } from './skill-invoked.ts'

test('--continue resumes the newest free effort, or the one that it names', () => {
  const others = [
    open({ id: 5, holder: 'session 5' }),
    open({ id: 4 }),
    open({ id: 3, request: 'a login page' }),
  ]
  const none = skill({ effort: undefined })
  const judged = (args: string, of = none) =>
    skillInvoked.judge(event('prompt'), facts({ invoked: [called(of, { args })], open: others }))
  expect(wish(judged('--continue'))).toEqual([{ kind: 'resume', id: 4 }])
  expect(wish(judged('--continue 3'))).toEqual([{ kind: 'resume', id: 3 }])
  for (const args of ['--continue 3 please', '--continue #3', '--continue=3.', '--CONTINUE 3'])
    expect(wish(judged(args))).toEqual([{ kind: 'resume', id: 3 }])
  for (const args of ['--continued 3', '--continue-on-error'])
    expect(wish(judged(args))).toEqual([{ kind: 'start', inWords: true }])
  expect(wish(judged('--continue', served()))).toEqual([{ kind: 'resume', id: 7 }])
  expect(judged('--continue 3')?.notice).toBe(
    'Goes on with effort 3 of flow, "a login page", 1 of 3 steps done.',
  )
  expect(judged('--continue', served())?.notice).toMatch(
    /^Goes on with effort 7 of flow, .* of 3 steps done, /,
  )
  expect(judged('more words')?.notice).toBeUndefined()
  expect(judged('--continue 5')).toEqual({
    contexts: [expect.stringMatching(/because session 5 works on it.*session continue 5 --take/)],
    notice: expect.stringMatching(
      /^Not resumed: effort 5 .* because session 5 works on it\. Nothing was started\.$/,
    ),
  })
  const nothing = facts({ invoked: [called(none, { args: '--continue' })] })
  expect(skillInvoked.judge(event('prompt'), nothing)).toEqual({
    contexts: [expect.stringContaining('no effort of flow is open')],
    notice: 'Not resumed: no effort of flow is open. Nothing was started.',
  })
})

test('--continue of the work at hand tells the user so, with the prompt and not with its expansion', () => {
  const expanded = { ...event('prompt'), kind: 'prompt.expanded', command: '', args: '', text: '' } as const
  const judged = (of: typeof expanded | ReturnType<typeof event>, spans: Parameters<typeof span>[1]) =>
    skillInvoked.judge(
      of,
      facts({
        spans: [span('flow', { effort_id: 7, ...spans })],
        invoked: [called(served(), { args: '--continue' })],
      }),
    )
  const goesOn = /^Goes on with effort 7 of flow, "a login page"/
  expect(judged(event('prompt'), {})?.notice).toMatch(goesOn)
  expect(judged(expanded, {})?.notice).toBeUndefined()
  expect(judged(expanded, { status: 'suspended' })?.notice).toBeUndefined()
})

test('--continue that resumes nothing is told once, with the prompt and not with its expansion', () => {
  const none = skill({ effort: undefined })
  const expanded = { ...event('prompt'), kind: 'prompt.expanded', command: '', args: '', text: '' } as const
  for (const others of [[], [open({ id: 5, holder: 'session 5' })], [open({ id: 5, skill: 'ship' })]]) {
    const given = facts({ invoked: [called(none, { args: '--continue 5' })], open: others })
    expect(skillInvoked.judge(event('prompt'), given)?.contexts).toHaveLength(1)
    expect(skillInvoked.judge(expanded, given)).toEqual({ contexts: [] })
  }
})

test('--continue beside an empty effort says who has the older work', () => {
  const untouched = skill({ effort: effort({ request: '' }), progress: undefined })
  const judged = (holder: string | null, of = untouched) =>
    skillInvoked.judge(
      event('prompt'),
      facts({
        spans: [span('flow', { effort_id: 7 })],
        invoked: [called(of, { args: '--continue' })],
        open: [open({ id: 7 }), open({ id: 5, request: 'a login page', holder })],
      }),
    )
  expect(judged('session 5')?.contexts?.join()).toContain('because session 5 works on it')
  expect(judged('session 5')?.notice).toContain('effort 5 of flow, "a login page"')
  expect(judged(null)?.contexts).toBeUndefined()
  expect(judged('session 5', served())?.contexts).toBeUndefined()
})

test('--continue of work of another project or skill begins nothing, and says where it goes on', () => {
  const invoked = [called(skill({ effort: undefined }), { args: '--continue 5' })]
  const judged = (other: Parameters<typeof open>[0]) =>
    skillInvoked.judge(event('prompt'), facts({ invoked, open: [open({ id: 5, ...other })] }))
  expect(judged({ root: '/q' })).toEqual({
    contexts: [expect.stringContaining('start a session in /q: /flow --continue 5')],
    notice: expect.stringContaining('start a session in /q: /flow --continue 5'),
  })
  expect(judged({ skill: 'ship' })).toEqual({
    contexts: [expect.stringContaining('To resume it: holdfast session continue 5')],
    notice: expect.stringContaining('is not an effort of flow'),
  })
})
