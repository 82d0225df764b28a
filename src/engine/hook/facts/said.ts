import { saidIn } from '../../../store/message.ts'
import type { Loader } from './loader.ts'

/** The user and agent messages of the session, oldest first. */
export const said: Loader<'said'> = {
  looks: [],
  load: async (tx, { window }) =>
    (await saidIn(tx, { session_id: window.session.id })).map(({ content }) => content).toReversed(),
}
