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

/** The files that a glob of a search picks in a folder; none if it only names an ending, or says what to leave out. */
export function pickedBy(folder: string | undefined, glob: string | undefined): readonly string[] {
  if (glob === undefined || folder === undefined || glob.startsWith('!') || /^(?:\*\*\/)?\*(?:\.[\w*]+)?$/.test(glob)) return []
  return alternatives(glob).map((name) => {
    const plain = name.replace(/^\//, '')
    return plain.includes('/') ? `${folder}/${plain}` : `${folder}/**/${plain}`
  })
}

const MOST_NAMES = 64

function alternatives(glob: string): readonly string[] {
  let names = [glob]
  for (let found = true; found && names.length <= MOST_NAMES;) {
    const next = names.flatMap((name) => {
      const [list, inner = ''] = /\{([^{}]*)\}/.exec(name) ?? []
      return list === undefined ? [name] : inner.split(',').map((one) => name.replace(list, () => one))
    })
    found = next.length > names.length || next.some((name, at) => name !== names[at])
    names = next
  }
  // A pattern stands for what there is no room for.
  return names.length <= MOST_NAMES ? names : [glob.replaceAll(/[{}]/g, '*').replaceAll(/\*[^/]*\*/g, '*')]
}
