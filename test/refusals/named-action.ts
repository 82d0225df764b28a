import type { Scene } from './scene.ts'

/** Does literally what a refusal names; returns what is wrong. */
export async function doNamed(it: Scene, refusal: string): Promise<string | undefined> {
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
  if (todos !== undefined) {
    const items = todos.split(', ').map((content) => ({ content, status: 'pending' }))
    return await it.use('TodoWrite', { todos: items })
  }
  const [, title] = /: give it to .* \(name "(.*?)" in each prompt\)/.exec(text) ?? []
  if (title !== undefined)
    return await it.use('Agent', { description: 'x', prompt: `${title} it`, subagent_type: 'helper' })
  const command = commandIn(text)
  if (command === undefined) return `names no action: ${text}`
  const [, path] = /^read (\S+)$/.exec(command) ?? []
  if (path !== undefined) return await it.read(path)
  const filled = command.replaceAll('____', 'the output shows it').replaceAll(/\bSKILL\b/g, 'flow')
  const wrong = await it.shell(filled)
  return wrong === undefined ? undefined : `${filled} → ${wrong}`
}

function commandIn(text: string): string | undefined {
  const [, hinted] = / try: (.*)$/.exec(text) ?? []
  if (hinted !== undefined) return hinted
  const [, command] = /(?:Next:|once that is done,|, or) run (.*)$/.exec(text) ?? []
  return command?.replace(/(?:, then read .*| \(to list .*|\. Then: .*|\. Replace .*)$/, '')
}
