import { describe, expect, test } from 'vitest'
import { fixText } from './fix.ts'
import { readAll } from './read-all.ts'

const fixed = (text: string, kind: 'skill' | 'agent' = 'skill') => {
  const { text: after, fixes } = fixText(kind, text)
  return { after, fixes: fixes.map(({ code, line, what }) => `${code} ${line} ${what}`) }
}
const head = (...lines: readonly string[]) => `---\nname: x\n${lines.join('\n')}\n---\n\n# X\n`
const definitionOf = (text: string) => readAll(['x/SKILL.md'], { textOf: () => text })[0]?.definition

describe('a value that breaks the YAML is quoted', () => {
  test.each([
    ['a colon', 'description: Two passes: one and two', 'description: "Two passes: one and two"'],
    ['an at sign', 'description: @State and more', 'description: "@State and more"'],
    ['brackets', 'argument-hint: [task] [plan|go]', 'argument-hint: "[task] [plan|go]"'],
    ['a quote inside', 'description: Say "a: b" here: now', `description: 'Say "a: b" here: now'`],
    ['a quote at its start', 'description: "One" or two', `description: '"One" or two'`],
    ['both quotes', `description: It's "a": b`, `description: 'It''s "a": b'`],
    ['a percent sign', 'description: %d is a number', 'description: "%d is a number"'],
    ['a back-tick', 'description: `x` does things', 'description: "`x` does things"'],
    ['a field of the author', 'topic: a: b', 'topic: "a: b"'],
  ])('with %s', (_, before, after) => {
    const text = head(before)
    const result = fixed(text)
    expect(result.after).toBe(head(after))
    expect(result.fixes).toEqual([expect.stringMatching(/^HF101 3 Quoted the value of /)])
    expect(definitionOf(result.after)?.description).toBe(definitionOf(text)?.description)
    expect(fixed(result.after).fixes).toEqual([])
  })

  test.each([
    ['a list that is not closed', head('description: d', 'allowed-tools: [Read, Write')],
    ['a list on the line of its key', head('description: d', 'allowed-tools: - Read')],
    ['text over several lines', head('description: One: two', '  and three: four')],
    ['a line that is no field', head('description: d', 'and more of it')],
  ])('but not %s', (_, text) => {
    expect(fixed(text)).toEqual({ after: text, fixes: [] })
  })
})

describe('a field is renamed', () => {
  test('as clients read it', () => {
    expect(
      fixed(
        head('Description: d', 'allowed_tools: Read', 'user_invocable: false', 'whenToUse: w', 'tools: Bash'),
      ),
    ).toEqual({
      after: head(
        'description: d',
        'allowed-tools: Read',
        'user-invocable: false',
        'when_to_use: w',
        'tools: Bash',
      ),
      fixes: [
        'HF111 3 Renamed Description to description',
        'HF111 4 Renamed allowed_tools to allowed-tools',
        'HF111 5 Renamed user_invocable to user-invocable',
        'HF111 6 Renamed whenToUse to when_to_use',
      ],
    })
  })

  test('only if there is no field with that name', () => {
    const text = head('description: d', 'allowed_tools: Read', 'allowed-tools: Bash')
    expect(fixed(text)).toEqual({ after: text, fixes: [] })
  })

  test('by the kind of the file', () => {
    expect(fixed(head('description: d', 'disallowed-tools: Bash'), 'agent').after).toContain(
      '\ndisallowedTools: Bash',
    )
    expect(fixed(head('description: d', 'disallowed-tools: Bash')).fixes).toEqual([])
  })

  test('only in the frontmatter', () => {
    const text = `${head('description: d')}\nallowed_tools: Read\n`
    expect(fixed(text)).toEqual({ after: text, fixes: [] })
  })
})

describe('a fence is removed', () => {
  const front = '---\nname: x\ndescription: d\n---\n'
  test.each([
    ['around the frontmatter', `\`\`\`yaml\n${front}\`\`\`\n\n# X\n`, `${front}\n# X\n`],
    ['around the whole file', `\`\`\`markdown\n${front}\n# X\n\`\`\`\n`, `${front}\n# X\n`],
    [
      'around a file with code',
      `\`\`\`\`markdown\n${front}\n\`\`\`sh\nls\n\`\`\`\n\`\`\`\`\n`,
      `${front}\n\`\`\`sh\nls\n\`\`\`\n`,
    ],
    ['of fields without rules', '```yaml\nname: x\ndescription: d\n```\n\n# X\n', `${front}\n# X\n`],
  ])('%s', (_, before, after) => {
    expect(fixed(before)).toEqual({ after, fixes: ['HF103 1 Removed the fence around the frontmatter'] })
  })

  test('only if its end is clear', () => {
    const text = `\`\`\`markdown\n${front}\n# X\n\n\`\`\`sh\nls\n\`\`\`\n`
    expect(fixed(text)).toEqual({ after: text, fixes: [] })
  })
})

describe('frontmatter is closed', () => {
  test('before a heading, if all above it is fields', () => {
    expect(fixed('---\nname: x\ndescription: d\n\n# X\n')).toEqual({
      after: '---\nname: x\ndescription: d\n---\n\n# X\n',
      fixes: ['HF116 1 Closed the frontmatter'],
    })
  })

  test.each(['---\nname: x\ndescription: d\n\nSome text.\n', '---\nname: x\nand: more\nwords\n\n# X\n'])(
    'but not if its end is a guess: %j',
    (text) => expect(fixed(text)).toEqual({ after: text, fixes: [] }),
  )
})

test('several problems are fixed together', () => {
  const text = '```yaml\n---\nname: x\ndescription: a: b\nuser_invocable: false\n---\n```\n# X\n'
  expect(fixed(text)).toEqual({
    after: '---\nname: x\ndescription: "a: b"\nuser-invocable: false\n---\n# X\n',
    fixes: [
      'HF103 1 Removed the fence around the frontmatter',
      'HF101 4 Quoted the value of description',
      'HF111 5 Renamed user_invocable to user-invocable',
    ],
  })
})

test('the mark at the start, line endings and the missing end of the last line stay', () => {
  const text = '\uFEFF---\r\nname: x\r\ndescription: a: b\r\n---\r\n\r\n# X\rand\nso on'
  expect(fixed(text).after).toBe(text.replace('a: b', '"a: b"'))
})

test.each(['', '\n', '---', '---\n---\n', '# X\n', '```\n', '\uFEFF'])('%j stays as it is', (text) => {
  expect(fixed(text)).toEqual({ after: text, fixes: [] })
})
