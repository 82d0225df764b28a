import type { Deed, Shortcut } from './shortcut.ts'

/** The shortcuts of the package; a user and a project can add, replace and remove some in `config.yaml`. */
export const SHIPPED_SHORTCUTS: readonly Shortcut[] = [
  { word: 's', form: 'alone', name: 'status', asks: ['status'] },
  { word: 'x', form: 'alone', name: 'execute', asks: ['execute', 'leave'] },
  {
    word: 'xc',
    form: 'alone',
    name: 'execute and commit',
    asks: ['execute', 'handoff', 'commit', 'status'],
  },
  { word: 'r', form: 'alone', name: 'resume', asks: ['resume', 'leave'] },
  { word: 'h', form: 'alone', name: 'handoff', asks: ['handoff', 'status'] },
  { word: 'hc', form: 'alone', name: 'handoff and commit', asks: ['handoff', 'commit', 'status'] },
  { word: 'ci', form: 'alone', name: 'commit', asks: ['commit', 'status'] },
  { word: '?', form: 'alone', name: 'help', asks: ['help'] },
  { word: 'd', form: 'colon', name: 'discuss', asks: ['discuss'] },
  { word: 'p', form: 'colon', name: 'note for later', asks: ['note'] },
]

/** What the texts of a shortcut depend on; every value is fit for one line. */
export interface AtHand {
  /** The effort of the session, as a title and by its number. */
  readonly work?: { readonly title: string; readonly id: number } | undefined
  /** The oldest open item of the queue. */
  readonly item?: { readonly content: string; readonly id: number } | undefined
  /** The session file of the project. */
  readonly sessionFile?: string | undefined
  /** Whether a skill of this name can be called. */
  readonly knows: (skill: string) => boolean
  /** All shortcuts in force, with their names. */
  readonly known: string
  /** The words after the colon, as a word of a shell. */
  readonly words: string
  /** Whether they can be the name of a task. */
  readonly isName: boolean
}

/** Each text ends with its command, so that nobody takes other words for a part of it. */
const goOn = ({ title, id }: NonNullable<AtHand['work']>): string =>
  `Go on with ${title} until it is finished. Its next action: holdfast step --effort ${id}`

const callOf = (skill: string): string => `Call the Skill tool with skill "${skill}".`

/** What the agent is told to do, for each deed. */
export const DEEDS: Readonly<Record<Deed, (at: AtHand) => string>> = {
  status: ({ sessionFile }) =>
    `Show the user what this prints, and wait: holdfast ${sessionFile === undefined ? 'status' : 'handoff'}`,
  execute: ({ work, item, sessionFile }) => {
    if (work !== undefined) return goOn(work)
    if (sessionFile !== undefined)
      return `Do the task that ${sessionFile} lists as in progress, else its first pending one, to the end; then mark it with "holdfast todo done NAME". To begin it: holdfast todo start`
    if (item !== undefined)
      return `Do the oldest open item of the queue, "${item.content}", to the end. Then run: holdfast queue resolve ${item.id} "what was done"`
    return 'Nothing is in progress and nothing is pending: tell the user so, and begin nothing.'
  },
  leave: () => 'Do not commit, and do not write a handover note.',
  resume: ({ work, sessionFile }) => {
    if (work !== undefined) return goOn(work)
    if (sessionFile !== undefined)
      return `Go on with the task that ${sessionFile} lists as in progress. If it lists none, say that nothing is in progress, and begin nothing. To see it: holdfast todo list --state in-progress`
    return 'Nothing is in progress in this session: tell the user so, and begin nothing. To list open efforts: holdfast effort find-active'
  },
  handoff: ({ work, knows, sessionFile }) => {
    if (knows('handoff')) return callOf('handoff')
    if (sessionFile !== undefined)
      return `Hand over to the next session in your own words: holdfast handoff write --status 'STATUS' --completed 'WHAT WAS DONE' --next 'NEXT STEPS'`
    if (work === undefined)
      return 'Keep each open point for the next session: holdfast queue add "WHAT IS LEFT"'
    return `Write a handover note in your own words: holdfast session dehydrate ${work.id} '{"lastAction": "LAST ACTION", "nextSteps": ["NEXT STEP"]}'`
  },
  commit: ({ knows, sessionFile }) => {
    if (knows('commit')) return callOf('commit')
    const commit = 'Commit the changes of this work with git, with a message that says what they do.'
    return sessionFile === undefined ? commit : `${commit} Right before: holdfast todo check --stage`
  },
  help: ({ known }) => `Show the user the shortcuts of this project and do nothing else: ${known}.`,
  discuss: () => 'Only discuss: read and think along, and change nothing until the user says so.',
  note: ({ words, isName, sessionFile }) =>
    `Only keep this for later, do not begin it, and confirm it in one line: holdfast ${sessionFile !== undefined && isName ? 'todo' : 'queue'} add ${words}`,
}
