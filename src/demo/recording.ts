import { join } from 'node:path'
import { claudeCode } from '../clients/claude-code/index.ts'
import type { Client } from '../model/client.ts'
import { skillsFolder } from '../model/client-files.ts'
import type { Decision } from '../model/decision.ts'
import { scaffold } from '../skills/scaffold.ts'

/** Where the recorded session runs. */
export interface Place {
  readonly project: string
  /** The client's session id. */
  readonly session: string
  /** The client's user folder. */
  readonly clientFolder: string
}

/** One event: the client reports it, or the user causes it. */
export type Moment = Reported | { readonly kind: 'kill' }

export interface Reported {
  readonly kind: 'hook'
  /** Who does what, if a person would see it. */
  readonly seen?: { readonly who: 'you' | 'agent' | 'client'; readonly what: string }
  /** In the client's format. */
  readonly payload: Payload
  /** The recorded outcome. */
  readonly decision: Outcome
}

export type Payload = Readonly<Record<string, unknown>>

/** A decision, or no answer because no daemon ran. */
export type Outcome = Decision['kind'] | 'unanswered'

export interface Act {
  readonly title: string
  readonly moments: readonly Moment[]
}

export const SKILL = 'ship'
export const SKILL_FILES = scaffold(SKILL, 'steps')

const PROMPT = `/${SKILL} a login page`
const PROMPT_ID = '5d0c7a52-6a7e-4c55-9b1f-0f6f3f0f5c11'

/** The client whose session was recorded. */
export const client: Client = claudeCode

/** How this client reports an event: by command if it may start the daemon, else by HTTP. */
export const routeOf = (payload: Payload): 'command' | 'http' =>
  ['SessionStart', 'UserPromptSubmit'].includes(String(payload['hook_event_name'])) ? 'command' : 'http'

/** What this client takes from the body of a reply. */
export function meaningOf(reply: string): { readonly decision: Outcome; readonly text: string } {
  const { hookSpecificOutput: said = {} } = reply.trim() === '' ? {} : (JSON.parse(reply) as Reply)
  return said.permissionDecision === 'deny'
    ? { decision: 'block', text: said.permissionDecisionReason ?? '' }
    : { decision: 'allow', text: said.additionalContext ?? '' }
}

interface Reply {
  readonly hookSpecificOutput?: {
    readonly permissionDecision?: string
    readonly permissionDecisionReason?: string
    readonly additionalContext?: string
  }
}

/** A Claude Code session: captured payload fields with our own texts. */
export function recordedActs(place: Place): readonly Act[] {
  const reads = stepReader(place)
  return [
    {
      title: 'You call a skill. Its plan says: understand, then work, then check.',
      moments: [
        hook(started(place, 'startup'), { who: 'you', what: 'claude' }),
        hook(submitted(place), { who: 'you', what: PROMPT }),
      ],
    },
    { title: 'The agent jumps to the last step.', moments: reads('check', 'block') },
    { title: 'The agent follows the refusal: the right order passes.', moments: reads('understand') },
    {
      title: 'The full context is compacted. The new context gets a recap.',
      moments: [
        hook(compacting(place)),
        hook(started(place, 'compact'), { who: 'client', what: 'compacts the conversation' }),
        ...reads('work'),
      ],
    },
    {
      title: 'The daemon is killed. The agent works on, and resuming the session starts a new daemon.',
      moments: [
        { kind: 'kill' },
        ...writes(place),
        hook(started(place, 'resume'), { who: 'you', what: 'claude --resume' }),
      ],
    },
    {
      title: 'The last step, refused before, is next now. With the session, the work is finished.',
      moments: [...reads('check'), hook(ended(place), { who: 'you', what: 'exit' })],
    },
  ]
}

const hook = (payload: Payload, seen?: Reported['seen'], decision: Outcome = 'allow'): Reported => ({
  kind: 'hook',
  payload,
  decision,
  ...(seen !== undefined && { seen }),
})

const base = ({ project, session, clientFolder }: Place) => ({
  session_id: session,
  transcript_path: join(clientFolder, 'projects', project.replaceAll(/[^a-z\d]/gi, '-'), `${session}.jsonl`),
  cwd: project,
})

const EXTRAS = {
  startup: { model: 'claude-opus-5-5' },
  compact: { prompt_id: PROMPT_ID, model: 'claude-opus-5-5' },
  resume: {
    seconds_since_last_response: 60,
    context_tokens: 3080,
    prompt_cache_likely_expired: true,
    estimated_cache_write_usd: 0.0154,
  },
}

const started = (place: Place, source: keyof typeof EXTRAS) => ({
  ...base(place),
  hook_event_name: 'SessionStart',
  source,
  ...EXTRAS[source],
})

const submitted = (place: Place) => ({
  ...base(place),
  prompt_id: PROMPT_ID,
  permission_mode: 'default',
  hook_event_name: 'UserPromptSubmit',
  prompt: PROMPT,
})

const compacting = (place: Place) => ({
  ...base(place),
  prompt_id: PROMPT_ID,
  hook_event_name: 'PreCompact',
  trigger: 'auto',
  custom_instructions: null,
})

const ended = (place: Place) => ({
  ...base(place),
  prompt_id: PROMPT_ID,
  hook_event_name: 'SessionEnd',
  reason: 'prompt_input_exit',
})

interface ToolUse {
  readonly name: string
  readonly id: string
  readonly input: object
  readonly response: object
  readonly what: string
}

/** The events before a tool call and, if it ran, after it. */
function used(place: Place, tool: ToolUse, decision: Outcome): readonly Moment[] {
  const call = {
    ...base(place),
    prompt_id: PROMPT_ID,
    permission_mode: 'default',
    effort: { level: 'medium' },
    tool_name: tool.name,
    tool_input: tool.input,
    tool_use_id: tool.id,
  }
  const before = { ...call, hook_event_name: 'PreToolUse' }
  const after = { ...call, hook_event_name: 'PostToolUse', tool_response: tool.response, duration_ms: 12 }
  const seen = { who: 'agent', what: `${tool.name} ${tool.what}` } as const
  return [hook(before, seen, decision), ...(decision === 'block' ? [] : [hook(after, undefined, decision)])]
}

/** Reads of step files, each with its own id. */
function stepReader(place: Place) {
  let count = 0
  return (step: string, decision: Outcome = 'allow'): readonly Moment[] => {
    const file = `steps/${step}.md`
    const what = join(skillsFolder(client), SKILL, file)
    const path = join(place.project, what)
    const content = SKILL_FILES[file] ?? ''
    const lines = content.split('\n').length
    const text = { filePath: path, content, numLines: lines, startLine: 1, totalLines: lines }
    const response = { type: 'text', file: text }
    const id = `toolu_demo_read_${++count}`
    return used(place, { name: 'Read', id, input: { file_path: path }, response, what }, decision)
  }
}

function writes(place: Place): readonly Moment[] {
  const what = 'login.html'
  const [path, content] = [join(place.project, what), '<form method="post" action="/login"></form>\n']
  const response = {
    type: 'create',
    filePath: path,
    content,
    structuredPatch: [],
    originalFile: null,
    userModified: false,
  }
  const input = { file_path: path, content }
  return used(place, { name: 'Write', id: 'toolu_demo_write', input, response, what }, 'unanswered')
}
