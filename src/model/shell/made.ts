import type { Redirection } from 'unbash'
import { mentionsIn } from '../text/named-files.ts'
import type { Value } from './args.ts'
import { expand } from './expand.ts'
import type { Values } from './scope.ts'
import { ask, giveUp, MOST_LINKS, pathFrom, type Shell } from './shell.ts'
import { foldersListedIn } from './taken.ts'

/** Remembers what a command prints into the files of its redirections. */
export function keepPrinted(redirections: readonly Redirection[], text: Values, shell: Shell): void {
  for (const one of redirections)
    if (one.type === 'Redirect' && /^(?:>>?|>\||&>>?|<>)$/.test(one.operator) && one.target !== undefined)
      keepMade(expand(one.target, shell), text, shell)
}

/** Remembers a text that the command writes into files. */
export function keepMade(files: Values, text: Values, shell: Shell): void {
  const { made } = shell.found
  if (text.every((one) => one === undefined)) return
  for (const path of pathsOf(files, shell)) {
    if (made.length >= MOST_LINKS) return void giveUp(shell)
    made.push({ path, text })
    // A client may load what such a file mentions, together with the file.
    if (/\.md$/i.test(path))
      ask(
        text.flatMap((one) => mentionsIn(one ?? '', { cwd: path.replace(/\/[^/]*$/, '') })),
        shell,
      )
  }
}

const pathsOf = (files: Values, { scope }: Shell): readonly string[] =>
  scope.cwds.flatMap((cwd) =>
    files.flatMap((file) => (file === undefined ? [] : (pathFrom(file, cwd) ?? []))),
  )

/** The text of a file that the command itself has written before. */
export function madeText(file: Value, shell: Shell): Values | undefined {
  const paths = pathsOf([file], shell)
  const texts = shell.found.made.flatMap(({ path, text }) => (paths.includes(path) ? text : []))
  return texts.length === 0 ? undefined : texts
}

/** Files that people read, which no program runs by itself. */
const PROSE = /\.(?:md|txt|rst|adoc|log|html)$/i

/** A program may run the files that the command has written: those that it is given, and all that are no prose. */
export function askMade(words: Values, shell: Shell): void {
  const named = words.flatMap((word) => madeText(word?.replace(/^-[^=]*=|^@/, ''), shell) ?? [])
  const others = shell.found.made.flatMap(({ path, text }) => (PROSE.test(path) ? [] : text))
  const texts = [...new Set([...named, ...others])]
  ask([...texts, ...texts.flatMap(foldersListedIn)], shell)
}
