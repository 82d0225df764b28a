import type { Value } from './args.ts'

/** The output of `echo`: one line; known words stay even beside unknown ones. */
export function echoed(args: readonly Value[]): readonly Value[] {
  const begin = args.findIndex((arg) => !/^-[neE]+$/.test(arg ?? ''))
  const [options, words] = begin === -1 ? [args, []] : [args.slice(0, begin), args.slice(begin)]
  const known = words.filter((word) => word !== undefined)
  const line = known.join(' ')
  const text = options.some((option) => option?.includes('e') === true) ? unescaped(line) : line
  // Some shells have escapes without an option.
  const texts = text?.includes('\\') === true ? [text, unescaped(text)] : [text]
  if (known.length === words.length) return texts
  return known.length === 0 ? [undefined] : [...texts, undefined]
}

/** The output of `printf`: its format, repeated until its arguments run out. */
export function formatted([format, ...args]: readonly Value[]): readonly Value[] {
  if (format === undefined) return [undefined]
  const pieces = format.split(CONVERSION)
  const taken = pieces.filter(takes).length
  const length = taken === 0 ? 1 : Math.max(1, Math.ceil(args.length / taken))
  const rounds = Array.from({ length }, (_, round) =>
    filled(pieces, args.slice(round * taken, (round + 1) * taken)),
  )
  return rounds.includes(undefined) ? rounds : [rounds.join('')]
}

/** The capture group makes `split` return every second piece as a conversion. */
const CONVERSION = /(%[-+ #.*0-9]*[A-Za-z%(])/

const takes = (piece: string, index: number): boolean => index % 2 === 1 && piece !== '%%'

function filled(pieces: readonly string[], args: readonly Value[]): Value {
  let used = 0
  const texts = pieces.map((piece, index) => {
    if (!takes(piece, index)) return index % 2 === 1 ? '%' : unescaped(piece)
    const value = used < args.length ? args[used] : ''
    used++
    return converted(piece, value)
  })
  return texts.includes(undefined) ? undefined : texts.join('')
}

/** Padding names no file, and number formats are not evaluated. */
function converted(conversion: string, value: Value): Value {
  if (conversion === '%b') return unescaped(value)
  const [isText, length] = TEXT.exec(conversion) ?? []
  if (isText !== undefined) return length === undefined ? value : value?.slice(0, Number(length))
  return ['%d', '%i', '%q'].includes(conversion) ? value : undefined
}

const TEXT = /^%[-+ #0]*\d*(?:\.(\d*))?s$/

const ESCAPE = /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,5})|0?([0-7]{1,3})|([^]))/g
const LETTERS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

const unescaped = (text: Value): Value =>
  text?.replaceAll(ESCAPE, (_, x?: string, u?: string, U?: string, octal?: string, other?: string) => {
    const code = x ?? u ?? U
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16))
    return octal === undefined ? (LETTERS[other ?? ''] ?? other ?? '') : fromOctal(octal)
  })

const fromOctal = (digits: string): string => String.fromCodePoint(Number.parseInt(digits, 8))
