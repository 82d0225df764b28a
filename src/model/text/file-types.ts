/** True if a glob of a search names an extension, and not that of Markdown. */
export function isOtherGlob(glob: string | undefined): boolean {
  const [, one, several] = /^[^!\s,{}]+\.(?:(\w+)|\{([\w,]+)\})$/.exec(glob ?? '') ?? []
  const endings = one === undefined ? (several?.split(',') ?? []) : [one]
  return endings.length > 0 && endings.every((ending) => !/^md$/i.test(ending))
}

/** True if a name that search programs have for a type of files means code or data. */
export const isTypeOfCode = (type: string | undefined): boolean => CODE.has(type ?? '')

const CODE: ReadonlySet<string> = new Set(
  'c cpp cs css go html java js json kotlin lua php py python ruby rust sh sql swift toml ts typescript yaml'.split(
    ' ',
  ),
)
