import { unquoted } from './text/unquoted.ts'

/** A way to work that a tag in a prompt asks for. */
export interface Mode {
  /** Without its sign: `ver` for `#ver`. */
  readonly tag: string
  readonly name: string
  /** Of several contexts, the last one that is written counts. */
  readonly kind: 'action' | 'context'
  /** The text for the agent. */
  readonly text: string
  /** The steps of a plan that are due in an effort which begins in this mode. */
  readonly steps?: 'quick' | 'full'
}

/** The modes that a text asks for, and the text without their tags. */
export interface InModes {
  /** In text order, each once. */
  readonly modes: readonly Mode[]
  readonly text: string
}

/** True for a name that can be a tag and is no color. */
export const isTag = (name: string): boolean =>
  /^[a-z][a-z0-9_-]{1,29}$/.test(name) && !/^(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.test(name)

/** One tag, or several that a comma or a semicolon joins. A dot within a name, as in `#ver.md`, ends none. */
const TAGS = /(?<!\S)#[a-z][\w-]*(?:[,;]#[a-z][\w-]*)*(?=\s|$|[?!,;]|\.(?!\w))/gi

/** Finds the tags of known modes; whatever else begins with `#` stays in the text. */
export function modesIn(text: string, known: readonly Mode[]): InModes {
  if (known.length === 0 || !text.includes('#')) return { modes: [], text }
  const modes = new Map<string, Mode>()
  let rest = ''
  let from = 0
  for (const { 0: run, index } of unquoted(text).matchAll(TAGS)) {
    const others = run.split(/(?=[,;]#)/).filter((one) => {
      const mode = modeNamed(one.replace(/^[,;]?#/, ''), known)
      if (mode !== undefined) modes.set(mode.tag, mode)
      return mode === undefined
    })
    const left = others.join('').replace(/^[,;]/, '')
    rest += left === '' ? text.slice(from, index).replace(/[ \t]+$/, '') : text.slice(from, index) + left
    from = index + run.length
  }
  rest += text.slice(from)
  return {
    modes: inForce([...modes.values()]),
    text: modes.size === 0 ? text : rest.replace(/^[\s?!.,;]+/, '').trimEnd(),
  }
}

const modeNamed = (tag: string, known: readonly Mode[]): Mode | undefined =>
  known.find((mode) => mode.tag === tag.toLowerCase())

/** Two contexts contradict each other. */
function inForce(modes: readonly Mode[]): readonly Mode[] {
  const context = modes.findLast(({ kind }) => kind === 'context')
  return modes.filter((mode) => mode.kind === 'action' || mode === context)
}

/** The steps that the modes ask for; the last mode that says so decides. */
export const stepsOf = (modes: readonly Mode[]): Mode['steps'] =>
  modes.findLast(({ steps }) => steps !== undefined)?.steps

/** A mode as texts name it: `verify (#ver)`. */
export const modeTitle = ({ tag, name }: Pick<Mode, 'tag' | 'name'>): string =>
  name === tag ? `#${tag}` : `${name} (#${tag})`

/** The modes of an effort in short: `quick` or another mode of its skill, and tags. */
export const modeWords = ({
  mode,
  metadata,
}: {
  readonly mode: string | null
  readonly metadata: Readonly<Record<string, unknown>>
}): readonly string[] => [
  ...(mode === null || mode === 'full' ? [] : [mode]),
  ...keptTags(metadata).map((tag) => `#${tag}`),
]

/** The tags of the modes that an effort keeps, in the order in which they were written. */
export function keptTags(metadata: Readonly<Record<string, unknown>>): readonly string[] {
  const { modes } = metadata
  return Array.isArray(modes) ? modes.filter((tag) => typeof tag === 'string' && isTag(tag)) : []
}
