const LONGEST = 4096
/** The characters around a path in a script or an option. */
const TOKEN = /[^\s"'`<>()[\]{},;|=:#@!%&\\]+/g

/** The paths that a word may mean to a program: itself, the value of an option, or names in a script. */
export function pathsIn(word: string): readonly string[] {
  if (/^[\w.-]+$/.test(word)) return word.startsWith('-') ? [] : [word]
  const paths = new Set<string>()
  if (word.length <= LONGEST && !word.includes('\n') && !word.startsWith('-')) paths.add(word)
  for (const [token] of word.matchAll(TOKEN)) {
    if (!/\/|\.md$/i.test(token) || token.length > LONGEST) continue
    paths.add(token)
    // Some options and commands are written together with their path.
    if (/^(?:-[a-zA-Z]+|[a-zA-Z])\//.test(token)) paths.add(token.slice(token.indexOf('/')))
  }
  return [...paths]
}
