import type { Command } from '../frame/command.ts'

/** Loaded late, because no other command needs the database. */
const load = () => import('../daemon/backup.ts')

export const backup: Command = {
  name: 'backup',
  summary: 'Make a backup of the database; works with and without a daemon.',
  usage: '[FILE]',
  places: { FILE: 'a new file; by default the backup goes to the folder of backups, which keeps 7' },
  flags: {},
  examples: ['holdfast backup', 'holdfast backup /media/usb/holdfast.db'],
  run: async (io, given) => (await load()).makeBackup(io, given),
}

export const backups: Command = {
  name: 'backups',
  summary: 'List the backups of the database, newest first, and what restores replaced.',
  usage: '',
  flags: {},
  run: async (io) => (await load()).showBackups(io),
}

export const restore: Command = {
  name: 'restore',
  summary: 'Put a backup in the place of the database, and keep what was there; stops the daemon meanwhile.',
  usage: '[NAME|FILE]',
  places: { 'NAME|FILE': 'a name from `holdfast backups`, or a file; by default the newest backup' },
  flags: { yes: { kind: 'switch', summary: 'restore without asking' } },
  examples: ['holdfast restore', 'holdfast restore /media/usb/holdfast.db --yes'],
  run: async (io, given) => (await import('../daemon/restore.ts')).runRestore(io, given),
}
