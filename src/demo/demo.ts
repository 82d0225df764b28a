import { join } from 'node:path'
import type { Command } from '../cli/frame/command.ts'
import type { Io } from '../cli/frame/io.ts'
import { Stage } from '../harness/stage.ts'
import { skillsFolder } from '../model/client-files.ts'
import type { Span } from '../model/span.ts'
import { orNull, tellEntry } from '../model/ledger.ts'
import type { LedgerRow } from '../store/ledger.ts'
import { Narrator } from './narrator.ts'
import {
  type Act,
  client,
  meaningOf,
  type Moment,
  type Outcome,
  type Place,
  recordedActs,
  type Reported,
  routeOf,
  SKILL,
  SKILL_FILES,
} from './recording.ts'

interface Telling {
  /** Skips the pauses for reading. */
  readonly isFast: boolean
  readonly commands: readonly Command[]
}

/** The result of an act. */
interface Played {
  readonly act: number
  readonly title: string
  readonly moments: readonly Happened[]
  /** Its ledger entries. */
  readonly stored: readonly LedgerRow[]
}

interface Happened {
  /** The client's event name, or what the user typed. */
  readonly event: string
  readonly route: 'command' | 'http' | null
  readonly decision: Outcome | null
  /** What the agent read, or the result. */
  readonly text: string
}

/** Replays a recorded session through a real daemon and real hooks, with a crash in the middle. */
export async function runDemo(io: Io, { isFast, commands }: Telling): Promise<number> {
  const stage = new Stage(io, { kind: 'demo', client })
  stage.vanishAtExit()
  for (const [path, text] of Object.entries(SKILL_FILES))
    stage.put(join(skillsFolder(client), SKILL, path), text)
  const { project, clientFolder } = stage
  const place: Place = { project, session: crypto.randomUUID(), clientFolder }
  // With --json the story goes to stderr and the result to stdout.
  const narrator = new Narrator(io.json ? { ...io, out: (text) => io.note(text) } : io, isFast)
  using remote = stage.remote
  await narrator.open(stage.folder)
  const played: Played[] = []
  for (const [index, act] of recordedActs(place).entries()) {
    await narrator.act(act.title)
    const moments = await replay(stage, narrator, act)
    const after = played.findLast(({ stored }) => stored.length > 0)?.stored.at(-1)?.seq ?? 0
    const stored = await remote.call<readonly LedgerRow[]>('ledger.list', { after, limit: 1000 })
    await narrator.stored(stored)
    played.push({ act: index + 1, title: act.title, moments, stored })
  }
  const spans = await remote.call<readonly Span[]>('span.tree', { session_id: place.session })
  const ledger = played.flatMap(({ stored }) => stored)
  await narrator.sum(ledger, spans)
  await stage.close()
  narrator.next(commands)
  if (io.json) io.out(JSON.stringify(played.map(inJson), null, 2))
  return 0
}

const inJson = ({ moments, stored, ...act }: Played) => ({
  ...act,
  moments: moments.map((moment) => ({ ...moment, text: orNull(moment.text) })),
  stored: stored.map(tellEntry),
})

async function replay(stage: Stage, narrator: Narrator, { moments }: Act): Promise<readonly Happened[]> {
  const happened: Happened[] = []
  for (const moment of moments) happened.push(await happen(stage, narrator, moment))
  return happened
}

async function happen(stage: Stage, narrator: Narrator, moment: Moment): Promise<Happened> {
  switch (moment.kind) {
    case 'hook':
      return await report(stage, narrator, moment)
    case 'kill': {
      const pid = await stage.kill()
      narrator.says('you', `kill -9 ${pid}`)
      return { event: 'kill -9', route: null, decision: null, text: String(pid) }
    }
    default:
      return moment satisfies never
  }
}

async function report(stage: Stage, narrator: Narrator, moment: Reported): Promise<Happened> {
  const { payload, seen } = moment
  const { name: event = '', kind } = client.decode(payload)
  const route = routeOf(payload)
  if (seen !== undefined) narrator.says(seen.who, seen.what, `${event}, ${route}`)
  const answer = await stage.fire(payload, route)
  const found = answer === undefined ? UNANSWERED : meaningOf(answer.reply)
  // A story that differs from the recording must fail.
  if (found.decision !== moment.decision)
    throw new Error(`${event} was answered with ${found.decision}, not ${moment.decision}. ${found.text}`)
  if (seen !== undefined) await narrator.answers({ ...found, kind, said: answer?.said ?? '' })
  return { event, route, ...found }
}

const UNANSWERED = { decision: 'unanswered', text: '' } as const
