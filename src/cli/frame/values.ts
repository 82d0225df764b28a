import { usage } from './io.ts'

/** Values as typed, one by flag; a list has several, and there a comma ends a value only if NAME= follows it. */
export function valuesFrom(
  texts: readonly string[],
  {
    flag,
    example,
    isList = false,
  }: { readonly flag: string; readonly example: string; readonly isList?: boolean },
): Readonly<Record<string, string>> {
  const parts = isList ? texts.flatMap((text) => text.split(/,(?=[A-Za-z_][\w-]*=)/)) : texts
  const pairs = parts.map((part) => /^\s*([^=]+?)\s*=(.*)$/s.exec(part))
  if (pairs.some((pair) => pair === null)) throw usage(`--${flag} needs NAME=VALUE.`, example)
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']))
}
