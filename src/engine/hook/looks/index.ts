import { contents } from './contents.ts'
import { directives } from './directives.ts'
import { doors } from './doors.ts'
import { files } from './files.ts'
import { hooksGone } from './hooks-gone.ts'
import { memory } from './memory.ts'
import { phase } from './phase.ts'
import { place } from './place.ts'
import { records } from './records.ts'
import { results } from './results.ts'
import { run } from './run.ts'
import { seen } from './seen.ts'
import { sessionFile } from './session-file.ts'
import { shown } from './shown.ts'
import { tasks } from './tasks.ts'
import { transcript } from './transcript.ts'
import { written } from './written.ts'

/** In order: each look sees the results of the ones before. */
export const looks = {
  files,
  doors,
  phase,
  place,
  records,
  shown,
  seen,
  directives,
  run,
  results,
  tasks,
  transcript,
  written,
  contents,
  sessionFile,
  memory,
  hooksGone,
}

export type LookName = keyof typeof looks
