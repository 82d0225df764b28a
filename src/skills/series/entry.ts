import { withoutLinks } from '../text/markdown.ts'

/** A numbered heading, bold line, list item or tag. */
export interface Entry {
  readonly word: string
  readonly number: string
  readonly title: string
  readonly line: number
}

const WORDS = 'phase|step|stage|cycle'
const NUMBER = String.raw`-?\d{1,4}(?:\.(?:\d{1,4}|[A-Z]))*[a-zA-Z]?(?:[-–](?:\d{1,4}|[A-Z](?![\p{L}])))?`
// Chinese and Japanese keyboards produce the wide forms.
const SEPARATOR = String.raw`[:：—–.．、)）\-]`
const NAMED = new RegExp(String.raw`^(${WORDS})s?\s+(${NUMBER})(?![\p{L}\d_]|\.[\d.])(.*)$`, 'isu')
const BARE = new RegExp(
  String.raw`^(${NUMBER})(?:[.):]\s|[：．、）]|\s?[—–]\s|\s-\s|(?<=\.\d{1,4})\s)(.*)$`,
  'su',
)
const LEADING = new RegExp(String.raw`^\s*${SEPARATOR}`)
const STEP_WORD = '步骤|步驟|ステップ|手順|단계|adım|paso|passo|schritt|étape|etapa'
const PHASE_WORD = '阶段|階段|フェーズ|aşama|faz|fase'
/** Words for steps and phases in translated skills, before or after the number. */
const WORD_FIRST = new RegExp(String.raw`^(?:(${STEP_WORD})|${PHASE_WORD})\s*(?=\d)`, 'iu')
const NUMBER_FIRST = new RegExp(
  String.raw`^(?:第\s*)?(\d{1,3}|[一二三四五六七八九十]{1,3})\s*\.?\s*(?:(步|${STEP_WORD})|段階|${PHASE_WORD})(?:骤|驟)?`,
  'iu',
)
const NUMBERED = /[\d第]/
/** Markup and emoji before the words of a heading. */
const DECORATION = /^[*_`~\s\p{Extended_Pictographic}\u{fe0f}\u{200d}]+/u
const KEYCAP = /^(\d)\ufe0f?\u20e3\s*/

/** The entry that a heading or a bold line begins with. */
export function entryOf(text: string): Omit<Entry, 'line'> | undefined {
  // Most texts have no number at all, which is quick to see.
  if (!NUMBERED.test(text)) return undefined
  const words = inEnglish(text.trim().replace(DECORATION, '').replace(KEYCAP, '$1. '))
  const named = NAMED.exec(words)
  if (named !== null)
    return { word: (named[1] ?? '').toLowerCase(), number: compact(named[2]), title: afterNumber(named[3]) }
  const bare = BARE.exec(`${words} `)
  return bare === null ? undefined : { word: '', number: compact(bare[1]), title: plainTitle(bare[2]) }
}

const inEnglish = (words: string): string =>
  words
    .replace(WORD_FIRST, (_, step?: string) => (step === undefined ? 'Phase ' : 'Step '))
    .replace(
      NUMBER_FIRST,
      (_, number: string, step?: string) => `${step === undefined ? 'Phase' : 'Step'} ${digits(number)}`,
    )

const NUMERALS = '一二三四五六七八九'

/** A number up to 99, also in Chinese numerals: 十二 is 12. */
function digits(number: string): string {
  if (/^\d/.test(number)) return number
  const [tens = '', ones = ''] = number.includes('十') ? number.split('十') : ['', number]
  const value = (text: string, empty: number) => (text === '' ? empty : NUMERALS.indexOf(text.charAt(0)) + 1)
  return String((number.includes('十') ? value(tens, 1) * 10 : 0) + value(ones, 0))
}

const OPTIONAL = new RegExp(
  String.raw`[([（]\s*(?:${[
    String.raw`optional(?: (?:step|phase|gate))?`,
    'if needed|if necessary|as needed',
    'opcional|可选|可選|任意|オプション(?:ゲート)?|선택(?:\\s?사항)?|opsiyonel|[iİ]steğe bağlı|必要に応じて|如需要?|如有需要|gerekirse|se necessário',
  ].join('|')})\s*[)\]）]`,
  'iu',
)

/** Whether a title marks its step as optional, with nothing more said. */
export const isOptional = (title: string): boolean => OPTIONAL.test(title)

/** The mode that a title names. */
export const onlyIn = (title: string): 'full' | 'quick' | undefined =>
  /\(full only\)/i.test(title) ? 'full' : /\(quick only\)/i.test(title) ? 'quick' : undefined

/** Spells a number without collisions: -2 is not 2, and 7-8 is not 7.8. */
export const idWords = (number: string): string =>
  number.replace(/^-/, 'minus ').replace(/(?<=\w)-(?=\d+$)/, ' to ')

export const compact = (number: string | undefined): string => (number ?? '').replaceAll('–', '-')
export const afterNumber = (rest: string | undefined): string => plainTitle((rest ?? '').replace(LEADING, ''))

/** A bold label that the text goes on after. */
const LABEL = /^\*\*([^*\n]{1,120}?)(?:[.:：。]\s*\*\*|\*\*\s*(?:[:：—–]|-\s|$))/

/** The first line of a text without markup, or only its bold label. */
export function plainTitle(text: string | undefined): string {
  const [line = ''] = (text ?? '').split('\n', 1)
  const title = /[*`[]|\s{2}/.test(line) ? withoutMarkup(line.trim()) : line
  let [from, to] = [0, title.length]
  // A regular expression would take quadratic time on a long row of stars.
  while (from < to && EDGE.has(title.charAt(from))) from++
  while (to > from && END.has(title.charAt(to - 1))) to--
  return title.slice(from, to)
}

const EDGE = new Set('* \t')
const END = new Set('* \t:：')

const withoutMarkup = (line: string): string =>
  withoutLinks(LABEL.exec(line)?.[1] ?? line)
    .replaceAll(/\*\*|`/g, '')
    .replaceAll(/\s+/g, ' ')

/** A sortable form of a number: 2 < 2.1 < 2b < 3. */
export function orderOf(number: string): number {
  const [, sign = '', whole = '0', rest = ''] = /^(-?)(\d+)(.*)$/.exec(number) ?? []
  const parts = rest.match(/\d+|[A-Za-z]/g) ?? []
  const fraction = parts.reduce(
    (sum, part, index) =>
      sum + (/\d/.test(part) ? Number(part) : part.toLowerCase().charCodeAt(0) - 96) / 1000 ** (index + 1),
    0,
  )
  return (sign === '-' ? -1 : 1) * Number(whole) + fraction
}
