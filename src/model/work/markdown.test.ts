import { expect, test } from 'vitest'
import { draftsOfMarkdown } from './markdown.ts'
import { itemsOf } from './resolve.ts'

const graphOf = (text: string) =>
  draftsOfMarkdown(text).drafts.map(({ item, title, blocked_by }) =>
    `${item} ${title} < ${blocked_by?.join(' ')}`.trimEnd(),
  )

test.each([
  [
    'the numbered tasks of a phase follow each other, and phases too',
    '# Login\n\n1. not of a phase\n\n**Phase 1: Store**\n1. Schema\n2. Queries\n\n### Phase 2: Page\n\n1. Form\n2. Style\n',
    ['1.1 Schema <', '1.2 Queries < 1.1', '2.1 Form < 1.1 1.2', '2.2 Style < 2.1'],
  ],
  [
    'the entries of a check list do not wait for each other, and ticked ones are done',
    '## Phase 1: A\n- [x] Old\n- [ ] One\n- [ ] Two\n## Phase 2: B\n- [ ] Three\n',
    ['1.2 One <', '1.3 Two <', '2.1 Three < 1.2 1.3'],
  ],
  [
    'independent phases and tasks wait for nothing before them',
    '### Phase 1: A\n1. One\n### Phase 2: B\nThis is independent of phase 1.\n1. Two\n2. Three (no dependency)\n',
    ['1.1 One <', '2.1 Two <', '2.2 Three (no dependency) <'],
  ],
  [
    'words say what a task waits for',
    '### Phase 1: A\n1. One\n2. Two\n3. Three\n   Depends on task 1.\n### Phase 2: B\n1. Four, after 1.2 and 1.3\n',
    ['1.1 One <', '1.2 Two < 1.1', '1.3 Three < 1.1', '2.1 Four, after 1.2 and 1.3 < 1.2 1.3'],
  ],
  [
    'a phase without tasks is one thing to do',
    '**Phase 1: Look around**\nRead it all.\n\n**Phase 2: Write**\nDo it.\n',
    ['1 Look around <', '2 Write < 1'],
  ],
  ['a plan without phases is its list', '# Do\n\n1. One\n2. **Two**:\n', ['1 One <', '2 Two < 1']],
  [
    'a code block is no part of the plan, and another heading ends a phase',
    '### Phase 1: A\n1. One\n```\n2. Fake\n### Phase 9: Fake\n```\n## Notes\n1. no task\n',
    ['1.1 One <'],
  ],
  [
    'two phases of one number have different items',
    '### Phase 1: A\n1. One\n### Phase 1: B\n1. Two\n',
    ['1.1 One <', '1.1-2 Two < 1.1'],
  ],
])('%s', (_, text, expected) => {
  expect(graphOf(text)).toEqual(expected)
  expect(itemsOf(draftsOfMarkdown(text).drafts).problems).toEqual([])
})

test('an item is told all its lines, with the files that they name', () => {
  const text =
    '### Phase 1: Store\n1. Write the schema in `src/schema.ts`\n   - with `index.ts`\n\n   Keep it small.\n'
  expect(draftsOfMarkdown(text)).toEqual({
    ticked: 0,
    drafts: [
      {
        item: '1.1',
        title: 'Write the schema in src/schema.ts',
        prompt: 'Write the schema in `src/schema.ts`\n   - with `index.ts`\n\n   Keep it small.',
        phase: '1: Store',
        files: ['src/schema.ts', 'index.ts'],
        blocked_by: [],
      },
    ],
  })
})
