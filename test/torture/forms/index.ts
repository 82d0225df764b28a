import { appends } from './appends.ts'
import { backups } from './backups.ts'
import { blackhole } from './blackhole.ts'
import { connections } from './connections.ts'
import { crash } from './crash.ts'
import { damage } from './damage.ts'
import { faults } from './faults.ts'
import { frames } from './frames.ts'
import type { Form } from './form.ts'
import { handoff } from './handoff.ts'
import { hostilePort } from './hostile-port.ts'
import { iofaults } from './iofaults.ts'
import { longRun } from './long-run.ts'
import { obedient } from './obedient.ts'
import { ordinary } from './ordinary.ts'
import { overlays } from './overlays.ts'
import { powercut } from './powercut.ts'
import { race } from './race.ts'
import { random } from './random.ts'
import { replay } from './replay.ts'
import { routes } from './routes.ts'
import { skew } from './skew.ts'
import { skills } from './skills.ts'
import { swaps } from './swaps.ts'
import { upgrade } from './upgrade.ts'

/** The long forms of heavy tests. */
export const forms: readonly Form[] = [
  crash,
  race,
  frames,
  upgrade,
  replay,
  random,
  longRun,
  ordinary,
  obedient,
  blackhole,
  appends,
  skew,
  connections,
  hostilePort,
  damage,
  faults,
  routes,
  overlays,
  skills,
  swaps,
  backups,
  handoff,
  powercut,
  iofaults,
]
