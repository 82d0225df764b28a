import type { Command } from 'unbash'
import type { Values } from './scope.ts'
import type { Shell } from './shell.ts'

/** What an assignment behind the name of a builtin means to others. */
export function declaredAs([name, ...options]: Values, variable: string, { scope, found }: Shell): void {
  const has = (letter: string) =>
    options.some((one) => /^-\w+$/.test(one ?? '') && one?.includes(letter) === true)
  if (name === 'alias') found.hasOwnPrograms = true
  if (name === 'export' || has('x')) found.exported.add(variable)
  if (name === 'readonly' || has('r')) scope.limits.fixed.add(variable)
}

/** Whether a declaration makes a name stand for another. */
export const isReference = ([name, ...args]: Values): boolean =>
  LOCAL.has(name ?? '') && args.some((arg) => /^-\w*n/.test(arg ?? ''))

const LOCAL: ReadonlySet<string> = new Set(['local', 'declare', 'typeset'])

/** What a function declares as its own hides what there was before, until it ends. */
export function keepOuter([name, ...words]: Values, args: Command['args'], { scope, outer }: Shell): void {
  if (outer === undefined || !LOCAL.has(name ?? '') || words.some((word) => /^-\w*g/.test(word ?? ''))) return
  const assigned = args.flatMap((one) => (one.type === 'Assignment' ? [one.name] : []))
  for (const own of [...assigned, ...words.map((word) => word?.split('=')[0])])
    if (own !== undefined && !outer.has(own)) outer.set(own, scope.variables.get(own))
}
