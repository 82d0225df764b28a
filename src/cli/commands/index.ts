import type { Command } from '../command.ts'
import { daemonRotateToken, daemonRun, daemonStart, daemonStatus, daemonStop } from './daemon.ts'
import { demo } from './demo.ts'
import { doctor } from './doctor.ts'
import { fleet } from './fleet.ts'
import { hook } from './hook.ts'
import { ledger } from './ledger.ts'
import { nounCommands } from './noun.ts'
import { query } from './query.ts'
import { rpc } from './rpc.ts'
import { skillCheck, skillGraph, skillLink, skillList, skillNew, skillShow } from './skill.ts'
import { status } from './status.ts'

/** Everything that `holdfast` can do, in the order in which help lists it. */
export const commands: readonly Command[] = [
  status,
  fleet,
  ledger,
  ...nounCommands,
  skillCheck,
  skillList,
  skillShow,
  skillGraph,
  skillNew,
  skillLink,
  query,
  rpc,
  hook,
  daemonStart,
  daemonStop,
  daemonStatus,
  daemonRotateToken,
  daemonRun,
  doctor,
  demo(() => commands),
]
