import type { ShownTask } from '../../engine/handoff/shown-task.ts'
import { EngineError } from '../../model/error.ts'
import { MANY_LINES } from '../../model/handoff/learnings.ts'
import { type FoundIn, nameKey } from '../../model/handoff/problem.ts'
import { taskNamed } from '../../model/handoff/task-edits.ts'
import { TASK_STATES, type TaskState, tokenCalled } from '../../model/handoff/task-line.ts'
import type { Expanded } from '../../model/handoff/tokens.ts'
import { shellWord } from '../../model/shell/word.ts'
import { counted, quoted } from '../../model/text/line.ts'
import { Remote } from '../daemon/remote.ts'
import { identityOf } from '../frame/caller.ts'
import type { Command } from '../frame/command.ts'
import { type Io, usage } from '../frame/io.ts'
import { cell } from '../frame/print.ts'
import { printLines, printResult, printVerbatim } from '../frame/show.ts'
import { git, isOfPartialCommit } from '../handoff/git.ts'
import { historyOf, textIn } from '../handoff/history.ts'
import {
  filesOf,
  isOpenTask,
  nextLines,
  problemLine,
  type Shown,
  shownHere,
  taskRow,
} from '../handoff/shown.ts'

const NAME = 'name of the task, its beginning or its token'

const listing: Pick<Command, 'usage' | 'flags' | 'examples' | 'run'> = {
  usage: '',
  flags: {
    state: { kind: 'value', summary: `only tasks in this state: ${TASK_STATES.join(', ')}` },
    all: { kind: 'switch', summary: 'also tasks that are done or cancelled' },
  },
  examples: ['holdfast todo list --state blocked'],
  async run(io, { values: { state }, switches }) {
    if (state !== undefined && !TASK_STATES.includes(state as TaskState))
      throw usage(
        `A task cannot be ${JSON.stringify(state)}; it can be ${TASK_STATES.join(', ')}.`,
        'holdfast todo list',
      )
    using remote = new Remote(io)
    const shown = await shownHere(io, remote)
    const isShown = (task: ShownTask) =>
      state === undefined ? switches.has('all') || isOpenTask(task) : task.state === state
    const tasks = shown.tasks.filter(isShown)
    printResult(io, tasks, () =>
      tasks.length > 0
        ? tasks.map((task) => taskRow(io, task)).join('\n')
        : `${shown.exists ? `${cell(shown.file)} lists no such task.` : 'This project has no session file.'} Add one: holdfast todo add NAME`,
    )
    return 0
  },
}

export const todo: Command = {
  ...listing,
  name: 'todo',
  summary: 'List the open tasks of the session file of this project.',
}

export const todoList: Command = { ...todo, name: 'todo list' }

export const todoAdd: Command = {
  name: 'todo add',
  summary: 'Add a pending task to the session file, for a later session.',
  usage: 'NAME',
  places: { NAME: 'a name that no task, no learning and no earlier commit has' },
  flags: {
    command: { kind: 'value', summary: 'the command that begins it, such as "/design login"' },
    model: { kind: 'value', summary: 'the model for it (default: sonnet)' },
    restart: { kind: 'switch', summary: 'it needs a new session' },
    priority: { kind: 'value', summary: 'such as high, or a number' },
    worktree: { kind: 'value', summary: 'the worktree that it is done in' },
    plan: { kind: 'value', summary: 'the folder below plans/ that it belongs to' },
  },
  examples: [`holdfast todo add 'Mend the login' --command '/design login' --model opus`],
  async run(io, { positionals: [name = ''], values, switches }) {
    using remote = new Remote(io)
    const shown = await shownHere(io, remote)
    const used = historyOf({ root: shown.root, io }, filesOf(shown))?.tasks.get(nameKey(name))
    if (used !== undefined)
      throw new EngineError(
        'conflict',
        `The commit ${used.commit.slice(0, 10)} had a task with the name ${quoted(used.name)}.`,
        {
          hint: `holdfast todo context ${shellWord(used.name)}`,
        },
      )
    const { command, model, priority, worktree, plan } = values
    const added = await remote.call<{ file: string; name: string; added: boolean }>('handoff.add', {
      path: io.cwd,
      ...sessionOf(io),
      name,
      restart: switches.has('restart'),
      ...(command !== undefined && { command }),
      ...(model !== undefined && { model }),
      ...(priority !== undefined && { priority }),
      ...(worktree !== undefined && { slug: worktree }),
      ...(plan !== undefined && { plan }),
    })
    printResult(
      io,
      added,
      () =>
        `${added.added ? 'Added to' : 'Already in'} ${cell(added.file)}: ${cell(added.name)}. Before the next commit: holdfast todo check`,
    )
    return 0
  },
}

/** The ledger names the session. */
function sessionOf(io: Io) {
  const { native_id } = identityOf(io)
  return native_id === undefined ? {} : { native_id }
}

/** A command that gives one task a state. */
const moving = (word: string, state: TaskState, summary: string): Command => ({
  name: `todo ${word}`,
  summary,
  usage: 'NAME',
  places: { NAME },
  flags: {},
  async run(io, { positionals: [name] }) {
    using remote = new Remote(io)
    const task = await setState(io, remote, name, state)
    printResult(io, task, () => taskRow(io, task))
    return 0
  },
})

const setState = (io: Io, remote: Remote, name: string | undefined, state: TaskState) =>
  remote.call<ShownTask & { readonly file: string }>('handoff.set', {
    path: io.cwd,
    ...sessionOf(io),
    name,
    state,
  })

export const todoDone: Command = moving('done', 'done', 'Mark a task of the session file as done.')
export const todoBlock: Command = moving('block', 'blocked', 'Mark a task of the session file as blocked.')
export const todoCancel: Command = moving(
  'cancel',
  'cancelled',
  'Mark a task of the session file as cancelled.',
)

export const todoStart: Command = {
  ...moving(
    'start',
    'in-progress',
    'Begin a task of the session file, or the next one, and show its command.',
  ),
  usage: '[NAME]',
  places: { '[NAME]': `${NAME} (default: the one in progress, else the first pending one)` },
  async run(io, { positionals: [name] }) {
    using remote = new Remote(io)
    const wanted = name ?? (await shownHere(io, remote)).next?.name
    if (wanted === undefined) throw nothingPending()
    const task = await setState(io, remote, wanted, 'in-progress')
    printResult(io, task, () =>
      [...nextLines(io, task), `When it is done: holdfast todo done ${shellWord(task.name)}`].join('\n'),
    )
    return 0
  },
}

export const todoNext: Command = {
  name: 'todo next',
  summary: 'Show the task in progress, else the first pending one.',
  usage: '',
  flags: {},
  async run(io) {
    using remote = new Remote(io)
    const { next } = await shownHere(io, remote)
    printResult(io, next, () => (next === null ? 'No pending tasks.' : nextLines(io, next).join('\n')))
    return 0
  },
}

const nothingPending = () =>
  new EngineError('not-found', 'Nothing is in progress and nothing is pending.', {
    hint: 'holdfast todo add NAME',
  })

export const todoCheck: Command = {
  name: 'todo check',
  summary:
    'Check the session file and the learnings, and give each #PNDNG a token; fit for a pre-commit hook.',
  usage: '',
  flags: {
    stage: { kind: 'switch', summary: 'also add the session file to the index of git, if it changed' },
    dry_run: { kind: 'switch', summary: 'change nothing' },
  },
  examples: ['holdfast todo check --stage'],
  async run(io, { switches }) {
    using remote = new Remote(io)
    const shown = await shownHere(io, remote)
    const at = { root: shown.root, io }
    const files = filesOf(shown)
    const history = historyOf(at, files)
    const isDry = switches.has('dry_run')
    const { problems, expanded } = await remote.call<Checked>('handoff.check', {
      path: io.cwd,
      ...sessionOf(io),
      used_names: namesUsed(shown, history?.names),
      used_tokens: [...(history?.tokens ?? [])],
      dry_run: isDry,
    })
    const isWritten = !isDry && problems.length === 0 && expanded.length > 0
    const isPartial = switches.has('stage') && isWritten && isOfPartialCommit(io)
    const isStaged = switches.has('stage') && isWritten && !isPartial
    if (isStaged && git(at, '--literal-pathspecs', 'add', '--', files.session) === undefined)
      throw new EngineError('unavailable', `git could not add ${files.session}.`, {
        hint: `git add ${shellWord(files.session)}`,
      })
    const result = {
      file: shown.file,
      problems,
      expanded,
      dry_run: isDry,
      staged: isStaged,
      history: history !== undefined,
    }
    printLines(io, result, () =>
      [checkText(shown, result), ...(isPartial ? [repeatLine(files.session)] : [])].join('\n'),
    )
    return problems.length === 0 && !isPartial ? 0 : 1
  },
}

const repeatLine = (file: string): string =>
  `This commit names its files, so ${cell(file)} was not staged: repeat the commit, with that file if it belongs to it.`

interface Checked {
  readonly problems: readonly FoundIn[]
  readonly expanded: readonly Expanded[]
}

/** Only those that matter here, because a long history has many. */
const namesUsed = ({ tasks }: Shown, used: ReadonlySet<string> | undefined): readonly string[] =>
  tasks.map(({ name }) => nameKey(name)).filter((key) => used?.has(key) === true)

function checkText(
  shown: Shown,
  {
    problems,
    expanded,
    dry_run: isDry,
    staged,
  }: Checked & { readonly dry_run: boolean; readonly staged: boolean },
): string {
  const many =
    shown.learnings.lines > MANY_LINES
      ? [
          `${shown.learnings.file} has ${shown.learnings.lines} lines; ${MANY_LINES} are enough to read. Put some together.`,
        ]
      : []
  if (problems.length > 0)
    return [...problems.map((problem) => problemLine(shown, problem)), ...many].join('\n')
  const lines = expanded.map(({ line, name, token }) => `${shown.file}:${line}: ${token} ${cell(name)}`)
  const did =
    expanded.length === 0
      ? 'Nothing to do.'
      : `${counted(expanded.length, 'token')} ${isDry ? 'would be written' : 'written'}${staged ? ' and staged' : ''}.`
  return [
    ...lines,
    ...many,
    `${counted(shown.tasks.length, 'task')}, ${counted(shown.learnings.all.length, 'learning')}, no problem. ${did}`,
  ].join('\n')
}

export const todoContext: Command = {
  name: 'todo context',
  summary: 'Print the session file as it was when a task came into it, from git.',
  usage: 'NAME',
  places: { NAME: 'name of the task, also of one that is gone, or its token' },
  flags: {},
  async run(io, { positionals: [wanted = ''] }) {
    using remote = new Remote(io)
    const shown = await shownHere(io, remote)
    const at = { root: shown.root, io }
    const history = historyOf(at, filesOf(shown))
    const key =
      history?.tasks.has(nameKey(wanted)) === true ? nameKey(wanted) : history?.keyOf.get(tokenCalled(wanted))
    const here = key === undefined ? taskNamed(shown.tasks, wanted) : undefined
    const found = history?.tasks.get(key ?? nameKey(here?.name ?? ''))
    if (found === undefined)
      throw new EngineError('not-found', `The task ${quoted(here?.name ?? wanted)} is not in a commit yet.`, {
        hint: 'holdfast todo list',
      })
    const text = textIn(at, found.commit, found.path) ?? ''
    io.note(`${found.path} in commit ${found.commit.slice(0, 10)}, which brought ${quoted(found.name)}:`)
    printVerbatim(io, { ...found, text }, () => text)
    return 0
  },
}
