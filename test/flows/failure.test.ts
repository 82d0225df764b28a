import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { findHome } from '../../src/daemon/home.ts'
import { pipeCommand } from '../../src/hook/commands.ts'
import { FAILURES } from '../failures.ts'
import type { User } from '../holdfast.ts'
import { atWork } from '../user-at-work.ts'
import { stepToDo } from '../../src/rules/told/words.ts'

/** Everything that hooks could have changed, sorted by key. */
function rowsOf(user: User): unknown {
  const db = new DatabaseSync(findHome(user.env).database, { readOnly: true, timeout: 60_000 })
  try {
    const tables = ['life_event', 'efforts', 'skill_span', 'step_visits', 'artifacts', 'plan_state', 'tasks']
    return tables.map((table) => db.prepare(`select * from ${table} order by 1, 2`).all())
  } finally {
    db.close()
  }
}

// INV_HOOK_NEVER_BREAKS_THE_AGENT
test.for(Object.entries(FAILURES))(
  'while %s every call is allowed, nothing is half done, and afterwards the gate is unchanged',
  async ([, { isHeard, limit, cannot, ...failure }], { skip }) => {
    skip(cannot !== undefined, cannot)
    const { user, client, patient, step, read, shell, recover } = await atWork([], limit)
    const before = rowsOf(user)
    const end = await failure.begin(user)
    const payload = { session_id: 'one', cwd: user.project, hook_event_name: 'PreToolUse', tool_name: 'Read' }
    const piped = client.shell(pipeCommand({ client: 'claude-code' }), payload)
    const tools = [read('understand'), read('check'), shell(`cat ${step('check')}`)]
    for (const outcome of await Promise.all(tools)) expect(outcome).toMatchObject({ refusals: [] })
    expect(await piped).toEqual({ code: 0, stdout: '', stderr: '' })
    // Commands, which start the daemon if that is all it takes.
    const prompted = await client.fire('UserPromptSubmit', { prompt: 'Go on' })
    expect(prompted).toMatchObject({ refusals: [], failures: [] })
    const meanwhile = isHeard === true ? rowsOf(user) : undefined
    await end()
    expect(meanwhile ?? rowsOf(user)).toEqual(before)
    // A pipe sends no event to a daemon that gives no countersign.
    const next = 'understand'
    await recover()
    const readAgain = (name: string) => patient.use('Read', { file_path: step(name) })
    expect((await readAgain('check')).refusals).toEqual([expect.stringContaining(stepToDo(next, step(next)))])
    expect(await readAgain('understand')).toMatchObject({ refusals: [] })
    expect((await readAgain('check')).refusals).toEqual([
      expect.stringContaining(stepToDo('work', step('work'))),
    ])
  },
)
