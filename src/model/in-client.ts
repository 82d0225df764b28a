import type { OurWords } from './door.ts'

/** Our commands in the prompt of a client; the prompt hook carries them out as the user's own words. */
const IN_CLIENT = {
  status: {
    summary: 'Show what Holdfast tracks in this project, and the next action',
    hint: '',
    after: 'show',
  },
  why: { summary: 'Explain the last refusal of this session', hint: '', after: 'show' },
  step: { summary: 'Show where the work stands in its plan', hint: '', after: 'show' },
  continue: {
    summary: 'Go on with open work in this session: the last one, or the effort with this number',
    hint: '[EFFORT]',
    takes: /^\d+$/,
    after: 'work',
  },
  chain: {
    summary: 'Show the skills that run one after the other here, drop the rest of them, or let them go on',
    hint: '[drop|resume] [CHAIN]',
    takes: /^(?:(?:drop|resume)(?: \d+)?|\d+)$/,
    after: 'show',
  },
  pause: {
    summary: 'Pause enforcement, or end a pause',
    hint: '[30m|2h|off]',
    takes: /^\w+$/,
    after: 'show',
  },
  adopt: {
    summary: 'Hold a skill of somebody else to its own steps, or tell which ones can be held',
    hint: '[NAME|--all] [--remove]',
    takes: /^(?:--all|[\w:.-]+)(?: --remove)?$/,
    after: 'show',
  },
} as const satisfies Readonly<Record<string, Described>>

interface Described {
  readonly summary: string
  /** The arguments that it takes. */
  readonly hint: string
  /** What a prompt may give it; other words could open doors that nobody asks about. */
  readonly takes?: RegExp
  /** Whether the agent only shows the result, or works on. */
  readonly after: 'show' | 'work'
}

type Name = keyof typeof IN_CLIENT

export const IN_CLIENT_NAMES = Object.keys(IN_CLIENT) as readonly Name[]

/** A plugin puts its name and a colon before its commands; files in the user's folder have a hyphen. */
const CALL = new RegExp(String.raw`^/holdfast[:-](${IN_CLIENT_NAMES.join('|')})(?=\s|$)`, 'i')

/** The command that a prompt calls, and what follows it. */
export interface OurPrompt {
  readonly name: Name
  readonly args: readonly string[]
}

/** One of our commands at the start of a prompt. */
export function ourPrompt(prompt: string): OurPrompt | undefined {
  const found = CALL.exec(prompt.trim())
  const name = IN_CLIENT_NAMES.find((one) => one === found?.[1]?.toLowerCase())
  if (found === null || name === undefined) return undefined
  const rest = prompt.trim().slice(found[0].length).trim()
  return { name, args: rest === '' ? [] : rest.split(/\s+/) }
}

/** Whether the client knows one of our own commands by this name. */
export const isOurCommand = (name: string): boolean => ourPrompt(`/${name}`) !== undefined

/** Why a command does not take these words in a prompt; undefined if it does. */
export function wrongWords({ name, args }: OurPrompt): string | undefined {
  const { hint, takes }: Described = IN_CLIENT[name]
  if (args.length === 0 || takes?.test(args.join(' ')) === true) return undefined
  const form = `/holdfast-${name}${hint === '' ? '' : ` ${hint}`}`
  return `In a prompt, it is only ${form}. Other forms are for a terminal of your own.`
}

/** Programs that type into others. */
const TYPISTS = [
  'tmux',
  'screen',
  'dtach',
  'abduco',
  'zellij',
  'kitty',
  'wezterm',
  'xdotool',
  'wtype',
  'ydotool',
  'osascript',
  'expect',
]
/** Letters that may be typed one by one. */
const keysOf = (text: string): string => text.split('').join(String.raw`\s*`)

/** Also key by key, and cut short, because a client completes it. */
function typed(name: string, after = ''): RegExp {
  const keys = keysOf('/holdfast')
  const cut = Array.from(name, (_, at) => name.slice(0, name.length - at)).join('|')
  return new RegExp(String.raw`(?<![\w~.$}-])${keys}\s*[:-]\s*(?:${cut})(?!\w)${after}`, 'i')
}

/** Commands of a prompt that loosen the rules, so that only the user may type them. */
const DOORS: readonly { readonly words: OurWords; readonly typed: RegExp; is(asked: OurPrompt): boolean }[] =
  [
    { words: ['pause'], typed: typed('pause'), is: ({ name }) => name === 'pause' },
    {
      words: ['chain', 'drop'],
      typed: typed('chain', `[^]*${keysOf('d')}`),
      is: ({ name, args }) => name === 'chain' && args[0] === 'drop',
    },
    {
      words: ['skill', 'adopt', '--remove'],
      typed: typed('adopt', `[^]*${keysOf('--r')}`),
      is: ({ name, args }) => name === 'adopt' && args.includes('--remove'),
    },
  ]

export const isPromptDoor = (asked: OurPrompt): boolean => DOORS.some((door) => door.is(asked))

/** The door that a shell command types into a client, as a user would, or starts a client with. */
export function typedDoor(command: string, clients: () => readonly string[]): OurWords | undefined {
  const plain = command.replaceAll(/\\[nr]/g, ' ').replaceAll(/['"\\]/g, '')
  const door = DOORS.find((one) => one.typed.test(plain))
  if (door === undefined) return undefined
  const programs = [...TYPISTS, ...clients()].join('|')
  const isTyped = new RegExp(String.raw`(?:^|[\s;&|(\`"'/])(?:${programs})['"]?\s`).test(command)
  return isTyped ? door.words : undefined
}

/** The door that a text in the input of a tool would open if the client submitted it as a prompt. */
export function submittedDoor(input: unknown): OurWords | undefined {
  const open: unknown[] = [input]
  while (open.length > 0) {
    const value = open.pop()
    const asked = typeof value === 'string' ? ourPrompt(value) : undefined
    const door = asked === undefined ? undefined : DOORS.find((one) => one.is(asked))
    if (door !== undefined) return door.words
    // One by one, because a spread of a long list overflows the stack.
    if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) open.push(one)
  }
  return undefined
}

const THEN: Readonly<Record<Described['after'], string>> = {
  show: 'Holdfast has carried this out and reported the result with this prompt. Repeat the report to the user as it is, in a code block if it has several lines. Do nothing else: call no tool, and do not go on with other work.',
  work: 'Holdfast has reported the state of the work with this prompt. Tell the user in one sentence what goes on, then do the next action that the report names. If the report says that there is nothing to go on with, only say that.',
}

const MARK = '# Written by Holdfast, and removed by holdfast uninstall.'

/** Whether a file is one of ours, of any version. */
export const isCommandFile = (text: string): boolean => text.startsWith(`---\n${MARK}\n`)

/** The text of the file that makes a command known to the client. */
export function commandFile(name: Name): string {
  const { summary, hint, after } = IN_CLIENT[name]
  return `---
${MARK}
description: "Holdfast: ${summary}"
${hint === '' ? '' : `argument-hint: "${hint}"\n`}disable-model-invocation: true
---

${THEN[after]}

If no report of Holdfast is there, its hooks did not run: tell the user to run \`holdfast doctor\` in a terminal.
`
}
