import { saidIn } from '../../../store/message.ts'
import type { Loader } from './loader.ts'

/** What user and agent said in the window, the oldest first. */
export const said: Loader<'said'> = {
  looks: [],
  load: async (tx, { window }) =>
    (await saidIn(tx, { session_id: window.session.id })).map(({ content }) => content).toReversed(),
}
