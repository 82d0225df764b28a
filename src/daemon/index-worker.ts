import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { textFilesIn, textSource } from '../files/text-sources.ts'
import type { Tx } from '../store/query.ts'
import { piecesOf } from '../model/search/piece.ts'
import { piecesOfSpoken } from '../model/search/spoken.ts'
import { remembered } from '../store/memory.ts'
import { findChunks } from '../store/find.ts'
import { spokenIn } from '../store/search.ts'
import { findByBoth, piecesWithoutVector, scanInMemory, vectorCoverage } from '../store/vector.ts'
import type { Asked } from './index-thread.ts'

/** The thread that reads texts and, in an embedded database, the index; it never writes. */
const { database } = workerData as { readonly database: string | undefined }

let connection: DatabaseSync | undefined

const tx: Tx = {
  kind: 'sqlite',
  execute({ sql, parameters }) {
    connection ??= connect(database ?? '')
    return Promise.resolve(connection.prepare(sql).all(...(parameters as SQLInputValue[])) as never[])
  },
  onRollback: () => undefined,
}

function connect(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true })
  db.exec('pragma query_only = on; pragma busy_timeout = 5000; pragma trusted_schema = off')
  return db
}

const scan = scanInMemory(tx)

async function answer(asked: Asked): Promise<unknown> {
  switch (asked.kind) {
    case 'find':
      return asked.meaning === undefined
        ? await findChunks(tx, asked.wanted)
        : await findByBoth(tx, asked.wanted, asked.meaning, scan)
    case 'split':
      return piecesOf(asked.text, asked.title)
    case 'missing':
      return await piecesWithoutVector(tx, asked.of)
    case 'coverage':
      return await vectorCoverage(tx, asked)
    case 'remember':
      return await remembered(tx, asked.wish)
    case 'said':
      return piecesOfSpoken(await spokenIn(tx, { native_id: asked.native_id }))
    case 'files':
      return await textFilesIn(asked.root)
    case 'file':
      return await textSource(asked.root, asked.path, asked.knownAt)
    default:
      return asked satisfies never
  }
}

parentPort?.on('message', ({ id, asked }: { id: number; asked: Asked }) => {
  answer(asked).then(
    (result) => parentPort?.postMessage({ id, result }),
    (error: unknown) => parentPort?.postMessage({ id, error: String(error) }),
  )
})
