import { escapedCharacter } from './line.ts'

/**
 * What others wrote, such as titles, requests, names and results, as it may stand among our words in a context window:
 * it cannot end what the client wraps around us, pass for a message of the client, or hide what it says.
 */
export const contained = (text: string): string =>
  withoutMarkers(text).replaceAll('\r\n', '\n').replaceAll(HIDDEN, escapedCharacter)

/** Signs that show nothing, turn the text around or steer a terminal; joiners stay, because emoji need them. */
export const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- these are the signs to find
  /[\0-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\uFFFE\uFFFF]|[\u{E0000}-\u{E007F}]|(?<=^|[^\P{ASCII}0-9#*]|[\uFE00-\uFE0F\u{E0100}-\u{E01EF}])[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]/gu

/** A text without tags that clients and models use as markers; all other tags stay, because they may be code. */
export const withoutMarkers = (text: string, escaped: (sign: string) => string = inMarkup): string =>
  text.replaceAll(TAG, (tag: string, name: string) =>
    isMarker(name) ? `${escaped(tag.charAt(0))}${tag.slice(1)}` : tag,
  )

const inMarkup = (): string => '&lt;'

/** The same of JSON, whose values stay. */
export const withoutMarkersInJson = (json: string): string => withoutMarkers(json, inJson)

const inJson = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`

/** The beginning of a tag, also in wide or slanted signs and with signs in between; the bounds keep the time linear. */
const TAG =
  /[<\uFE64\uFF1C\u02C2\u2039\u276E\u27E8\u3008][\s\p{Cf}\p{M}/\\\u2044\u2215\uFF0F_-]{0,20}([\p{L}\uFF3F][\p{L}\p{N}\p{M}\p{Cf}\p{Pd}\u2212_:.]{0,60})/gu

/** How the names of markers begin, or what they are; a cut one counts too. */
const MARKERS =
  /^(system|[\w-]*reminder|(local-)?command-|[\w-]+-hook$|antml|function-?(call|result)|tool-?(use|result|call)|user-prompt|bash-(in|std)|persisted-|task-notif|new-diag|ide-|policy-|holdfast|(invoke|parameter|human|assistant|user|thinking|instructions?)$)/

function isMarker(name: string): boolean {
  const plain = name
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\p{M}]/gu, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '-')
    .toLowerCase()
  // No language writes tags in other letters, but many of those look like ours.
  return /[^a-z0-9-]/.test(plain) || MARKERS.test(plain)
}
