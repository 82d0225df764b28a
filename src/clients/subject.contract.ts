import { globSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { Client, Honours } from '../model/client.ts'
import type { Decision } from '../model/decision.ts'
import { clients } from './index.ts'

/** How a client says things, for tests that speak as any of them: fields of its payloads, in its own form. */
export interface Voice {
  /** Which session tells it, and in which folder it works. */
  origin(session: string, cwd: string): object
  /** What is told besides of a session that begins. */
  readonly started: object
  prompt(text: string): object
  /** A call of the tool that reads a file. */
  read(file: string): object
  /** The id of a call, and what is told besides when it is over. */
  call(id: string): object
  readonly done: object
  /** The variables that its commands find in their environment. */
  environment(session: string): Readonly<Record<string, string>>
  /** Settings of a user who has never heard of us. */
  readonly settings: string
  /** Replies that are JSON and that it cannot read. */
  readonly misread: readonly string[]
  /** The skills that are called in what was captured. */
  readonly skills: readonly string[]
  /** Payloads that were captured as an event, and that are none of our business. */
  isOther(payload: unknown): boolean
  /** What its own form forbids in a reply, by whether it is so. */
  faults(reply: unknown, about: Replied): Readonly<Record<string, boolean>>
}

/** What was decided about an event, and what the client honours of it. */
export interface Replied {
  readonly name: string
  readonly decision: Decision['kind']
  readonly honours: Honours | undefined
}

export interface Captured {
  readonly event: string
  readonly index: number
  readonly payload: unknown
}

/** A client with all that the suite of clients needs to know of it. */
export interface Subject {
  readonly client: Client
  readonly voice: Voice
  readonly captured: readonly Captured[]
}

/** The client of a folder that has `index.ts`, `voice.contract.ts` and `fixtures`. */
export async function subjectIn(folder: string, client: Client): Promise<Subject> {
  const { voice } = (await import(resolve(folder, 'voice.contract.ts'))) as { voice: Voice }
  const captured = globSync(`${folder}/fixtures/*.json`)
    .toSorted()
    .flatMap((file) => {
      const payloads: readonly unknown[] = JSON.parse(readFileSync(file, 'utf8'))
      return payloads.map((payload, index) => ({ event: basename(file, '.json'), index, payload }))
    })
  return { client, voice, captured }
}

/** Every client of the list. */
export const subjects: readonly Subject[] = await Promise.all(
  [...clients.values()].map((client) => subjectIn(`src/clients/${client.name}`, client)),
)
