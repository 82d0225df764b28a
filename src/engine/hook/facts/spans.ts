import { openSpansOf, toSpan } from '../../../store/span.ts'
import type { Loader } from './loader.ts'

/** Spans of this client session that are not completed, newest first. */
export const spans: Loader<'spans'> = {
  looks: [],
  load: async (tx, { window }) =>
    (await openSpansOf(tx, { session_id: window.session.native_id ?? '' })).map(toSpan),
}
