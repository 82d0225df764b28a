import { filledBlanks } from './values.ts'
import type { Window } from './window.ts'

/** Does literally what a refusal names, with a log entry before it if one is due; returns what is wrong. */
export async function doNamed(it: Window, refusal: string): Promise<string | undefined> {
  const wrong = await act(it, refusal)
  if (wrong === undefined || !/ tool calls with no log entry; /.test(wrong)) return wrong
  return (await act(it, wrong)) ?? (await act(it, refusal))
}

async function act(it: Window, refusal: string): Promise<string | undefined> {
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
  const [, skill, args] = CALL.exec(text) ?? []
  if (skill !== undefined) return await it.invoke(String(JSON.parse(skill)), String(JSON.parse(args ?? '""')))
  const [, made] = /is done when the file (\S+) exists/.exec(text) ?? []
  if (made !== undefined) it.put(made, 'made')
  const given = GIVE.exec(text)
  if (given !== null) return await give(it, given)
  const command = commandIn(text)
  if (command === undefined) return `names no action: ${text}`
  const [, path] = /^read (\S+)$/.exec(command) ?? []
  if (path !== undefined) return await it.read(path)
  const filled = filledBlanks(command, 'the output shows it').replaceAll(/\bSKILL\b/g, it.skill)
  const wrong = await it.shell(filled)
  const again = wrong === undefined ? undefined : await withFiles(it, filled, wrong)
  return again === undefined ? undefined : `${filled} → ${again}`
}

/** Writes a file that a proof covers, if there is none yet, and proves again; returns what is wrong. */
async function withFiles(it: Window, command: string, wrong: string): Promise<string | undefined> {
  const [, patterns] = / covers (.+), which matches no file in /.exec(wrong) ?? []
  const pattern = (patterns ?? '').split(', ').find((one) => one !== '' && !one.startsWith('!'))
  if (pattern === undefined) return wrong
  return (await it.write(exampleOf(pattern), 'An example.\n')) ?? (await it.shell(command))
}

/** A path that a pattern matches. */
const exampleOf = (pattern: string): string =>
  pattern
    .replaceAll('**', 'example')
    .replaceAll(/[*?]/g, 'x')
    .replaceAll(/\{([^,}]*)[^}]*\}/g, '$1')

/** Does what the offer of a step in a pipeline says; `done` is false if there was none. */
export async function doOffered(
  it: Window,
): Promise<{ readonly done: boolean; readonly wrong?: string | undefined }> {
  const text = it.said
  const [, report] = /^(?:Then|Now|next): (holdfast .*)$/m.exec(text) ?? []
  if (report === undefined) return { done: false }
  const [, file] = /It is done when the file\s+(\S+)\s+exists\./.exec(text) ?? []
  if (file !== undefined) it.put(file, 'made')
  const [, given] = /^Sub-agents do it: (.*)\.$/m.exec(text) ?? []
  const wrong = given === undefined ? undefined : await doNamed(it, given)
  // Sub-agents that succeed report a step that has no other condition.
  if (wrong !== undefined || (given !== undefined && !text.includes('It is done when')))
    return { done: true, wrong }
  return { done: true, wrong: await doNamed(it, `Next: run ${report}`) }
}

const CALL = /call the Skill tool with skill ("(?:[^"\\]|\\.)*") and args ("(?:[^"\\]|\\.)*")/

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
