import { inject } from 'vitest'
import { temporaryPostgres } from '../store/open.contract.ts'
import { engineContract } from './engine.contract.ts'

// The commands are the same on both databases: all of their faults are for SQLite and for `npm run torture`.
const every = process.env['HOLDFAST_FAULTS'] === 'all' ? 1 : 3

engineContract('PostgreSQL', () => temporaryPostgres(inject('postgresUrl')), { every })
