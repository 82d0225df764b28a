import { expect, test } from 'vitest'
import { isDoor, isRaise, isTightening, onlyTheUser } from './door.ts'

const words = (text: string) => text.split(' ')

test.each([
  'pause 5m --off=false',
  'pause 5m --no-off',
  'uninstall --dry-run=false',
  'uninstall --no-dry-run',
  'step go ship --reason=false',
  'step go ship --reason false',
  'effort finish 2 --abandon=false',
  'effort finish 2 --abandon false',
  'session deactivate work --abandon late',
  'effort phase 2 do --reason=false',
  'effort start work flow --reason=false',
  'session start work --effort=false',
  'session start work --prev-session 2',
  'session continue 2 --take=false --take',
  'chain resume --take',
  'chain resume 3 --as fix',
  'rpc continuation.resume {"as":"fix"}',
  'enforce observe --project strict',
  'enforce --project strict observe',
  'enforce --session-gate off --project on',
  'enforce --session-gate=off on',
  'enforce locked',
  'backup all.db',
  'prune --yes',
  'import',
  'import --all-projects',
  'import --forget --session 1',
  'forget --session 1 --yes',
  'forget --pattern x --dry-run=false',
  'prune --dry-run=false',
  'restore --yes=false',
  'rpc db.session.start {"task_id":"t","prev_session_id":2}',
  'rpc db.messages.append {"session_id":1,"role":"user","content":"Push."}',
])('%s is a door, whatever its flags pretend', (text) => {
  expect(isDoor(words(text))).toBe(true)
})

test.each([
  'pause off',
  'pause --off',
  'backups',
  'uninstall --dry-run',
  'prune --dry-run',
  'import --dry-run',
  'forget --session 1 --dry-run',
  'forget --status',
  'session continue 2 --take=false',
  'session continue 2 --no-take',
  'chain resume 3',
  'rpc continuation.resume {"chain_id":3,"take":false}',
  'rpc db.messages.append {"session_id":1,"role":"tool","content":"ls"}',
  'enforce',
  'enforce --project strict',
  'enforce --session-gate on --project off',
])('%s is no door', (text) => {
  expect(isDoor(words(text))).toBe(false)
})

const STRICT = { own: 'strict', general: 'enforce' } as const

test.each([
  'enforce observe --project strict',
  'enforce observe --project locked',
  'enforce enforce --default=false',
  'enforce enforce --no-default',
  'enforce enforce --project --default',
  'enforce --session-gate off --project on',
  'enforce strict --session-gate off',
])('%s does not only raise the level', (text) => {
  expect(isRaise(words(text), STRICT)).toBe(false)
  expect(isTightening(words(text), STRICT)).toBe(false)
})

test.each([
  'select content from messages',
  'select result from idempotency_keys',
  "select database_to_xml(true, true, '')",
  "select schema_to_xml('public', true, true, '')",
  "select * from ts_stat('select to_tsvector(content) from mess' || 'ages')",
])('query %s is a door, because it shows what others have read', (sql) => {
  expect(isDoor(['query', sql])).toBe(true)
})

test('a user who locks a project tightens it; for an agent it is a door, because it writes the hooks anew', () => {
  expect(isTightening(['enforce', 'locked'], STRICT)).toBe(true)
  expect(isRaise(['enforce', 'locked'], STRICT)).toBe(false)
})

test.each(['enforce strict', 'enforce --default strict', 'enforce strict --project observe'])(
  '%s only raises the level',
  (text) => {
    expect(isRaise(words(text), STRICT)).toBe(true)
  },
)

test('a switch that is off asks for nothing', () => {
  expect(isTightening(words('init --strict=false --observe'), STRICT)).toBe(false)
  expect(isTightening(words('init --strict --yes'), STRICT)).toBe(true)
  expect(isTightening(words('init --strict --allow-holdfast=false'), STRICT)).toBe(true)
  for (const more of ['--allow-holdfast', '--allow-skills'])
    expect(isTightening(words(`init --strict ${more}`), STRICT)).toBe(false)
})

// The same words reach a user who types the command in the client, which looks like the agent.
test('the refusal of a door names a terminal outside of the client', () => {
  expect(onlyTheUser([['pause']], undefined)).toContain(
    'run holdfast pause in a terminal of their own, outside of the client',
  )
})
