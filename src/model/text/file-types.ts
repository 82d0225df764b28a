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

/** The files that the globs of a search pick in a folder; none for a mere ending, or for what is left out. */
export function pickedBy(folder: string | undefined, globs: string | undefined): readonly string[] {
  if (globs === undefined || folder === undefined) return []
  const names = globs.split(/\s+|,(?![^{]*\})/).flatMap(alternatives)
  return names.filter(isChoosy).flatMap((name) => {
    const plain = name.replace(/^\//, '')
    if (!plain.includes('/')) return [`${folder}/**/${plain}`]
    // Here a star also stands for a hidden folder.
    return [plain, ...(/^[*?](?!\*)/.test(plain) ? [`.${plain}`] : [])].map((one) => `${folder}/${one}`)
  })
}

const isChoosy = (glob: string): boolean =>
  glob !== '' && !glob.startsWith('!') && !/^(?:\*\*\/)*\*{1,2}(?:\.[\w*]+)?$/.test(glob)

const MOST_NAMES = 64

/** Each way to read the lists in braces; a pattern stands for too many. */
function alternatives(glob: string): readonly string[] {
  const [list, inner = ''] = /\{([^{}]*)\}/.exec(glob) ?? []
  if (list === undefined) return [glob]
  const names = inner.split(',').flatMap((one) => alternatives(glob.replace(list, () => one)))
  return names.length <= MOST_NAMES ? names : alternatives(glob.replace(list, () => '?*'))
}
