import { describe } from 'vitest'
import { temporaryPostgres, temporarySqlite } from '../../store/open.contract.ts'
import { commandsFaultsContract } from './commands-faults.contract.ts'

// The commands are the same on both databases, and `npm run torture -- faults` makes all of them fail on both.
const onPostgres = process.env['HOLDFAST_FAULTS'] === 'all' ? 1 : 3

describe('on SQLite, when something fails', () => {
  commandsFaultsContract(temporarySqlite, { every: 1 })
})

describe('on PostgreSQL, when something fails', () => {
  commandsFaultsContract(temporaryPostgres, { every: onPostgres })
})
