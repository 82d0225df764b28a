import type { Block } from '../../../model/plan/plan.ts'
import type { Kind } from '../../text/typed-fields.ts'
import { isRecord } from '../../text/values.ts'

const isText = (value: unknown): value is string => typeof value === 'string'

export const FLAG: Kind<boolean> = {
  is: (value): value is boolean => typeof value === 'boolean',
  wanted: 'true or false',
}
export const NUMBER: Kind<number> = {
  is: (value): value is number => typeof value === 'number' && Number.isFinite(value),
  wanted: 'a number',
}
/** Anything; what reads it further judges it. */
export const ANYTHING: Kind<unknown> = { is: (_value): _value is unknown => true, wanted: 'anything' }
export const RECORD: Kind<Readonly<Record<string, unknown>>> = { is: isRecord, wanted: 'an object' }
export const TEXTS_BY_NAME: Kind<Readonly<Record<string, string>>> = {
  is: (value): value is Readonly<Record<string, string>> =>
    isRecord(value) && Object.values(value).every(isText),
  wanted: 'texts by name',
}
/** An action; an empty one is a blank line. */
export const ACTIONS: Kind<readonly (string | Block)[]> = {
  is: (value): value is readonly (string | Block)[] =>
    Array.isArray(value) && Array.from(value as unknown[]).every((one) => isText(one) || isBlock(one)),
  wanted: 'a list of texts and blocks',
}

const isBlock = (value: unknown): value is Block => isRecord(value) && isText(value['block'])

/** A list of a bounded number of things, each judged by what reads it further. */
export const listOf = (what: string, most: number): Kind<readonly unknown[]> => ({
  is: (value): value is readonly unknown[] =>
    Array.isArray(value) && value.length > 0 && value.length <= most,
  wanted: `a list of 1 to ${most} ${what}`,
})

/** A value as the text that it is kept as. */
export const valueText = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : undefined

/** One of these words. */
export const oneOf = <const Word extends string>(...words: readonly Word[]): Kind<Word> => ({
  is: (value): value is Word => words.some((word) => word === value),
  wanted: words.join(' or '),
})
