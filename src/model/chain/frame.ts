import { nearest } from '../text/nearest.ts'

/** How far a skill takes part in its chain: it declares so, it knows nothing of us, or it was only asked for in words. */
export type Cooperation = 'cooperative' | 'wrapped' | 'explicit'

/** One skill as a chain calls it. */
export interface ChainCall {
  readonly name: string
  /** The words for this skill alone, as they were typed. */
  readonly args: string
  /** Set by `-` as the first argument. */
  readonly quick: boolean
  /** Set if no skill has this name, but one has a similar name. */
  readonly unknown: boolean
  /** The names that an unknown one may mean, nearest first. */
  readonly nearest: readonly string[]
}

/** One skill of a chain; rows hold it. */
export interface Frame extends ChainCall {
  /** Further lines for this skill, without their indentation. */
  readonly context: string
  /** What runs if this skill fails. */
  readonly onError: ChainCall | undefined
  /** A prompt tells only explicit from wrapped; a skill declares that it is cooperative. */
  readonly level: Cooperation
}

/** Skills that run one after the other, as a prompt asks for them. */
export interface Chain {
  readonly frames: readonly Frame[]
  /** Names that no skill has and that resemble none; they stay in the words of their frame. */
  readonly unknown: readonly string[]
}

/** The skills that a prompt may call. */
export interface ChainSkills {
  knows(name: string): boolean
  readonly names: readonly string[]
}

/** What a name stands for. */
export type Standing =
  | { readonly kind: 'known' | 'foreign' }
  | { readonly kind: 'near'; readonly nearest: readonly string[] }

/** Short names resemble each other by chance. */
const SHORTEST_MISSPELT = 4
/** Each guess compares a name with every known one. */
const MOST_GUESSED = 50
/** Folders of a disk are no misspelt skills. */
const ROOTS = new Set(
  'bin boot dev etc home lib lib64 mnt opt proc root run sbin srv sys tmp usr users var'.split(' '),
)

/** True for the name of a folder at the root of a disk. */
export const isRoot = (name: string): boolean => ROOTS.has(name.toLowerCase())

/** A function that tells what each name stands for, and remembers it. */
export function standings(skills: ChainSkills): (name: string) => Standing {
  const found = new Map<string, Standing>()
  let guesses = 0
  const judge = (name: string): Standing => {
    if (skills.knows(name)) return { kind: 'known' }
    if (name.length < SHORTEST_MISSPELT || isRoot(name) || guesses++ >= MOST_GUESSED) return FOREIGN
    // A name in front of a particle of another script is no misspelt one.
    const names = isAscii(name) ? skills.names : skills.names.filter((one) => !isAscii(one))
    const meant = nearest(name, names)
    return meant.length === 0 ? FOREIGN : { kind: 'near', nearest: meant }
  }
  return (name) => {
    const standing = found.get(name) ?? judge(name)
    found.set(name, standing)
    return standing
  }
}

const FOREIGN: Standing = { kind: 'foreign' }
const isAscii = (text: string): boolean => !/[^!-~]/.test(text)
