const NAME = 'Holdfast: '

/** Starts a message with our name, exactly once, because agents read many sources. */
export const inOurVoice = (text: string): string =>
  text === '' || text.startsWith(NAME) ? text : `${NAME}${continued(text)}`

/** How many bytes the name adds to a message. */
export const VOICE_BYTES = NAME.length

/** Lowercases the first word after the name; paths, quotes and acronyms stay. */
const continued = (text: string): string =>
  text.replace(/^[A-Z](?=[a-z]|\s)/, (letter) => letter.toLowerCase())
