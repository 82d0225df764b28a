const LONGEST = 4096
/** The characters around a path in a script or an option. */
const TOKEN = /[^\0\s"'`<>()[\]{},;|=:#@!%&\\]+/g

/** The paths that a word may mean to a program: itself, the value of an option, or names in a script. */
export function pathsIn(word: string): readonly string[] {
  if (/^[\w.-]+$/.test(word)) return word.startsWith('-') ? [] : [word]
  const paths = new Set<string>()
  if (word.length <= LONGEST && !word.includes('\n') && !word.startsWith('-')) paths.add(word)
  for (const { 0: token, index } of word.matchAll(TOKEN)) {
    // Some programs have patterns of their own; what they match is in that folder.
    if (token.includes('/') && /^[[{]/.test(word.slice(index + token.length)))
      paths.add(token.slice(0, token.lastIndexOf('/') + 1))
    if (!/\/|\.md$/i.test(token) || token.length > LONGEST) continue
    paths.add(token)
    // An address may have a host before its path.
    if (/^\/\/[^/]/.test(token)) paths.add(token.slice(token.indexOf('/', 2)))
    // Some options and commands are written together with their path.
    if (/^(?:-[a-zA-Z]+|[a-zA-Z])\//.test(token)) paths.add(token.slice(token.indexOf('/')))
  }
  return [...paths]
}
