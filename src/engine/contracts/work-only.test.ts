import { afterAll, beforeAll, describe } from 'vitest'
import { workContract } from '../methods/work.contract.ts'
import { makeWorld, type World } from '../world.contract.ts'
import { temporaryPostgres, temporarySqlite } from '../../store/open.contract.ts'
describe.each(['sqlite', 'pg'])('%s', (kind) => {
  let world: World
  beforeAll(async () => { world = await makeWorld(kind === 'pg' ? temporaryPostgres : temporarySqlite) })
  afterAll(() => world[Symbol.asyncDispose]())
  workContract(() => world)
})
