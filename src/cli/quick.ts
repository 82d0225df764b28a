import { status } from './commands/status.ts'
import { step, stepDone, stepFail, stepGo, stepSkip } from './commands/step.ts'
import { openDoor } from './daemon/door.ts'
import { run } from './frame/dispatch.ts'

void run(process.argv.slice(2), [status, stepDone, stepFail, stepSkip, stepGo, step], openDoor)
