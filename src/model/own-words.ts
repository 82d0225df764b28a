import type { Config } from './config.ts'
import { isTag, type Mode } from './mode.ts'
import { SHIPPED_MODES } from './shipped-modes.ts'
import { SHIPPED_SHORTCUTS } from './shipped-shortcuts.ts'
import { isShortcutKey, type Shortcut, shortcutKey } from './shortcut.ts'
import { hasControl, isBlank } from './text/line.ts'

/** What a config file says about one mode or shortcut: it is on or off as shipped, or an own one. */
type Own<Kind> = 'on' | 'off' | Kind

/** The modes and shortcuts of a config file, by tag and by key. */
export interface OwnWords {
  readonly modes?: Readonly<Record<string, Own<Mode>>>
  readonly shortcuts?: Readonly<Record<string, Own<Shortcut>>>
}

/** The settings that may be a map of own words. */
export const WORD_SETTINGS = ['modes', 'shortcuts'] as const satisfies readonly (keyof OwnWords)[]

export const isWordSetting = (name: string): name is keyof OwnWords =>
  WORD_SETTINGS.some((one) => one === name)

const LONGEST_TEXT = 2000

/** Reads one entry of such a map; a sentence says what is wrong with it. */
export const readOwn = {
  modes: (tag: string, value: unknown): Own<Mode> | { readonly fault: string } => {
    const shipped = SHIPPED_MODES.find((mode) => mode.tag === tag)
    if (!isTag(tag))
      return fault(`A tag is 2 to 30 of a to z, 0 to 9, - and _, begins with a letter, and is no color`)
    if (isSwitched(value, shipped !== undefined)) return switchOf(value)
    const fields: Fields = typeof value === 'object' && value !== null ? value : { text: value }
    const strange = Object.keys(fields).find((name) => !MODE_FIELDS.has(name))
    if (strange !== undefined) return fault(`A mode has text, name, kind and steps, not ${strange}`)
    const {
      text,
      name = shipped?.name ?? tag,
      kind = shipped?.kind ?? 'action',
      steps = shipped?.steps,
    } = fields
    if (!isText(text)) return fault(WANTS_TEXT)
    if (!isText(name) || /[\n"#]/.test(name) || name.length > 60) return fault('name must be a short name')
    if (kind !== 'action' && kind !== 'context') return fault('kind must be action or context')
    if (steps !== undefined && steps !== 'quick' && steps !== 'full')
      return fault('steps must be quick or full')
    return { tag, name, kind, text: text.trim(), ...(steps !== undefined && { steps }) }
  },
  shortcuts: (key: string, value: unknown): Own<Shortcut> | { readonly fault: string } => {
    if (!isShortcutKey(key) || key !== key.toLowerCase())
      return fault(
        'A shortcut is one word of at most 30 small letters and digits, with a colon if words follow it',
      )
    const shipped = SHIPPED_SHORTCUTS.find((one) => shortcutKey(one) === key)
    if (isSwitched(value, shipped !== undefined)) return switchOf(value)
    if (!isText(value)) return fault(WANTS_TEXT)
    const form = key.endsWith(':') ? 'colon' : 'alone'
    return { word: key.replace(/:$/, ''), form, name: shipped?.name ?? 'your own', asks: value.trim() }
  },
}

type Fields = { readonly [Name in keyof Mode]?: unknown }

const MODE_FIELDS: ReadonlySet<string> = new Set(['text', 'name', 'kind', 'steps'])
const WANTS_TEXT = `It must be a text of at most ${LONGEST_TEXT} characters, or on or off for one of the package`

const fault = (why: string): { readonly fault: string } => ({ fault: `${why}.` })

const isText = (value: unknown): value is string =>
  typeof value === 'string' &&
  !isBlank(value) &&
  value.length <= LONGEST_TEXT &&
  !hasControl(value.replaceAll(/\n/g, ''))

/** Only words of the package can be on; any may be off, such as one of the user's in a project. */
const isSwitched = (value: unknown, isShipped: boolean): value is boolean | 'on' | 'off' =>
  value === 'off' || value === false || (isShipped && (value === 'on' || value === true))

const switchOf = (value: boolean | 'on' | 'off'): 'on' | 'off' =>
  value === 'on' || value === true ? 'on' : 'off'

/** The settings of a project over those of the user: entry by entry in their maps. */
export function mergedConfig(user: Config, project: Config): Config {
  const { own: mine = {}, ...first } = user
  const { own: theirs = {}, ...second } = project
  const own = Object.fromEntries(
    WORD_SETTINGS.flatMap((name) =>
      mine[name] === undefined && theirs[name] === undefined
        ? []
        : [[name, { ...mine[name], ...theirs[name] }]],
    ),
  )
  // A project that has entries wants them to work.
  const isWanted = (name: string) => isWordSetting(name) && theirs[name] !== undefined
  const kept = Object.entries(first).filter(([name, value]) => value !== 'off' || !isWanted(name))
  return { ...Object.fromEntries(kept), ...second, ...(Object.keys(own).length > 0 && { own }) }
}

/** The modes in force. */
export function modesOf({ modes: setting, own }: Config): readonly Mode[] {
  return setting === 'off' ? [] : inForce(SHIPPED_MODES, ({ tag }) => tag, own?.modes, true)
}

/** The shortcuts in force; those of the package only where the project has a session file, or the config says so. */
export function shortcutsOf(
  { shortcuts: setting, own }: Config,
  hasSessionFile: boolean,
): readonly Shortcut[] {
  if (setting === 'off') return []
  return inForce(SHIPPED_SHORTCUTS, shortcutKey, own?.shortcuts, setting === 'on' || hasSessionFile)
}

function inForce<Kind extends object>(
  shipped: readonly Kind[],
  keyOf: (one: Kind) => string,
  own: Readonly<Record<string, Own<Kind>>> = {},
  areShipped: boolean,
): readonly Kind[] {
  const said = (one: Kind) => (Object.hasOwn(own, keyOf(one)) ? own[keyOf(one)] : undefined)
  return [
    ...shipped.filter((one) => said(one) === 'on' || (areShipped && said(one) === undefined)),
    ...Object.values(own).filter((one): one is Kind => typeof one === 'object'),
  ]
}
