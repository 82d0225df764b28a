import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { clientMeant } from '../model/client.ts'
import { clientContract } from './client.contract.ts'
import { clients, defaultClient } from './index.ts'
import { subjects } from './subject.contract.ts'

test('every folder of a client is listed by its name', () => {
  const folders = globSync('src/clients/*/index.ts').map((path) => path.split('/')[2])
  expect(new Set(clients.keys())).toEqual(new Set(folders))
})

test('the first of the list is meant where nobody names one', () => {
  expect(clientMeant(clients, undefined)).toBe(defaultClient)
  expect(clientMeant(clients, defaultClient.name)).toBe(defaultClient)
  expect(clientMeant(clients, 'nobody')).toBeUndefined()
})

for (const subject of subjects) clientContract(subject)
