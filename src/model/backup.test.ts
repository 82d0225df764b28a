import { expect, test } from 'vitest'
import {
  type Backup,
  backupName,
  isBackupDue,
  readBackupName,
  replacedName,
  unneededBackups,
} from './backup.ts'

const NOW = '2026-11-18T03:04:05.678Z'

test.each([
  [backupName('daily', NOW), 'daily'],
  [backupName('manual', NOW), 'manual'],
  [backupName('from-v24', NOW), 'migration'],
  [replacedName(NOW), 'replaced'],
  ['engine.db.backup-v24-2026-11-18T030405678Z', 'migration'],
])('the name %s tells the kind and the time', (name, kind) => {
  expect(readBackupName(name)).toEqual({ kind, made_at: NOW })
})

test.each([
  'engine.db',
  'notes.txt',
  'engine-2026-11-18T030405.678Z-daily.db.holdfast-12',
  'engine-daily.db',
])('%s is no backup', (name) => {
  expect(readBackupName(name)).toBeUndefined()
})

const day = (number: number) => `2026-11-${String(number).padStart(2, '0')}T00:00:00.000Z`

function made(name: string): Backup {
  const { kind = 'manual', made_at = '' } = readBackupName(name) ?? {}
  return { name, path: `/b/${name}`, kind, made_at, bytes: 1 }
}

test('only the newest backups are kept, whatever their kind', () => {
  const names = [1, 2, 3, 4].map((number) => backupName(number % 2 === 0 ? 'daily' : 'manual', day(number)))
  expect(unneededBackups(names.map(made), 3)).toEqual([names[0]])
  expect(unneededBackups(names.map(made), 4)).toEqual([])
})

test('a migration that fails at every start leaves one backup from its version', () => {
  const names = [1, 2, 3].map((number) => backupName('from-v24', day(number)))
  const other = backupName('from-v23', day(1))
  expect(unneededBackups([...names, other].map(made), 7).toSorted()).toEqual(names.slice(0, 2))
})

test('what a restore replaced is never unneeded, nor are the backups of older versions', () => {
  const names = [
    replacedName(day(1)),
    'engine.db.backup-v24-2026-11-01T000000000Z',
    backupName('daily', day(2)),
  ]
  expect(unneededBackups(names.map(made), 1)).toEqual([])
})

test.each([
  ['there is none', [], true],
  ['the last one is a day old', [backupName('daily', day(1))], true],
  ['the last one is younger', [backupName('manual', '2026-11-01T00:00:00.001Z')], false],
  ['the last one is from the future', [backupName('daily', day(3))], true],
  ['only a replaced database is younger', [replacedName('2026-11-01T12:00:00.000Z')], true],
])('a daily backup is due if %s', (_, names, isDue) => {
  expect(isBackupDue(names.map(made), Date.parse(day(2)))).toBe(isDue)
})
