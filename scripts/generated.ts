import { join } from 'node:path'
import about from '../package.json' with { type: 'json' }
import { groups } from '../src/cli/doctor/groups/index.ts'
import { clients, defaultClient } from '../src/clients/index.ts'
import { methods } from '../src/engine/methods/index.ts'
import { describeMethod, type MethodInfo } from '../src/engine/call/method.ts'
import { CLAIMS, claimFor, REFUSING_LEVELS, TAKERS } from '../src/model/coverage.ts'
import { jobs } from '../src/daemon/jobs/index.ts'
import { routes as httpRoutes } from '../src/daemon/routes/index.ts'
import { SETTING_NAMES, settingOf } from '../src/model/config.ts'
import { COUNTS } from '../src/model/count.ts'
import { EXAMPLES, HEAD } from '../src/model/diagnostic-examples.ts'
import { type DiagnosticCode, DIAGNOSTICS } from '../src/model/diagnostic.ts'
import { RUNBOOK_EXAMPLES } from '../src/model/runbook-examples.ts'
import { ERROR_CODES } from '../src/model/error.ts'
import { CATALOGUE_FILE, TRUSTED_FILE } from '../src/daemon/packaged.ts'
import { commandFile, IN_CLIENT_NAMES } from '../src/model/in-client.ts'
import { LEDGER_EVENTS, SEED_EVENTS } from '../src/model/ledger.ts'
import { SECRETS } from '../src/model/secrets.ts'
import { migrations } from '../src/store/migrations/index.ts'
import { levelsPage } from './levels-page.ts'
import { newDatabase } from './new-database.ts'
import { modesPage } from './modes-page.ts'
import { overlaysPage } from './packaged-overlays.ts'
import { catalogue } from './catalogue.ts'
import { shortTable, wholeTable, withCatalogue } from './shipped-page.ts'
import { trustedModules } from './trusted-modules.ts'
import { workflowDoor } from './workflow-door.ts'

/** The generated files, path → text. */
export async function generated(): Promise<Readonly<Record<string, string>>> {
  // The order of a module's exports differs between systems.
  const contents = join(import.meta.dirname, '..', 'contents')
  const trusted = await trustedModules(contents)
  const shipped = await catalogue(contents, trusted)
  const infos = methods.map(describeMethod).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return {
    'src/cli/frame/methods.json': json(infos.map(forCommands)),
    'src/cli/daemon/own-params.json': json(ownParams(infos)),
    'src/store/new-database.json': json(await newDatabase()),
    'src/store/schema-version.json': json({ version: migrations.length }),
    'src/workflow/door.json': json(workflowDoor()),
    'src/hook/default-client.json': json({ name: defaultClient.name }),
    ...pluginFiles(),
    ...Object.fromEntries(IN_CLIENT_NAMES.map((name) => [`plugin/commands/${name}.md`, commandFile(name)])),
    'docs/reference/methods.md': methodsPage(infos),
    'docs/reference/coverage.md': coveragePage(),
    'docs/levels.md': levelsPage(MADE),
    'docs/reference/errors.md': errorsPage(),
    'docs/reference/ledger.md': ledgerPage(),
    'docs/reference/daemon.md': daemonPage(),
    'docs/reference/diagnostics.md': diagnosticsPage(),
    'docs/reference/doctor.md': doctorPage(),
    'docs/reference/config.md': configPage(),
    'docs/reference/modes.md': modesPage(MADE),
    'docs/reference/overlays.md': overlaysPage(MADE),
    'docs/reference/secrets.md': secretsPage(),
    'README.md': withCatalogue('README.md', shortTable(shipped)),
    'docs/shipped-skills.md': withCatalogue('docs/shipped-skills.md', wholeTable(shipped)),
    [`contents/${TRUSTED_FILE}`]: json(trusted),
    [`contents/${CATALOGUE_FILE}`]: json(shipped),
  }
}

/** What is masked before anything is stored. */
const secretsPage = (): string =>
  `# Secrets\n\n${MADE}\nMessages and the search index hold \`[masked: NAME]\` in place of these:\n\n| name | what |\n|---|---|\n${SECRETS.map(({ name, what }) => `| \`${name}\` | ${what} |`).join('\n')}\n`

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** Our plugin, in the format of each client that supports plugins. */
const pluginFiles = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...clients.values()].flatMap(({ plugins }) =>
      Object.entries(plugins?.files(about) ?? {}).map(([path, value]) => [path, json(value)] as const),
    ),
  )

function forCommands(info: MethodInfo): Omit<MethodInfo, 'examples'> {
  const { $schema: _, ...params } = info.params as Record<string, unknown>
  const { examples: __, ...rest } = info
  return { ...rest, params }
}

/** The methods that take what the CLI adds by itself. */
const ownParams = (infos: readonly MethodInfo[]) =>
  Object.fromEntries(
    ['by', 'idempotency_key'].map((param) => [
      param,
      infos
        .filter(({ params }) => (params as Schema).properties?.[param] !== undefined)
        .map(({ name }) => name),
    ]),
  )

interface Schema {
  readonly properties?: Readonly<
    Record<string, { description?: string; type?: string; anyOf?: { type?: string }[]; default?: unknown }>
  >
  readonly required?: readonly string[]
}

const MADE = '<!-- Made by `npm run generate`; do not edit. -->\n'

function methodsPage(infos: readonly MethodInfo[]): string {
  const sections = infos.map(({ name, summary, effect, params, examples }) => {
    const { properties = {}, required = [] } = params as Schema
    const rows = Object.entries(properties).map(([key, schema]) => {
      const type = schema.type ?? schema.anyOf?.map((one) => one.type).join(' or ') ?? 'any'
      const need = required.includes(key)
        ? 'required'
        : schema.default === undefined
          ? ''
          : `default ${JSON.stringify(schema.default)}`
      return `| \`${key}\` | ${type} | ${need} | ${schema.description ?? ''} |`
    })
    const parameters =
      rows.length === 0
        ? 'No parameters.'
        : ['| parameter | type | value | description |', '|---|---|---|---|', ...rows].join('\n')
    const shown = examples.map((one) => `\n    holdfast rpc ${name} '${JSON.stringify(one)}'\n`).join('')
    return `## ${name}\n\n${summary} (${EFFECTS[effect]})\n\n${parameters}\n${shown}`
  })
  return `# Methods\n\n${MADE}\nCall a method with \`holdfast rpc NAME JSON\`.\n\n${sections.join('\n')}`
}

const EFFECTS: Readonly<Record<MethodInfo['effect'], string>> = {
  read: 'reads only',
  durable: 'writes; on disk before the reply',
  beat: 'writes; on disk before the reply; no entry in the ledger',
  volatile: 'writes; on disk within a second',
  hook: 'writes; on disk before the reply, except heartbeats, context usage, loaded files and tool messages: within a second',
  file: 'appends to a file; on disk before the reply',
  daemon: 'changes the daemon, not the stored state',
  none: 'writes nothing',
}

/** The routes that the client contract runs, one column per client and who takes them. */
const coveragePage = (): string =>
  `# Coverage of reads and writes\n\n${MADE}\n## Reading a step\n\n${COVERAGE}\n\n${coverageTable('reads')}\n\n## Writing a file\n\n${WRITE_COVERAGE}\n\n${coverageTable('writes')}\n\n## Using what holds the rules\n\n${OWN_COVERAGE}\n\n${ownTable()}\n`

function coverageTable(kind: 'reads' | 'writes'): string {
  const known = [...clients.values()]
  const ways = new Map(known.flatMap(({ routes }) => routes[kind]).map((route) => [route.what, route]))
  const takers = known.flatMap(({ name, routes }) =>
    TAKERS.slice(0, routes.subagent === undefined ? 1 : TAKERS.length).map((taker) => ({
      title: `${name}: ${taker}`,
      claimOf: (what: string) => {
        const route = routes[kind].find((one) => one.what === what)
        if (route === undefined) return ''
        // Both levels hold writes alike.
        const levels = kind === 'writes' ? REFUSING_LEVELS.slice(0, 1) : REFUSING_LEVELS
        const claims = new Set(levels.map((level) => claimFor(route, taker, level) ?? ''))
        return [...claims].join('<br>strict: ')
      },
    })),
  )
  // A plan holds a file back from everybody, so one column is enough.
  const gated = known.map(({ name, routes }) => ({
    title: `${name}: a file that a plan holds back`,
    claimOf: (what: string) => routes.writes.find((one) => one.what === what)?.claim ?? '',
  }))
  const columns = kind === 'reads' ? takers : [...takers, ...gated]
  const rows = [...ways.values()]
    .toSorted((a, b) => CLAIMS.indexOf(a.claim) - CLAIMS.indexOf(b.claim))
    .map(({ what, examples, why }) => {
      const claims = columns.map(({ claimOf }) => claimOf(what))
      return `| ${[what, examples.map(inCode).join('<br>'), ...claims, why ?? ''].join(' | ')} |`
    })
  const head = `| route | examples | ${columns.map(({ title }) => title).join(' | ')} | reason |\n|${'---|'.repeat(columns.length + 3)}`
  return `${head}\n${rows.join('\n')}`
}

/** Who takes a route to our own files decides what happens. */
function ownTable(): string {
  const rows = [...clients.values()].flatMap(({ name, routes }) =>
    (routes.own ?? []).map(({ what, examples, claim, why }) => {
      const claims = claim === 'enforced' ? ['asked<br>strict: refused', 'refused'] : [claim, claim]
      return `| ${[name, what, examples.map(inCode).join('<br>'), ...claims, why ?? ''].join(' | ')} |`
    }),
  )
  return `| client | route | examples | main thread | sub-agent | reason |\n|${'---|'.repeat(6)}\n${rows.join('\n')}`
}

const OWN_COVERAGE = `The home of the daemon, the config files and the settings of the client hold the rules, so only the user changes them. FOLDER is the home, FILE a file in it. The tests run each example at the levels \`enforce\` and \`strict\`.

- **asked**: the client asks its user, in every permission mode; where nobody can be asked, it is denied.
- **refused**: refused, with what to ask the user for.
- **unseen**: allowed, and nothing is recorded.

An edit of client settings that keeps our hooks passes. Reading the settings passes, although they hold a token for hooks.`

const COVERAGE = `This table lists the ways an agent can read a step, and what Holdfast does about each. The tests run each example against the real rules, at the levels \`enforce\` and \`strict\`, with the skill called and the step not yet due. A cell names both levels if they differ. A sub-agent with a skill has called it itself, or carries out a skill with \`context: fork\`; its plan applies to that sub-agent alone. Other sub-agents are free at \`enforce\`. At \`strict\` the plan of the main thread holds them too, except for the steps that they were given.

- **enforced**: refused before its turn, with what is missing; in its turn it counts as read.
- **refused**: refused before its turn; in its turn it is allowed and does not count as read.
- **advised**: allowed, but the agent learns that the step is not due, and the ledger records it.
- **observed**: allowed without a message; the ledger records that a step may have been read (\`read.unresolved\`).
- **unseen**: allowed, and nothing is recorded.

The table applies to skills whose plan can refuse. While a skill is not in use, its files can be read freely at \`enforce\`; \`strict\` refuses that too, for files that are named. A file counts by what it is, not by its name: links and other names of a step are the step. A limit that a command reaches makes it unresolved, never harmless. The steps in another worktree of the project count as steps of the skill in use, once a session has started in that worktree; before, its files are free. What a client loads by itself, such as text that it attaches again after a compaction, raises no event. An agent that wants to evade the gate can: Holdfast keeps an agent on the path and is not a sandbox.`

const WRITE_COVERAGE = `Three gates stop a write, if somebody asks for them: the session gate of a project, which requires an effort before files change (\`holdfast enforce --session-gate on\`), a directive that must be read before writing ([directives](../directives.md)), and a plan whose steps name the files that they open with \`writes\`. The tests run each example against all three; FILE is in a FOLDER of the project. A sub-agent with a skill has an effort, so only a directive and a plan refuse its writes. A plan holds its files back from the main thread and from all its sub-agents, with or without a skill; a sub-agent with a skill follows its own plan as well.

- **enforced**: refused; by the session gate until an effort is active, by a directive once, by a plan until it has got to the step.
- **observed**: allowed; the ledger records that a file may have been written (\`write.unresolved\`), and the agent gets the directives in force where the command runs.
- **unseen**: allowed, and nothing is recorded.`

const inCode = (text: string): string => `\`\` ${text.replaceAll('\n', '↵').replaceAll('|', '\\|')} \`\``

function errorsPage(): string {
  const rows = Object.entries(ERROR_CODES).map(
    ([code, { rpc, exit, http, meaning }]) => `| \`${code}\` | ${rpc} | ${exit} | ${http} | ${meaning} |`,
  )
  const head = ['| code | JSON-RPC | exit | HTTP | meaning |', '|---|---|---|---|---|']
  return `# Errors and exit codes\n\n${MADE}\nExit code 0 is success, 130 is an interrupt. Every error says what is wrong and, if possible, gives the command that works as a hint. With \`--json\` an error is \`{error: {code, message, hint, field}}\` on stderr.\n\nExit code 1 also reports a finding, with the result on stdout: \`doctor\` or \`skill check\` found an error, a level of \`skill test\` failed, \`effort validate\` or \`session check\` found an open point, \`step\`, \`pipeline next\` or \`pipeline --continue\` found the plan blocked, \`session continue\` found the work finished, \`init\` was not confirmed or its test event failed. \`prove\` exits with the code of the command that it runs, or with 1 if the files changed meanwhile. \`hook\` and \`statusline\` always exit with 0.\n\n${[...head, ...rows].join('\n')}\n`
}

function ledgerPage(): string {
  const rows = LEDGER_EVENTS.map((event) => `- \`${event}\``)
  const seeds = [...SEED_EVENTS].map(
    ([name, events]) => `| \`${name}\` | ${events.map((event) => `\`${event}\``).join(', ')} |`,
  )
  const intro = [
    '`holdfast ledger --type EVENT` lists the entries of one kind, `--session` the entries of one session.',
    'Each entry has the `session_id` of the client and our number of the session, `window_id`, which `holdfast session` shows. If a call names no session, both are those of the newest open session of the effort. `agent_id` is the owner of the effort, unless the entry is about another agent. The database refuses to change or delete an entry.',
  ]
  return `# Ledger events\n\n${MADE}\n${intro.join('\n\n')}\n\n${rows.join('\n')}\n\n## Names in the seeds\n\nThe filters also accept these names:\n\n| name | lists |\n|---|---|\n${seeds.join('\n')}\n`
}

/** The daemon's counters, routes and jobs, from the lists that it uses itself. */
function daemonPage(): string {
  const counts = Object.entries(COUNTS).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`)
  const routed = httpRoutes(NOTHING_SERVED).map(
    ({ method, path, token }) => `| \`${method} ${path}\` | ${token} |`,
  )
  const periodic = jobs.map(({ name, summary }) => `| \`${name}\` | ${summary} |`)
  const sections = [
    [
      'Counters',
      'Reported by `holdfast rpc daemon.status` and `holdfast daemon status --json`.',
      'counter',
      counts,
    ],
    ['Routes', 'Served on loopback HTTP; a request without the token is refused.', 'route', routed],
    ['Jobs', 'Run periodically.', 'job', periodic],
  ] as const
  const pages = sections.map(
    ([title, sentence, head, rows]) =>
      `## ${title}\n\n${sentence}\n\n| ${head} | ${head === 'route' ? 'token' : 'meaning'} |\n|---|---|\n${rows.join('\n')}\n`,
  )
  return `# The daemon\n\n${MADE}\n${pages.join('\n')}`
}

const NOTHING_SERVED = {
  dispatch: () => Promise.resolve(),
  toError: () => ({ code: 0, message: '' }),
  faults: { note: () => undefined, close: () => undefined, tell: () => undefined },
}

function configPage(): string {
  const head = [
    '| setting | meaning | value | default | variable that wins | file |',
    '|---|---|---|---|---|---|',
  ]
  const rows = SETTING_NAMES.map((name) => {
    const { summary, wants, usual, variable, isUsersOnly } = settingOf(name)
    const cells = [
      `\`${name}\``,
      summary,
      wants,
      usual === undefined ? 'none' : `\`${usual}\``,
      variable === undefined ? '' : `\`${variable}\``,
      isUsersOnly === true ? 'user' : 'user, project',
    ]
    return `| ${cells.join(' | ')} |`
  })
  return `# Settings\n\n${MADE}\nSettings are in two YAML files: \`config.yaml\` in \`$XDG_CONFIG_HOME/holdfast\` (else \`~/.config/holdfast\`) for a user, and \`.holdfast/config.yaml\` for a project. The file of the project wins, and an environment variable wins over both. \`holdfast config list\` shows every value with its source; \`holdfast config set KEY VALUE\` changes the user's file, with \`--project\` that of the project, and keeps everything else in it. An unknown setting or a wrong value is ignored; \`config list\`, \`doctor\` and the log of the daemon report it. A running daemon reads the settings of projects again after a change, and the others when it starts.\n\n${[...head, ...rows].join('\n')}\n`
}

function doctorPage(): string {
  const rows = groups.flatMap(({ name, checks }) =>
    checks.map(
      ({ code, severity, finds, mends }) =>
        `| ${name} | \`${code}\` | ${severity} | ${finds} | ${commandsIn(mends)} |`,
    ),
  )
  const head = ['| group | code | severity | problem | fix |', '|---|---|---|---|---|']
  return `# Doctor checks\n\n${MADE}\n\`holdfast doctor\` prints each problem with the command that fixes it, filled in. \`--json\` gives \`{healthy, findings: [{check, code, level, ok, detail, fix}]}\`. Codes are stable. A broken check sets the exit code to 1; warnings alone leave it at 0.\n\n${[...head, ...rows].join('\n')}\n`
}

/** Only a plain command becomes code; a sentence about one does not. */
const commandsIn = (mends: string): string =>
  /^(?:chmod|echo|export|holdfast|mv|npm|rm) [^,]+$/.test(mends) ? `\`${mends}\`` : mends

function diagnosticsPage(): string {
  const sections = Object.entries(DIAGNOSTICS).map(
    ([code, { severity, title, hint }]) =>
      `## ${code}: ${title}\n\nSeverity: ${severity}. ${hint}\n\n${exampleOf(code as DiagnosticCode)}\n`,
  )
  return `# Diagnostics\n\n${MADE}\nThe problems that \`holdfast skill check\` can find, and from HF401 on those of \`holdfast runbook check\`. Codes are stable.\n\n${sections.join('\n')}`
}

function exampleOf(code: DiagnosticCode): string {
  const example = { ...EXAMPLES, ...RUNBOOK_EXAMPLES }[code]
  if (typeof example === 'string') return fenced(shown(example))
  return Object.entries(example)
    .filter(([, text]) => text !== HEAD || Object.keys(example).length === 1)
    .map(
      ([path, text]) =>
        `\`${path}\`${text === null ? ', which is not readable' : `:\n\n${fenced(shown(text))}`}`,
    )
    .join('\n\n')
}

const shown = (text: string): string => text.split('\n').map(shortened).join('\n').trimEnd()

const shortened = (line: string): string =>
  line.length <= 120 ? line : `${line.slice(0, 60)}… (${line.length} characters)`

/** The fence is longer than any fence inside an example. */
const fenced = (text: string): string => `\`\`\`\`text\n${text}\n\`\`\`\``
