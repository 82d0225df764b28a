import type { Window } from './window.ts'

/** Does literally what a refusal names; returns what is wrong. */
export async function doNamed(it: Window, refusal: string): Promise<string | undefined> {
  const text = refusal.replaceAll(/\s+/g, ' ').trim()
  const [, part, from] = /Next: read (\S+?)(?: from line (\d+))?(?:\. |\.?$)/.exec(text) ?? []
  if (part !== undefined) return await it.read(part, { from: Number(from ?? 1) })
  const [, directive] = /Next: read (\S+), then repeat this call\.$/.exec(text) ?? []
  if (directive !== undefined) return await it.read(directive)
  const [, file] = /\(read (\S+)\)/.exec(text) ?? []
  if (file !== undefined) return await it.read(file)
  // The kind itself waits, and tries again.
  if (text.includes('Next: wait for the sub-agent')) return undefined
  const [, todos] = /requires: (.*?)\. Next: write the list again/.exec(text) ?? []
  if (todos !== undefined) return await it.todos(todos.split(', '))
  const [, made] = /is done when the file (\S+) exists/.exec(text) ?? []
  if (made !== undefined) it.put(made, 'made')
  const given = GIVE.exec(text)
  if (given !== null) return await give(it, given)
  const command = commandIn(text)
  if (command === undefined) return `names no action: ${text}`
  const [, path] = /^read (\S+)$/.exec(command) ?? []
  if (path !== undefined) return await it.read(path)
  const filled = command.replaceAll('____', 'the output shows it').replaceAll(/\bSKILL\b/g, 'flow')
  const wrong = await it.shell(filled)
  return wrong === undefined ? undefined : `${filled} → ${wrong}`
}

const GIVE =
  /do step ".*?": give it to (?:(\d+) sub-agents; (\d+) of them|a sub-agent; it) must succeed(?:, \d+ ha\w+ and \d+ ha\w+ failed)? \(name (?:"(.+?)"|(\S+)) in each prompt(?:; each must read it)?\)/

/** As many sub-agents as may fail do so, before the others succeed. */
async function give(it: Window, [, count = '1', join = '1', named, file]: RegExpExecArray) {
  for (let at = Number(count); at > 0; at--) {
    const wrong = await it.delegate(`Do ${file ?? named}`, { file, isGood: at <= Number(join) })
    if (wrong !== undefined) return wrong
  }
  return undefined
}

function commandIn(text: string): string | undefined {
  const [, hinted] = /(?: try:|\. next:) (.*)$/.exec(text) ?? []
  if (hinted !== undefined) return hinted
  const [, command] =
    /(?:Next:|once that is done,|, or|only the user can) run (?!the command that follows)(.*)$/.exec(text) ??
    []
  return command?.replace(/(?:, then read .*| \(to list .*|\. Then: .*|\. Replace .*)$/, '')
}
