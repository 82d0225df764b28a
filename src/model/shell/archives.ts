import { split, type Value } from './args.ts'

/** The letters of `tar` that take a value. */
const VALUED = 'bCfFgHIKLNTVX'

/** The files and folders that a program packs, as far as it packs any. */
export function packedBy(name: string, args: readonly Value[]): readonly Value[] {
  switch (name) {
    case 'tar':
    case 'bsdtar':
    case 'gtar':
      return packedByTar(args)
    case 'zip':
      return split(args, 'bnPtx').operands.slice(args.includes('-') ? 0 : 1)
    case '7z':
    case '7za':
    case 'ar':
    case 'jar':
      return split(args, '').operands.slice(1)
    default:
      return []
  }
}

/** Programs that pack files. */
export const PACKERS: ReadonlySet<string> = new Set('tar bsdtar gtar zip 7z 7za ar jar'.split(' '))

function packedByTar(args: readonly Value[]): readonly Value[] {
  const words = [...args]
  const [first] = words
  // Without a dash, the values of its letters follow in order.
  if (first !== undefined && /^[A-Za-z]+$/.test(first)) {
    const letters = first.split('').map((letter) => `-${letter}`)
    let at = 1
    words.splice(0, 1)
    const options = letters.flatMap((letter) =>
      VALUED.includes(letter.slice(1)) ? [letter, args[at++]] : [letter],
    )
    words.splice(0, at - 1, ...options)
  }
  const { options } = split(words, VALUED)
  if (![...options.keys()].some((name) => /^-[cruA]$|^--(?:cr|ap|up|ca|con)/.test(name))) return []
  return sourcesIn(words)
}

/** Operands count from the folder that was entered before them. */
function sourcesIn(words: readonly Value[]): readonly Value[] {
  const sources: Value[] = []
  let folder: Value = ''
  for (let at = 0; at < words.length; at++) {
    const word = words[at]
    const [, long] = /^--directory=(.*)$/.exec(word ?? '') ?? []
    if (word === undefined) sources.push(undefined)
    else if (long !== undefined) folder = below(folder, long)
    else if (word.startsWith('--')) {
      if (word.startsWith('--files-from')) sources.push(undefined)
    } else if (word.startsWith('-') && word !== '-') {
      const letter = word
        .slice(1)
        .split('')
        .find((one) => VALUED.includes(one))
      if (letter === undefined) continue
      const isNext = word.endsWith(letter)
      const value = isNext ? words[++at] : word.slice(word.indexOf(letter) + 1)
      if (letter === 'C') folder = below(folder, value)
      if (letter === 'T') sources.push(undefined)
    } else sources.push(below(folder, word))
  }
  return sources
}

const below = (folder: Value, path: Value): Value =>
  path === undefined || folder === undefined
    ? undefined
    : path.startsWith('/') || folder === ''
      ? path
      : `${folder}/${path}`
