import { commands } from '../src/cli/commands/index.ts'
import { clients } from '../src/clients/index.ts'
import { COMMAND_DOORS, type Typed } from '../src/model/door.ts'
import { type Level, LEVELS } from '../src/model/level.ts'
import { AGENT_COMMANDS } from '../src/model/lock.ts'

interface About {
  readonly holds: string
  readonly against: string
  readonly open: string
  readonly costs: string
}

const ABOUT: Readonly<Record<Level, About>> = {
  observe: {
    holds: 'nothing; everything is recorded',
    against: 'nobody',
    open: 'everything',
    costs: 'nothing',
  },
  enforce: {
    holds: 'the plan: a step that is read too early is refused, and only you loosen the rules',
    against: 'an agent that skips steps by mistake or in haste',
    open: 'programs that read a file without showing it in their command, hooks that an agent writes into a skill, other sub-agents, a stopped daemon',
    costs: 'a refusal now and then',
  },
  strict: {
    holds:
      'also unknown programs that name a step, sub-agents, and every tool call while no daemon answers (`init --strict`)',
    against: 'an agent that tries ways around the plan in its commands',
    open: 'a script that reads a step itself, hooks that an agent writes into a skill, memory files that the client loads by itself (links to steps, imports through another file), a process that left the client or has process numbers of its own, a raw write to the files of Holdfast or to the settings of the client, a daemon that an agent ends and starts with other variables, a pause that a script types into the terminal of the client',
    costs: 'a refusal where Holdfast is not sure; no work while the daemon is down',
  },
  locked: {
    holds:
      'also the files themselves: the sandbox of the client hides the steps from every shell and its children',
    against: 'an agent that writes its own programs to get around the plan',
    open: 'steps that git tracks (in the objects of git), links to steps in place of memory files or during a read, MCP servers, your own hooks, and commands that you exclude from the sandbox yourself',
    costs:
      'shells write only below the project and their temporary folder, and reach no loopback and no Unix sockets, unless your sandbox settings allow it; agents do not change skills or settings; bubblewrap and socat on Linux',
  },
}

/** The page about the levels, from the lists that the code uses. */
export const levelsPage = (made: string): string =>
  [
    '# Levels',
    '',
    made,
    'Each level holds all that the level before it holds. `holdfast enforce` shows the level of a project; `holdfast enforce LEVEL` sets it. An agent cannot lower it.',
    '',
    table(
      ['level', 'holds', 'against', 'stays open', 'costs'],
      LEVELS.map((level) => {
        const { holds, against, open, costs } = ABOUT[level]
        return [`\`${level}\``, holds, against, open, costs]
      }),
    ),
    '',
    'The [coverage table](reference/coverage.md) lists each way to read a step at `enforce` and `strict`. At `locked` the rules are those of `strict`.',
    '',
    '## Doors',
    '',
    'A door is a command that loosens the rules. Your own terminal always opens it, and `/holdfast-pause` as your prompt in the client pauses; what you type in the client with `!` counts as the agent’s, because nothing tells the two apart. This table says what happens if an agent tries; at `enforce` too, a sub-agent is refused, and so is a session in which the client cannot ask, such as a headless one. [Decision 33](decisions/0033-doors.md) lists what stays open.',
    '',
    doorTable(),
    '',
    LOCKED,
    '',
    AGENT_COMMANDS.map((name) => `\`${name}\``).join(', '),
    '',
    '## Files that agents do not change at locked',
    '',
    'Besides the steps, the skills with plans, the home of Holdfast, its settings, its program, and what makes git run programs (`.git/config`, `.git/hooks`, `~/.gitconfig`, `~/.config/git`):',
    '',
    ...[...clients.values()].flatMap(({ name, sandbox }) => [
      `- ${name}: ${(sandbox?.guarded({ home: '~', user: '~/.claude', project: 'PROJECT' }) ?? []).map((path) => `\`${path}\``).join(', ')}`,
    ]),
    '',
  ].join('\n')

const BY_LEVEL: Readonly<Record<Level, string>> = {
  observe: 'runs; recorded as the agent’s',
  enforce: 'the client asks you',
  strict: 'refused',
  locked: 'refused',
}

const doorTable = (): string =>
  table(
    ['command', 'is a door', ...LEVELS.map((level) => `\`${level}\``)],
    [...COMMAND_DOORS].flatMap(([name, loosens]) => {
      const when = whenOf(name, loosens)
      return when === undefined ? [] : [[`\`${name}\``, when, ...LEVELS.map((level) => BY_LEVEL[level])]]
    }),
  )

/** The words that make a command a door. */
function whenOf(name: string, loosens: (typed: Typed) => boolean): string | undefined {
  const bare: Typed = { positionals: [], flags: {} }
  if (loosens(bare))
    return loosens({ positionals: ['off'], flags: { dry_run: 'true' } })
      ? 'always'
      : 'except to see or end it'
  const flags = Object.keys(commands.find((command) => command.name === name)?.flags ?? {})
  const words: readonly (readonly [string, Typed])[] = [
    ...flags.map(
      (flag) => [`\`--${flag.replaceAll('_', '-')}\``, { positionals: [], flags: { [flag]: 'x' } }] as const,
    ),
    ['a level', { positionals: [LEVELS[0]], flags: {} }],
    ['some methods', { positionals: ['daemon.stop'], flags: {} }],
    ['texts that others read', { positionals: ['select content from messages'], flags: {} }],
  ]
  const those = words.filter(([, typed]) => loosens(typed)).map(([word]) => word)
  return those.length === 0 ? undefined : `with ${those.join(' or ')}`
}

const LOCKED = `## Locked

\`holdfast init --locked\` (or \`holdfast enforce locked\`) writes the sandbox settings of your client into the local settings of this project. \`init\` prints what that costs, and asks; \`enforce\` prints it and does not ask. If your user settings have hooks, they become commands, because in a terminal the client would ask about each HTTP hook. \`holdfast uninstall --scope local\`, or \`holdfast init --scope local\` with a lower level, restores what was there; the level stays until \`holdfast enforce LEVEL\` changes it. \`holdfast doctor\` runs your client once, with a model of its own on loopback, and says whether a shell could read a step.

- Shells do not read a step. It reaches the agent by \`holdfast step\` or by a tool of the client that reads files, which the plan gates.
- **Open: the client loads some files without a call.** It reads the memory files (\`CLAUDE.md\`) of a folder in which the agent reads or writes a file. Their imports of steps are excluded, but a \`CLAUDE.md\` that is a link to a step shows it.
- **Open: a race.** A shell in the background that replaces a file by a link to a step, again and again, can win between the check of the plan and the reading by the client.
- What \`holdfast prove\` runs for an agent is in a sandbox of ours with the same denials: bubblewrap on Linux, Seatbelt on macOS. **Nobody has run the macOS part yet.**
- A new skill is not held until \`holdfast init --scope local --locked --yes\` runs again; \`holdfast doctor\` says so.
- **git.** A sandbox cannot hide the objects of git from git. If git tracks the steps, the rules refuse the commands that show them, but a script can unpack them from \`.git\`. Keep such a skill out of the repository, for example in the skills folder of your user. In the sandbox tracked steps look deleted; \`init\` names the git command that keeps an agent from committing that. While it is in force, git does not see your own edits of those steps either; \`uninstall\` names the command that ends it.
- The client shows devices in the project folder of a shell (\`.bashrc\`, \`.mcp.json\` and others), on which \`git add -A\` fails. \`init\` names the command that makes git ignore them.
- **Ordinary work that fails in shells.** They write only below the project and \`$TMPDIR\`, so caches of package managers in your home are read-only, unless your sandbox settings allow them. The client asks about each host on the network, or refuses it where it cannot ask. git cannot change its config (\`git remote add\`, upstream branches) or add worktrees.
- A program of the user’s PATH that an agent can replace, an MCP server of the project, and a hook of your own run outside of the sandbox. Do not let agents change their code.
- Shells cannot write below \`.claude\`, so a worktree in \`.claude/worktrees\` is read-only for them.

Holdfast itself must run outside of the sandbox, because shells inside reach no daemon. Only these commands do, by the path of the launcher, each alone and with plain words. Any other form is refused with the command that works, and every other command is left to you:`

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
