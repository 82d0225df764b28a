import { join } from 'node:path'
import { newCounts } from '../../model/count.ts'

/** What a daemon with this home says of itself before it did anything. */
export const statusIn = (home: string) => ({
  pid: process.pid,
  version: '0.0.0',
  node: process.version,
  socket: join(home, 'engine.sock'),
  database: join(home, 'engine.db'),
  database_kind: 'sqlite',
  home,
  log: join(home, 'daemon.log'),
  started_at: '2026-01-01T00:00:00.000Z',
  uptime_seconds: 0,
  memory_bytes: 0,
  http: { listening: false, port: null, problem: null, lost_port: null },
  ...newCounts(),
  hook_faults: null,
  dropped: null,
  disk: { free_bytes: 0, has_ballast: false },
  descriptors: null,
  postgres: null,
})
