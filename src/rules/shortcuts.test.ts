import { expect, test } from 'vitest'
import { SHIPPED_SHORTCUTS } from '../model/shipped-shortcuts.ts'
import { shortcutKey, shortcutsIn } from '../model/shortcut.ts'
import { effort, event, facts, skill, subject } from './case.contract.ts'
import type { Facts } from './facts.ts'
import { shortcuts } from './shortcuts.ts'

const prompt = (text: string) => event('prompt', { text })
const work = { ...skill(), effort: effort({ request: 'a login page' }) }
const item = { id: 5, project_id: 1, effort_id: null, kind: 'x', content: 'Mend "it"', resolution: null }
const queued = [
  { ...item, id: 6, content: 'Later', created_at: '', resolved_at: null },
  { ...item, created_at: '', resolved_at: null },
]
type More = Partial<Facts> & { readonly sessionFile?: string; readonly skills?: readonly string[] }
const said = (text: string, { sessionFile, skills = [], ...more }: More = {}) => {
  const used = shortcutsIn(text, SHIPPED_SHORTCUTS)
  const about = { used, known: SHIPPED_SHORTCUTS, sessionFile, skills }
  return shortcuts.judge(prompt(text), facts({ shortcuts: about, ...more }))
}

const STATUS = 'Show the user what this prints, and wait: holdfast status'
const GO_ON =
  'Go on with effort 7 of flow, "a login page", until it is finished. Its next action: holdfast step --effort 7'
const NOTHING = 'Nothing is in progress and nothing is pending: tell the user so, and begin nothing.'
const LEAVE = 'Do not commit, and do not write a handover note.'
const COMMIT = 'Commit the changes of this work with git, with a message that says what they do.'
const NOTE = `Write a handover note in your own words: holdfast session dehydrate 7 '{"lastAction": "LAST ACTION", "nextSteps": ["NEXT STEP"]}'`
const OPEN = 'Keep each open point for the next session: holdfast queue add "WHAT IS LEFT"'
const HELP = SHIPPED_SHORTCUTS.map((one) => `${shortcutKey(one)} ${one.name}`).join('; ')

test.each<readonly [string, string, More, readonly string[]]>([
  ['s', 'status', {}, [STATUS]],
  ['x', 'execute', { work }, [GO_ON, LEAVE]],
  ['x', 'execute', {}, [NOTHING, LEAVE]],
  [
    'x',
    'execute',
    { queued },
    [
      'Do the oldest open item of the queue, "Mend "it"", to the end. Then run: holdfast queue resolve 5 "what was done"',
      LEAVE,
    ],
  ],
  [
    'x',
    'execute',
    { queued, sessionFile: 'session.md' },
    [
      'Do the task that session.md lists as in progress, else its first pending one, to the end; then mark it with "holdfast todo done NAME". To begin it: holdfast todo start',
      LEAVE,
    ],
  ],
  ['xc', 'execute and commit', { work }, [GO_ON, NOTE, COMMIT, STATUS]],
  ['r', 'resume', { work, sessionFile: 'session.md' }, [GO_ON, LEAVE]],
  [
    'r',
    'resume',
    { queued },
    [
      'Nothing is in progress in this session: tell the user so, and begin nothing. To list open efforts: holdfast effort find-active',
      LEAVE,
    ],
  ],
  [
    'r',
    'resume',
    { sessionFile: 'agents/session.md' },
    [
      'Go on with the task that agents/session.md lists as in progress. If it lists none, say that nothing is in progress, and begin nothing. To see it: holdfast todo list --state in-progress',
      LEAVE,
    ],
  ],
  ['h', 'handoff', {}, [OPEN, STATUS]],
  ['h', 'handoff', { skills: ['handoff'] }, ['Call the Skill tool with skill "handoff".', STATUS]],
  ['hc', 'handoff and commit', { work }, [NOTE, COMMIT, STATUS]],
  [
    'hc',
    'handoff and commit',
    { skills: ['commit'] },
    [OPEN, 'Call the Skill tool with skill "commit".', STATUS],
  ],
  ['ci', 'commit', {}, [COMMIT, STATUS]],
  [
    'hc',
    'handoff and commit',
    { work, sessionFile: 'session.md' },
    [
      `Hand over to the next session in your own words: holdfast handoff write --status 'STATUS' --completed 'WHAT WAS DONE' --next 'NEXT STEPS'`,
      `${COMMIT} Right before: holdfast todo check --stage`,
      'Show the user what this prints, and wait: holdfast handoff',
    ],
  ],
  ...(['todo', 'queue'] as const).map(
    (where) =>
      [
        where === 'todo' ? 'p: mend it' : `p: ${'mend it '.repeat(20).trim()}`,
        'note for later',
        { sessionFile: 'session.md' },
        [
          `Only keep this for later, do not begin it, and confirm it in one line: holdfast ${where} add '${where === 'todo' ? 'mend it' : 'mend it '.repeat(20).trim()}'`,
        ],
      ] as const,
  ),
  ['?', 'help', {}, [`Show the user the shortcuts of this project and do nothing else: ${HELP}.`]],
  [
    'd: is it right?',
    'discuss',
    {},
    ['Only discuss: read and think along, and change nothing until the user says so.'],
  ],
  [
    "p: mend the user's port",
    'note for later',
    {},
    [
      `Only keep this for later, do not begin it, and confirm it in one line: holdfast queue add 'mend the user'\\''s port'`,
    ],
  ],
])('%s tells agent and user: %s', (text, name, more, lines) => {
  const head = `Shortcut ${text.replace(/(?<=:).*/, '')} (${name}):`
  const numbered = lines.length === 1 ? lines : lines.map((line, at) => `${at + 1}. ${line}`)
  expect(said(text, more)).toEqual({
    contexts: [[head, ...numbered].join(lines.length === 1 ? ' ' : '\n')],
    notice: [head, ...numbered].join(' '),
  })
})

test('the ad-hoc effort is no work to go on with', () => {
  const adHoc = { ...skill(), effort: effort({ ordinal: 0 }) }
  expect(said('x', { work: adHoc })?.notice).toContain(NOTHING)
})

test('several with a colon are all told, and other prompts say nothing', () => {
  expect(said('d: a?\np: b')?.contexts).toHaveLength(2)
  expect(said('Mend it')).toBeUndefined()
})

test('wakes for short forms of the user only', () => {
  const wakes = (text: string, more: object = {}) =>
    shortcuts.wakes(subject({ ...prompt(text), ...more }), facts())
  expect([wakes('x'), wakes('p: it'), wakes('Mend it'), wakes('x', { by: 'client' })]).toEqual([
    true,
    true,
    false,
    false,
  ])
})
