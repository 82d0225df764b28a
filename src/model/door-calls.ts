import { isDoor, type OurWords } from './door.ts'
import { scriptIn, simpleCommands, wrappedWords } from './shell/our-calls.ts'

const OURS = /holdfast|engine/
const DEEPEST = 5

/** The doors that a shell command opens in plain words. A call in other words is judged when our program runs. */
export function doorsIn(command: string, depth = 0): readonly OurWords[] {
  if (!OURS.test(command) || depth > DEEPEST) return []
  return simpleCommands(command).flatMap(({ words }) => {
    const script = scriptIn(words)
    if (script !== undefined) return doorsIn(script, depth + 1)
    const own = wrappedWords(words)
    return own.every((word) => word !== undefined) && isDoor(own) ? [own] : []
  })
}
