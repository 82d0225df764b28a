import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands/index.ts'
import { emptiesOf, faultsOf } from '../answer-faults.ts'
import { BUILD, type Furnished, furnishedUser } from '../furnished-user.ts'

let it: Furnished
beforeAll(async () => {
  it = await furnishedUser()
})
afterAll(() => it.user[Symbol.asyncDispose]())

/** The arguments of each command, in an order in which all succeed; some have several. */
const CALLS: readonly ((it: Furnished) => readonly string[])[] = [
  () => ['init', '--dry-run'],
  () => ['init', '--yes'],
  () => ['hooks', 'enable'],
  () => ['enforce'],
  () => ['enforce', 'enforce', '--session-gate', 'off'],
  () => ['enforce', 'enforce', '--default'],
  () => ['config', 'list'],
  () => ['config', 'set', 'tasks', 'sessions/', '--project'],
  () => ['config', 'get', 'tasks'],
  () => ['config', 'unset', 'tasks', '--project'],
  () => ['pause', '1h'],
  () => ['pause', 'off'],
  () => ['backup'],
  () => ['backups'],
  () => ['prune', '--yes'],
  () => ['prune', '--dry-run'],
  () => ['import'],
  () => ['import', '--all-projects', '--dry-run'],
  () => ['forget', '--pattern', 'what nobody said', '--yes'],
  () => ['forget', '--status'],
  () => ['status'],
  () => ['status', 'src', '--limit', '1'],
  () => ['status', '--line'],
  () => ['recap'],
  ({ effort }) => ['recap', '--effort', `${effort}`],
  () => ['fleet'],
  () => ['why'],
  () => ['span', 'tree'],
  () => ['ledger', '--limit', '1000'],
  () => ['log', 'Half way.', '--dir', 'login', '--agent', 'ada'],
  () => ['effort', 'start', 'other', 'deploy'],
  () => ['session', 'activate', 'older', 'brainstorm', '--target-file', 'a.md', '--metadata', '{}'],
  () => ['session', 'phase', 'older', '0', '--proof', '{}'],
  () => ['session', 'check', 'older'],
  () => ['session', 'init', 'made'],
  () => ['session', 'debrief', 'older'],
  () => ['session', 'idle', 'older', '--keywords', 'a,b'],
  () => ['session', 'restart', 'older', '--note', '{"summary":"half"}'],
  () => ['session', 'activate', 'ended', 'brainstorm', '--metadata', '{}'],
  () => ['session', 'deactivate', 'ended', '--keywords', 'a,b', '--abandon', 'no longer needed'],
  ({ effort }) => ['effort', 'show', `${effort}`],
  ({ toProve }) => ['effort', 'show', `${toProve}`],
  () => ['effort', 'list'],
  () => ['effort', 'list', 'login', '--ad-hoc'],
  () => ['effort', 'find-active'],
  ({ effort }) => ['effort', 'validate', `${effort}`],
  ({ effort }) => ['effort', 'approve', `${effort}`, '2', '--reason', 'enough'],
  ({ effort }) => ['effort', 'phase', `${effort}`, '2', '--log-entries', '3'],
  ({ user, toProve }) => {
    // A call of the agent is running, so the edit waits.
    user.put('.claude/skills/build/holdfast.yaml', `${BUILD}  - {label: "3", name: Tell}\n`)
    return ['effort', 'accept', `${toProve}`]
  },
  ({ todo }) => ['effort', 'tick', `${todo}`, 'look around'],
  () => ['project', 'list'],
  () => ['project', 'upsert', '.'],
  () => ['task', 'upsert', 'login', '--title', 'Let users in'],
  () => ['task', 'list'],
  () => ['task', 'find', 'login'],
  ({ effort }) => ['artifact', 'put', `${effort}`, 'notes'],
  ({ effort }) => ['artifact', 'list', `${effort}`],
  () => ['agent', 'register', 'ben'],
  () => ['agent', 'list'],
  () => ['agent', 'show', 'ada'],
  () => ['agent', 'release', 'ada'],
  ({ effort }) => ['agent', 'claim', 'ada', `${effort}`],
  () => ['session', 'start', 'older'],
  () => ['session', 'list'],
  () => ['session', 'find'],
  ({ session }) => ['session', 'heartbeat', `${session}`],
  ({ session }) => ['session', 'update-context-usage', `${session}`, '0.7'],
  ({ session }) => ['session', 'update-loaded-files', `${session}`, '/a,/b'],
  () => ['session', 'mark-stale'],
  ({ effort }) => ['session', 'dehydrate', `${effort}`, '{"lastAction":"wrote it"}'],
  ({ effort }) => ['session', 'continue', `${effort}`, '--agent', 'ada'],
  ({ session }) => ['session', 'finish', `${session}`],
  () => ['directive', 'discover', 'src'],
  () => ['directive', 'dereference', 'AGENTS.md'],
  () => ['directive', 'resolve', 'CMD_REPORT', '.'],
  () => ['queue', 'add', 'Look here'],
  () => ['chain', 'push', '/commit', '--native-id', 'native-client'],
  () => ['chain', 'show', '--native-id', 'native-client'],
  () => ['chain', 'next', '--native-id', 'native-client'],
  () => ['chain', 'resume', '--native-id', 'native-client'],
  () => ['chain', 'list'],
  () => ['chain'],
  () => ['chain', 'drop', '--native-id', 'native-client', '--reason', 'by hand'],
  () => ['queue', 'resolve', '1', 'Seen'],
  () => ['queue', 'list', '--resolved'],
  () => ['index'],
  () => ['search', 'deploy'],
  () => ['session', 'show', 'native-client'],
  () => ['task', 'summarize', 'older', '--plain'],
  () => ['ai', 'status'],
  () => ['todo', 'add', 'Mend the page', '--command', 'make page', '--model', 'opus'],
  () => ['todo', 'add', 'Mend the door'],
  () => ['todo'],
  () => ['todo', 'list', '--all'],
  () => ['todo', 'start', 'Mend the page'],
  () => ['todo', 'block', 'Mend the door'],
  () => ['todo', 'cancel', 'Mend the door'],
  () => ['todo', 'next'],
  () => ['todo', 'check'],
  () => ['handoff'],
  () => ['handoff', 'next'],
  () => ['handoff', 'write', '--status', 'Half way', '--completed', '- Mended it'],
  () => ['todo', 'done', 'Mend the page'],
  () => ['learn', 'When pages break', 'Look at the door first.'],
  () => ['learn'],
  () => ['pipeline', 'start', 'again', 'ship'],
  ({ pipeline }) => ['pipeline', 'next', `${pipeline}`],
  () => ['pipeline', '--continue', 'shipped'],
  ({ pipeline }) => ['pipeline', 'done', `${pipeline}`, 'look'],
  ({ pipeline }) => ['pipeline', 'next', `${pipeline}`],
  ({ pipeline }) => ['pipeline', 'fail', `${pipeline}`, 'build', '--reason', 'It broke'],
  ({ pipeline }) => ['pipeline', 'status', `${pipeline}`],
  ({ pipeline }) => ['step', '--effort', `${pipeline}`],
  ({ pipeline }) => ['step', 'go', '--effort', `${pipeline}`],
  ({ pipeline }) => ['step', 'fail', '--effort', `${pipeline}`, '--reason', 'It broke'],
  ({ user, pipeline }) => {
    user.put('shipped/plan.md', 'The plan.')
    return ['step', 'done', '--effort', `${pipeline}`]
  },
  ({ pipeline }) => ['step', 'skip', '--effort', `${pipeline}`],
  () => ['run', 'list'],
  ({ run }) => ['run', 'show', run],
  () => ['run', 'log', 'Measured it'],
  ({ run }) => ['run', 'publish', run],
  ({ toProve }) => ['prove', 'tests', '--effort', `${toProve}`],
  ({ user }) => {
    user.put('plans/auth/runbook.md', '---\nmodel: haiku\n---\n\n## Step 1: Look\n\nRead `src/gone.ts`.\n')
    return ['runbook', 'check', '--notes']
  },
  () => ['runbook', 'compile', 'plans/auth'],
  () => ['runbook', 'next', 'auth'],
  ({ user }) => {
    user.put('plans/auth/reports/step-1.md', 'It went well.\n')
    return ['runbook', 'report', 'step-1', 'done']
  },
  () => ['runbook', 'status', 'auth'],
  ({ user }) => {
    user.put('PLAN.md', '# Plan\n\n### Phase 1: Build\n\n1. Write it\n2. Show it in `src/page.ts`\n')
    return ['work', 'import', 'PLAN.md', '--dry-run']
  },
  () => ['work', 'import', 'PLAN.md'],
  () => ['work', 'add', 'Tell it', '--after', '1.2', '--produces', 'news', '--proof', 'true'],
  () => ['work', 'list'],
  () => ['work', 'ready'],
  () => ['work', 'show', '1.2'],
  () => ['work', 'claim'],
  () => ['work', 'renew', '1.1', '--fence', '1'],
  () => ['work', 'done', '1.1', '--fence', '1'],
  () => ['work', 'claim', '--worker', 'ada'],
  () => ['work', 'fail', '1.2', '--fence', '1', '--reason', 'two tests fail'],
  () => ['work', 'claim', '1.2'],
  () => ['work', 'release', '1.2', '--fence', '2'],
  () => ['work', 'claim'],
  () => ['work', 'block', '1.2', '--fence', '3', '--reason', 'which page?'],
  () => ['work', 'list', '--state', 'blocked'],
  () => ['work', 'claim'],
  () => ['work', 'retry', '1.2', '--reason', 'the first one'],
  () => ['work', 'recover'],
  () => ['worker', 'list'],
  () => ['worker', 'stop'],
  () => ['skill', 'check', '--notes'],
  () => ['skill', 'check', '--fix', '--yes'],
  () => ['skill', 'list'],
  () => ['skill', 'list', '--all'],
  () => ['skill', 'show', 'implement'],
  () => ['skill', 'show', 'research'],
  () => ['skill', 'graph', 'ship'],
  () => ['skill', 'new', 'fresh'],
  () => ['skill', 'link', '.claude/skills/ship', '--into', 'shared'],
  () => ['skill', 'list', '--catalogue'],
  () => ['skill', 'install', 'planner', '--scope', 'local'],
  () => ['skill', 'uninstall', 'planner', '--scope', 'local'],
  () => ['skill', 'adopt'],
  () => ['skill', 'new', 'coded', '--notation', 'workflow'],
  () => ['skill', 'trust', 'coded', '--yes'],
  () => ['skill', 'untrust', 'coded'],
  () => ['skill', 'test', 'build', '--level', '0'],
  () => ['query', 'select * from efforts'],
  () => ['rpc', '--list'],
  () => ['rpc', '--describe', 'db.effort.start'],
  ({ user }) => [
    'rpc',
    'agent.skills.parse',
    JSON.stringify({ path: join(user.project, '.claude/skills/deploy') }),
  ],
  ({ session }) => ['rpc', 'db.messages.list', JSON.stringify({ session_id: session })],
  () => ['rpc', 'db.skills.list', '{"project_id":1}'],
  () => ['rpc', 'agent.skills.list', '{"project_id":1}'],
  () => ['daemon', 'start'],
  () => ['daemon', 'status'],
  () => ['daemon', 'rotate-token'],
  () => ['init', '--yes'],
  () => ['logs'],
  () => ['doctor'],
  ({ effort }) => ['effort', 'finish', `${effort}`, '--abandon', 'no longer needed'],
  () => ['uninstall'],
  () => ['help'],
  () => ['help', 'effort', 'phase', '--all'],
  () => ['--version'],
  () => ['completion', 'bash'],
  () => ['daemon', 'stop'],
  () => ['daemon', 'status'],
  // The last, because it turns everything back.
  () => ['restore', '--yes'],
]

/** Commands whose output is not ours: from a client, the log of a process. */
const NO_JSON = ['daemon run', 'hook', 'statusline']
/** Commands that print values as stored, where an absent text is empty. */
const STORED: ReadonlySet<string> = new Set(['ledger', 'query'])
/** Slow, or in need of git or a model, and tested in stories of their own. */
const ELSEWHERE = ['demo', 'todo context', 'ai test', 'worker start', 'worker run', 'implement']

/** The exit codes that describe the findings, not a failure of the command. */
const FINDS: Readonly<Record<string, number>> = { 'effort validate': 1, 'session check': 1 }

const COMMAND_NAMES = commands.map(({ name }) => name)
const commandOf = (words: readonly string[]) =>
  COMMAND_NAMES.filter((name) => name.split(' ').every((word, at) => words[at] === word)).toSorted(
    (a, b) => b.length - a.length,
  )[0]

test('every command that prints JSON is tested', () => {
  const stand = {
    effort: 1,
    toProve: 1,
    pipeline: 1,
    session: 1,
    todo: 1,
    run: '',
    user: { project: '', put: () => undefined },
  }
  const named = CALLS.map((call) => commandOf(call(stand as unknown as Furnished)))
  const known = new Set([...named, ...NO_JSON, ...ELSEWHERE])
  expect(COMMAND_NAMES.filter((name) => !known.has(name))).toEqual([])
})

describe('with --json', () => {
  const faults: string[] = []

  test('a refusal outside a session has the session null', async () => {
    const refused = await it.user.run(['effort', 'phase', `${it.toProve}`, '2'])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('tests') })
    const { stdout } = await it.user.run(['--json', 'why'])
    expect(JSON.parse(stdout)).toMatchObject({
      event_type: 'phase.refused',
      skill: 'build',
      session_id: null,
    })
  })

  test('every command prints one value with our names and typed values', async () => {
    writeFileSync(join(it.user.project, '.holdfast/runs', it.run, 'synthesis.md'), '# Because\n')
    for (const call of CALLS) {
      const words = call(it)
      const { code, stdout, stderr } = await it.user.run(['--json', ...words])
      const about = words.slice(0, 3).join(' ')
      expect({ words, code, stderr: code === 0 ? '' : stderr }).toEqual({
        words,
        code: FINDS[commandOf(words) ?? ''] ?? 0,
        stderr: '',
      })
      const answer = JSON.parse(stdout) as unknown
      faults.push(...faultsOf(answer, about))
      if (!STORED.has(words[0] ?? '')) faults.push(...emptiesOf(answer, about))
    }
    expect(faults).toEqual([])
  })
})

test('the checks detect what they are for', () => {
  const wrong = {
    camelCase: 1,
    seen: '9 min ago',
    usage: '62 %',
    active: 'yes',
    session_gate: 0,
    created_at: 'yesterday',
    rows: [{ a: 1 }, { b: 2 }],
    metadata: { ticketId: 7 },
  }
  expect(faultsOf(wrong, 'x')).toEqual([
    'x.camelCase is not in snake_case',
    'x.seen is 9 min ago',
    'x.usage is 62 %',
    'x.active is yes',
    'x.session_gate is 0, not a boolean',
    'x.created_at is no time',
    'x.rows has entries with a, and with b',
  ])
  expect(emptiesOf({ rows: [{ skill: '', phase: null }], metadata: { note: '' } }, 'x')).toEqual([
    'x.rows[].skill is empty, not null',
  ])
})
