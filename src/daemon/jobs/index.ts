import { backUpDaily } from './back-up-daily.ts'
import { countDescriptors } from './count-descriptors.ts'
import { flushVolatile } from './flush-volatile.ts'
import { forgetOldKeys } from './forget-old-keys.ts'
import type { Job, JobNeeds } from './job.ts'
import { keepBallast } from './keep-ballast.ts'
import { keepIndex } from './keep-index.ts'
import { lookForSkills } from './look-for-skills.ts'
import { markSilence } from './mark-silence.ts'
import { pruneOldMessages } from './prune-messages.ts'
import { stopWhenIdle } from './stop-when-idle.ts'
import { takeBackItems } from './take-back-items.ts'
import { watchDatabase } from './watch-database.ts'
import { watchServer } from './watch-server.ts'

/** Everything that a daemon does periodically; a new job is a file and a line here. */
export const jobs: readonly Job<JobNeeds>[] = [
  flushVolatile,
  markSilence,
  takeBackItems,
  watchDatabase,
  watchServer,
  stopWhenIdle,
  keepBallast,
  countDescriptors,
  lookForSkills,
  forgetOldKeys,
  backUpDaily,
  pruneOldMessages,
  keepIndex,
]
