import { describe, expect, test } from 'vitest'
import { isTag, keptTags, modesIn, modeTitle, stepsOf } from './mode.ts'
import { SHIPPED_MODES } from './shipped-modes.ts'

const found = (text: string) => {
  const { modes, text: left } = modesIn(text, SHIPPED_MODES)
  return [modes.map(({ tag }) => tag).join(' '), left]
}

describe('the tags of a prompt', () => {
  test.each(SHIPPED_MODES)('set the mode $name', ({ tag }) => {
    for (const [text, left] of [
      [`Mend the port #${tag}`, 'Mend the port'],
      [`#${tag} mend the port`, 'mend the port'],
      [`#${tag}: mend it`, `#${tag}: mend it`],
      [`Is it so #${tag}?`, 'Is it so?'],
      [`Mend #${tag}, then stop.`, 'Mend, then stop.'],
      [`Mend it #${tag}.`, 'Mend it.'],
      [`Mend it #${tag}!`, 'Mend it!'],
      [`Mend it #${tag};\nnow`, 'Mend it;\nnow'],
      [`Mend #${tag.toUpperCase()} it`, 'Mend it'],
    ] as const)
      expect(found(text)).toEqual([left === text ? '' : tag, left])
  })

  test.each([
    ['#ver #pref go', 'ver pref', 'go'],
    ['go #research and #ver and #research', 'research ver', 'go and and'],
    ['#qheavy go #qlight', 'qlight', 'go'],
    ['#ver,#comp go', 'ver comp', 'go'],
    ['go #ver,#mine now', 'ver', 'go #mine now'],
    ['', '', ''],
    ['#ver', 'ver', ''],
    ['#ver, do it', 'ver', 'do it'],
    ['a\n\n#ver\n\nb', 'ver', 'a\n\n\n\nb'],
  ])('are found in text order: %j', (text, tags, left) => {
    expect(found(text)).toEqual([tags, left])
  })

  test.each([
    'mend #mine',
    'see #123 and #1',
    '# ver',
    '## ver',
    '##ver',
    'a#ver',
    '(#ver)',
    '#ver.md',
    '#ver/x',
    '#ver-x',
    '#verify',
    '#ver*',
    'color: #fff; #ffeedd #abc',
    'say `#ver` here',
    'say "use #ver here" now',
    "say 'use #ver here' now",
    'say “#ver” now',
    'see https://example.org/a#ver and https://example.org/#ver',
    'https://example.org/a,#ver',
    'a\n```\n#ver\n```\nb',
    'a\n~~~\n#ver\n~~~',
    '> they said #ver\nI do not',
  ])('leave other text alone: %j', (text) => {
    expect(found(text)).toEqual(['', text])
  })

  test('cost nothing where no mode is known', () => {
    expect(modesIn('go #ver', [])).toEqual({ modes: [], text: 'go #ver' })
  })
})

test('the last mode that decides about steps wins', () => {
  const steps = (text: string) => stepsOf(modesIn(text, SHIPPED_MODES).modes)
  expect([steps('#ver'), steps('#qlight #ver'), steps('#qlight #qheavy')]).toEqual([
    undefined,
    'quick',
    'full',
  ])
})

test('a tag is a name and no color', () => {
  expect(['sec', 'a-b', 'deep2'].filter(isTag)).toHaveLength(3)
  expect(['', 'a', 'add', 'beef', 'facade', '1a', 'Ver', 'a b', 'x'.repeat(31)].filter(isTag)).toEqual([])
})

test('an effort keeps tags, whatever else its metadata has', () => {
  expect(keptTags({ modes: ['ver', 7, 'a\nb'] })).toEqual(['ver'])
  expect([keptTags({}), keptTags({ modes: 'ver' })]).toEqual([[], []])
})

test('a mode has a title', () => {
  expect(modeTitle({ tag: 'ver', name: 'verify' })).toBe('verify (#ver)')
  expect(modeTitle({ tag: 'research', name: 'research' })).toBe('#research')
})
