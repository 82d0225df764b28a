import { isDoor, type OurWords } from './door.ts'
import type { HookEvent } from './event.ts'
import { ourWords, simpleCommands } from './shell/our-calls.ts'

const OURS = /holdfast|engine/

/** The doors that a tool call opens in plain words. A call in other words is judged when our program runs. */
export function doorsOf(event: HookEvent): readonly OurWords[] {
  if (event.kind !== 'tool.before' || event.tool.does.kind !== 'command') return []
  const { command } = event.tool.does
  if (!OURS.test(command)) return []
  return simpleCommands(command)
    .map(({ words }) => ourWords(words))
    .filter((words) => words.every((word) => word !== undefined))
    .filter(isDoor)
}
