import { engineContract } from '../engine.contract.ts'

// They are checked before any database is asked; what passes is stored where less is accepted.
engineContract('parameters', ['PostgreSQL'])
