import type { Value } from './args.ts'

/** Options and words that make a quiet program print a file, or run something. */
const LEAKS: Readonly<Record<string, RegExp>> = {
  wc: /^--files0/,
  du: /^--files0/,
  file: /^-[a-zA-Z]*[fmC]|^--(?:files-from|magic|compile)/,
  date: /^-[a-zA-Z]*f|^--file/,
  tree: /^--fromfile/,
  gh: /^(gist|-F|--body-file|--input|--notes-file|--template)|=@|^@/,
  glab: /^(snippet|-F|--input)|=@|^@/,
}

const CHECKED = /^-[a-z]*c|^--check/

/** Programs that show nothing of the files that they are given. */
const QUIET: ReadonlyMap<string, RegExp | undefined> = new Map([
  ...'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum'
    .split(' ')
    .map((name) => [name, CHECKED] as const),
  ...(
    'wc ls dir vdir stat file du df tree realpath readlink basename dirname pathchk chmod chown chgrp touch mkdir rmdir ' +
    'mkfifo mktemp rm unlink mv ln link truncate shred sync test [ true false : sleep kill which hash date uname ' +
    'hostname whoami id exit return break continue wait jobs umask let getopts seq expr shopt set unset ' +
    'code cursor subl zed idea open xdg-open gh glab markdownlint markdownlint-cli2 remark holdfast engine'
  )
    .split(' ')
    .map((name) => [name, LEAKS[name]] as const),
])

/** A formatter shows nothing if it writes or only checks. */
const FORMATTERS: ReadonlySet<string> = new Set(['prettier', 'oxfmt', 'dprint', 'mdformat'])
const WRITES = /^(-w|--write|-c|--check|-l|--list-different|fmt|check)$/

/** A substitution on every line, which writes nowhere but to its file. */
const SUBSTITUTION = /^(?:s([/|#,])(?:(?!\1)[^\\`$]|\\.)*\1(?:(?!\1)[^\\`$]|\\.)*\1[gimsx]*;?\s*)+$/

/** Whether a program shows nothing of the files in its arguments. */
export function isQuiet(name: string, args: readonly Value[]): boolean {
  if (FORMATTERS.has(name)) return args.some((arg) => WRITES.test(arg ?? ''))
  if (name === 'perl') return editsInPlace(args)
  if (!QUIET.has(name)) return false
  const leaks = QUIET.get(name)
  return leaks === undefined || !args.some((arg) => leaks.test(arg ?? ''))
}

function editsInPlace(args: readonly Value[]): boolean {
  const script = args.findIndex((arg) => /^-[a-z0-9]*e$/.test(arg ?? ''))
  const isInPlace = args.some((arg) => /^-(?:[a-z0-9]*p)?i|^-[a-z]*pi/.test(arg ?? ''))
  return isInPlace && script !== -1 && SUBSTITUTION.test(args[script + 1] ?? '')
}

/** Whether a script of `sed` that edits files in place also writes elsewhere or runs a command. */
export function leaksInPlace(script: Value): boolean {
  if (script === undefined || /^\/dev\/(?:stdin|fd)/.test(script)) return true
  const flags: string[] = []
  const rest = script
    .replaceAll(
      /s([^\w\s\\])(?:\\[^]|(?!\1)[^\\])*\1(?:\\[^]|(?!\1)[^\\])*\1([^;}\n]*)/g,
      (_, __, end: string) => {
        flags.push(end)
        return ''
      },
    )
    .replaceAll(/y([^\w\s\\])(?:\\[^]|(?!\1)[^\\])*\1(?:\\[^]|(?!\1)[^\\])*\1/g, '')
    .replaceAll(/\/(?:\\[^]|[^/\\\n])*\/[IM]*/g, '')
    // The text of these commands reaches to the end of the line.
    .replaceAll(/[aic][\\ \t][^\n]*/g, '')
  return flags.some((end) => /[ew]/.test(end)) || /[wWe]/.test(rest)
}

const INTERPRETER = /^(?:python[\d.]*|node|perl|ruby|php|deno|bun|lua|tclsh|osascript|pwsh|fish|csh|tcsh)$/

/** Whether a program runs the script that it is given. */
export const isInterpreter = (name: Value): boolean => INTERPRETER.test(name ?? '')

/** Whether an interpreter takes its script from its input. */
export const readsScript = (name: string, args: readonly Value[]): boolean =>
  isInterpreter(name) && args.every((arg) => arg === '-' || /^-(?![a-z]*[cepEr])/.test(arg ?? ''))
