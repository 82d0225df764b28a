import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyString } from '../../test/any-string.ts'
import { runFiles, runLogLine, runName, runText, type SkillRun } from './skill-run.ts'

const NOW = '2026-11-15T12:34:56.789Z'

test.each<[skill: string, args: string, counter: number, name: string]>([
  ['research', '', 1, '2026-11-15-research'],
  ['research', 'How do caches work?', 1, '2026-11-15-research-how-do-caches-work'],
  ['research', '', 2, '2026-11-15-research-02'],
  ['research', '', 123, '2026-11-15-research-123'],
  ['tools:research', 'Über Straßen/../..', 1, '2026-11-15-tools-research-uber-stra-en'],
  ['研究', '缓存', 1, '2026-11-15-run'],
])('%s %s (%i)', (skill, args, counter, name) => {
  expect(runName({ now: NOW, skill, args }, counter)).toBe(name)
})

test('whatever is asked, the name of a run is the name of a folder', () => {
  fc.assert(
    fc.property(anyString(), anyString(), (skill, args) => {
      expect(runName({ now: NOW, skill, args }, 2)).toMatch(/^2026-11-15-[a-z0-9]+(?:-[a-z0-9]+)*-02$/)
    }),
  )
  expect(runName({ now: NOW, skill: 'x', args: 'y'.repeat(1_000_000) }, 1).length).toBeLessThan(80)
})

test('what stands in its files cannot end a line of ours', () => {
  const run: SkillRun = {
    id: 1,
    project_id: 1,
    workplace_id: 1,
    effort_id: null,
    span_id: null,
    skill: 'research',
    args: 'a\n# Done',
    name: 'n',
    created_at: NOW,
    made_at: null,
  }
  expect(runFiles(run)).toEqual({
    'context.md': '# research\n\nCalled with: a\\u{a}# Done\n\nWhat all who work on this run must know.\n',
    'run.log': '[2026-11-15 12:34:56 UTC] [run] research was called\n',
  })
  expect(runFiles({ ...run, args: '' })['context.md']).not.toContain('Called')
  expect(runLogLine('a\nb', 'c\nd', NOW)).toBe('[2026-11-15 12:34:56 UTC] [a\\u{a}b] c\\u{a}d\n')
  expect(runText('research', '/p/\n/x')).toContain('/p/\\u{a}/x')
})
