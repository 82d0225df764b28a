import { describe } from 'vitest'
import { answersContract } from '../engine/hook/answers.contract.ts'
import { coverageContract } from '../engine/hook/coverage.contract.ts'
import { protocolContract } from './protocol.contract.ts'
import { settingsContract, surroundingsContract } from './settings.contract.ts'
import type { Subject } from './subject.contract.ts'

const PARTS = [
  { part: 'the protocol', contract: protocolContract },
  { part: 'the settings', contract: settingsContract },
  { part: 'the surroundings', contract: surroundingsContract },
  { part: 'the answers of the engine', contract: answersContract },
  { part: 'the routes', contract: coverageContract },
]

/** The contract of every client, run on its captured payloads; a new client needs no other test. */
export function clientContract(subject: Subject): void {
  describe.each(PARTS)(`${subject.client.name}, $part`, ({ contract }) => {
    contract(subject)
  })
}
