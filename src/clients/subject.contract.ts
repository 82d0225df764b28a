import { globSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { Client, Honours } from '../model/client.ts'
import type { Decision } from '../model/decision.ts'
import { clients } from './index.ts'

/** The payload fields of a client, for tests that run against every client. */
export interface Voice {
  /** The session and its folder. */
  origin(session: string, cwd: string): object
  /** More fields of a session start. */
  readonly started: object
  prompt(text: string): object
  /** A call of the read tool. */
  read(file: string): object
  /** The same by the name of the tool and its input. */
  plainRead(file: string): { readonly name: string; readonly input: object }
  /** The id of a call. */
  call(id: string): object
  /** More fields of a finished call. */
  readonly done: object
  /** The environment variables that its commands get. */
  environment(session: string): Readonly<Record<string, string>>
  /** Settings of a user without Holdfast. */
  readonly settings: string
  /** Replies that are valid JSON but invalid for the client. */
  readonly misread: readonly string[]
  /** The skills that the captured payloads call. */
  readonly skills: readonly string[]
  /** Whether Holdfast ignores a captured payload. */
  isOther(payload: unknown): boolean
  /** Rules of the client for replies, each with whether the reply violates it. */
  faults(reply: unknown, about: Replied): Readonly<Record<string, boolean>>
}

/** A decision about an event, and what the client honors of it. */
export interface Replied {
  readonly name: string
  readonly decision: Decision['kind']
  readonly honours: Honours | undefined
}

/** One captured payload. */
export interface Captured {
  readonly event: string
  readonly index: number
  readonly payload: unknown
}

/** A client with everything that its contract needs. */
export interface Subject {
  readonly client: Client
  readonly voice: Voice
  readonly captured: readonly Captured[]
}

/** Loads the client of a folder with `index.ts`, `voice.contract.ts` and `fixtures`. */
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

/** Every client in the list. */
export const subjects: readonly Subject[] = await Promise.all(
  [...clients.values()].map((client) => subjectIn(`src/clients/${client.name}`, client)),
)
