/** The seed of a run that names none; the report tells it, so that a failure can be repeated. */
export const SEED = Date.now() % 1_000_000

type Options = Readonly<Record<string, number | string>>

/** Options as given, with every number and every text of the same kind as its default. */
type Given<Wanted extends Options> = {
  readonly [Name in keyof Wanted]: Wanted[Name] extends number ? number : string
}

/** What a form found: violations, one line each, and numbers for the last line. */
export interface Found {
  readonly violations: readonly string[]
  readonly counts?: object
}

/** The long form of a heavy test. */
export interface Form<Wanted extends Options = Options> {
  readonly name: string
  readonly summary: string
  /** Options by name, with their defaults. */
  readonly options: Wanted
  run(given: Given<Wanted> & { readonly log: (line: string) => void }): Promise<Found>
}

/** Defines a form; `run` gets its options as the defaults are typed. */
export const form = <const Wanted extends Options>(definition: Form<Wanted>): Form => definition

/** How a form is called, with its defaults. */
export function usageOf({ name, options }: Form): string {
  const words = Object.entries(options).map(([option, value]) => `[--${option} ${sampleOf(option, value)}]`)
  return ['npm run torture --', name, ...words].join(' ')
}

function sampleOf(option: string, value: number | string): string {
  if (option === 'seed') return 'N'
  return typeof value === 'string' ? 'FILE' : String(value)
}

/** Violations with their kinds, as lines. */
export const linesOf = (
  violations: readonly { readonly kind: string; readonly detail: string }[],
): readonly string[] => violations.map(({ kind, detail }) => `${kind}: ${detail}`)
