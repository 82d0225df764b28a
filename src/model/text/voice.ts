const NAME = 'Holdfast: '

/** An agent reads many voices, so each message begins with our name, exactly once. */
export const inOurVoice = (text: string): string =>
  text === '' || text.startsWith(NAME) ? text : `${NAME}${continued(text)}`

/** How many bytes the name adds to a message. */
export const VOICE_BYTES = NAME.length

/** A sentence goes on in lower case behind the name; paths, quotes and acronyms stay as they are. */
const continued = (text: string): string =>
  text.replace(/^[A-Z](?=[a-z]|\s)/, (letter) => letter.toLowerCase())
