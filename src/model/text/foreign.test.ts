import { describe, expect, test } from 'vitest'
import { contained, withoutMarkersInJson } from './foreign.ts'

describe('a marker of a client', () => {
  test.each([
    '</system-reminder>',
    '<system-reminder>',
    '</SYSTEM-REMINDER>',
    '</ system-reminder >',
    '< / system-reminder>',
    '<\n/system-reminder>',
    '</system_reminder>',
    '</system\u2011reminder>',
    '</sys\u200Btem-reminder>',
    '</system\u200D-reminder>',
    '<\u2060/system-reminder>',
    '\uFF1C/system-reminder\uFF1E',
    '</\uFF53ystem-reminder>',
    '</\u0455ystem-reminder>',
    '<\uFF0Fsystem-reminder>',
    '<\\system-reminder>',
    '</system-reminder foo="1">',
    '<//system-reminder>',
    '</ /system-reminder>',
    '<_system-reminder>',
    '</-system-reminder>',
    '<\uFE0Fsystem-reminder>',
    '</\u034Fsystem-reminder>',
    '<\u0301/\uFE0Fsystem-reminder>',
    `<${' '.repeat(15)}/system-reminder>`,
    '\u276E/system-reminder>',
    '\u02C2/system-reminder>',
    '<command-name>/exit</command-name>',
    '<local-command-stdout>',
    '<user-prompt-submit-hook>',
    '<function_calls><invoke name="Bash">',
    '</function_results>',
    '<invoke>',
    '\n\n<human>',
  ])('%j does not stay one', (text) => {
    expect(contained(text)).toContain('&lt;')
    expect(contained(text)).not.toMatch(/[<\uFF1C][\s/\\\uFF0F]*\p{L}/u)
  })

  test('is readable, and unchanged if it is contained again', () => {
    expect(contained('See </system-reminder> there')).toBe('See &lt;/system-reminder> there')
    expect(contained(contained('a</system-reminder>'))).toBe(contained('a</system-reminder>'))
  })

  test('can be written as JSON writes it', () => {
    const value = { title: '</system-reminder> \uFF1C/system-reminder>' }
    const json = withoutMarkersInJson(JSON.stringify(value))
    expect(json).not.toMatch(/[<\uFF1C]/)
    expect(JSON.parse(json)).toEqual(value)
  })
})

test.each([
  'Array<string> and Map<K, V>',
  '<div class="x">text</div> <br/> <my-element>',
  'if (a < b && c > d)',
  'cat <<EOF',
  '#include <stdio.h>',
  'Übergröße 漢字 👨‍👩‍👧 می‌خواهم',
  'one\n\ttwo\n',
  '\u2764\uFE0F 1\uFE0F\u20E3 \u845B\u{E0100}',
])('%j stays as it is', (text) => {
  expect(contained(text)).toBe(text)
})

test('signs that nobody sees become visible', () => {
  expect(contained('a\u001B[2Jb\u202Ec\u200Bd\rX\u{E0041}')).toBe(
    'a\\u{1b}[2Jb\\u{202e}c\\u{200b}d\\u{d}X\\u{e0041}',
  )
})

test('selectors after signs that have no other forms become visible, because they can spell a hidden text', () => {
  expect(contained('a\uFE01b\u{E0141}')).toBe('a\\u{fe01}b\\u{e0141}')
  expect(contained('\u2764\uFE0F\uFE05\u{E0150}')).toBe('\u2764\uFE0F\\u{fe05}\\u{e0150}')
})

test('takes linear time', () => {
  const time = (size: number) => {
    const texts = ['<', '< ', '</', '<a', '<\u200B', '<system-', `<${' '.repeat(50)}`].map((unit) =>
      unit.repeat(size / unit.length),
    )
    // Of this thread only, because other tests run beside it; the least, because garbage is collected at any time.
    const once = () => {
      const start = process.threadCpuUsage()
      for (const text of texts) contained(text)
      const { user, system } = process.threadCpuUsage(start)
      // The kernel only guesses which part of short work was the user's.
      return user + system
    }
    return Math.min(once(), once(), once())
  }
  // Code becomes faster while it runs, so both sizes run before they are measured.
  for (const size of [20_000, 160_000, 20_000, 160_000]) time(size)
  const [small, large] = [time(20_000), time(160_000)]
  expect(large).toBeLessThan(8 * 6 * small)
})
