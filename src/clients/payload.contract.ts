import * as fc from 'fast-check'
import { anyString } from '../../test/any-string.ts'

/** Any text, with edge cases. */
export const anyText = fc.oneof(
  anyString(),
  fc.constantFrom(
    '',
    '\0',
    '\u{d800}',
    '__proto__',
    'constructor',
    '../..',
    '~',
    'file:///%zz',
    'x'.repeat(200_000),
  ),
)

const deep = Array.from({ length: 50_000 }).reduce((inner) => [inner], 1 as unknown)

const wide = Array.from({ length: 5000 }, () => ({ a: 1 }))

const anyValue = fc.oneof(
  anyText,
  fc.anything({ withNullPrototype: true }),
  fc.constantFrom<unknown>(null, undefined, Infinity, [], {}, deep, wide),
)

/** Deletes, replaces or adds fields of a payload, at any depth. */
export function mutated(payload: unknown): fc.Arbitrary<unknown> {
  const change = fc.record({
    at: fc.nat(),
    how: fc.constantFrom('delete', 'replace', 'add'),
    value: anyValue,
    key: anyText,
  })
  return fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
    const copy: unknown = structuredClone(payload)
    const places = placesIn(copy)
    for (const { at, how, value, key } of changes) {
      const place = places[at % places.length]
      if (place === undefined) continue
      if (how === 'delete') Reflect.deleteProperty(place.holder, place.key)
      else if (how === 'add' && Array.isArray(place.holder)) place.holder.push(value)
      // `__proto__` is an ordinary field, as in JSON.parse.
      else own(place.holder, how === 'add' ? key : place.key, value)
    }
    return copy
  })
}

const own = (holder: object, key: string, value: unknown) =>
  Object.defineProperty(holder, key, { value, configurable: true, enumerable: true, writable: true })

function placesIn(value: unknown): readonly { holder: object; key: string }[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [{ holder: value, key }, ...placesIn(inner)])
}

/** Every string in a value, at any depth. */
export function stringsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : []
}
