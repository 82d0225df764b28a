import type { Group } from '../check.ts'
import { config } from './config.ts'
import { daemon, socket } from './daemon.ts'
import { database, integrity } from './database.ts'
import { home } from './home.ts'
import { hooks } from './hooks.ts'
import { http } from './http.ts'
import { lock } from './lock.ts'
import { node } from './node.ts'
import { plugin } from './plugin.ts'
import { program } from './program.ts'
import { disk, files } from './scarce.ts'
import { settings } from './settings.ts'
import { skills } from './skills.ts'
import { statusLine } from './status-line.ts'

/** In the order in which one rests on the other. */
export const groups: readonly Group[] = [
  node,
  program,
  config,
  home,
  daemon,
  socket,
  http,
  settings,
  plugin,
  hooks,
  statusLine,
  lock,
  skills,
  disk,
  files,
  database,
  integrity,
]
