import { CANARY_FILES, CANARY_PROJECT, CANARY_SKILL } from '../../../src/model/canary.ts'
import type { Client } from '../../../src/model/client.ts'
import type { Route } from '../../../src/model/coverage.ts'
import { decode, NAME } from './decode.ts'
import { encode, EVENTS, heard, named, payload } from './encode.ts'
import { settings } from './install.ts'

const reads: readonly Route[] = [
  {
    what: 'a client tool that reads a file',
    claim: 'enforced',
    examples: ['file'],
    payloads: ({ file }) => [{ file }],
  },
  {
    what: 'a shell',
    claim: 'enforced',
    examples: ['cat FILE'],
    payloads: ({ file }) => [{ run: `cat ${file}` }],
  },
  {
    what: 'a tool that we do not know',
    claim: 'unseen',
    examples: ['page'],
    payloads: ({ file }) => [{ page: file }],
  },
]

const writes: readonly Route[] = [
  {
    what: 'a client tool that writes a file',
    claim: 'enforced',
    examples: ['write'],
    payloads: ({ file }) => [{ write: file }],
  },
]

/** A fictional client with the minimum: no plugins, no status line, no transcript. */
export const toy: Client = {
  name: NAME,
  events: EVENTS,
  decode,
  named,
  payload,
  encode,
  transcript: () => ({ messages: [] }),
  sessionIn: ({ TOY_TALK: talk }) => talk,
  resume: (session) => `toy --talk ${session}`,
  canaries(session) {
    const about = { talk: session, dir: CANARY_PROJECT }
    return [
      { event: 'start', wants: 'nothing', payload: { ...about, on: 'start' } },
      { event: 'prompt', wants: 'context', payload: { ...about, on: 'prompt', text: `/${CANARY_SKILL}` } },
      { event: 'before', wants: 'refusal', payload: { ...about, on: 'before', file: CANARY_FILES.second } },
      { event: 'after', wants: 'nothing', payload: { ...about, on: 'after', file: CANARY_FILES.first } },
    ]
  },
  heard,
  folders: { user: (home, { TOY_HOME: given }) => given ?? `${home}/.toy`, project: '.toy' },
  variables: 'TOY_',
  instructions: { names: ['TOY.md'], otherwise: [] },
  settings,
  routes: { reads, writes },
}
