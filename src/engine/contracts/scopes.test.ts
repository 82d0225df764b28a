import { engineContract } from '../engine.contract.ts'

engineContract('scopes')
