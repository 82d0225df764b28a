import { describe } from 'vitest'
import { temporaryPostgres, temporarySqlite } from '../../store/open.contract.ts'
import { commandsFaultsContract } from './commands-faults.contract.ts'

// The commands are the same on both databases; `npm run torture -- faults` fails all of their operations.
const onPostgres = process.env['HOLDFAST_FAULTS'] === 'all' ? 1 : 3

describe('on SQLite, after a failure', () => {
  commandsFaultsContract(temporarySqlite, { every: 1 })
})

describe('on PostgreSQL, after a failure', () => {
  commandsFaultsContract(temporaryPostgres, { every: onPostgres })
})
