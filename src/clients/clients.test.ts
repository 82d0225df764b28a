import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { clientMeant } from '../model/client.ts'
import { clientContract } from './client.contract.ts'
import { clients, defaultClient } from './index.ts'
import { subjects } from './subject.contract.ts'

test('the list has every client folder, by its name', () => {
  const folders = globSync('src/clients/*/index.ts').map((path) => path.split('/')[2])
  expect(new Set(clients.keys())).toEqual(new Set(folders))
})

test('the first client in the list is the default', () => {
  expect(clientMeant(clients, undefined)).toBe(defaultClient)
  expect(clientMeant(clients, defaultClient.name)).toBe(defaultClient)
  expect(clientMeant(clients, 'nobody')).toBeUndefined()
})

for (const subject of subjects) clientContract(subject)
