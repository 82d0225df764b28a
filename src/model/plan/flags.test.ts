import { describe, expect, test } from 'vitest'
import { flagsIn, isFlag } from './flags.ts'

const flags = { '--dry-run': { dry: 'yes' }, '--no-branch': { branch: 'no', dry: 'no' } }

describe('the flags of a call', () => {
  test.each([
    ['add a login page', {}, 'add a login page'],
    ['--dry-run add a login page', { dry: 'yes' }, 'add a login page'],
    ['add a login page --dry-run ', { dry: 'yes' }, 'add a login page'],
    ['--dry-run add it --no-branch', { dry: 'no', branch: 'no' }, 'add it'],
    ['--dry-run --dry-run', { dry: 'yes' }, ''],
    ['--dry-run', { dry: 'yes' }, ''],
    ['--dry-runs or not --dry-run', { dry: 'yes' }, '--dry-runs or not'],
    ['', {}, ''],
    ['explain --dry-run in the help', {}, 'explain --dry-run in the help'],
    ['add a flag `--dry-run`', {}, 'add a flag `--dry-run`'],
    ['--dry-runs add it', {}, '--dry-runs add it'],
    ['--verbose --dry-run add it', {}, '--verbose --dry-run add it'],
    ['--toString add it', {}, '--toString add it'],
    ['add it\n\nin blue --dry-run', { dry: 'yes' }, 'add it\n\nin blue'],
  ])('%j', (call, values, words) => {
    expect(flagsIn({ flags }, call)).toEqual({ values, words })
    expect(flagsIn({}, call)).toEqual({ values: {}, words: call })
  })

  test('look like those of commands, and leave --continue to us', () => {
    const words = ['--dry-run', '--x', 'dry', '-d', '--Dry', '--dry=1', '--', '--continue']
    expect(words.filter(isFlag)).toEqual(['--dry-run', '--x'])
  })
})
