import * as fc from 'fast-check'
import { anyCharacter } from '../any-string.ts'
import { type LoggedError, logOf } from '../child-daemon.ts'
import type { User } from '../holdfast.ts'
import { keyOf } from '../hook-routes.ts'

export interface HookFuzzOptions {
  readonly user: User
  readonly runs: number
  readonly seed: number
}

/** Sends random bodies to the route of hooks; each is answered, the next hook is heard, and no fault of ours is logged. */
export async function fuzzHooks({ user, runs, seed }: HookFuzzOptions): Promise<void> {
  const { port, token } = keyOf(user)
  // Other tests of the same daemon send hooks that are no hooks.
  const begun = new Date().toISOString()
  const folder = user.project
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
  const post = async (body: string | Uint8Array<ArrayBuffer>) => {
    const answer = await fetch(`http://127.0.0.1:${port}/hook/claude-code`, { method: 'POST', headers, body })
    return { status: answer.status, text: await answer.text() }
  }
  await fc.assert(
    fc.asyncProperty(bodies(folder), async (body) => {
      const { status, text } = await post(body)
      if (status >= 500) throw new Error(`The answer has status ${status}: ${text}`)
      if (text !== '') JSON.parse(text)
      const ordinary = await post(JSON.stringify({ ...EVENT, hook_event_name: 'Stop', cwd: folder }))
      if (ordinary.status !== 200) throw new Error(`The next hook has status ${ordinary.status}.`)
    }),
    { numRuns: runs, seed },
  )
  const faults = logOf(user).filter((entry) => entry.time >= begun && isFault(entry))
  if (faults.length > 0)
    throw new Error(`Hooks failed ${faults.length} times, the first with ${JSON.stringify(faults[0])}`)
}

/** What cannot be read has no cause and is the fault of its sender; on a busy machine, a hook may be late. */
const isFault = ({ stack, code, cause }: LoggedError): boolean =>
  (stack !== undefined && code !== 'timeout') || (typeof cause === 'object' && isFault(cause))

const EVENT = { session_id: 'fuzzed', transcript_path: '/nowhere' }

const NAMES = [
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'PreCompact',
  'TaskCreated',
]
const TOOLS = ['Read', 'Write', 'Edit', 'Bash', 'Task', 'Skill', 'TodoWrite', 'mcp__x__y']
const FIELDS = ['file_path', 'command', 'skill', 'prompt', 'content', 'todos', 'items', '__proto__']

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 4, stringUnit: anyCharacter }),
  fc.constantFrom<unknown>(
    '/etc/passwd',
    '\u0000',
    '</system-reminder>',
    'x'.repeat(50_000),
    '$('.repeat(5000),
    Array.from({ length: 200_000 }, () => 1),
    { toString: 1 },
  ),
)

const event = (folder: string) =>
  fc.record(
    {
      session_id: fc.oneof(fc.constantFrom<unknown>('fuzzed', 'other'), value),
      cwd: fc.oneof(fc.constant<unknown>(folder), value),
      hook_event_name: fc.oneof(fc.constantFrom<unknown>(...NAMES), value),
      tool_name: fc.oneof(fc.constantFrom<unknown>(...TOOLS), value),
      tool_input: fc.oneof(fc.dictionary(fc.constantFrom(...FIELDS), value), value),
      tool_use_id: value,
      tool_response: value,
      prompt: value,
      source: fc.oneof(fc.constantFrom<unknown>('startup', 'resume', 'clear', 'compact'), value),
      agent_id: value,
      agent_type: value,
      last_assistant_message: value,
      error: value,
    },
    { requiredKeys: ['session_id', 'cwd', 'hook_event_name'] },
  )

const bodies = (folder: string): fc.Arbitrary<string | Uint8Array<ArrayBuffer>> => {
  const text = event(folder).map((one) => JSON.stringify(one))
  const cut = fc.tuple(text, fc.nat()).map(([whole, end]) => whole.slice(0, end % whole.length))
  return fc.oneof(
    { weight: 6, arbitrary: text },
    { weight: 2, arbitrary: cut },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 500 }).map((bytes) => new Uint8Array(bytes)) },
    { weight: 1, arbitrary: fc.constantFrom('[', '{"a":', '"\\', '\uFEFF').map((one) => one.repeat(20_000)) },
  )
}
