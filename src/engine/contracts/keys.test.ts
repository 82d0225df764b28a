import { engineContract } from '../engine.contract.ts'

engineContract('keys')
