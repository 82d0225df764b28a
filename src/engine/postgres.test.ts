import { temporaryPostgres } from '../store/open.contract.ts'
import { engineContract } from './engine.contract.ts'

engineContract('PostgreSQL', temporaryPostgres)
