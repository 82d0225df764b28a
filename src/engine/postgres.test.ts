import { inject } from 'vitest'
import { temporaryPostgres } from '../store/open.contract.ts'
import { engineContract } from './engine.contract.ts'

engineContract('PostgreSQL', () => temporaryPostgres(inject('postgresUrl')))
