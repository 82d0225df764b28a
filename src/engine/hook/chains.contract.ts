import { chainAgentsContract } from './chain-agents.contract.ts'
import { chainContract } from './chain.contract.ts'
import { chainMissingContract } from './chain-missing.contract.ts'
import { chainExitsContract } from './chain-exits.contract.ts'

/** Every suite about chains. */
export const chainSuites = [chainAgentsContract, chainContract, chainMissingContract, chainExitsContract]
