import type { Arguments } from './args.ts'
import type { Command } from './command.ts'
import { usage } from './io.ts'

/** The words that help and our texts use for the values of flags, beside the name of the flag. */
const OF_FLAGS: ReadonlySet<string> = new Set(['VALUE', 'FILE', 'FOLDER', 'WHY'])

/** Rejects a word that is the placeholder of its own place: somebody pasted a command without filling it in. */
export function checkPlaceholders(command: Command, { positionals, values, others = {} }: Arguments): void {
  const { name, places = {}, flags, otherFlags = 'a value of your own' } = command
  const refuse = (word: string, whose: string, about: string) =>
    usage(
      `${word} is a placeholder${whose}. Write in its place: ${about.replace(/\.$/, '')}.`,
      `holdfast ${name} --help`,
    )
  for (const [index, place] of command.usage.split(' ').entries()) {
    const word = positionals[index] ?? ''
    if (!blanksIn(place).includes(word)) continue
    const about = places[place] ?? places[place.replaceAll(/[[\]]/g, '')] ?? places[word]
    throw refuse(word, '', about ?? 'a value of your own')
  }
  for (const [flag, value] of [...Object.entries(values), ...Object.entries(others)])
    if (OF_FLAGS.has(value) || value === flag.toUpperCase())
      throw refuse(value, ` of --${flag.replaceAll('_', '-')}`, flags[flag]?.summary ?? otherFlags)
}

/** The placeholders in a place such as `[DIR|EFFORT]`; texts also write N for the number of an effort. */
function blanksIn(place: string): readonly string[] {
  const blanks: readonly string[] = place.match(/[A-Z]{2,}/g) ?? []
  return blanks.includes('EFFORT') ? [...blanks, 'N'] : blanks
}
