import { readFileSync } from 'node:fs'

/** One way to a step; `filled` replaces its capital words. */
export interface Way {
  readonly command: string
  /** What happened before, by another command. */
  readonly before?: string
}

/** Ways of one kind, with the row of the coverage table that speaks of them. */
export interface WayClass {
  readonly name: string
  readonly row: string
  readonly ways: readonly Way[]
}

const nested = (depth: number, [open, close]: readonly [string, string]): Way => ({
  command: `${open.repeat(depth)}cat STEP${close.repeat(depth)}`,
})
const SUBSHELL = ['( ', ' )'] as const
const SUBSTITUTION = ['echo "$(', ')"'] as const

const NESTED: readonly Way[] = [
  ...[5, 8, 9, 12, 20].map((depth) => nested(depth, SUBSHELL)),
  ...[2, 5, 8, 9, 12].map((depth) => nested(depth, SUBSTITUTION)),
  ...[2, 5, 9].map((depth) => nested(depth, ['{ ', '; }'])),
  ...[2, 5, 9].map((depth) => nested(depth, ['eval ', ''])),
]

/** More files than some limit; none of them exists. */
const others = (count: number, ending = '.md'): readonly string[] =>
  Array.from({ length: count }, (_, at) => `none${at}${ending}`)

const MANY = others(260).join(' ')

const AT_LIMITS: readonly Way[] = [
  ...[49, 50, 51, 120, 199, 200, 260, 1000].map((count) => `cat ${others(count).join(' ')} STEP`),
  ...[62, 63, 64, 65, 100].map((count) => `cat {${others(count).join(',')},STEP}`),
  ...[63, 64, 100].map((count) => `cat DIR/{${others(count, '').join(',')},do}.md`),
  `for f in ${MANY} STEP; do cat $f; done`,
  `a=(${MANY} STEP); cat "\${a[@]}"`,
  `set -- ${MANY} STEP; cat "$@"`,
  `${others(120, '=1').join('; ')}; f=STEP; cat $f`,
  `${Array.from({ length: 12 }, (_, at) => `cd DIR || cd .${at}`).join('; ')}; cat NAME; cat STEP`,
  `printf '%s\\n' ${MANY} STEP | xargs cat`,
  `cat $(echo ${MANY} STEP)`,
  `python3 -c "print(open('STEP').read())" ${MANY}`,
  nested(40, SUBSHELL).command,
  ...[28, 31, 40].map((depth) => nested(depth, SUBSTITUTION).command),
  `${'eval '.repeat(35)}cat STEP`,
  `cat STEP # ${'x'.repeat(140_000)}`,
].map((command) => ({ command }))

/** The class of the ways around our own limits. */
export const LIMITS = 'limits'

const GENERATED: Readonly<Record<string, readonly Way[]>> = { shells: NESTED }

/** The ways of ways.txt, and those that are made here. */
export function classes(): readonly WayClass[] {
  const text = readFileSync(new URL('ways.txt', import.meta.url), 'utf8')
  const listed = text.split(/^## /m).slice(1).map(classOf)
  const row = 'a command that names the step and is more than Holdfast works out'
  return [...listed, { name: LIMITS, row, ways: AT_LIMITS }]
}

function classOf(section: string): WayClass {
  const [head = '', ...lines] = section.trim().split('\n')
  const [name = '', row = ''] = head.split(': ', 2)
  return { name, row, ways: [...lines.map(wayOf), ...(GENERATED[name] ?? [])] }
}

function wayOf(line: string): Way {
  const parts = line.replaceAll('↵', '\n').split(' => ')
  const command = parts.at(-1) ?? ''
  return parts.length === 1 ? { command } : { command, before: parts[0] ?? '' }
}
