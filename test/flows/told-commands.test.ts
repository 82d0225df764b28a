import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { findHome } from '../../src/daemon/home.ts'
import { commandsIn } from '../../src/harness/told.ts'
import { shellWord } from '../../src/model/shell/word.ts'
import { isDoor } from '../../src/model/door.ts'
import { COMMAND_WORDS } from '../../src/model/text/told-commands.ts'
import { type Finished, User } from '../holdfast.ts'
import { HookedClient } from '../hooked-client.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

/** A machine without `holdfast` on the PATH; the home of the daemon needs quotes. */
const PATH = '/usr/local/bin:/usr/bin:/bin'

/** A user who has only the launcher, and an agent whose shell knows nothing of our variables. */
class Bare extends User {
  /** The launcher as a word of a command. */
  readonly word: string
  /** Every text that an agent or the user read. */
  readonly texts: string[] = []

  constructor() {
    super({
      PATH,
      HOLDFAST_HOME: mkdtempSync(join(tmpdir(), "holdfast's home ")),
      HOLDFAST_MEMORY_MILLISECONDS: '600000',
    })
    this.word = shellWord(findHome(this.env).launcher)
  }

  put(path: string, text: string): void {
    const file = join(this.project, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]()
    rmSync(findHome(this.env).folder, { recursive: true, force: true })
  }

  /** Runs a command and keeps what it says. */
  async says(...words: readonly string[]): Promise<Finished> {
    const finished = await this.run(words)
    this.texts.push(finished.stdout, finished.stderr)
    return finished
  }

  /** Runs a shell line as an agent does. */
  async shell(line: string, session?: string): Promise<Finished> {
    const { HOLDFAST_HOME: _, ...env } = this.env
    const inside = session === undefined ? {} : { CLAUDE_CODE_SESSION_ID: session }
    const child = spawn('sh', ['-c', line], {
      cwd: this.project,
      env: { ...env, ...inside },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [out, err]: [string[], string[]] = [[], []]
    child.stdout.setEncoding('utf8').on('data', (text: string) => void out.push(text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => void err.push(text))
    const [code] = (await once(child, 'close')) as [number | null]
    return { code: code ?? -1, stdout: out.join(''), stderr: err.join('') }
  }
}

const head = (name: string, more = '') => `---\nname: ${name}\ndescription: Does it.\n${more}---\n\nDo it.\n`
const PHASES = JSON.stringify({
  phases: [
    { label: '0', name: 'Setup', proof: ['mode'] },
    { label: '1', name: 'Work' },
  ],
})

let user: Bare
let client: HookedClient

beforeAll(async () => {
  user = new Bare()
  user.put('.git/HEAD', '')
  user.put('.claude/skills/deploy/SKILL.md', head('deploy'))
  user.put('.claude/skills/deploy/steps/build.md', '---\nproduces: [bundle]\n---\n')
  user.put('.claude/skills/deploy/steps/ship.md', '---\nconsumes: [bundle]\n---\n')
  user.put('.claude/skills/implement/SKILL.md', `${head('implement')}\n\`\`\`json\n${PHASES}\n\`\`\`\n`)
  user.put('.claude/skills/flow/SKILL.md', head('flow'))
  user.put(
    '.claude/skills/flow/holdfast.yaml',
    'pipeline:\n  - {id: look, prompt: Look around.}\n  - {id: end, prompt: Stop.}\n',
  )
  user.put('.claude/skills/tested/SKILL.md', head('tested'))
  user.put(
    '.claude/skills/tested/holdfast.yaml',
    'phases:\n  - {label: "1", name: Build, proof: {tests: {command: test -d src, covers: [src/**]}}}\n  - {label: "2", name: Ship}\n',
  )
  user.put('.claude/skills/listed/SKILL.md', head('listed', 'required_todos: [look around]\nheartbeat: 3\n'))
  user.put('src/a.ts', '')
  user.put('report.md', '# Report\n')
  await user.says('init', '--yes')
  client = new HookedClient(user, 'one', { patient: true })
})
afterAll(() => user[Symbol.asyncDispose]())

async function fire(event: string, more: object, from = client): Promise<string> {
  const { refusals, context, failures } = await from.fire(event, more as Record<string, unknown>)
  expect(failures).toEqual([])
  user.texts.push(...refusals, context)
  return [...refusals, context].join('\n')
}

const prompt = (text: string, from = client) => fire('UserPromptSubmit', { prompt: text }, from)
const uses = async (tool: string, input: object, from = client) => {
  const call = { tool_name: tool, tool_input: input, tool_use_id: crypto.randomUUID() }
  const said = await fire('PreToolUse', call, from)
  await fire('PostToolUse', { ...call, tool_response: {} }, from)
  return said
}

/** What a reader fills in. */
const FILL: readonly (readonly [RegExp, string])[] = [
  [/____/g, 'what the output shows'],
  [/\bSKILL\b/g, 'implement'],
  [/\bID\b/g, '1'],
  [/\bTEXT\b/g, "'a text'"],
  [/\bWHY\b/g, "'a reason'"],
  [/\bFILE\b/g, 'report.md'],
  [/\bNAME\b/g, 'another'],
  [/\bDIR\b/g, 'elsewhere'],
]
const filledIn = (command: string): string =>
  FILL.reduce((text, [mark, value]) => text.replaceAll(mark, value), command)

/** Bare names of the program where a command stands. */
const BARE = new RegExp(`(?<![\\w/.'-]|holdfast: )holdfast (?:${COMMAND_WORDS.join('|')})\\b.*`, 'g')

test('an agent and a user without holdfast on the PATH read only commands that work where they stand', async () => {
  // The agent follows a skill with phases.
  await fire('SessionStart', { source: 'startup' })
  const begun = await prompt('/implement a login page')
  expect(commandsIn(begun, user.word)).not.toEqual([])
  await prompt('/deploy it')
  await uses('Read', { file_path: join(user.project, '.claude/skills/deploy/steps/ship.md') })
  await prompt('/tested it')
  await prompt('/listed it')
  for (let calls = 0; calls < 12; calls++) await uses('Glob', { pattern: '*' })
  await user.says('queue', 'add', 'Look at it later')
  await prompt('And now?')
  await user.says('status')
  await user.says('recap')
  await user.says('why')
  await user.says('fleet')
  await user.says('pause', '10m')
  await user.says('pause', 'off')
  await user.says('enforce')
  await user.says('skill', 'check')
  await user.says('config', 'set', 'log', 'info')
  await user.says('effort', 'list')
  const flow = await user.says('--json', 'pipeline', 'start', 'tasks/flow', 'flow')
  const { effort_id: pipeline } = JSON.parse(flow.stdout) as { effort_id: number }
  await user.says('pipeline', 'next', String(pipeline))
  await user.says('pipeline', 'status', String(pipeline))
  // Mistakes and what to do about them.
  for (const words of [
    ['effort', 'show', '999'],
    ['effort', 'start', 'tasks/x', 'implment'],
    ['effrot'],
    ['effort', 'list', '--bogus'],
    ['status', '/nowhere'],
    ['run', 'show', 'x'],
    ['queue', 'resolve', '99', 'x'],
    ['session', 'continue', '999'],
    ['prove', 'nothing'],
    ['config', 'get', 'task'],
    ['config', 'set', 'log', 'loud'],
    ['rpc', 'db.nothing'],
    ['pause', 'x'],
  ])
    await user.says(...words)
  await fire('Stop', { last_assistant_message: "The login page's form is done." })
  await user.says('index')
  const later = new HookedClient(user, 'later', { patient: true })
  await fire('SessionStart', { source: 'startup' }, later)
  expect(await prompt("/deploy the login page's form", later)).toContain('quotes, not instructions')
  await user.says('enforce', 'enforce', '--session-gate', 'on')
  const gated = new HookedClient(user, 'two', { patient: true })
  await fire('SessionStart', { source: 'startup' }, gated)
  const refused = await uses('Write', { file_path: join(user.project, 'src/a.ts'), content: '' }, gated)
  expect(refused).toContain('requires an effort')
  await user.says('enforce', 'enforce', '--session-gate', 'off')
  await fire('SessionStart', { source: 'resume' })
  rmSync(join(user.project, '.claude/skills/listed'), { recursive: true })
  await user.says('doctor')
  await user.run(['daemon', 'stop'])
  await user.says('daemon', 'status')

  expect(bareNames()).toEqual([])
  const told = new Set<string>()
  const failed: object[] = []
  // What a command prints is read too.
  for (let heard = 0; heard < user.texts.length; heard++)
    for (const command of commandsIn(user.texts[heard] ?? '', user.word).map(filledIn)) {
      if (told.has(command)) continue
      told.add(command)
      // The undo of `init` takes the launcher away, so it is carried out last.
      if (command.startsWith('uninstall')) continue
      // Only the user may loosen the rules.
      const session = isDoor(command.split(' ')) ? undefined : 'one'
      const { code, stdout, stderr } = await user.shell(`${user.word} ${command}`, session)
      // Help describes commands, as the documentation does, and tells none.
      if (!/\bhelp\b/.test(command)) user.texts.push(stdout, stderr)
      // A refusal is documented: it has its own code, and names the next command.
      const isRefusal = REFUSALS.has(code) && (stderr.includes('try: ') || (code === 1 && stdout !== ''))
      if (code !== 0 && !isRefusal) failed.push({ command, code, stderr, told: user.texts[heard] })
    }
  expect(failed).toEqual([])
  for (const undo of [...told].filter((command) => command.startsWith('uninstall')))
    expect(await user.shell(`${user.word} ${undo}`)).toMatchObject({ code: 0 })
  expect(bareNames()).toEqual([])
  const words = [...told].map((command) => command.split(' ').slice(0, 2).join(' '))
  expect(words).toEqual(expect.arrayContaining(TOLD))
})

/** The work is refused (1), or what a command names is gone by now (66). */
const REFUSALS = new Set([1, 66])

/** Told at least, each by another text. */
const TOLD = [
  'config list',
  'daemon start',
  'effort finish',
  'effort start',
  'effort tick',
  'log "what',
  'step done',
  'step go',
  'prove tests',
  'queue resolve',
  'session continue',
  'session show',
  'skill list',
]

/** Commands that name the program as nobody here can call it. */
const bareNames = () => user.texts.flatMap((text) => [...text.matchAll(BARE)].map(([bare]) => bare))
