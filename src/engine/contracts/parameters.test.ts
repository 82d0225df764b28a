import { engineContract } from '../engine.contract.ts'

// Checked before the database is used; run on the database that accepts less.
engineContract('parameters', ['PostgreSQL'])
