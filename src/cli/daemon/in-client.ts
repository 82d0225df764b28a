import { setTimeout as sleep } from 'node:timers/promises'
import { clients } from '../../clients/index.ts'
import { EngineError } from '../../model/error.ts'
import { isPromptDoor, ourPrompt, type OurPrompt, wrongWords } from '../../model/in-client.ts'
import type { Command } from '../frame/command.ts'
import { exitCodeOf } from '../frame/dispatch.ts'
import type { Io } from '../frame/io.ts'
import { Remote } from './remote.ts'
import { callerOutside } from './sessions-around.ts'

/** The commands that a prompt can call. */
interface Commands {
  readonly commands: readonly Command[]
}

/** A client wraps lines itself, and a wrapped command cannot be copied. */
const WIDTH = 400
/** Below what a client takes for one prompt. */
const LONGEST = 9000
/** The hook must still tell the event in its time. */
const LATEST_MILLISECONDS = 3000

/** What one of our commands prints, if the prompt of an event calls one. */
export async function reportFor(
  io: Io,
  { client, payload }: { readonly client: string; readonly payload: unknown },
  load: () => Promise<Commands>,
): Promise<string | undefined> {
  const event = clients.get(client)?.decode(payload)
  if (event?.kind !== 'prompt.submitted' || event.by !== 'user' || event.subagent !== undefined)
    return undefined
  const asked = ourPrompt(event.text)
  if (asked === undefined || event.session === undefined) return undefined
  const wrong = wrongWords(asked)
  if (wrong !== undefined) return wrong
  const at = { ...io, cwd: event.cwd ?? io.cwd }
  const late = sleep(LATEST_MILLISECONDS, 'Holdfast did not finish this command in time.', { ref: false })
  return await Promise.race([carriedOut(at, asked, { native_id: event.session, client }, load), late])
}

interface Asker {
  readonly native_id: string
  readonly client: string
}

async function carriedOut(
  io: Io,
  asked: OurPrompt,
  asker: Asker,
  load: () => Promise<Commands>,
): Promise<string> {
  const lines: string[] = []
  const say = (text: string) => void lines.push(text.replace(/^holdfast: /, '').trimEnd())
  const { draw: _, ask: __, ...quiet } = io
  const inside: Io = {
    ...quiet,
    json: false,
    color: false,
    isTerminal: false,
    width: WIDTH,
    session: asker,
    input: '',
    out: say,
    note: say,
  }
  const words = wordsFor(asked)
  const { commands } = await load()
  await exitCodeOf(words, commands, inside, async (same, { words: typed }) => {
    if (!isPromptDoor(asked)) return same
    await openByPrompt(io, typed, asker)
    return { ...same, by: 'user' }
  })
  const text = lines.join('\n')
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).toWellFormed()}…`
}

/** The command line of a prompt. */
function wordsFor({ name, args }: OurPrompt): readonly string[] {
  if (name === 'continue') return ['session', 'continue', ...args]
  if (name === 'chain') return chainWords(args)
  if (name !== 'adopt') return [name, ...args]
  // The user has said it, so nobody asks again.
  return ['skill', 'adopt', ...args, ...(args.length === 0 ? [] : ['--yes'])]
}

function chainWords([word = 'show', ...more]: readonly string[]): readonly string[] {
  if (/^\d+$/.test(word)) return ['chain', 'show', word]
  // The prompt itself is the reason.
  return ['chain', word, ...more, ...(word === 'drop' ? ['--reason', 'The user dropped it.'] : [])]
}

/** The user's own word opens the door, unless the client of the prompt was started by an agent. */
async function openByPrompt(
  io: Io,
  words: readonly string[],
  { native_id: session, client }: Asker,
): Promise<void> {
  const around = callerOutside(io.env, { session, client })
  using remote = new Remote(io)
  const { by } = await remote.call<{ by: string }>('door.open', { words, ...around, prompt_of: session })
  if (by !== 'user') throw new EngineError('refused', 'Only the user can do this.')
}
