import { type Flags, GLOBAL_FLAGS } from './args.ts'
import type { Command } from './command.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** A possible next word. */
interface Choice {
  /** The words before it, joined by spaces; empty for the first word. */
  readonly after: string
  readonly word: string
  readonly summary: string
}

/** The completion script of a shell, from the list of commands. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  const choices = choicesOf(commands)
  if (shell === 'bash') return bashScript(choices)
  return shell === 'zsh' ? zshScript(choices) : fishScript(choices)
}

function choicesOf(commands: readonly Command[]): readonly Choice[] {
  const words = commands.flatMap(({ name, summary }) => {
    const parts = name.split(' ')
    return parts.map((word, index) => ({
      after: parts.slice(0, index).join(' '),
      word,
      summary: index === parts.length - 1 ? summary : '',
    }))
  })
  const flags = commands.flatMap(({ name, flags: own }) =>
    Object.entries({ ...own, ...GLOBAL_FLAGS } as Flags)
      .filter(([, { advanced }]) => advanced !== true)
      .map(([flag, { summary }]) => ({ after: name, word: `--${flag.replaceAll('_', '-')}`, summary })),
  )
  const first = [
    ...Object.entries(GLOBAL_FLAGS).map(
      ([flag, { summary }]) => [flag.replaceAll('_', '-'), summary] as const,
    ),
    ['version', 'print the version'] as const,
  ].map(([flag, summary]) => ({ after: '', word: `--${flag}`, summary }))
  const help = { after: '', word: 'help', summary: 'show help for a command' }
  const known = new Map<string, Choice>()
  for (const choice of [...words, help, ...first, ...flags]) {
    const key = `${choice.after} ${choice.word}`
    if ((known.get(key)?.summary ?? '') === '') known.set(key, choice)
  }
  return [...known.values()]
}

const byPlace = (choices: readonly Choice[]) => [...Map.groupBy(choices, ({ after }) => after)]

/** Ignores flags when it finds the position, because they can stand anywhere. */
function bashScript(choices: readonly Choice[]): string {
  const cases = byPlace(choices).map(
    ([after, list]) => `    '${after}') words='${list.map(({ word }) => word).join(' ')}' ;;`,
  )
  return `_holdfast() {
  local current=\${COMP_WORDS[COMP_CWORD]} at='' words='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) ;; help) ;; *) at="\${at:+$at }$word" ;; esac
  done
  _holdfast_words "$at"
  # The words after the name of a command are its arguments.
  while [ -z "$words" ] && [ "$at" != "\${at% *}" ]; do at=\${at% *}; _holdfast_words "$at"; done
  case $current in -*) ;; *) words=$(printf '%s\\n' $words | grep -v '^--') ;; esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  # Fall back to file names.
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
_holdfast_words() {
  case $1 in
${cases.join('\n')}
  esac
}
complete -o filenames -F _holdfast holdfast engine
`
}

function zshScript(choices: readonly Choice[]): string {
  const cases = byPlace(choices).map(
    ([after, list]) =>
      `    ${quoted(after)}) choices=(${list.map(({ word, summary }) => quoted(`${word}:${summary}`)).join(' ')}) ;;`,
  )
  return `#compdef holdfast engine
_holdfast() {
  local -a choices
  local at='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case $word in -*) ;; help) ;; *) at="\${at:+$at }$word" ;; esac
  done
  _holdfast_choices "$at"
  while [[ \${#choices} -eq 0 && $at == *' '* ]]; do at=\${at% *}; _holdfast_choices "$at"; done
  [[ $PREFIX == -* ]] || choices=(\${choices:#--*})
  _describe holdfast choices || _files
}
_holdfast_choices() {
  case $1 in
${cases.join('\n')}
  esac
}
compdef _holdfast holdfast engine
`
}

function fishScript(choices: readonly Choice[]): string {
  const lines = ['holdfast', 'engine'].flatMap((program) =>
    choices.map(({ after, word, summary }) => {
      const option = word.startsWith('--')
      const where = option && after !== '' ? `_holdfast_in ${quoted(after)}` : `_holdfast_at ${quoted(after)}`
      const what = option ? `-l ${word.slice(2)}` : `-f -a ${quoted(word)}`
      return `complete -c ${program} -n ${quoted(where)} ${what} -d ${quoted(summary)}`
    }),
  )
  return `function _holdfast_words
  string match -v -r -- '^(-|help$)' (commandline -opc)[2..-1]
end
function _holdfast_at
  test "$(_holdfast_words | string join ' ')" = "$argv[1]"
end
function _holdfast_in
  string match -q -- "$argv[1] *" "$(_holdfast_words | string join ' ') "
end
${lines.join('\n')}
`
}

/** Quotes a text as one word for all three shells. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
