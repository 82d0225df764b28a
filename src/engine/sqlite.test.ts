import { temporarySqlite } from '../store/open.contract.ts'
import { engineContract } from './engine.contract.ts'

engineContract('SQLite', temporarySqlite)
