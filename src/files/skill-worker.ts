import { parentPort } from 'node:worker_threads'
import { readOne } from '../skills/read-all.ts'
import type { Question } from './skill-parser.ts'

/** The thread that parses skills, so that a large one holds up no hook. */
parentPort?.on('message', ({ candidate, texts, modules }: Question) =>
  parentPort?.postMessage(readOne(candidate, { textOf: (path) => texts.get(path) ?? '', modules })),
)
